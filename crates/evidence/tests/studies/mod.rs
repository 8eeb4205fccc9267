//! Tests with six published studies and the authors' twins, in the folder that TWINLAB_STUDIES_DIR names, and with a
//! small file of the same form.

use std::fs;
use std::path::{Path, PathBuf};

use evidence::compare::{Column, Comparison, Item, Respondents, Settings, compare};
use evidence::intervals::Bootstrap;
use evidence::metrics::Scale;
use evidence::upload::{
    Outcomes, Question, QuestionKind, ReservedColumns, Table, match_columns, parse, read_outcomes, respondents,
};

use crate::metrics::close;

/// Study, outcome, n, r, SD ratio and Glass' Δ.
const PUBLISHED: [(&str, &str, usize, f64, f64, f64); 14] = [
    ("targeting_fairness", "fair1", 357, 0.133345, 0.425302, -0.012142),
    ("privacy", "PPV", 1200, 0.584777, 0.67124, -0.626942),
    ("junk_fees", "fairness_average", 400, 0.286766, 0.503905, -0.007066),
    ("junk_fees", "percent_correct", 400, -0.012276, 0.089199, 2.30891),
    ("junk_fees", "reg_support", 400, 0.478548, 1.032439, 0.280909),
    ("affective_priming", "gratitude", 508, 0.562708, 0.919653, -0.309981),
    ("affective_priming", "gratitude_manipulation_check", 508, 0.454278, 0.781589, -0.394297),
    ("affective_priming", "lack of control", 492, 0.555252, 0.932405, 0.294452),
    ("consumer_minimalism", "Q26", 200, 0.349243, 0.962245, 0.431836),
    ("consumer_minimalism", "Q33", 200, 0.338805, 0.966773, 0.266104),
    ("consumer_minimalism", "Q35", 200, 0.311647, 0.854585, 0.36432),
    ("recommendation_algorithms", "algo_knowledge_Netflix", 392, 0.185941, 0.199187, 0.261906),
    ("recommendation_algorithms", "algo_knowledge_TikTok", 234, 0.198426, 0.219115, 0.315804),
    ("recommendation_algorithms", "pref_control_Netflix", 392, 0.107437, 0.289663, 2.428228),
];

fn studies() -> PathBuf {
    std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder of the studies").into()
}

fn table(path: &Path) -> Table {
    let file = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    parse(&file, |_| false).unwrap()
}

fn settings() -> Settings {
    Settings { bootstrap: Bootstrap { replicates: 200, ..Bootstrap::default() }, ..Settings::default() }
}

fn items(outcomes: &Outcomes) -> Vec<Item> {
    let scale = |name: &str| if name == "fair1" { Scale::Interval { min: 1.0, max: 9.0 } } else { Scale::Unbounded };
    outcomes.names.iter().map(|name| Item::single(name, scale(name))).collect()
}

fn value(comparison: &Comparison, item: &str, metric: &str) -> f64 {
    let item = comparison.questions.iter().find(|compared| compared.name == item).unwrap();
    item.metrics.iter().find(|value| value.metric == metric).unwrap().estimate.value
}

/// Compares people with themselves as twins.
fn themselves(items: &[Item], people: &Respondents) {
    let comparison = compare(items, people, people, settings()).unwrap();
    assert_eq!(comparison.questions.len(), items.len());
    for item in &comparison.questions {
        let is_constant = value(&comparison, &item.name, "r") == 0.0;
        let wanted = [("accuracy", 1.0), ("exact", 1.0), ("r", f64::from(!is_constant)), ("KS", 0.0)];
        for (metric, expected) in wanted {
            close(value(&comparison, &item.name, metric), expected, 12);
        }
        assert!(!is_constant, "{}", item.name);
    }
    close(comparison.overall.accuracy.unwrap().value, 1.0, 12);
}

