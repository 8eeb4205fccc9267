//! Downloads of a run's answers, complete and aborted.

use std::time::Duration;

use calamine::{Data, Reader, Xlsx};
use reqwest::Method;
use tokio::time::{Instant, sleep};
use twinlab::results::files::Format;
use twinlab::results::pages::Pages;
use twinlab::results::runs;

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun, SIMULATION, SIMULATION_ID};
use crate::support::{Database, Line, Proxy, TestApp, with_app};

#[tokio::test]
async fn every_format_downloads_under_the_name_of_the_specification() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        for (format, media_type, name) in [
            ("csv", "text/csv; charset=utf-8", "simulation-00000007-responses.csv".to_owned()),
            ("jsonl", "application/x-ndjson", "simulation-00000007-responses.jsonl".to_owned()),
            (
                "xlsx",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                format!("simulation-{SIMULATION_ID}-responses-complete.xlsx"),
            ),
        ] {
            let answer = owner.get(&at(&format!("responses/export?format={format}"))).await;
            assert_eq!((answer.status, &answer.headers["content-type"]), (200, &media_type.parse().expect("text")));
            assert_eq!(answer.headers["content-disposition"], format!("attachment; filename=\"{name}\""));
            assert_eq!(answer.headers["cache-control"], "no-store");
            assert!(answer.headers.contains_key("x-notice"));
            match format {
                "xlsx" => {
                    let mut workbook = Xlsx::new(std::io::Cursor::new(answer.bytes)).expect("a workbook");
                    let list = workbook.worksheet_range("List View").expect("the sheet is there");
                    assert_eq!(list.height(), 28);
                    assert_eq!(list.get_value((4, 6)), Some(&Data::Float(-7.5)));
                }
                _ => {
                    let lines = String::from_utf8(answer.bytes).expect("it is UTF-8");
                    // The free text of the first twin has a line break, which JSON escapes.
                    let expected = if format == "csv" { 1 + 27 + 2 } else { 27 };
                    assert_eq!(lines.lines().count(), expected, "{format}");
                }
            }
        }
        until_nothing_is_under_way(app).await;
    })
    .await;
}

#[tokio::test]
async fn a_partial_run_is_labelled_so_in_every_row_of_its_file() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Running).await;
        let answer = owner.get(&at("responses/export?format=jsonl")).await;
        let text = String::from_utf8(answer.bytes).expect("it is UTF-8");
        assert_eq!(text.lines().filter(|line| line.contains("partial: the run is running")).count(), 27);
    })
    .await;
}

/// Makes the answers longer than all buffers between the database and the client together, even when compressed.
async fn grow_long(app: &TestApp) {
    enlarge(app, 2_000).await;
    let words = "(SELECT string_agg(md5(persona_id || ' ' || n), '') FROM generate_series(1, 100) AS n)";
    let long = format!(
        "UPDATE responses SET answer = {words}, answer_value = to_jsonb({words})
        WHERE question_id IN (SELECT id FROM questions WHERE question_type IN ('TEXT_ENTRY', 'OPENENDED'))"
    );
    sample::run(&mut *app.connection().await, &long).await;
}

#[tokio::test]
async fn a_client_that_goes_away_midway_leaves_nothing_behind() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        grow_long(app).await;
        for format in ["csv", "jsonl", "xlsx"] {
            let path = at(&format!("responses/export?format={format}"));
            let mut answer = owner.request(Method::GET, &path).send().await.expect("it answers");
            assert_eq!(answer.status(), 200);
            answer.chunk().await.expect("it begins to answer").expect("with bytes");
            assert_eq!(app.app.downloads.open(), 1, "{format}");
            drop(answer);
            until_nothing_is_under_way(app).await;
        }
    })
    .await;
}

/// Tests that the handler of an abandoned workbook is dropped where it waits: for its turn, a page, or the writer.
#[tokio::test]
async fn a_workbook_that_nobody_waits_for_any_more_is_given_up() {
    with_app(async |app| {
        owner(app, PlantedRun::Failed).await;
        enlarge(app, 2_000).await;
        let run = runs::load(&*app.connection().await, SIMULATION).await.expect("the run");
        assert_eq!(Format::Xlsx.file_name(&run), format!("simulation-{SIMULATION_ID}-responses-complete.xlsx"));
        let pages = Pages::new(&run);
        let mut building = Box::pin(app.app.downloads.workbook(&app.app.pool, run, pages));
        // After one step it has begun, and waits for a page from the database.
        assert!(futures_util::poll!(&mut building).is_pending());
        assert_eq!(app.app.downloads.open(), 1);
        drop(building);
        until_nothing_is_under_way(app).await;
    })
    .await;
}

/// Waits until no download is under way and every connection is back in the pool.
async fn until_nothing_is_under_way(app: &TestApp) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let pool = app.app.pool.stats();
        if app.app.downloads.open() == 0 && pool.connections == pool.idle {
            return;
        }
        assert!(Instant::now() < deadline, "{} downloads, {pool:?}", app.app.downloads.open());
        sleep(Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn a_download_from_a_database_that_falls_silent_ends_in_an_error() {
    let database = Database::new();
    let proxy = Proxy::before(database.url()).await;
    let app = TestApp::start_at(database, proxy.url(), &[]).await;
    let owner = owner(&app, PlantedRun::Failed).await;
    grow_long(&app).await;
    let path = at("responses/export?format=csv");
    let mut answer = owner.request(Method::GET, &path).send().await.expect("it answers");
    answer.chunk().await.expect("it begins to answer").expect("with bytes");
    proxy.becomes(Line::Silent);
    let ended = loop {
        match answer.chunk().await {
            Ok(Some(_)) => {}
            ended => break ended,
        }
    };
    ended.expect_err("what is there is not all");
    proxy.becomes(Line::Open);
    app.stop().await;
}
