//! Requests for access, and their mails.

use reqwest::Method;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

use crate::support::sample;
use crate::support::smtp::SmtpServer;
use crate::support::{mailbox, with_app, with_flags};

#[tokio::test]
async fn a_request_is_told_to_super_admins_and_its_approval_to_who_asked() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let request = json!({"email": "Grace@test.example", "instituteName": "Navy", "purposeOfUse": "research"});
        assert_eq!(app.post("/api/auth/request-group", request).await.status, 201);
        background::mail(&app.app).await.expect("mails go out");
        let mail = mailbox::read(app).pop().expect("a mail is there");
        assert!(mail.contains("To: root@test.example") && mail.contains("grace@test.example of Navy asks"), "{mail}");

        let list = root.get("/api/access-requests?status=pending").await;
        assert_eq!(list.headers["x-total-count"], "1");
        assert_eq!(list.ok()[0]["instituteName"], "Navy");
        let approve = "/api/access-requests/1/approve";
        assert_eq!(root.send(Method::POST, approve, None).await.ok()["status"], "approved");
        let again = root.send(Method::POST, approve, None).await.refused(409);
        assert_eq!(again, "The request is approved already");
        background::mail(&app.app).await.expect("mails go out");
        let mail = mailbox::read(app).pop().expect("a mail is there");
        assert!(mail.contains("To: grace@test.example") && mail.contains("Next steps"), "{mail}");
        assert_eq!(app.user("grace@test.example", Role::User).await.role, "admin");
    })
    .await;
}

#[tokio::test]
async fn a_rejection_is_mailed_with_its_reason_and_creates_nobody() {
    with_app(async |app| {
        let root = app.super_admin().await;
        app.post("/api/auth/request-group", json!({"email": "grace@test.example"})).await.ok();
        root.post("/api/access-requests/1/reject", json!({"reason": "Too soon"})).await.ok();
        background::mail(&app.app).await.expect("mails go out");
        let mail = mailbox::read(app).pop().expect("a mail is there");
        assert!(mail.contains("Reason: Too soon"), "{mail}");
        root.send(Method::POST, "/api/access-requests/2/approve", None).await.refused(404);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_purpose_is_refused() {
    with_app(async |app| {
        let request = json!({"email": "grace@test.example", "purposeOfUse": "fun"});
        let refused = app.post("/api/auth/request-group", request).await.refused(400);
        assert!(refused.starts_with("purposeOfUse must be one of teaching"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_mail_that_the_server_refuses_is_sent_again_later() {
    let server = SmtpServer::start(1).await;
    with_flags(&["--smtp-url", &server.url, "--mail-from", "Lab <lab@test.example>"], async |app| {
        app.super_admin().await;
        app.post("/api/auth/request-group", json!({"email": "grace@test.example"})).await.ok();
        assert_eq!(background::mail(&app.app).await.expect("the round ends"), 0);
        assert_eq!(background::mail(&app.app).await.expect("the round ends"), 0, "it waits for its time");
        sample::run(&mut *app.connection().await, "UPDATE mails SET due_at = now()").await;
        assert_eq!(background::mail(&app.app).await.expect("the round ends"), 1);
        let mails = server.mails();
        assert_eq!(mails.len(), 1);
        for part in ["From: Lab <lab@test.example>", "multipart/alternative", "text/plain", "text/html"] {
            assert!(mails[0].contains(part), "{part} is missing: {}", mails[0]);
        }
    })
    .await;
}