#[test]
fn a_small_file_of_twins_beside_people_gives_the_golden_values() {
    let outcomes = read_outcomes(&parse(include_bytes!("../fixtures/outcomes.csv"), |_| false).unwrap()).unwrap();
    assert_eq!(outcomes.names, ["fair", "late"]);
    let items = [Item::single("fair", Scale::Ordinal { categories: 5 })];
    let comparison = compare(&items, &outcomes.people, &outcomes.twins, settings()).unwrap();
    assert_eq!((comparison.pairs, comparison.questions[0].n_people), (11, 10));
    close(value(&comparison, "fair", "accuracy"), 0.875, 12);
    close(value(&comparison, "fair", "r"), 0.8647208430505792, 14);
    close(value(&comparison, "fair", "sd ratio"), 0.6705998375, 10);
    close(value(&comparison, "fair", "Glass"), 0.0769230769, 10);
    let shown = &comparison.questions[0].metrics[0].estimate;
    assert_eq!((shown.interval(), shown.note), (None, Some("n too small")));
    themselves(&items, &outcomes.people);
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn the_authors_twins_give_the_table_of_the_published_studies() {
    let folder = studies();
    let mut checked = 0;
    for study in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let name = study.file_name().unwrap().to_str().unwrap();
        let outcomes = read_outcomes(&table(&study.join("twins.csv"))).unwrap();
        let items = items(&outcomes);
        let comparison = compare(&items, &outcomes.people, &outcomes.twins, settings()).unwrap();
        assert_eq!(comparison.questions.len(), items.len(), "{name}");
        for (_, outcome, n, r, ratio, glass) in PUBLISHED.iter().filter(|(study, ..)| *study == name) {
            let item = comparison.questions.iter().find(|item| item.name == *outcome).unwrap();
            assert_eq!((item.n_people, item.n_twins), (*n, *n), "{name} {outcome}");
            for (metric, expected) in [("r", r), ("sd ratio", ratio), ("Glass", glass)] {
                close(value(&comparison, outcome, metric), *expected, 6);
                let estimate = item.metrics.iter().find(|value| value.metric == metric).map(|value| &value.estimate);
                assert!(estimate.unwrap().interval().unwrap().contains(*expected), "{name} {outcome} {metric}");
            }
            checked += 1;
        }
        if name == "targeting_fairness" {
            close(value(&comparison, "fair1", "accuracy"), 0.794468, 6);
        }
        themselves(&items, &outcomes.people);
    }
    assert_eq!(checked, PUBLISHED.len());
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn the_answers_of_the_published_studies_as_qualtrics_exported_them_are_those_of_the_authors() {
    let folder = studies();
    let answered = [
        ("targeting_fairness", "fair1", "fair1", 9.0),
        ("consumer_minimalism", "Q26", "Q26", 7.0),
        ("consumer_minimalism", "Q33", "Q33", 7.0),
        ("consumer_minimalism", "Q35", "Q35", 7.0),
    ];
    for (study, outcome, column, max) in answered {
        let authors = read_outcomes(&table(&folder.join(study).join("twins.csv"))).unwrap().people;
        let question = Question {
            name: column.to_owned(),
            import_id: None,
            part_ids: Vec::new(),
            text: String::new(),
            kind: QuestionKind::Number { scale: Scale::Interval { min: 1.0, max } },
        };
        let file = table(&folder.join(study).join("response.csv"));
        assert!(!file.import_ids.is_empty() && file.labels.len() == file.names.len(), "{study}");
        let questions = [question];
        let mapping = match_columns(&questions, &file);
        let reading = respondents(&questions, &file, &mapping, &ReservedColumns::default());
        assert!(reading.has_ids && reading.unread.is_empty(), "{study}: {:?}", reading.unread);
        let Column::Numbers(read) = &reading.respondents.answers[column] else { panic!("{study}") };
        let Column::Numbers(expected) = &authors.answers[outcome] else { panic!("{study}") };
        let mut equal = 0;
        for (id, value) in authors.ids.iter().zip(expected) {
            let place = reading.respondents.ids.iter().position(|read| read == id).unwrap();
            assert_eq!(read[place], *value, "{study} {outcome} of {id}");
            equal += 1;
        }
        assert_eq!(equal, authors.ids.len(), "{study}");
        themselves(&[Item::single(column, Scale::Interval { min: 1.0, max })], &reading.respondents);
    }
}
