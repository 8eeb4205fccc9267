//! Every read that shows the content of a database.

use serde_json::Value;
use twinlab::models::users::Role;
use twinlab::results::files::bundle::{Replay, replay};

use super::fill;
use crate::support::{Client, TestApp};

const OF_SURVEY: [&str; 10] = [
    "",
    "/questions",
    "/export",
    "/design",
    "/preview?seed=3",
    "/simulation-history",
    "/simulation-config",
    "/studies",
    "/plans",
    "/human-samples",
];

const OF_RUN: [&str; 6] = ["", "/personas", "/progress", "/failures", "/shares", "/trust"];

const OF_ANSWERS: [&str; 14] = [
    "/responses/export.csv",
    "/responses/export.xlsx",
    "/responses/export.jsonl",
    "/responses/export.parquet",
    "/responses/wide.csv",
    "/responses/wide.jsonl",
    "/responses/wide.parquet",
    "/responses/wide.sav",
    "/responses/wide.dta",
    "/responses/codebook.csv",
    "/responses/matrix",
    "/responses/counts",
    "/summary",
    "/diagnostics",
];

const OF_STUDY: [&str; 4] = ["", "/comparison", "/comparison.csv", "/bundle"];

const OF_FROZEN_PLAN: [&str; 2] = ["/plan.md", "/plan.json"];

const OF_ACCOUNT: [&str; 12] = [
    "/api/auth/profile",
    "/api/auth/settings",
    "/api/auth/data",
    "/api/auth/tokens",
    "/api/groups/my",
    "/api/transactions",
    "/api/transactions/user-groups",
    "/api/transactions/user-groups/stats",
    "/api/transactions/user-groups/export.csv",
    "/api/personas",
    "/api/personas/attributes",
    "/api/personas/validation",
];

const OF_OWNER: [&str; 4] = ["/members", "/usage", "/transactions", ""];

const OF_ADMINISTRATOR: [&str; 6] = [
    "/api/access-requests",
    "/api/simulations",
    "/api/simulations/queue/status",
    "/api/admin/model-servers",
    "/api/transactions/all",
    "/api/groups",
];

async fn list(caller: &Client, path: &str) -> Vec<Value> {
    caller.get(path).await.ok().as_array().unwrap_or_else(|| panic!("{path} is no list")).clone()
}

async fn read(caller: &Client, address: &str, paths: &[&str]) {
    for path in paths {
        let read = caller.get(&format!("{address}{path}")).await;
        assert_eq!(read.status, 200, "{address}{path}: {}", read.body);
    }
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of[field].as_str().unwrap_or_else(|| panic!("no {field}: {of}"))
}

/// Reads everything that [`fill::fill`] wrote, as each user with access.
pub async fn read_everything(app: &TestApp) {
    let author = fill::author(app).await;
    read(&author, "", &OF_ACCOUNT).await;
    read(&app.super_admin().await, "", &OF_ADMINISTRATOR).await;
    let owner = app.client("owner@test.example", Role::Admin).await;
    read(&owner, "/api/groups/1", &OF_OWNER).await;

    let surveys = list(&author, "/api/surveys/my").await;
    assert!(surveys.len() >= 3, "{surveys:#?}");
    let (mut studies, mut validations, mut plans, mut frozen, mut samples, mut reports) = (0, 0, 0, 0, 0, 0);
    for survey in &surveys {
        let address = format!("/api/surveys/{}", survey["id"]);
        read(&author, &address, &OF_SURVEY).await;
        let report = author.get(&format!("{address}/import-report")).await.ok();
        reports += usize::from(!report["import"].is_null());
        for study in list(&author, &format!("{address}/studies")).await {
            studies += 1;
            let path = format!("/api/studies/{}", text(&study, "studyId"));
            read(&author, &path, &OF_STUDY).await;
            if study["isValidation"] == true {
                validations += 1;
                read(&author, &path, &["/validation"]).await;
            }
        }
        for plan in list(&author, &format!("{address}/plans")).await {
            plans += 1;
            let path = format!("/api/plans/{}", text(&plan, "planId"));
            read(&author, &path, &[""]).await;
            if !plan["frozen"].is_null() {
                frozen += 1;
                read(&author, &path, &OF_FROZEN_PLAN).await;
            }
        }
        for sample in list(&author, &format!("{address}/human-samples")).await {
            samples += 1;
            read(&author, &format!("/api/human-samples/{}", text(&sample, "sampleId")), &[""]).await;
        }
    }
    assert_eq!((studies, validations, plans, frozen, samples, reports), (2, 1, 2, 1, 1, 1));
    let runs = list(&author, "/api/simulations").await;
    assert!(runs.len() >= 10, "{runs:#?}");
    for run in &runs {
        read_run(&author, run).await;
    }
}

/// Reads the run's pages and files, and rebuilds its bundle.
async fn read_run(author: &Client, run: &Value) {
    let id = text(run, "simulationId");
    read(author, &format!("/api/simulations/{id}"), &OF_RUN).await;
    let answers = format!("/api/surveys/{}/simulation/{id}", run["surveyId"]);
    read(author, &answers, &OF_ANSWERS).await;
    let bundle = author.get(&format!("{answers}/responses/bundle.zip")).await;
    assert_eq!(bundle.status, 200, "{}", bundle.body);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    std::fs::write(&path, &bundle.bytes).expect("it is written");
    let Replay::Built { differing, .. } = replay(&path, folder.path()).expect("it is a bundle") else {
        panic!("{id}: the bundle is damaged")
    };
    assert_eq!(differing, [], "{id}");
}
