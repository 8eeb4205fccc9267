//! Signing in by a code: its limits, its tries, and what a token is worth.

use futures_util::future::join_all;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

use crate::support::{TestApp, mailbox, with_app};

const EMAIL: &str = "ada@test.example";
const WRONG: &str = "Invalid or expired verification code. Please try again.";

/// The code that is mailed when it is asked for.
async fn code(app: &TestApp) -> String {
    app.post("/api/auth/request-login", json!({"email": EMAIL})).await.ok();
    background::mail(&app.app).await.expect("mails go out");
    let mail = mailbox::read(app).pop().expect("a mail is there");
    let subject = mail.lines().find_map(|line| line.strip_prefix("Subject: ")).expect("it has a subject");
    subject.split(' ').next().expect("it begins with the code").to_owned()
}

#[tokio::test]
async fn a_mailed_code_signs_in_once() {
    with_app(async |app| {
        app.user(EMAIL, Role::Admin).await;
        let login = json!({"email": EMAIL.to_uppercase(), "code": code(app).await});
        let session = app.post("/api/auth/verify-login", login.clone()).await.ok();
        let token = session["access_token"].as_str().expect("a token");
        let profile = app.visitor().with_token(token).get("/api/auth/profile").await.ok();
        assert_eq!(
            profile,
            json!({"id": 1, "name": null, "email": EMAIL, "role": "admin", "photoUrl": null, "isVerified": true})
        );
        assert_eq!(app.post("/api/auth/verify-login", login).await.refused(401), WRONG);
    })
    .await;
}

#[tokio::test]
async fn a_hundred_parallel_wrong_codes_use_up_five_tries_and_the_right_one_is_void() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let code = code(app).await;
        let wrong = if code == "000000" { "000001" } else { "000000" };
        let guess = json!({"email": EMAIL, "code": wrong});
        let guesses = join_all((0..100).map(|_| app.post("/api/auth/verify-login", guess.clone()))).await;
        assert!(guesses.iter().all(|guess| guess.status == 401), "{guesses:?}");
        let right = json!({"email": EMAIL, "code": code});
        assert_eq!(app.post("/api/auth/verify-login", right).await.refused(401), WRONG);
    })
    .await;
}

#[tokio::test]
async fn a_new_code_voids_the_one_before() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let (old, new) = (code(app).await, code(app).await);
        if old != new {
            app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": old})).await.refused(401);
        }
        app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": new})).await.ok();
    })
    .await;
}

#[tokio::test]
async fn codes_are_limited_by_e_mail_however_the_address_changes_and_whether_anyone_has_it() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        for email in [EMAIL, "nobody@test.example"] {
            let asked = join_all((0..20).map(|n| async move {
                let visitor = app.visitor().with_header("x-forwarded-for", &format!("203.0.113.{n}"));
                visitor.post("/api/auth/request-login", json!({ "email": email })).await
            }))
            .await;
            assert_eq!(asked.iter().filter(|answer| answer.status == 200).count(), 5, "{email}");
            let refused = asked.iter().find(|answer| answer.status == 429).expect("the others are refused");
            let wait: u64 = refused.headers["retry-after"].to_str().expect("a number").parse().expect("a number");
            assert!((1..=900).contains(&wait), "{wait}");
        }
    })
    .await;
}

#[tokio::test]
async fn codes_are_limited_by_address_too() {
    with_app(async |app| {
        for n in 0..31 {
            let answer = app.post("/api/auth/request-login", json!({"email": format!("u{n}@test.example")})).await;
            assert_eq!(answer.status, if n < 30 { 200 } else { 429 }, "request {n}");
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_and_suspended_e_mails_get_the_same_answer_and_no_mail() {
    with_app(async |app| {
        let known = app.user(EMAIL, Role::User).await;
        let suspended = app.user("suspended@test.example", Role::User).await;
        crate::support::sample::run(
            &mut *app.connection().await,
            &format!("UPDATE users SET suspended_at = now() WHERE id = {}", suspended.id),
        )
        .await;
        let mut answers = Vec::new();
        for email in [known.email.as_str(), "nobody@test.example", "suspended@test.example"] {
            answers.push(app.post("/api/auth/request-login", json!({ "email": email })).await.ok());
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(background::mail(&app.app).await.expect("mails go out"), 1);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_an_e_mail_or_a_code_is_refused_in_the_specs_words() {
    with_app(async |app| {
        let refused = app.post("/api/auth/request-login", json!({"email": "ada"})).await.refused(400);
        assert_eq!(refused, "Please enter a valid email address");
        let short = json!({"email": EMAIL, "code": "12345"});
        let refused = app.post("/api/auth/verify-login", short).await.refused(400);
        assert_eq!(refused, "Please enter the 6-digit verification code");
        let refused = app.post("/api/auth/verify-login", json!({"email": 1})).await.refused(400);
        assert!(refused.starts_with("email: invalid type"), "{refused}");
    })
    .await;
}
