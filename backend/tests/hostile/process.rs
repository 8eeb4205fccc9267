//! Hostile calls to a process of its own: it survives, stays small and answers others.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder};
use rust_xlsxwriter::Workbook;
use serde_json::json;
use twinlab::models::users::Role;

use super::{branches, form, large_patterns, many};
use crate::answers::{at, enlarge, owner};
use crate::support::sample::PlantedRun;
use crate::support::{Answer, Client, Database, SECRET, Serving, TestApp, answer, twinlab};

/// Upper limit of the memory that one hostile call, or twelve simultaneous ones, may add to the process.
const MAX_GROWTH_MIB: u64 = 300;
/// Number of simultaneous calls.
const CALLS: usize = 12;
/// Interval between two requests of the health. Each takes a millisecond of a processor that the calls need.
const HEALTH_INTERVAL: Duration = Duration::from_millis(50);

struct Attack<'a> {
    name: &'static str,
    call: Box<dyn Fn() -> RequestBuilder + 'a>,
    /// Status of a single call.
    status: u16,
}

/// A figure of a process in MiB: `VmRSS`, or `VmHWM`, the peak since [`forget_peak`].
fn memory_mib(process: &Serving, figure: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid().as_raw_nonzero())).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix(figure)).expect("Linux tells it");
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

fn forget_peak(process: &Serving) {
    fs::write(format!("/proc/{}/clear_refs", process.pid().as_raw_nonzero()), "5").expect("the peak is set back");
}

/// Requests the health until the calls are answered. Returns the answers, and the mean time of a health request.
pub(super) async fn beside_health<T>(visitor: &Client, calls: impl Future<Output = T>) -> (T, Duration) {
    let mut calls = std::pin::pin!(calls);
    let (mut asked, mut took) = (0, Duration::ZERO);
    loop {
        let start = Instant::now();
        visitor.get("/health").await.ok();
        (asked, took) = (asked + 1, took + start.elapsed());
        tokio::select! {
            biased;
            answers = &mut calls => return (answers, took / asked),
            () = tokio::time::sleep(HEALTH_INTERVAL) => {}
        }
    }
}

