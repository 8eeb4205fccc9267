//! Twins over the API: everybody searches them, super administrators change them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun};
use crate::support::{Answer, Client, answer, with_app};

/// Sends a file as the field `file`.
async fn upload(client: &Client, file: &[u8]) -> Answer {
    upload_as(client, file, "").await
}

/// Sends a file as the field `file`, followed by a data set's name.
async fn upload_as(client: &Client, file: &[u8], dataset: &str) -> Answer {
    let mut body =
        b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people/twins.csv\"\r\n\r\n".to_vec();
    body.extend_from_slice(file);
    let named = format!("\r\n--x\r\nContent-Disposition: form-data; name=\"dataset\"\r\n\r\n{dataset}\r\n--x--\r\n");
    body.extend_from_slice(named.as_bytes());
    let request = client.request(Method::POST, "/api/personas/import/csv");
    answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

/// A file with seven personas, two of them men.
fn file() -> Vec<u8> {
    let mut file = "pid,name,summary,Gender,Age\n".to_owned();
    for (at, (gender, age)) in
        [("Female", "30-49"), ("Male", "30-49"), ("Female", "65+")].iter().cycle().take(7).enumerate()
    {
        file += &format!("p{at},Person {at},\"They, number {at}\",{gender},{age}\n");
    }
    file.into_bytes()
}

fn ids(rows: &Value) -> Vec<i64> {
    rows.as_array().expect("a list").iter().filter_map(|row| row["id"].as_i64()).collect()
}

#[tokio::test]
async fn an_uploaded_file_becomes_the_current_twins() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let user = app.client("user@test.example", Role::User).await;
        assert_eq!(user.get("/api/personas").await.ok(), json!([]));
        let report = upload(&root, &file()).await.ok();
        assert_eq!(report, json!({"imported": 7, "rejectedCount": 0, "rejected": []}));
        let count = user.get("/api/personas/count").await.ok();
        assert_eq!(count, json!({"count": 7, "source": "own file twins.csv", "synthetic": false}));
        let first = user.get("/api/personas/1").await.ok();
        assert_eq!((&first["pid"], &first["summary"]), (&json!("p0"), &json!("They, number 0")));
        assert_eq!(first["attributes"], json!({"Gender": "Female", "Age": "30-49"}));
        user.get("/api/personas/8").await.refused(404);
        upload(&user, &file()).await.refused(403);
    })
    .await;
}

/// Tests with the columns of the sample file on the page for administrators.
#[tokio::test]
async fn only_a_file_that_is_said_to_be_a_data_set_or_has_all_of_its_columns_is_called_so() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let sample = b"pid,persona_summary,Gender,Age\n1,A retired teacher from Ohio.,Female,65+\n";
        let whole = b"pid,persona_text,persona_summary,persona_json\n1,Long,Short,[]\n";
        for (file, dataset, source) in [
            (&sample[..], "", "own file twins.csv"),
            (&sample[..], "twin-2k-500", "Twin-2K-500 full_persona (twins.csv)"),
            (&whole[..], "", "Twin-2K-500 full_persona (twins.csv)"),
        ] {
            upload_as(&root, file, dataset).await.ok();
            assert_eq!(root.get("/api/personas/count").await.ok()["source"], source, "{dataset:?}");
        }
        let refused = upload_as(&root, sample, "Twin-3K").await.refused(400);
        assert_eq!(refused, "dataset: \"Twin-3K\" is no data set known here; known: Twin-2K-500");
        assert_eq!(root.get("/api/personas/count").await.ok()["source"], "Twin-2K-500 full_persona (twins.csv)");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_goes_away_in_the_middle_of_an_upload_leaves_nothing_behind() {
    with_app(async |app| {
        let root = app.super_admin().await;
        upload(&root, &file()).await.ok();
        let uploads = app.app.scratch.path().to_owned();
        until_files(&uploads, 0).await;

        let request = root.request(Method::POST, "/api/personas/import/csv").build().expect("a request");
        let (url, token) = (request.url(), request.headers()["authorization"].to_str().expect("it is text"));
        let address = (url.host_str().expect("a host"), url.port().expect("a port"));
        let mut client = TcpStream::connect(address).await.expect("it listens");
        let half = format!(
            "POST {} HTTP/1.1\r\nHost: test\r\nAuthorization: {token}\r\nContent-Length: 1000000\r\n\
             Content-Type: multipart/form-data; boundary=x\r\n\r\n\
             --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"half.csv\"\r\n\r\npid,summary\na,A\n",
            url.path()
        );
        client.write_all(half.as_bytes()).await.expect("it takes the half");
        // The upload exists as long as the client is connected.
        until_files(&uploads, 1).await;
        drop(client);
        until_files(&uploads, 0).await;
        assert_eq!(root.get("/api/personas/count").await.ok()["count"], 7);
    })
    .await;
}

