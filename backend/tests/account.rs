//! What is someone's own: profile, photo, settings, data, and the end of the account.

use image::{DynamicImage, ImageFormat};
use reqwest::Method;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

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
async fn settings_are_kept_and_checked() {
    with_app(async |app| {
        let ada = app.client("ada@test.example", Role::User).await;
        let mut settings = ada.get("/api/auth/settings").await.ok();
        assert_eq!((&settings["defaultDigitalTwins"], &settings["exportFormat"]), (&json!(100), &json!("csv")));
        settings["theme"] = json!("dark");
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
        let data = twinlab::models::personal_data::of(&mut *app.connection().await, user.id).await.expect("it is read");
        for gone in ["user@test.example", "colour", "survey\"", "gpt-test survey", "HYPERLINK"] {
            assert!(!data.contains(gone), "{gone} is still there: {data}");
        }
        // What is said to be there and what is there agree.
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