#[tokio::test]
async fn hostile_calls_alone_and_twelve_at_once_end_no_process_and_take_little_memory() {
    let database = Database::new();
    let url = database.url().to_owned();
    let app = TestApp::start_at(database, &url, &[]).await;
    let author = owner(&app, PlantedRun::Failed).await;
    enlarge(&app, 300).await;
    // The group's owner sees the run too.
    let other = app.client("admin@test.example", Role::Admin).await;
    let root = app.super_admin().await;
    let serving = Serving::start(twinlab().env("DATABASE_URL", &url).env("JWT_SECRET", SECRET));
    let [author, other, root, visitor] = [author, other, root, app.visitor()].map(|caller| caller.at(&serving.url));
    visitor.get("/health").await.ok();
    let before = memory_mib(&serving, "VmRSS");

    let keep = async |rows| {
        let kept =
            answer(form(&author, "/api/surveys/1/human-samples", &[("file", table(rows).as_bytes())])).await.ok();
        kept["sampleId"].as_str().expect("an id").to_owned()
    };
    let others_comparison = at(&format!("people?sample={}", keep(10).await));
    let sample = format!("/api/human-samples/{}", keep(60_000).await);

    let objects = many("{\"0\":0", ",\"0\":0", "}", 1_700_000);
    let lists = many("[0", ",0", "]", 5_000_000);
    let import = "/api/surveys/import/qsf?check=true&groupId=1";
    let flow = branches("Tell_us", large_patterns(500));
    let fields: Vec<u8> = vec![b'x'; 20 * 1024 * 1024];
    let comparison = table(5_000);
    let address = format!("/api/personas?limit=1{}", "&Age".repeat(10_000));
    let stray_cell = stray_cell();
    let wide = (0..100).map(|n| format!("\u{fdfa}{n}")).collect::<Vec<_>>().join(",");
    let wide_samples = format!("/api/surveys/{}/human-samples", survey_of_long_texts(&author).await);
    let attacks = [
        Attack {
            name: "patterns",
            status: 200,
            call: Box::new(|| author.request(Method::POST, "/api/surveys/1/design/check").json(&json!({"flow": flow}))),
        },
        Attack { name: "objects", status: 413, call: Box::new(|| form(&author, import, &[("file", &objects)])) },
        Attack { name: "lists", status: 413, call: Box::new(|| form(&author, import, &[("file", &lists)])) },
        Attack { name: "sample", status: 200, call: Box::new(|| author.request(Method::GET, &sample)) },
        Attack {
            name: "people",
            status: 200,
            call: Box::new(|| form(&author, &at("people"), &[("file", comparison.as_bytes())])),
        },
        Attack { name: "address", status: 400, call: Box::new(|| author.request(Method::GET, &address)) },
        Attack {
            name: "columns",
            status: 400,
            call: Box::new(|| form(&author, &wide_samples, &[("file", wide.as_bytes())])),
        },
        Attack {
            name: "stray cell",
            status: 200,
            call: Box::new(|| form(&root, "/api/personas/import/csv", &[("file", &stray_cell)])),
        },
        Attack {
            name: "fields",
            status: 400,
            call: Box::new(|| form(&root, "/api/personas/import/csv", &[("nobody", &fields)])),
        },
    ];
    for Attack { name, call, status } in &attacks {
        for at_once in [1, CALLS] {
            forget_peak(&serving);
            let calls = join_all((0..at_once).map(|_| answered(call())));
            let others = async {
                let start = Instant::now();
                other.get(&others_comparison).await.ok();
                other.post("/api/surveys/1/design/check", json!({})).await.ok();
                start.elapsed()
            };
            let ((answers, other), health) = beside_health(&visitor, futures_util::future::join(calls, others)).await;
            let grown = memory_mib(&serving, "VmHWM").saturating_sub(before);
            println!("{name} x {at_once}: {grown} MiB, /health {health:?} on average, another user's calls {other:?}");
            assert!(grown <= MAX_GROWTH_MIB, "{name} x {at_once}: {grown} MiB more");
            let statuses: Vec<u16> = answers.into_iter().flatten().map(|answer| answer.status).collect();
            if at_once == 1 && !statuses.is_empty() {
                assert_eq!(statuses, [*status], "{name}");
            }
            // Calls that wait too long for their turn are abandoned, and those over the user's share refused.
            assert!(
                statuses.iter().all(|found| [*status, 429, 503].contains(found)),
                "{name} x {at_once}: {statuses:?}"
            );
        }
    }
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    app.stop().await;
}

/// Sends the request. `None`: the server closed the connection before it had read the whole body.
async fn answered(request: RequestBuilder) -> Option<Answer> {
    let response = request.send().await.ok()?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let bytes = response.bytes().await.ok()?.to_vec();
    Some(Answer { status, headers, body: serde_json::from_slice(&bytes).unwrap_or_default(), bytes })
}

/// A survey whose texts have normal forms of many times their length.
async fn survey_of_long_texts(author: &Client) -> i64 {
    let survey = json!({"title": "Long", "groupId": 1});
    let id = author.post("/api/surveys", survey).await.ok()["id"].as_i64().expect("an id");
    for n in 1..=5 {
        let text = format!("{n}{}", "\u{fdfa}".repeat(9_000));
        author.post(&format!("/api/surveys/{id}/questions"), json!({"text": text, "type": "NUMBER"})).await.ok();
    }
    id
}

/// A workbook with one persona, and a value in the last cell of a sheet.
fn stray_cell() -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (row, cells) in (0..).zip([["pid", "summary"], ["a", "Ada"]]) {
        sheet.write_row(row, 0, cells).expect("a row");
    }
    sheet.write(1_048_575, 16_383, "stray").expect("a cell");
    workbook.save_to_buffer().expect("a workbook")
}

/// People's answers in this number of rows with 40 columns.
fn table(rows: usize) -> String {
    let columns: Vec<String> = (1..=36).map(|n| format!("c{n}")).collect();
    let head = format!("pid,Do_you,How_many,How_often,{}\n", columns.join(","));
    let cells = ["1"; 36].join(",");
    let rows =
        (0..rows).map(|n| format!("p{n},{},{},{},{cells}\n", if n % 3 == 0 { "Yes" } else { "No" }, n % 20, n % 5 + 1));
    head + &rows.collect::<String>()
}
