//! `twinlab evidence modes`: the modes of answers on the held-out wave of invented twins, at their price.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Database, Outcome, twinlab};

const PRICES: &str = r#"{"currency": "USD", "models": {"twinlab-demo": {"prompt": 0.40, "completion": 1.60}}}"#;

/// A database with invented twins, and the modes of answers on what is held out from them.
fn modes(twins: &str, further: &[&str]) -> Outcome {
    let (database, folder) = (Database::new(), TempDir::new().expect("a folder"));
    let prices = folder.path().join("prices.json");
    fs::write(&prices, PRICES).expect("it can be written");
    let run = |words: &[&str]| {
        let mut command = twinlab();
        command.args(words).env("DATABASE_URL", database.url()).env("LLM_PRICES", &prices).env("RUST_LOG", "warn");
        Outcome::of(&mut command)
    };
    let invented = run(&["personas", "synthesize", twins, "--seed", "7"]);
    assert_eq!(invented.code, Some(0), "{invented:#?}");
    let asked = run(&[&["evidence", "modes", "--quick", "--twins", twins, "--seed", "1"], further].concat());
    assert_eq!(asked.code, Some(0), "{asked:#?}");
    let verified = run(&["verify"]);
    assert_eq!(verified.code, Some(0), "{verified:#?}");
    asked
}

#[test]
fn the_modes_stand_in_one_table_at_their_price() {
    let found: Vec<Value> = serde_json::from_str(&modes("60", &["--json"]).stdout).expect("JSON");
    let names: Vec<&str> = found.iter().filter_map(|mode| mode["mode"].as_str()).collect();
    assert_eq!(names, ["draw", "5 draws", "stated", "tokens"]);
    for mode in &found {
        let calibration = &mode["calibration"];
        assert_eq!((&mode["failed"], &mode["stopped"], &calibration["people"]), (&0.into(), &Value::Null, &60.into()));
        let brier = &calibration["all"]["brier"];
        assert!(brier["low"].as_f64() < brier["value"].as_f64() && brier["value"].as_f64() < brier["high"].as_f64());
        assert!(calibration["numbers"].as_array().is_some_and(|numbers| !numbers.is_empty()), "{mode}");
    }
    let of = |mode: usize, pointer: &str| {
        found[mode].pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} of {}", found[mode]))
    };
    let [draw, draws, stated, tokens] = [0, 1, 2, 3];
    for one in 0..4 {
        for other in 0..one {
            assert!((of(one, "/calibration/all/brier/value") - of(other, "/calibration/all/brier/value")).abs() > 1e-6);
        }
    }
    // Several draws come in one call: the prompts are paid once, the answers five times.
    assert_eq!(of(draws, "/calls"), of(draw, "/calls"));
    assert!((of(draws, "/promptTokens") / of(draw, "/promptTokens") - 1.0).abs() < 0.01);
    let longer = of(draws, "/completionTokens") / of(draw, "/completionTokens");
    assert!((4.0..6.0).contains(&longer), "{longer}");
    assert!(of(stated, "/completionTokens") > 1.5 * of(draw, "/completionTokens"));
    assert!(of(tokens, "/completionTokens") < of(draw, "/completionTokens"));
    let cost = |mode: usize| found[mode]["cost"]["amount"].as_str().and_then(|cost| cost.parse::<f64>().ok());
    assert!(cost(draw) > cost(tokens) && cost(draws) > cost(draw) && cost(stated) > cost(draw));
}

#[test]
fn few_people_cannot_tell_which_mode_is_better() {
    let printed = modes("8", &[]).stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("8 people; ") && lines[1].starts_with("mode "), "{printed}");
    assert_eq!(lines.len(), 2 + 4, "{printed}");
    for (line, mode) in lines[2..].iter().zip(["draw ", "5 draws ", "stated ", "tokens "]) {
        assert!(line.starts_with(mode) && line.contains("(n too small)") && line.ends_with("cannot tell"), "{line}");
    }
}
