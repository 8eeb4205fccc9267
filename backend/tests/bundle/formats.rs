//! Agreement of a bundle's descriptions and figures with its tables.

use std::collections::{BTreeMap, BTreeSet};

use diesel::sql_types::Text;
use diesel::{QueryableByName, sql_query};
use diesel_async::RunQueryDsl;
use model_server::{Fault, Faults};
use serde_json::{Value, json};
use simulation::run::Run;
use simulation::summaries::variables::Variable;
use twinlab::models::summaries::{self, Summary, SummaryRequest, Twins};
use twinlab::results::runs;

use super::{bundled, designed, entries, sha256, xml};

type Files = BTreeMap<String, Vec<u8>>;
type CsvRow = BTreeMap<String, String>;

fn text<'a>(files: &'a Files, path: &str) -> &'a str {
    std::str::from_utf8(files.get(path).unwrap_or_else(|| panic!("{path} is not there"))).expect("UTF-8")
}

fn json_of(files: &Files, path: &str) -> Value {
    serde_json::from_str(text(files, path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the columns, and the rows as maps.
fn table(files: &Files, path: &str) -> (Vec<String>, Vec<CsvRow>) {
    let text = text(files, path).strip_prefix('\u{feff}').expect("a byte order mark");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row.unwrap_or_else(|error| panic!("{path}: {error}"));
        header.iter().cloned().zip(row.iter().map(str::to_owned)).collect()
    };
    let rows = reader.records().map(row).collect();
    (header, rows)
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"))
}

#[actix_web::test]
async fn descriptions_and_estimates_agree_with_the_tables() {
    let faults = Faults { attempts_struck: 3, ..Faults::default() }.with(Fault::Refusal, 0.1);
    let (fixture, id, _folder, path) = bundled(&designed(), faults).await;
    let files: Files = entries(&path).into_iter().collect();
    fields_are_those_of_the_tables(&files);
    every_file_is_in_the_crate(&files);
    the_codebook_describes_each_variable(&files);
    every_figure_is_a_picture(&files);
    estimates_are_those_of_the_matrix(&files);
    every_prompt_is_in_the_index(&files);

    #[derive(QueryableByName)]
    struct TwinText {
        #[diesel(sql_type = Text)]
        summary: String,
    }
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let twins = Twins::load(&mut conn, id, &run.questions, [].iter()).await.expect("its twins");
    let by = Some(Variable::Attribute("fee_arm".to_owned()));
    let request = SummaryRequest { by, ..SummaryRequest::default() };
    let summary = summaries::of_run(&mut conn, id, &run.questions, &twins, &request).await.expect("a summary");
    estimates_are_those_of_the_app(&files, &run, &summary);

    let texts = sql_query("SELECT coalesce(summary, '') AS summary FROM personas ORDER BY id");
    let texts: Vec<TwinText> = texts.load(&mut *conn).await.expect("the personas");
    let hashes: Vec<String> = texts.iter().map(|of| sha256(of.summary.as_bytes())).collect();
    let (_, twins) = table(&files, "run/twins.csv");
    assert_eq!(twins.iter().map(|twin| twin["textSha256"].clone()).collect::<Vec<_>>(), hashes);
    assert!(twins.iter().all(|twin| twin["variant"] == "summary"), "{twins:?}");

    let script = text(&files, "data/read.do");
    assert!(script.contains("\nlabel define fair 7 `\"Fair\"'\nlabel define fair 9 `\"Unfair\"', add\n"), "{script}");
    let (header, _) = table(&files, "data/matrix-codes.csv");
    let renamed: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("rename ")).collect();
    // All columns are collected first, so that a question with the name of a later Stata column takes no name twice.
    assert_eq!((renamed.len(), renamed[0]), (header.len() + 1, "v* __*"));
    assert_eq!(renamed[1], "__1 personaId");
}

fn fields_are_those_of_the_tables(files: &Files) {
    let package = json_of(files, "datapackage.json");
    let resources = package["resources"].as_array().expect("resources");
    let described: BTreeSet<&str> = resources.iter().filter_map(|resource| resource["path"].as_str()).collect();
    let tables: BTreeSet<&str> = files.keys().map(String::as_str).filter(|path| path.ends_with(".csv")).collect();
    assert_eq!(described, tables);
    let names: BTreeSet<&str> = resources.iter().filter_map(|resource| resource["name"].as_str()).collect();
    assert_eq!(names.len(), resources.len(), "a name is once in its package");
    for resource in resources {
        let path = resource["path"].as_str().expect("a path");
        let (header, rows) = table(files, path);
        assert_eq!(resource["hash"], format!("sha256:{}", sha256(&files[path])), "{path}");
        assert_eq!(resource["bytes"], files[path].len(), "{path}");
        let fields = resource["schema"]["fields"].as_array().expect("fields");
        let names: Vec<&str> = fields.iter().filter_map(|field| field["name"].as_str()).collect();
        assert_eq!(names, header, "{path}");
        for field in fields {
            let name = field["name"].as_str().expect("a name");
            let categories: Option<Vec<String>> = field["categories"].as_array().map(|categories| {
                let words = |category: &Value| match category.get("value") {
                    Some(code) => code.to_string(),
                    None => category.as_str().expect("a label").to_owned(),
                };
                categories.iter().map(words).collect()
            });
            for cell in rows.iter().map(|row| &row[name]).filter(|cell| !cell.is_empty()) {
                let fits = match field["type"].as_str() {
                    Some("integer") => cell.parse::<i64>().is_ok(),
                    Some("number") => cell.parse::<f64>().is_ok(),
                    Some("datetime") => chrono::DateTime::parse_from_rfc3339(cell).is_ok(),
                    Some("boolean") => matches!(cell.as_str(), "true" | "false"),
                    Some("string") => true,
                    other => panic!("{other:?}"),
                };
                assert!(fits, "{path}: {name}: {cell}");
                assert!(categories.as_ref().is_none_or(|known| known.contains(cell)), "{path}: {name}: {cell}");
            }
        }
    }
    let (_, codes) = table(files, "data/matrix-codes.csv");
    assert!(codes.iter().any(|row| ["7", "9"].contains(&row["fair"].as_str())), "{codes:?}");
}

fn every_file_is_in_the_crate(files: &Files) {
    let graph = json_of(files, "ro-crate-metadata.json");
    assert_eq!(graph["@context"], "https://w3id.org/ro/crate/1.2/context");
    let graph = graph["@graph"].as_array().expect("a graph");
    let entity = |id: &str| {
        let mut found = graph.iter().filter(|entity| entity["@id"] == id);
        let entity = found.next().unwrap_or_else(|| panic!("{id} is no entity"));
        assert!(found.next().is_none(), "{id} is there twice");
        entity
    };
    let parts = entity("./")["hasPart"].as_array().expect("parts");
    let parts: BTreeSet<&str> = parts.iter().filter_map(|part| part["@id"].as_str()).collect();
    let expected: BTreeSet<&str> =
        files.keys().map(String::as_str).filter(|path| *path != "ro-crate-metadata.json").collect();
    assert_eq!(parts, expected);
    for path in parts {
        let size = &entity(path)["contentSize"];
        if path == "manifest.json" {
            assert!(size.is_null(), "the manifest lists the crate");
        } else {
            assert_eq!(*size, files[path].len().to_string(), "{path}");
        }
    }
    assert_eq!(entity("#author")["name"], "[to be filled in by the authors]");
    // Every reference of an entity leads to an entity.
    for (name, value) in graph.iter().flat_map(|entity| entity.as_object().expect("an object")) {
        let references = if value.is_array() { value.clone() } else { json!([value]) };
        for id in references.as_array().expect("an array").iter().filter_map(|each| each["@id"].as_str()) {
            assert!(!entity(id).is_null(), "{name}");
        }
    }
}

fn the_codebook_describes_each_variable(files: &Files) {
    let root = xml::parse(text(files, "data/codebook.xml"));
    assert_eq!((&*root.name, root.attribute("xmlns")), ("codeBook", Some("ddi:codebook:2_5")));
    the_codebook_is_in_the_order_of_its_schema(&root);
    let variables = root.named("var");
    let (header, _) = table(files, "data/matrix-codes.csv");
    assert_eq!(variables.iter().map(|each| each.attribute("name").expect("a name")).collect::<Vec<_>>(), header);
    assert!(root.named("titl")[1].text.starts_with("Fees, \"quoted\""));
    let fair = variables.iter().find(|each| each.attribute("name") == Some("fair")).expect("the question");
    assert_eq!(fair.named("qstnLit")[0].text, "How fair is [fee]?");
    let categories = fair.named("catgry").into_iter().map(|each| (&*each.children[0].text, &*each.children[1].text));
    assert_eq!(
        categories.collect::<Vec<_>>(),
        [("7", "Fair"), ("9", "Unfair"), ("-88", "Failed or refused"), ("-77", "Not shown")]
    );
    let missing = fair.named("catgry").into_iter().filter(|each| each.attribute("missing") == Some("Y"));
    assert_eq!(missing.count(), 2);
}

/// The elements that DDI-Codebook 2.5's schema allows in each element of a codebook, in this order; texts hold none.
const CODEBOOK: [(&str, &[&str]); 22] = [
    ("codeBook", &["docDscr", "stdyDscr", "fileDscr", "dataDscr", "otherMat"]),
    ("docDscr", &["citation", "guide", "docStatus", "docSrc", "controlledVocabUsed", "notes"]),
    (
        "citation",
        &["titlStmt", "rspStmt", "prodStmt", "distStmt", "serStmt", "verStmt", "biblCit", "holdings", "notes"],
    ),
    ("titlStmt", &["titl", "subTitl", "altTitl", "parTitl", "IDNo"]),
    ("rspStmt", &["AuthEnty", "othId"]),
    ("prodStmt", &["producer", "copyright", "prodDate", "prodPlac", "software", "fundAg", "grantNo"]),
    ("verStmt", &["version", "verResp", "notes"]),
    (
        "stdyDscr",
        &[
            "citation",
            "studyAuthorization",
            "stdyInfo",
            "studyDevelopment",
            "method",
            "dataAccs",
            "othrStdyMat",
            "notes",
        ],
    ),
    ("stdyInfo", &["studyBudget", "subject", "abstract", "sumDscr", "qualityStatement", "notes", "exPostEvaluation"]),
    (
        "sumDscr",
        &[
            "timePrd",
            "collDate",
            "nation",
            "geogCover",
            "geogUnit",
            "geoBndBox",
            "boundPoly",
            "anlyUnit",
            "universe",
            "dataKind",
        ],
    ),
    ("method", &["dataColl", "notes", "anlyInfo", "stdyClas", "dataProcessing", "codingInstructions"]),
    ("dataColl", &["timeMeth", "dataCollector", "sampProc", "collMode", "resInstru", "sources", "weight", "cleanOps"]),
    ("dataAccs", &["setAvail", "useStmt", "notes"]),
    ("useStmt", &["confDec", "specPerm", "restrctn", "contact", "citReq", "deposReq", "conditions", "disclaimer"]),
    ("fileDscr", &["fileTxt", "locMap", "notes"]),
    (
        "fileTxt",
        &[
            "fileName",
            "fileCitation",
            "fileCont",
            "fileStrc",
            "dimensns",
            "fileType",
            "format",
            "filePlac",
            "software",
            "verStmt",
        ],
    ),
    ("dimensns", &["caseQnty", "varQnty", "logRecL", "recPrCas", "recNumTot"]),
    ("dataDscr", &["varGrp", "nCubeGrp", "var", "nCube", "notes"]),
    (
        "var",
        &[
            "location",
            "labl",
            "qstn",
            "valrng",
            "invalrng",
            "universe",
            "sumStat",
            "txt",
            "catgryGrp",
            "catgry",
            "concept",
            "varFormat",
            "notes",
        ],
    ),
    ("qstn", &["preQTxt", "qstnLit", "postQTxt", "forward", "backward", "ivuInstr"]),
    ("invalrng", &["item", "range", "key", "notes"]),
    ("catgry", &["catValu", "labl", "txt", "catStat", "mrow"]),
];

fn the_codebook_is_in_the_order_of_its_schema(root: &xml::Element) {
    let known: BTreeMap<&str, &[&str]> = CODEBOOK.into_iter().collect();
    for element in root.all() {
        let allowed = known.get(element.name.as_str()).copied().unwrap_or_default();
        let places: Vec<Option<usize>> =
            element.children.iter().map(|child| allowed.iter().position(|name| *name == child.name)).collect();
        let names: Vec<&str> = element.children.iter().map(|child| child.name.as_str()).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}: {names:?}", element.name);
        assert!(allowed.is_empty() || element.text.trim().is_empty(), "{}: {}", element.name, element.text);
    }
    let ids: Vec<&str> = root.all().into_iter().filter_map(|element| element.attribute("ID")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id is once in its document");
    assert!(root.named("var").into_iter().all(|of| of.attribute("files").is_some_and(|file| ids.contains(&file))));
}

fn every_figure_is_a_picture(files: &Files) {
    let figures: Vec<&String> = files.keys().filter(|path| path.ends_with(".svg")).collect();
    let names: Vec<&str> = figures.iter().filter_map(|path| path.strip_prefix("analysis/figures/")).collect();
    assert_eq!(names, ["001-ok.svg", "002-fair.svg", "004-views.svg", "005-pay.svg"], "free words have none");
    for (path, bars) in figures.into_iter().zip([3, 2, 6, 10]) {
        let root = xml::parse(text(files, path));
        assert_eq!((&*root.name, root.named("script").len()), ("svg", 0), "{path}");
        // The first one is the background.
        assert_eq!(root.named("rect").len(), 1 + bars, "{path}");
    }
}

fn estimates_are_those_of_the_matrix(files: &Files) {
    let (_, matrix) = table(files, "data/matrix.csv");
    let (_, shares) = table(files, "analysis/tables/shares.csv");
    let of_fair = |arm: &str| {
        let rows = shares.iter().filter(|row| row["question"] == "fair" && row["arm"] == arm);
        rows.map(|row| (row["option"].clone(), row)).collect::<BTreeMap<String, &CsvRow>>()
    };
    for arm in ["", "one", "two"] {
        let in_arm = |twin: &&CsvRow| arm.is_empty() || twin["fee_arm"] == arm;
        let given: Vec<&str> =
            matrix.iter().filter(in_arm).map(|twin| &*twin["fair"]).filter(|cell| !cell.is_empty()).collect();
        assert!(given.len() > 1, "{arm}: {matrix:?}");
        for option in ["Fair", "Unfair"] {
            let count = given.iter().filter(|cell| **cell == option).count();
            let row = of_fair(arm)[option];
            assert_eq!((&row["n"], &row["count"]), (&given.len().to_string(), &count.to_string()), "{arm}: {option}");
            let share = number(&row["share"]);
            assert!((share - count as f64 / given.len() as f64).abs() < 1e-9, "{row:?}");
            assert!(number(&row["low"]) <= share && share <= number(&row["high"]), "{row:?}");
        }
    }
    let (_, effects) = table(files, "analysis/tables/effects.csv");
    let effect = effects.iter().find(|row| row["question"] == "fair" && row["option"] == "Fair").expect("an effect");
    assert_eq!((&*effect["arm"], &*effect["base"], &*effect["p"]), ("two", "one", ""));
    let [one, two] = ["one", "two"].map(|arm| number(&of_fair(arm)["Fair"]["share"]));
    assert!((number(&effect["difference"]) - (two - one)).abs() < 1e-9, "{effect:?}");

    let (_, means) = table(files, "analysis/tables/means.csv");
    let paid: Vec<f64> =
        matrix.iter().map(|twin| &twin["pay"]).filter(|cell| !cell.is_empty()).map(|cell| number(cell)).collect();
    let row = means.iter().find(|row| row["question"] == "pay" && row["arm"].is_empty()).expect("a mean");
    let mean = paid.iter().sum::<f64>() / paid.len() as f64;
    assert!((number(&row["mean"]) - mean).abs() < 1e-7, "{row:?}");
    assert!(number(&row["low"]) < mean && mean < number(&row["high"]), "{row:?}");
    let digits = row["mean"].chars().filter(char::is_ascii_digit).count();
    assert!(digits <= 11, "10 significant digits: {row:?}");

    let analysis = json_of(files, "analysis/analysis.json");
    let questions = analysis["questions"].as_array().expect("questions");
    assert_eq!(questions.len(), 5);
    assert_eq!(questions[1]["figure"], "analysis/figures/002-fair.svg");
    let listed = questions.iter().flat_map(|of| of["shares"].as_array().expect("shares")).count();
    assert_eq!(listed, shares.len());
}

fn estimates_are_those_of_the_app(files: &Files, run: &Run, summary: &Summary) {
    let (_, shares) = table(files, "analysis/tables/shares.csv");
    let (_, means) = table(files, "analysis/tables/means.csv");
    let mut compared = 0;
    for (question, of) in run.questions.iter().zip(&summary.questions) {
        let groups = of.groups.iter().filter(|group| group.value != "(not stated)");
        for (arm, figures) in
            [("", &of.figures)].into_iter().chain(groups.map(|group| (group.value.as_str(), &group.figures)))
        {
            let is_of = |row: &&CsvRow| row["question"] == question.name && row["arm"] == arm;
            if figures.n > 0 && question.name != "pay" {
                let rows: Vec<_> = shares.iter().filter(is_of).map(|row| number(&row["count"]) as i64).collect();
                let of_rows = figures.rows.iter().flat_map(|row| &row.counts);
                let counts: Vec<i64> = figures.counts.iter().chain(of_rows).map(|each| each.count).collect();
                assert_eq!(rows, counts, "{}: {arm}", question.name);
                compared += rows.len();
            }
            let rows: Vec<f64> = means.iter().filter(is_of).map(|row| number(&row["mean"])).collect();
            let of_rows = figures.rows.iter().filter_map(|row| row.mean);
            let averages: Vec<f64> = figures.mean.into_iter().chain(of_rows).collect();
            assert_eq!(rows.len(), averages.len(), "{}: {arm}", question.name);
            assert!(
                rows.iter().zip(&averages).all(|(row, mean)| (row - mean).abs() < 1e-7),
                "{}: {arm}",
                question.name
            );
        }
    }
    assert!(compared > 20, "{compared}");
}

fn every_prompt_is_in_the_index(files: &Files) {
    let (_, index) = table(files, "prompts/index.csv");
    let (_, responses) = table(files, "data/responses.csv");
    let mut expected: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in responses.iter().filter(|row| row["status"] == "answered") {
        *expected.entry((row["promptHash"].clone(), row["personaId"].clone())).or_default() += 1;
    }
    let found = index.iter().map(|row| {
        let questions = row["questions"].split(' ').count();
        ((row["promptHash"].clone(), row["personaId"].clone()), questions)
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    assert!(index.iter().any(|row| row["questions"].split(' ').any(|name| name == "pay")), "{index:?}");
}
