//! Sign-in by code: its limits, its tries, and the use of tokens.

mod limits;

use futures_util::future::join_all;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

use crate::support::{TestApp, mailbox, sample, with_app};

const EMAIL: &str = "ada@test.example";
const WRONG: &str = "Invalid or expired verification code. Please try again.";

/// Requests a code and returns it from the mail.
async fn code(app: &TestApp) -> String {
    app.post("/api/auth/request-login", json!({"email": EMAIL})).await.ok();
    background::mail(&app.app).await.expect("mails go out");
    newest_code(app)
}

fn newest_code(app: &TestApp) -> String {
    subject_code(mailbox::read(app).last().expect("a mail is there"))
}

/// The code at the beginning of the subject.
fn subject_code(mail: &str) -> String {
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
async fn fifty_parallel_wrong_codes_use_up_five_tries_and_the_right_one_is_void() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let code = code(app).await;
        let wrong = if code == "000000" { "000001" } else { "000000" };
        let guess = json!({"email": EMAIL, "code": wrong});
        let guesses = join_all((0..50).map(|_| app.post("/api/auth/verify-login", guess.clone()))).await;
        assert!(guesses.iter().all(|guess| guess.status == 401), "{guesses:?}");
        let right = json!({"email": EMAIL, "code": code});
        assert_eq!(app.post("/api/auth/verify-login", right).await.refused(401), WRONG);
    })
    .await;
}

#[tokio::test]
async fn the_last_three_codes_are_valid_and_a_sign_in_voids_them_all() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let mut codes = Vec::new();
        for _ in 0..4 {
            codes.push(code(app).await);
        }
        let verify =
            async |code: &String| app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": code})).await;
        let (oldest, valid) = codes.split_first().expect("there are codes");
        if !valid.contains(oldest) {
            verify(oldest).await.refused(401);
        }
        verify(&valid[0]).await.ok();
        for code in valid {
            verify(code).await.refused(401);
        }
    })
    .await;
}

#[tokio::test]
async fn tries_count_for_all_codes_that_are_there() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let codes = [code(app).await, code(app).await];
        let wrong = ["000000", "000001", "000002"].into_iter().find(|wrong| !codes.iter().any(|code| code == wrong));
        for _ in 0..5 {
            app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": wrong})).await.refused(401);
        }
        for code in codes {
            app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": code})).await.refused(401);
        }
        let new = code(app).await;
        app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": new})).await.ok();
    })
    .await;
}

/// The key of the link in the newest mail.
fn newest_key(app: &TestApp) -> String {
    let mails = mailbox::read(app);
    let mail = mails.last().expect("a mail is there").replace("=3D", "=");
    let (_, key) = mail.split_once("/login#email=ada%40test.example&key=").expect("a link");
    key.chars().take_while(char::is_ascii_lowercase).collect()
}

#[tokio::test]
async fn a_link_is_good_for_ten_minutes_and_for_its_own_e_mail() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        app.user("eve@test.example", Role::User).await;
        code(app).await;
        let key = newest_key(app);
        let verify = async |email: &str| {
            app.post("/api/auth/verify-login", json!({"email": email, "code": key})).await.refused(401);
        };
        verify("eve@test.example").await;
        verify("nobody@test.example").await;
        let later = "UPDATE login_codes SET expires_at = expires_at - interval '10 minutes'";
        sample::run(&mut *app.connection().await, later).await;
        verify(EMAIL).await;
    })
    .await;
}

#[tokio::test]
async fn unknown_and_suspended_e_mails_get_the_same_answer_and_no_mail() {
    with_app(async |app| {
        let known = app.user(EMAIL, Role::User).await;
        let suspended = app.user("suspended@test.example", Role::User).await;
        sample::run(
            &mut *app.connection().await,
            &format!("UPDATE users SET suspended_at = now() WHERE id = {}", suspended.id),
        )
        .await;
        let mut answers = Vec::new();
        for email in [known.email.as_str(), "nobody@test.example", "suspended@test.example"] {
            let answer = app.post("/api/auth/request-login", json!({ "email": email })).await;
            assert_eq!(answer.headers["ratelimit-limit"], "5", "{email}");
            assert_eq!(answer.headers["ratelimit-remaining"], "4", "{email}");
            answers.push(answer.ok());
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

#[tokio::test]
async fn an_owner_is_told_who_a_member_is_once_that_person_has_signed_in() {
    with_app(async |app| {
        let person = app.client(EMAIL, Role::Admin).await;
        person.put("/api/auth/profile", json!({"name": "Ada Lovelace"})).await.ok();
        let owner = app.client("owner@test.example", Role::Admin).await;
        let group = owner.post("/api/groups", json!({"group_name": "Guests", "default_budget_per_user": 5})).await.ok();
        let group = format!("/api/groups/{}", group["id"]);
        let added = owner.post(&format!("{group}/members"), json!({ "email": EMAIL })).await.ok()["user"].clone();
        let known = |user: &serde_json::Value| ["name", "role", "isVerified"].map(|field| user[field].clone());
        assert_eq!(added["email"], EMAIL);
        assert_eq!(known(&added), [json!(null), json!("user"), json!(false)], "as of an account that is new");
        let usage = owner.get(&format!("{group}/usage")).await.ok();
        assert_eq!((&usage[0]["email"], &usage[0]["name"]), (&json!(EMAIL), &json!(null)));
        let ledger = owner.get(&format!("{group}/transactions")).await.ok();
        assert_eq!(known(&ledger[0]["groupUser"]["user"]), known(&added));

        let login = json!({"email": EMAIL, "code": code(app).await});
        app.post("/api/auth/verify-login", login).await.ok();
        let members = owner.get(&format!("{group}/members")).await.ok();
        assert_eq!(known(&members[0]["user"]), [json!("Ada Lovelace"), json!("admin"), json!(true)]);
        assert_eq!(owner.get(&format!("{group}/usage")).await.ok()[0]["name"], "Ada Lovelace");
    })
    .await;
}
