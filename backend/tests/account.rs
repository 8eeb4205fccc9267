//! A user's own data: profile, photo, settings, export, and the deletion of the account.

use futures_util::future::join_all;
use image::{DynamicImage, ImageFormat};
use reqwest::Method;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;
use twinlab::work::Work;

use crate::support::sample::{self, PlantedRun};
use crate::support::{Answer, Client, answer, with_app};

/// Sends a file as the field `photo`.
async fn upload(client: &Client, bytes: &[u8]) -> Answer {
    let mut body = b"--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"p\"\r\n\r\n".to_vec();
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let request = client.request(Method::POST, "/api/auth/photo");
    answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).expect("it is written");
    bytes.into_inner()
}

#[tokio::test]
async fn a_name_is_changed_but_never_to_nothing() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        assert_eq!(ada.put("/api/auth/profile", json!({"name": " Ada "})).await.ok()["name"], "Ada");
        let refused = ada.put("/api/auth/profile", json!({"name": " \t"})).await.refused(400);
        assert_eq!(refused, "Name cannot be empty.");
        ada.put("/api/auth/profile", json!({"name": "x".repeat(201)})).await.refused(400);
        ada.put("/api/auth/profile", json!({"name": "a\0b"})).await.refused(400);
        assert_eq!(ada.get("/api/auth/profile").await.ok()["name"], "Ada");
    })
    .await;
}

#[tokio::test]
async fn a_photo_of_any_kind_becomes_a_small_picture_without_what_came_with_it() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut sent = picture(1024, 600, format);
            sent.extend_from_slice(b"the place where it was taken");
            let profile = upload(&ada, &sent).await.ok();
            let photo = app.visitor().get(profile["photoUrl"].as_str().expect("an address")).await;
            assert_eq!(photo.status, 200);
            assert_eq!(photo.headers["content-type"], "image/jpeg");
            let kept = image::load_from_memory(&photo.bytes).expect("a picture");
            assert_eq!((kept.width(), kept.height()), (512, 300));
            assert!(!photo.bytes.windows(9).any(|part| part == b"the place"), "{format:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_picture_is_measured_before_it_is_decoded() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        for (width, height) in [(8001, 10), (10, 8001), (5001, 5000)] {
            let sent = DynamicImage::new_luma8(width, height);
            let mut bytes = std::io::Cursor::new(Vec::new());
            sent.write_to(&mut bytes, ImageFormat::Png).expect("it is written");
            let refused = upload(&ada, &bytes.into_inner()).await;
            assert_eq!(refused.body["code"], "too_many_pixels", "{width} x {height}");
            refused.refused(413);
        }
        assert_eq!(upload(&ada, &picture(8000, 10, ImageFormat::Png)).await.status, 200);
    })
    .await;
}

/// The peak memory of this process since the last call, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    std::fs::write("/proc/self/clear_refs", "5").expect("the peak is set back");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

#[tokio::test]
async fn a_third_upload_at_once_waits_and_other_users_do_not() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        let small = picture(8, 8, ImageFormat::Png);
        let id = ada.get("/api/auth/profile").await.ok()["id"].as_i64().expect("an id");
        let begin = || app.app.work.admit(id, Work::Picture);
        let (first, second) = (begin().expect("the first"), begin().expect("the second"));
        let refused = upload(&ada, &small).await;
        assert_eq!(refused.headers["retry-after"], "5");
        assert_eq!(refused.body["code"], "rate_limited");
        assert_eq!(refused.refused(429), "You have 2 uploads under way: wait until one has ended");
        upload(&app.client("bob@test.example", Role::User).await, &small).await.ok();
        drop(first);
        for _ in 0..3 {
            // Each upload has ended when it is answered.
            upload(&ada, &small).await.ok();
        }
        drop(second);
    })
    .await;
}

/// Uploads until it is not refused for waiting too long; returns the number of refusals.
async fn upload_in_the_end(client: &Client, bytes: &[u8]) -> usize {
    for refused in 0.. {
        let answer = upload(client, bytes).await;
        if answer.status == 200 {
            return refused;
        }
        assert_eq!((answer.status, &answer.body["code"]), (503, &json!("deadline_exceeded")), "{}", answer.body);
        assert_eq!(answer.headers["retry-after"], "5");
    }
    unreachable!("it is sent until it is taken")
}

#[tokio::test]
#[ignore = "decodes pictures of 25 megapixels for a minute, and wants the process for itself"]
async fn a_hundred_large_pictures_at_once_take_less_than_500_mib() {
    with_app(async |app| {
        let bomb = picture(5000, 5000, ImageFormat::Png);
        peak_mib();
        let before = peak_mib();
        // A user has at most two uploads under way.
        let users = join_all((0..100).map(async |n| app.client(&format!("u{n}@test.example"), Role::User).await));
        let users = users.await;
        let refused = join_all(users.iter().map(|user| upload_in_the_end(user, &bomb))).await;
        let peak = peak_mib();
        for format in [ImageFormat::Jpeg, ImageFormat::WebP] {
            let large = picture(5000, 5000, format);
            // A new connection, because drawing takes longer than the server keeps an idle one.
            upload(&app.client("ada@test.example", Role::User).await, &large).await.ok();
        }
        let refused: usize = refused.iter().sum();
        println!("100 pictures of {} bytes: from {before} to {peak} MiB, {refused} times refused", bomb.len());
        assert!(peak < 500, "{peak} MiB");
    })
    .await;
}

