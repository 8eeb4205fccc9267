//! Experiments that were imported from Qualtrics, and their people's file as Qualtrics exported it, over the API.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{GroupFixture, answer, with_app};

/// A run of an imported survey whose twins have their arms.
struct Study<'a, 'f> {
    fixture: &'f GroupFixture<'a>,
    folder: PathBuf,
    path: String,
}

impl<'a, 'f> Study<'a, 'f> {
    /// Imports the survey of a study and starts a run of it.
    async fn start(fixture: &'f GroupFixture<'a>, folder: &Path, twins: i64) -> Self {
        let path = format!("/api/surveys/import/qsf?groupId={}", fixture.group_id);
        let created = sent(fixture, &path, &folder.join("survey.qsf"), &[]).await;
        let id = created["survey"]["id"].as_i64().unwrap_or_else(|| panic!("no survey: {created}"));
        fixture.start(id, twins).await;
        let run = fixture.author.get(&format!("/api/surveys/{id}")).await.ok();
        let simulation = run["simulationId"].as_str().expect("a run");
        Self { fixture, folder: folder.to_owned(), path: format!("/api/surveys/{id}/simulation/{simulation}/people") }
    }

    /// Compares the people's file as it is, with these fields of the form.
    async fn compared(&self, fields: &[(&str, Value)]) -> Value {
        sent(self.fixture, &self.path, &self.folder.join("response.csv"), fields).await
    }
}

async fn sent(fixture: &GroupFixture<'_>, path: &str, file: &Path, fields: &[(&str, Value)]) -> Value {
    let content = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let head = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\r\n".as_slice();
    let mut body = [head, &content, b"\r\n"].concat();
    for (name, value) in fields {
        let part = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(b"--x--\r\n");
    let request = fixture.author.request(Method::POST, path);
    answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await.ok()
}

#[tokio::test]
async fn the_arms_and_scales_of_an_imported_study_are_found_and_can_be_changed() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/tests/fixtures/studies/corner_cafe");
        let study = Study::start(&fixture, &folder, 8).await;
        let found = study.compared(&[]).await;
        let node = &found["file"]["arms"]["matched"][0];
        assert_eq!(
            (&node["node"], &node["by"], &node["deals"], &node["people"]),
            (&json!("FL_4"), &json!("node_id"), &json!("one_arm"), &json!(24)),
            "{found}"
        );
        let values = json!([
            { "value": "Costlierbeans", "arm": "Costlier beans", "nearest": null, "people": 12 },
            { "value": "Greedyowner", "arm": "Greedy owner", "nearest": null, "people": 12 },
        ]);
        assert_eq!(node["values"], values);
        let by = |answer: &Value, list: &str, name: &str| {
            let all = answer.pointer(list).and_then(Value::as_array).expect("a list").clone();
            all.into_iter().find(|of| of["name"] == name).unwrap_or_else(|| panic!("{name}: {answer}"))
        };
        // Columns of a loop belong to the turns of their rows, and all are found by their ids.
        let visits = by(&found, "/file/matched", "visits#2");
        assert_eq!((&visits["columns"], &visits["by"]), (&json!(["2_visits"]), &json!("import_id")));
        let scored = by(&found, "/scoring", "visits#1");
        assert_eq!((&scored["scale"], &scored["reason"]), (&json!("ordinal"), &json!("words")));
        let arms = json!({ "FL_4": { "column": "FL_4_DO", "values": { "Greedyowner": null } } });
        let changed = study.compared(&[("arms", arms), ("scales", json!({ "visits#1": "nominal" }))]).await;
        assert_eq!(changed["file"]["arms"]["matched"][0]["people"], 12, "{changed}");
        let scored = by(&changed, "/scoring", "visits#1");
        assert_eq!((&scored["scale"], &scored["isChosen"]), (&json!("nominal"), &json!(true)));
    })
    .await;
}

/// Largest difference of two figures that are equal.
const TOLERANCE: f64 = 1e-9;

fn list<'v>(of: &'v Value, field: &str) -> &'v [Value] {
    of[field].as_array().unwrap_or_else(|| panic!("no {field}: {of}"))
}

fn text<'v>(of: &'v Value, field: &str) -> &'v str {
    of[field].as_str().unwrap_or_else(|| panic!("no {field}: {of}"))
}

fn same(what: &str, field: &str, found: &Value, expected: &Value) {
    let (found, expected) = (found.as_f64(), expected.as_f64());
    let is_same = found
        .zip(expected)
        .is_some_and(|(found, expected)| (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0));
    assert!(is_same, "{what}: {field} is {found:?}, not {expected:?}");
}

/// The comparison of a study beside an entry of the file of effects.
struct Beside<'v> {
    answer: &'v Value,
    entry: &'v Value,
    /// The node's entry in `file.arms`.
    node: &'v Value,
    /// All contrasts of the node, effects and checks of balance, by item, arm and reference.
    contrasts: BTreeMap<[&'v str; 3], (&'v Value, bool)>,
}

impl<'v> Beside<'v> {
    fn new(answer: &'v Value, entry: &'v Value) -> Self {
        let id = text(entry, "node");
        let node = list(&answer["file"]["arms"], "matched").iter().find(|node| node["node"] == id);
        let node = node.unwrap_or_else(|| panic!("{id} is not matched: {}", answer["file"]["arms"]["unmatched"]));
        let effects = list(answer, "experiments").iter().find(|of| of["node"] == id).expect("its effects");
        assert_eq!(effects["reason"], Value::Null, "{id}");
        let arms = &effects["arms"];
        let mut contrasts = BTreeMap::new();
        for (field, is_effect) in [("effects", true), ("balance", false), ("notCompared", true)] {
            for contrast in list(arms, field).iter().filter(|contrast| !contrast["people"].is_null()) {
                let made_of = contrast.get("madeOf").and_then(Value::as_array).into_iter().flatten();
                let names = made_of.filter_map(Value::as_str).chain([text(contrast, "item")]);
                for name in names {
                    let key = [name, text(contrast, "arm"), text(contrast, "reference")];
                    contrasts.insert(key, (contrast, is_effect));
                }
            }
        }
        Self { answer, entry, node, contrasts }
    }

