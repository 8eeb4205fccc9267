//! Limits of requested and tried codes, by e-mail and by address.

use futures_util::future::join_all;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

use super::{EMAIL, WRONG, code, newest_code, newest_key, subject_code};
use crate::support::{TestApp, mailbox, sample, with_app, with_flags};

/// Flags that trust the address that visitors state.
const BEHIND_A_PROXY: [&str; 2] = ["--trusted-proxies", "127.0.0.1"];

#[tokio::test]
async fn codes_are_limited_by_e_mail_whether_anyone_has_it_and_forged_addresses_change_nothing() {
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
            assert_eq!(refused.headers["ratelimit-limit"], "5");
            assert_eq!(refused.headers["ratelimit-remaining"], "0");
        }
    })
    .await;
}

#[tokio::test]
async fn nobody_keeps_somebody_else_from_signing_in() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        let victim = app.visitor().with_header("x-forwarded-for", "198.51.100.1");
        let ask = json!({ "email": EMAIL });
        victim.post("/api/auth/request-login", ask.clone()).await.ok();
        background::mail(&app.app).await.expect("mails go out");
        let code = newest_code(app);

        // A stranger voids no code of the victim, neither by requests nor by guesses.
        let stranger = app.visitor().with_header("x-forwarded-for", "203.0.113.9");
        for status in [200, 200, 429] {
            if status == 429 {
                for _ in 0..3 {
                    stranger.post("/api/auth/request-login", ask.clone()).await;
                }
            }
            assert_eq!(stranger.post("/api/auth/request-login", ask.clone()).await.status, status);
        }
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for _ in 0..20 {
            stranger.post("/api/auth/verify-login", json!({"email": EMAIL, "code": wrong})).await.refused(401);
        }
        let stolen = json!({"email": EMAIL, "code": code});
        stranger.post("/api/auth/verify-login", stolen.clone()).await.refused(401);
        assert_eq!(victim.post("/api/auth/request-login", ask).await.status, 200);
        victim.post("/api/auth/verify-login", stolen).await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_crowd_that_guesses_at_codes_does_not_keep_their_owner_from_signing_in() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        // The maximum number of mails, and far more wrong tries than void them, from many addresses.
        let from = |n: usize| app.visitor().with_header("x-forwarded-for", &format!("203.0.113.{n}"));
        for n in 0..20 {
            from(n).post("/api/auth/request-login", json!({ "email": EMAIL })).await.ok();
        }
        app.visitor().post("/api/auth/request-login", json!({ "email": EMAIL })).await.ok();
        assert_eq!(background::mail(&app.app).await.expect("mails go out"), 15);
        let (code, key) = (newest_code(app), newest_key(app));
        let verify = async |n: usize, code: &str| {
            from(n).post("/api/auth/verify-login", json!({"email": EMAIL, "code": code})).await
        };
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for n in 0..60 {
            verify(n, wrong).await.refused(401);
        }
        verify(100, &code).await.refused(401);
        let guessed = if key.starts_with('0') { "1" } else { "0" }.to_owned() + &key[1..];
        verify(100, &guessed).await.refused(401);
        verify(100, &key).await.ok();
        assert_eq!(verify(100, &key).await.refused(401), WRONG, "it works once");
    })
    .await;
}

#[tokio::test]
async fn however_many_ask_for_codes_the_owner_of_the_mailbox_has_a_valid_one() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        for n in 0..40 {
            let visitor = app.visitor().with_header("x-forwarded-for", &format!("203.0.113.{n}"));
            visitor.post("/api/auth/request-login", json!({ "email": EMAIL })).await.ok();
        }
        assert_eq!(background::mail(&app.app).await.expect("mails go out"), 15);
        let newest = newest_code(app);
        app.post("/api/auth/verify-login", json!({"email": EMAIL, "code": newest})).await.ok();
    })
    .await;
}

