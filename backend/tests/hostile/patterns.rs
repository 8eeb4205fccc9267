//! Reading a run whose flow has many regular expressions.

use futures_util::future::join_all;
use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use simulation::status::Status;
use twinlab::engine::Timings;

use super::branches;
use super::process::beside_health;
use crate::support::engine_fixture::{engine, until};
use crate::support::{Client, GroupFixture, SECRET, Serving, twinlab, with_app};

const PATTERNS: usize = 480;
/// Number of simultaneous calls.
const CALLS: usize = 6;

/// Number of plans that the process has compiled.
async fn plans_compiled(visitor: &Client) -> u64 {
    let metrics = String::from_utf8(visitor.get("/metrics").await.bytes).expect("UTF-8");
    let count = metrics.lines().find_map(|line| line.strip_prefix("twinlab_plans_compiled_total "));
    count.map_or(0, |count| count.parse().expect("a number"))
}

#[actix_web::test]
async fn the_plan_of_a_run_with_many_patterns_is_compiled_once_for_all_who_read_it_and_others_are_answered() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10).await;
        let survey = fixture.survey(1).await;
        let flow = branches("Question_1", (0..PATTERNS).map(|n| format!("^[a-z]+{n}$")));
        fixture.author.put(&format!("/api/surveys/{survey}/design"), json!({ "flow": flow })).await.ok();
        let run = fixture.start(survey, 1).await;
        let stub = ModelServer::start(Faults::default());
        let asking = engine(app.database.url(), &stub, Timings::default(), |_| ()).await;
        let id = run["id"].as_i64().expect("an id");
        until(&app.app.pool, id, |run| run.status == Status::Completed).await;
        asking.shut_down().await;

        // A process of its own, which has compiled nothing.
        let serving = Serving::start(twinlab().env("DATABASE_URL", app.database.url()).env("JWT_SECRET", SECRET));
        let [author, visitor] = [fixture.author.clone(), app.visitor()].map(|caller| caller.at(&serving.url));
        let run = run["simulationId"].as_str().expect("an id");
        let counts = format!("/api/surveys/{survey}/simulation/{run}/responses/counts");
        assert_eq!(plans_compiled(&visitor).await, 0);
        for _ in 0..2 {
            let calls = join_all((0..CALLS).map(|_| author.get(&counts)));
            let (answers, _) = beside_health(&visitor, calls).await;
            for answer in answers {
                let totals: Vec<Value> =
                    answer.ok().as_array().expect("a list").iter().map(|twin| twin["total"].clone()).collect();
                assert_eq!(totals, [json!(1)]);
            }
            assert_eq!(plans_compiled(&visitor).await, 1);
        }
        serving.terminate();
        assert_eq!(serving.ended(), Some(0));
    })
    .await;
}
