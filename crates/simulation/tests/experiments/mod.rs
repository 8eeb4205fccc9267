//! People's files of imported experiments, read without a hand, beside the effects that other code found in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use evidence::compare::{Column, Item, ItemKind};
use evidence::effects::{Difference, newcombe, welch};
use evidence::options::ComparisonOptions;
use evidence::sample::Mean;
use evidence::upload::{self, MatchedNode, Question, ReadPeople, Table};
use serde_json::Value;
use simulation::columns::qualtrics::value_of;
use simulation::items::in_turns;
use simulation::nodes::{AskedWhen, Nodes};
use survey::document::Document;
use survey::flow::{Design, Node, Random, all_nodes};
use survey::plan::Plan;

/// Largest difference of two figures that are equal.
const TOLERANCE: f64 = 1e-9;

/// A survey that was imported, and the people's file that its program wrote.
struct Study {
    design: Design,
    nodes: Nodes,
    questions: Vec<Question>,
    table: Table,
    read: ReadPeople,
}

impl Study {
    fn read(qsf: &[u8], csv: &[u8], options: &ComparisonOptions) -> Self {
        let document: Document = import::import(qsf).expect("a survey").document;
        let plan = Plan::new(&document.design, &document.items).expect("a design that can be run");
        let (nodes, questions) = (Nodes::of(&document.design), in_turns(Some(&document.design), &plan.items));
        let table = upload::table(csv, &questions).expect("a table");
        let reserved = options.people_columns();
        let read = upload::read_with_arms(&table, &questions, nodes.survey_nodes(), &reserved, options);
        Self { read: read.expect("the file is read"), design: document.design, nodes, questions, table }
    }

    fn node(&self, id: &str) -> &MatchedNode {
        let known = self.nodes.with_arms.iter().find(|node| node.import_id.as_deref() == Some(id) || node.name == id);
        let known = known.unwrap_or_else(|| panic!("there is no node {id}"));
        self.read.arms.matched.iter().find(|node| node.node == known.name).unwrap_or_else(|| panic!("{id}: no column"))
    }

    /// The item of a column, with the name of its question.
    fn item(&self, column: usize) -> Option<(Item, &str)> {
        let found = self.read.mapping.matches.iter().find(|found| found.columns == [column])?;
        self.questions.iter().find_map(|question| {
            let items = upload::items(std::slice::from_ref(question));
            let item = items.into_iter().find(|item| item.name == found.item)?;
            Some((item, question.name.as_str()))
        })
    }

    /// The answers in an arm, as they count in means or shares.
    fn answers(&self, item: &Item, node: &MatchedNode, arm: &str) -> Vec<f64> {
        let respondents = &self.read.reading.respondents;
        let Column::Numbers(values) = &respondents.answers[&item.name] else { panic!("{}", item.name) };
        let ItemKind::Single { scale, .. } = &item.kind else { panic!("{}", item.name) };
        let is_share = scale.categories().is_some() && !scale.is_ordered();
        let number = |value: &f64| if is_share { f64::from(*value == 1.0) } else { item.score(*value) };
        let arms = &respondents.experiments[&node.node];
        values
            .iter()
            .zip(arms)
            .filter(|(_, own)| *own == arm)
            .filter_map(|(value, _)| value.as_ref().map(number))
            .collect()
    }
}

fn mean(values: &[f64]) -> Mean {
    Mean::compute(values, &vec![1.0; values.len()]).expect("two answers or more")
}

fn number(of: &Value, field: &str) -> Option<f64> {
    of[field].as_f64()
}

/// Compares a figure with that of the file of effects.
fn same(what: &str, found: f64, expected: Option<f64>, field: &str) {
    let expected = expected.unwrap_or_else(|| panic!("{what}: no {field}"));
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= TOLERANCE * scale, "{what}: {field} is {found}, not {expected}");
}

/// Compares a contrast of the file of effects with the answers in its arms.
fn contrast(what: &str, contrast: &Value, of_arm: &[f64], of_reference: &[f64], is_share: bool) {
    let (a, b) = (mean(of_arm), mean(of_reference));
    let same = |found: f64, field: &str| same(what, found, number(contrast, field), field);
    same(a.n as f64, "n_arm");
    same(b.n as f64, "n_ref");
    same(a.mean, "mean_arm");
    same(b.mean, "mean_ref");
    same(a.sd, "sd_arm");
    same(b.sd, "sd_ref");
    same(a.mean - b.mean, "difference");
    let Some(Difference { low, high, t, df, p, d, .. }) = welch(a, b, 0.95) else {
        assert!(contrast["t"].is_null(), "{what}: no test");
        return;
    };
    for (found, field) in [(t, "t"), (df, "df"), (p, "p"), (d, "d")] {
        same(found, field);
    }
    let shares = || newcombe(a.mean * a.n as f64, a.n as f64, b.mean * b.n as f64, b.n as f64, 0.95).expect("shares").1;
    let (low, high) = if is_share { (shares().low, shares().high) } else { (low, high) };
    same(low, "low");
    same(high, "high");
}