async fn until_files(folder: &Path, wanted: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let files = fs::read_dir(folder).map_or(0, Iterator::count);
        if files == wanted {
            return;
        }
        assert!(Instant::now() < deadline, "{files} files instead of {wanted}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn rows_that_are_no_twins_are_left_out_and_reported_by_line_and_column() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let file = b"pid,summary\na,A\nb\nc,\nd,caf\xe9\na,B\ne,\"E\nE\"\nf,F,F\ng,G\n";
        let report = upload(&root, file).await.ok();
        let rejection = |line: u64, column: Option<&str>, message: &str| json!({"line": line, "column": column, "message": message});
        assert_eq!(
            report,
            json!({"imported": 3, "rejectedCount": 5, "rejected": [
                rejection(3, None, "1 cells where the header has 2"),
                rejection(4, Some("summary"), "blank"),
                rejection(5, Some("summary"), "not UTF-8 at byte 4 of the cell"),
                rejection(6, Some("pid"), "the id \"a\" was already in line 2"),
                rejection(9, None, "3 cells where the header has 2"),
            ]})
        );
        let twins = root.get("/api/personas").await.ok();
        assert_eq!(ids(&twins), [1, 2, 3]);
    })
    .await;
}

#[tokio::test]
async fn a_file_without_a_good_row_changes_nothing() {
    with_app(async |app| {
        let root = app.super_admin().await;
        upload(&root, &file()).await.ok();
        for (sent, message) in [
            (&b"pid,summary\na,\nb\n"[..], "twins.csv: no twins to store; line 2, column summary: blank"),
            (b"pid,summary\n", "twins.csv: a header and no rows"),
            (b"", "twins.csv: the file is empty"),
            (b"pid,summary\na,A\nb,\"B\nc,C\n", "twins.csv: line 3: a quote is opened and never closed"),
        ] {
            assert_eq!(upload(&root, sent).await.refused(400), message);
        }
        let empty = root.request(Method::POST, "/api/personas/import/csv");
        let empty = empty.header("content-type", "multipart/form-data; boundary=x").body("--x--\r\n");
        assert_eq!(answer(empty).await.status, 400);
        assert_eq!(root.get("/api/personas/count").await.ok()["count"], 7);
    })
    .await;
}