    /// The arm that a value of the entry means: the arms of both are in the order of the flow, but merged nodes have the values
    /// of their field.
    fn arm(&self, value: &Value) -> &'v str {
        let arms = list(self.entry, "arms");
        let place = arms.iter().position(|arm| arm["value"] == *value).expect("an arm");
        let known = list(self.node, "arms");
        let named = known.iter().find(|arm| *arm == value);
        named.unwrap_or(&known[place]).as_str().expect("a name")
    }

    /// Compares all contrasts of questions. Returns the numbers of those that are equal, and of those without a test, because
    /// everybody gave one answer.
    fn compare(&self) -> (usize, usize) {
        let study = text(self.entry, "study");
        for arm in list(self.entry, "arms") {
            let name = self.arm(&arm["value"]);
            let values = list(self.node, "values").iter().filter(|value| value["arm"] == name);
            let people: u64 = values.filter_map(|value| value["people"].as_u64()).sum();
            assert_eq!(Some(people), arm["n"].as_u64(), "{study} {} {name}", self.entry["node"]);
        }
        let (mut equal, mut constant) = (0, 0);
        for (field, is_after) in [("outcomes", true), ("before", false)] {
            for outcome in list(self.entry, field) {
                // Composites of several items are outcomes that a researcher defines, and copies of a question are one outcome
                // once twins have answered them; positions stand beside recode values.
                if outcome["scoring"] == "position" || outcome["composite"] == true {
                    continue;
                }
                let column = text(outcome, "column");
                let matched = list(&self.answer["file"], "matched").iter();
                let column = column.trim();
                let item = matched.into_iter().find(|of| of["columns"] == json!([column]));
                let item = text(item.unwrap_or_else(|| panic!("{study}: {column} is not matched")), "name");
                for expected in list(outcome, "contrasts") {
                    let what = format!("{study} {} {column} {}", self.entry["node"], expected["arm"]);
                    if expected["t"].is_null() {
                        constant += 1;
                        continue;
                    }
                    let key = [item, self.arm(&expected["arm"]), self.arm(&expected["reference"])];
                    let (found, is_effect) = self.contrasts.get(&key).unwrap_or_else(|| panic!("{what}: {key:?}"));
                    // What cannot be compared with twins is listed apart from effects and balance.
                    if found.get("reason").is_none() {
                        assert_eq!(*is_effect, is_after, "{what}");
                    }
                    let people = &found["people"];
                    for name in ["difference", "low", "high", "p", "d"] {
                        same(&what, name, &people[name], &expected[name]);
                    }
                    for (name, theirs) in [
                        ("nFirst", "n_arm"),
                        ("nSecond", "n_ref"),
                        ("meanFirst", "mean_arm"),
                        ("meanSecond", "mean_ref"),
                        ("sdFirst", "sd_arm"),
                        ("sdSecond", "sd_ref"),
                        ("t", "t"),
                        ("df", "df"),
                    ] {
                        same(&what, name, &people["details"][name], &expected[theirs]);
                    }
                    equal += 1;
                }
            }
        }
        (equal, constant)
    }
}

/// Compares the people's file of a study, as it is, with the effects that other code found in it.
async fn has_effects(fixture: &GroupFixture<'_>, folder: &Path, entries: &[&Value]) -> (usize, usize) {
    let study = Study::start(fixture, folder, 20).await;
    let answer = study.compared(&[]).await;
    let mut all = (0, 0);
    for entry in entries {
        if entry["kind"] == "none" {
            assert_eq!((&answer["experiments"], &answer["file"]["arms"]["matched"]), (&json!([]), &json!([])));
            continue;
        }
        let (equal, constant) = Beside::new(&answer, entry).compare();
        all = (all.0 + equal, all.1 + constant);
    }
    all
}

fn effects(file: &Path) -> Vec<Value> {
    let content = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_slice(&content).expect("a list of nodes")
}

#[tokio::test]
async fn the_invented_study_has_the_effects_that_other_code_finds_in_its_file() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/tests/fixtures/studies/corner_cafe");
        let entries = effects(&folder.join("effects.json"));
        assert_eq!(has_effects(&fixture, &folder, &entries.iter().collect::<Vec<_>>()).await, (7, 0));
    })
    .await;
}

#[tokio::test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
async fn the_published_studies_have_the_effects_that_other_code_finds_in_their_files() {
    with_app(async |app| {
        let folder = std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder");
        let folder = PathBuf::from(folder);
        let entries = effects(&folder.join("effects.json"));
        let mut by_study: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        entries.iter().for_each(|entry| by_study.entry(text(entry, "study")).or_default().push(entry));
        let fixture = GroupFixture::open(app, 1_000_000).await;
        let mut equal = BTreeMap::new();
        for (name, entries) in by_study {
            equal.insert(name, has_effects(&fixture, &folder.join(name), &entries).await);
        }
        println!("{equal:?}");
        let expected = [
            ("affective_priming", 62),
            ("consumer_minimalism", 16),
            ("junk_fees", 992),
            ("privacy", 20),
            ("recommendation_algorithms", 0),
            ("targeting_fairness", 1),
        ];
        let found: Vec<_> = equal.iter().map(|(name, (equal, constant))| (*name, equal + constant)).collect();
        assert_eq!(found, expected);
    })
    .await;
}