#[tokio::test]
async fn codes_of_unknown_e_mails_are_limited_by_address() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        for n in 0..31 {
            let answer = app.post("/api/auth/request-login", json!({"email": format!("u{n}@test.example")})).await;
            assert_eq!(answer.status, if n < 30 { 200 } else { 429 }, "request {n}");
        }
        app.post("/api/auth/request-login", json!({ "email": EMAIL })).await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_class_behind_one_address_signs_in() {
    with_app(async |app| {
        let class =
            "INSERT INTO users (email) SELECT 'student' || n || '@test.example' FROM generate_series(1, 100) AS n";
        sample::run(&mut *app.connection().await, class).await;
        let email = |n: usize| format!("student{n}@test.example");
        let asked = join_all((1..=100).map(|n| app.post("/api/auth/request-login", json!({"email": email(n)})))).await;
        assert!(asked.iter().all(|answer| answer.status == 200), "{asked:?}");
        assert_eq!(background::mail(&app.app).await.expect("mails go out"), 100);
        let mails = mailbox::read(app);
        let signed_in = join_all((1..=100).map(|n| {
            let to = format!("To: {}\n", email(n));
            let code = subject_code(mails.iter().find(|mail| mail.contains(&to)).expect("a mail for each"));
            app.post("/api/auth/verify-login", json!({"email": email(n), "code": code}))
        }))
        .await;
        assert!(signed_in.iter().all(|answer| answer.status == 200), "{signed_in:?}");
    })
    .await;
}

#[tokio::test]
async fn an_address_tries_six_hundred_codes_and_no_more() {
    with_app(async |app| {
        let tried = "INSERT INTO login_tries (email, address, created_at)
            SELECT 'u' || n || '@test.example', '127.0.0.1', now() - interval '5 minutes' FROM generate_series(1, 599) AS n";
        sample::run(&mut *app.connection().await, tried).await;
        let guess = json!({"email": EMAIL, "code": "000000"});
        app.post("/api/auth/verify-login", guess.clone()).await.refused(401);
        let refused = app.post("/api/auth/verify-login", guess).await;
        let wait: u64 = refused.headers["retry-after"].to_str().expect("text").parse().expect("a number");
        assert!((1..=600).contains(&wait), "{wait}");
        refused.refused(429);
    })
    .await;
}

/// Inserts this number of requests for known e-mails from an address, some minutes ago.
async fn requests_from(app: &TestApp, address: &str, requests: u32, minutes: u32) {
    let sql = format!(
        "INSERT INTO login_requests (email, address, known, created_at)
         SELECT 'known' || n || '@test.example', '{address}', true, now() - interval '{minutes} minutes'
         FROM generate_series(1, {requests}) AS n"
    );
    sample::run(&mut *app.connection().await, &sql).await;
}

/// Makes everything that was counted older by some minutes.
async fn pass(app: &TestApp, minutes: u32) {
    let sql = format!(
        "UPDATE login_requests SET created_at = created_at - interval '{minutes} minutes';
         UPDATE login_tries SET created_at = created_at - interval '{minutes} minutes'"
    );
    sample::run(&mut *app.connection().await, &sql).await;
}

#[tokio::test]
async fn an_address_asks_for_three_hundred_codes_and_no_more_and_others_go_on() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        requests_from(app, "203.0.113.9", 299, 5).await;
        let crowd = app.visitor().with_header("x-forwarded-for", "203.0.113.9");
        let ask = json!({ "email": EMAIL });
        crowd.post("/api/auth/request-login", ask.clone()).await.ok();
        let refused = crowd.post("/api/auth/request-login", ask.clone()).await;
        assert_eq!(refused.headers["ratelimit-limit"], "300");
        let wait: u64 = refused.headers["retry-after"].to_str().expect("text").parse().expect("a number");
        assert!((1..=600).contains(&wait), "{wait}");
        refused.refused(429);
        let elsewhere = app.visitor().with_header("x-forwarded-for", "198.51.100.1");
        elsewhere.post("/api/auth/request-login", ask.clone()).await.ok();
        // The refused one was not counted: when the 299 are fifteen minutes old, only one is left.
        pass(app, 10).await;
        crowd.post("/api/auth/request-login", ask).await.ok();
    })
    .await;
}

#[tokio::test]
async fn every_limit_of_a_sign_in_ends_after_fifteen_minutes_and_not_before() {
    with_app(async |app| {
        app.user(EMAIL, Role::User).await;
        let ask = async |email: &str| app.post("/api/auth/request-login", json!({ "email": email })).await.status;
        let guess = async || {
            app.post("/api/auth/verify-login", json!({"email": "u0@test.example", "code": "000000"})).await.status
        };
        for _ in 0..5 {
            assert_eq!(ask(EMAIL).await, 200);
        }
        for n in 0..30 {
            assert_eq!(ask(&format!("u{n}@test.example")).await, 200);
        }
        let tried = "INSERT INTO login_tries (email, address)
            SELECT 'u' || n || '@test.example', '127.0.0.1' FROM generate_series(1, 600) AS n";
        sample::run(&mut *app.connection().await, tried).await;
        for (minutes, asked, guessed) in [(0, 429, 429), (14, 429, 429), (1, 200, 401)] {
            pass(app, minutes).await;
            assert_eq!((ask(EMAIL).await, ask("another@test.example").await), (asked, asked), "{minutes} minutes on");
            assert_eq!(guess().await, guessed, "{minutes} minutes on");
        }
    })
    .await;
}

