//! The bundle of a run that asks for distributions: a column for each option and quantile, rebuilt like all files.

use model_server::{Answers, Faults, ModelServer};
use simulation::answer_mode::AnswerMode;
use simulation::parameters::Parameters;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::files::bundle::{self, Replay};

use super::{TWINS, designed, entries, replayed};
use crate::support::engine_fixture::EngineFixture;

/// The rows of a CSV file by column.
fn columns(csv: &[u8], names: &[&str]) -> Vec<Vec<Option<f64>>> {
    let mut reader = csv::Reader::from_reader(csv);
    let head = reader.headers().expect("a header").clone();
    let places: Vec<usize> = names
        .iter()
        .map(|name| head.iter().position(|known| known == *name).unwrap_or_else(|| panic!("{name} of {head:?}")))
        .collect();
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row.expect("a row");
        places.iter().map(|place| row.get(*place).and_then(|cell| cell.parse().ok())).collect()
    };
    reader.records().map(row).collect()
}

#[actix_web::test]
async fn probabilities_and_quantiles_are_columns_and_come_back_in_a_replay() {
    let draws: fn(&mut Parameters) = |it| it.draws = Some(4);
    let stated: fn(&mut Parameters) = |it| it.answer_mode = AnswerMode::Stated;
    let tokens: fn(&mut Parameters) = |it| it.answer_mode = AnswerMode::Tokens;
    for (change, has_quantiles) in [(draws, true), (stated, true), (tokens, false)] {
        let stub = ModelServer::start(Faults { answers: Answers::Demo, ..Faults::default() });
        let fixture = EngineFixture::new(TWINS).await;
        let engine = fixture.engine(&stub, |_| ()).await;
        let id = fixture.start(&designed(), PersonaChoice::Random(TWINS), change).await;
        fixture.ended(id).await;
        engine.shut_down().await;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.zip");
        bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
        let Replay::Built { differing, .. } = replayed(&path) else { panic!("it is not damaged") };
        assert!(differing.is_empty(), "{differing:#?}");

        let entries = entries(&path);
        let csv = |name: &str| &entries.iter().find(|(found, _)| found == name).expect("the file").1;
        let matrix = csv("data/matrix.csv");
        let mut answered = 0;
        for names in [&["ok__p1", "ok__p2", "ok__p3"], &["views_2__p1", "views_2__p2", "views_2__p3"]] {
            for row in columns(matrix, names) {
                let given: Vec<f64> = row.iter().copied().flatten().collect();
                assert!(
                    given.is_empty() || given.len() == 3 && (given.iter().sum::<f64>() - 1.0).abs() < 1e-9,
                    "{row:?}"
                );
                answered += usize::from(!given.is_empty());
            }
        }
        assert!(answered > TWINS as usize, "{answered}");
        let quantiles = columns(matrix, &["pay__q5", "pay__q25", "pay__q50", "pay__q75", "pay__q95"]);
        let given: Vec<Vec<f64>> = quantiles.iter().map(|row| row.iter().copied().flatten().collect()).collect();
        assert!(given.iter().all(|row| row.is_sorted() && (row.is_empty() || row.len() == 5)), "{given:?}");
        assert_eq!(given.iter().any(|row| !row.is_empty()), has_quantiles);
        let responses = String::from_utf8(csv("data/responses.csv").clone()).expect("UTF-8");
        assert!(responses.lines().next().is_some_and(|head| head.contains(",distribution,")), "{responses}");
    }
}