#[tokio::test]
async fn a_photo_is_seen_by_its_name_and_by_the_users_id_only_by_who_sees_the_user() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let user = app.client("user@test.example", Role::User).await;
        let first = upload(&user, &picture(8, 8, ImageFormat::Png)).await.ok()["photoUrl"].clone();
        let second = upload(&user, &picture(8, 8, ImageFormat::Png)).await.ok()["photoUrl"].clone();
        let (first, second) = (first.as_str().expect("an address"), second.as_str().expect("an address"));
        app.visitor().get(first).await.refused(404);
        let photo = app.visitor().get(second).await;
        assert_eq!(photo.headers["cache-control"], "private, max-age=86400");
        assert_eq!(photo.status, 200);

        let by_id = "/api/auth/photo/2";
        app.visitor().get(by_id).await.refused(404);
        app.client("other@test.example", Role::User).await.get(by_id).await.refused(404);
        let admin = app.client("admin@test.example", Role::Admin).await;
        // A member who was added by e-mail is shown once they have signed in.
        admin.get(by_id).await.refused(404);
        sample::run(&mut *app.connection().await, "UPDATE group_members SET accepted_at = now()").await;
        for who in [&user, &admin, &app.super_admin().await] {
            assert_eq!(who.get(by_id).await.status, 200);
        }
        app.visitor().get("/api/auth/photo/nonsense").await.refused(404);

        // The owner does not see a removed member.
        admin.delete("/api/groups/1/members/2").await.ok();
        admin.get(by_id).await.refused(404);
    })
    .await;
}

#[tokio::test]
async fn what_is_no_photo_or_too_large_a_one_is_refused() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        assert_eq!(upload(&ada, b"<svg/>").await.status, 415);
        assert_eq!(upload(&ada, &picture(8, 8, ImageFormat::Png)[..40]).await.status, 415);
        assert_eq!(upload(&ada, &vec![0; 2 * 1024 * 1024 + 1]).await.status, 413);
        app.visitor().get("/api/auth/photo/1").await.refused(404);
    })
    .await;
}

#[tokio::test]
async fn who_owns_an_open_group_closes_it_before_the_account() {
    with_app(async |app| {
        let admin = app.client("admin@test.example", Role::Admin).await;
        admin.post("/api/groups", json!({"group_name": "A", "default_budget_per_user": 0})).await.ok();
        let refused = admin.delete("/api/auth/account").await;
        assert_eq!(refused.body["code"], "owns_open_group");
        refused.refused(409);
        admin.patch("/api/groups/1", json!({"status": "closed"})).await.ok();
        assert_eq!(admin.delete("/api/auth/account").await.status, 204);
    })
    .await;
}

#[tokio::test]
async fn settings_are_kept_and_checked() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        let mut settings = ada.get("/api/auth/settings").await.ok();
        assert_eq!((&settings["defaultDigitalTwins"], &settings["exportFormat"]), (&json!(100), &json!("csv")));
        settings["theme"] = json!("system");
        ada.put("/api/auth/settings", settings.clone()).await.ok();
        assert_eq!(ada.get("/api/auth/settings").await.ok(), settings);
        let refused = ada.put("/api/auth/settings", json!({"exportFormat": "pdf"})).await.refused(400);
        assert_eq!(refused, "exportFormat must be one of csv, excel, json");
    })
    .await;
}

#[tokio::test]
async fn an_account_can_be_read_whole_and_ends_at_once_and_its_data_by_the_daily_job() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        let user = app.user("user@test.example", Role::User).await;
        let client = app.signed_in(&user);
        let data = client.get("/api/auth/data").await.ok();
        assert_eq!(data["profile"]["email"], "user@test.example");
        assert_eq!(data["surveys"][0]["questions"].as_array().map(Vec::len), Some(9));
        assert_eq!(data["simulations"][0]["responses"].as_array().map(Vec::len), Some(17));

        assert_eq!(client.delete("/api/auth/account").await.status, 204);
        client.get("/api/auth/profile").await.refused(401);
        background::erase(&app.app).await.expect("it is erased");
        let data =
            twinlab::models::personal_data::export(&mut *app.connection().await, user.id).await.expect("it is read");
        for gone in ["user@test.example", "colour", "survey\"", "gpt-test survey", "HYPERLINK"] {
            assert!(!data.contains(gone), "{gone} is still there: {data}");
        }
        // The announced numbers agree with the content.
        let root = app.super_admin().await;
        for list in ["export", "formatted", "debug", "matrix"] {
            for window in ["", "?limit=5", "?limit=5&offset=2"] {
                let run = sample::SIMULATION_ID;
                let path = format!("/api/surveys/1/simulation/{run}/responses/{list}{window}");
                let answer = root.get(&path).await;
                assert_eq!(answer.headers["x-total-count"], "0", "{path}");
                assert_eq!(answer.ok(), json!([]), "{path}");
            }
        }
        // The e-mail is free for a new account.
        assert_ne!(app.user("user@test.example", Role::User).await.id, user.id);
    })
    .await;
}