/// Number of mails of this kind, sent or not.
async fn queued(app: &TestApp, kind: &str) -> i64 {
    let mails = format!("SELECT count(*) AS number FROM mails WHERE kind = '{kind}'");
    sample::number(&mut *app.connection().await, &mails).await
}

#[tokio::test]
async fn an_e_mail_has_a_hundred_failed_codes_a_day_over_all_addresses_and_codes_and_its_owner_is_told_once() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        let from = |n: usize| app.visitor().with_header("x-forwarded-for", &format!("203.0.113.{n}"));
        let ask = async |n: usize, email: &str| {
            from(n).post("/api/auth/request-login", json!({ "email": email })).await.ok();
        };
        let guess = async |n: usize, email: &str, code: &str| {
            from(n).post("/api/auth/verify-login", json!({"email": email, "code": code})).await
        };
        let mut refusals = Vec::new();
        for email in [EMAIL, "nobody@test.example"] {
            let mut answers = Vec::new();
            // Three codes, and after each fifty simultaneous guesses from as many addresses.
            for round in 0..3 {
                ask(round, email).await;
                background::mail(&app.app).await.expect("mails go out");
                answers.extend(join_all((0..50).map(|n| guess(n, email, "no one"))).await);
            }
            let failed = answers.iter().filter(|answer| answer.status == 401).count();
            assert_eq!(failed, 100, "{email}");
            let blocked = answers.into_iter().find(|answer| answer.status == 429).expect("the others are refused");
            let wait: u64 = blocked.headers["retry-after"].to_str().expect("text").parse().expect("a number");
            assert!((86_000..=86_400).contains(&wait), "{wait}");
            assert_eq!(blocked.headers["ratelimit-limit"], "100");
            refusals.push(blocked.refused_with(429, "codes_blocked"));
        }
        assert_eq!(refusals[0], refusals[1], "whether anybody has the e-mail");
        assert_eq!(queued(app, "codes_blocked").await, 1, "its owner gets one mail");
        background::mail(&app.app).await.expect("mails go out");
        let mails = mailbox::read(app);
        let warnings: Vec<&String> =
            mails.iter().filter(|mail| mail.contains("100 wrong verification codes")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains("To: ada@test.example"), "{warnings:?}");

        // The right code of a new mail does not help, but its link does.
        ask(60, EMAIL).await;
        background::mail(&app.app).await.expect("mails go out");
        let (code, key) = (newest_code(app), newest_key(app));
        guess(61, EMAIL, &code).await.refused_with(429, "codes_blocked");
        guess(61, EMAIL, &key).await.ok();
        // After a day, codes are compared again.
        ask(62, EMAIL).await;
        background::mail(&app.app).await.expect("mails go out");
        pass(app, 24 * 60).await;
        guess(63, EMAIL, &newest_code(app)).await.ok();
        assert_eq!(queued(app, "codes_blocked").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_code_that_opens_the_account_is_no_failed_one_and_the_hundredth_failed_one_tells_the_owner() {
    with_flags(&BEHIND_A_PROXY, async |app| {
        app.user(EMAIL, Role::User).await;
        let failed = format!(
            "INSERT INTO login_tries (email, address, created_at)
             SELECT '{EMAIL}', 'a' || n, now() - interval '23 hours' FROM generate_series(1, 99) AS n"
        );
        sample::run(&mut *app.connection().await, &failed).await;
        let right = json!({"email": EMAIL, "code": code(app).await});
        app.post("/api/auth/verify-login", right).await.ok();
        let wrong = json!({"email": EMAIL, "code": "no one"});
        assert_eq!(queued(app, "codes_blocked").await, 0);
        app.post("/api/auth/verify-login", wrong.clone()).await.refused(401);
        assert_eq!(queued(app, "codes_blocked").await, 1);
        let blocked = app.post("/api/auth/verify-login", wrong.clone()).await;
        let wait: u64 = blocked.headers["retry-after"].to_str().expect("text").parse().expect("a number");
        assert!((3_500..=3_600).contains(&wait), "until the oldest is a day old: {wait}");
        blocked.refused(429);
        pass(app, 60).await;
        app.post("/api/auth/verify-login", wrong).await.refused(401);
    })
    .await;
}