/// Compares a study's people with its entries of the file of effects. Returns the number of contrasts.
fn compare(study: &Study, entry: &Value) -> usize {
    let name = entry["study"].as_str().expect("a name");
    if entry["kind"] == "none" {
        assert_eq!(study.read.arms.matched, [], "{name}");
        return 0;
    }
    let node = study.node(entry["node"].as_str().expect("a node"));
    let arms = entry["arms"].as_array().expect("arms");
    assert_eq!(arms.len(), node.arms.len(), "{name} {}", node.node);
    // Arms of merged nodes are listed by their values, others in the order of the flow.
    let column = entry["arm_column"].as_str().unwrap_or_default();
    let of_value = |value: &Value| {
        let place = arms.iter().position(|arm| arm["value"] == *value).expect("an arm");
        let by_field = entry["kind"] == "merged";
        let known = study.nodes.with_arms.iter().find(|known| known.name == node.node).expect("a node");
        let field = |arm: &&upload::KnownArm| arm.fields.get(column).is_some_and(|text| *value == text.as_str());
        let found = if by_field { known.arms.iter().find(field).map(|arm| arm.name.clone()) } else { None };
        found.unwrap_or_else(|| node.arms[place].clone())
    };
    for arm in arms {
        let arm_name = of_value(&arm["value"]);
        let people = node.of_rows.iter().filter(|own| **own == arm_name).count();
        assert_eq!(Some(people as u64), arm["n"].as_u64(), "{name} {} {arm_name}", node.node);
    }
    // The columns of the product's own export have the program's values, by which its scripts find arms.
    for arm in arms.iter().filter(|_| entry["kind"] != "merged") {
        let own = random_nodes(&study.design.flow).flat_map(|random| &random.of);
        let own = own.filter(|own| own.import_id.as_deref() == arm["flow"].as_str()).find_map(value_of);
        assert_eq!(own.as_deref(), arm["value"].as_str(), "{name} {}", node.node);
    }
    let mut compared = 0;
    for (list, is_after) in [("outcomes", true), ("before", false)] {
        for outcome in entry[list].as_array().expect("a list") {
            // Positions stand beside the recode values that count, and composites are outcomes that a researcher defines.
            if outcome["composite"] == true || outcome["scoring"] == "position" {
                continue;
            }
            let place = outcome["index"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("a place");
            let what = format!("{name} {} {}", node.node, study.table.names[place]);
            let (item, question) = study.item(place).unwrap_or_else(|| panic!("{what}: not matched"));
            let asked = study.nodes.asked(&node.node, question);
            assert_eq!(asked == AskedWhen::After, is_after, "{what}: {asked:?}");
            assert_eq!(asked == AskedWhen::Mixed, outcome["when"] == "mixed", "{what}: {asked:?}");
            for of in outcome["contrasts"].as_array().expect("a list") {
                let answers = |field: &str| study.answers(&item, node, &of_value(&of[field]));
                contrast(&what, of, &answers("arm"), &answers("reference"), outcome["scoring"] == "share");
                compared += 1;
            }
        }
    }
    compared
}

fn random_nodes(nodes: &[Node]) -> impl Iterator<Item = &Random> {
    all_nodes(nodes).into_iter().filter_map(|node| match node {
        Node::Random(random) => Some(random),
        _ => None,
    })
}

fn of_study(folder: &Path, options: &ComparisonOptions) -> Study {
    let file = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Study::read(&file("survey.qsf"), &file("response.csv"), options)
}

#[test]
fn the_people_of_the_invented_study_have_the_effects_that_their_file_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/fixtures/studies/corner_cafe");
    let effects: Value =
        serde_json::from_slice(&fs::read(folder.join("effects.json")).expect("the effects")).expect("JSON");
    let study = of_study(&folder, &ComparisonOptions::default());
    let entries = effects.as_array().expect("a list");
    assert_eq!(entries.iter().map(|entry| compare(&study, entry)).sum::<usize>(), 7);
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn the_people_of_the_published_studies_have_the_effects_that_their_files_say() {
    let folder = std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder of the studies");
    let folder = Path::new(&folder);
    let effects: Value =
        serde_json::from_slice(&fs::read(folder.join("effects.json")).expect("the effects")).expect("JSON");
    let mut studies: BTreeMap<String, Study> = BTreeMap::new();
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for entry in effects.as_array().expect("a list") {
        let name = entry["study"].as_str().expect("a name").to_owned();
        let study =
            studies.entry(name.clone()).or_insert_with(|| of_study(&folder.join(&name), &ComparisonOptions::default()));
        *compared.entry(name).or_default() += compare(study, entry);
        let without: Vec<&str> = study.read.arms.unmatched.iter().map(|node| node.node.as_str()).collect();
        for left in entry["not_arms"].as_array().expect("a list") {
            assert!(without.contains(&left["node"].as_str().expect("a node")), "{left}: {without:?}");
        }
    }
    println!("{compared:?}");
}