#[tokio::test]
async fn twins_are_found_by_text_by_attributes_and_by_chance() {
    with_app(async |app| {
        let root = app.super_admin().await;
        upload(&root, &file()).await.ok();
        let found = async |query: &str| ids(&root.get(&format!("/api/personas{query}")).await.ok());
        assert_eq!(found("?limit=2&offset=4").await, [5, 6]);
        assert_eq!(found("?Gender=Female&Age=30-49").await, [1, 4, 7]);
        assert_eq!(found("?Age=65%2B").await, [3, 6]);
        assert_eq!(found("?Gender=Female&Gender=Male&limit=3").await, [1, 2, 3]);
        assert_eq!(found("?attributes[Gender]=Female&attributes%5BAge%5D=30-49").await, [1, 4, 7]);
        for path in ["?Shoe+size=44", "?cursor=x", "/search?attributes={}", "/count?attributes[x]=1", "/random/2?x=1"] {
            let message = root.get(&format!("/api/personas{path}")).await.refused(400);
            assert!(message.ends_with("is neither a parameter nor an attribute of the twins"), "{message}");
        }
        assert_eq!(found("/search?q=PERSON+3").await, [4]);
        assert_eq!(found("/search?q=65%2B").await, [3, 6]);
        assert_eq!(found("/search?q=p1&limit=5").await, [2]);
        assert_eq!(found("/search?q=person&Gender=Male").await, [2, 5]);
        assert_eq!(found("/search?q=%25").await, Vec::<i64>::new());
        assert_eq!(root.get("/api/personas/count?Gender=Male").await.ok()["count"], 2);
        assert_eq!(found("/random/3?seed=9").await, found("/random/3?seed=9").await);
        assert_eq!(found("/random/100").await, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(found("/random/9?Gender=Male&seed=1").await, [2, 5]);
        let random = root.get("/api/personas/random/3").await;
        let seed = random.headers["x-seed"].to_str().expect("a number").to_owned();
        assert_eq!(found(&format!("/random/3?seed={seed}")).await, ids(&random.ok()));
        for wrong in
            ["/random/0", "/random/10001", "/random/x", "/99999999999", "/x", "?Gender=%00", "/random/1?seed=x"]
        {
            root.get(&format!("/api/personas{wrong}")).await.refused(400);
        }
        let attributes = root.get("/api/personas/attributes").await.ok();
        assert_eq!(
            attributes,
            json!([
                {"label": "Age", "values": [{"value": "30-49", "count": 5}, {"value": "65+", "count": 2}]},
                {"label": "Gender", "values": [{"value": "Female", "count": 5}, {"value": "Male", "count": 2}]}
            ])
        );
        let proposed = async |query: &str| {
            let answer = root.get(&format!("/api/personas/quotas?attribute=Gender&{query}")).await.ok();
            let quotas = answer["quotas"].as_array().expect("quotas").clone();
            quotas.iter().map(|quota| (quota["available"].clone(), quota["n"].clone())).collect::<Vec<_>>()
        };
        // 3.57 and 1.43 twins of 5.
        assert_eq!(proposed("n=5").await, [(json!(5), json!(4)), (json!(2), json!(1))]);
        assert_eq!(proposed("n=5&shares=equal").await, [(json!(5), json!(3)), (json!(2), json!(2))]);
        for (query, message) in [
            ("attribute=Gender&n=0", "n must be at least 1"),
            ("attribute=Shoe&n=5", "attribute: no twin has \"Shoe\""),
        ] {
            assert_eq!(root.get(&format!("/api/personas/quotas?{query}")).await.refused(400), message);
        }
    })
    .await;
}

#[tokio::test]
async fn a_set_that_no_run_speaks_of_is_changed_in_place() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let made = root.post("/api/personas", json!({"name": " Ada ", "description": "Female, 30-49"})).await.ok();
        assert_eq!((&made["id"], &made["name"], &made["pid"]), (&json!(1), &json!("Ada"), &json!("added-1")));
        assert_eq!(made["summary"], "Female, 30-49");
        let bob = json!({"name": "Bob", "summary": "Bob.", "pid": "b", "attributes": {"Gender": "Male"}});
        let known = async || root.get("/api/personas/attributes").await.ok();
        assert_eq!(known().await, json!([]));
        root.post("/api/personas", bob.clone()).await.ok();
        assert_eq!(known().await, json!([{"label": "Gender", "values": [{"value": "Male", "count": 1}]}]));
        assert_eq!(root.post("/api/personas", bob).await.refused(409), "A persona with this pid is there already");
        let changed = root.patch("/api/personas/2", json!({"description": "Male", "attributes": {}})).await.ok();
        assert_eq!((&changed["name"], &changed["description"]), (&json!("Bob"), &json!("Male")));
        assert_eq!((&changed["summary"], &changed["attributes"]), (&json!("Bob."), &json!({})));
        assert_eq!(known().await, json!([]));
        // An array of the fields' values is no object, although serde accepts one.
        for wrong in [json!({"name": " "}), json!({"summary": ""}), json!({"attributes": {"a": "b\u{0}"}}), json!([])] {
            root.patch("/api/personas/2", wrong).await.refused(400);
        }
        root.post("/api/personas", json!({"name": "Nobody"})).await.refused(400);
        root.patch("/api/personas/9", json!({"name": "X"})).await.refused(404);
        assert_eq!(root.delete("/api/personas/1").await.status, 204);
        root.delete("/api/personas/1").await.refused(404);
        assert_eq!(ids(&root.get("/api/personas").await.ok()), [2]);
        assert_eq!(root.delete("/api/personas").await.ok(), json!({"deleted": 1}));
        let sets = "SELECT count(*) AS number FROM persona_sets";
        assert_eq!(sample::number(&mut *app.connection().await, sets).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_run_keeps_the_twins_that_it_asked_whatever_becomes_of_them() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let root = app.super_admin().await;
        root.patch("/api/personas/1", json!({"summary": "Another"})).await.ok();
        assert_eq!(root.delete("/api/personas/2").await.status, 204);
        let twins = root.get("/api/personas/count").await.ok();
        assert_eq!(twins["count"], 2);
        assert_eq!(twins["source"], "Twin-2K-500 full_persona (t.csv), edited");
        root.delete("/api/personas").await.ok();
        let conn = &mut *app.connection().await;
        let asked = "SELECT count(*) AS number FROM personas WHERE set_id = 1 AND summary IN ('One', 'Two', 'Three')";
        assert_eq!(sample::number(conn, asked).await, 3);
        let sets = "SELECT count(*) AS number FROM persona_sets";
        assert_eq!(sample::number(conn, sets).await, 1, "the copy that nobody asked is gone");
    })
    .await;
}
