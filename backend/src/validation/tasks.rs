//! Scored tasks: those of Twin-2K-500's own evaluation, and those of invented personas.
//!
//! Ranges are those of the dataset's evaluator (`evaluation/mad_accuracy_evaluation.py` of its repository), which
//! scores the twins and the second wave against the first.

use std::ops::RangeInclusive;

/// A group of items that measure one thing.
#[derive(Debug)]
pub struct ValidationTask {
    pub key: &'static str,
    pub title: &'static str,
    parts: &'static [Part],
    /// Questions that are asked before an item and not scored.
    asked_too: &'static [&'static str],
}

/// Items with one range: keys of whole questions, or of a question's rows.
#[derive(Debug)]
struct Part {
    qids: &'static [&'static str],
    rows: &'static [RangeInclusive<u32>],
    min: f64,
    max: f64,
    /// Whether answers are amounts without a bound, scored by the tenth of the people's first answers to all questions
    /// of this part.
    tenths: bool,
}

/// A scored item.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredItem {
    pub key: String,
    pub min: f64,
    pub max: f64,
    /// Number shared by items whose answers are divided into tenths together.
    pub tenths: Option<usize>,
}

const fn whole(qids: &'static [&'static str], min: f64, max: f64) -> Part {
    Part { qids, rows: &[], min, max, tenths: false }
}

const fn rows(qids: &'static [&'static str], rows: &'static [RangeInclusive<u32>], min: f64, max: f64) -> Part {
    Part { qids, rows, min, max, tenths: false }
}

const fn tenths(qids: &'static [&'static str]) -> Part {
    Part { qids, rows: &[], min: 1.0, max: 10.0, tenths: true }
}

const fn task(key: &'static str, title: &'static str, parts: &'static [Part]) -> ValidationTask {
    ValidationTask { key, title, parts, asked_too: &[] }
}

/// Tasks of Twin-2K-500 and, from `everyday` on, of invented personas. A set has the questions of one of both.
pub static TASKS: &[ValidationTask] = &[
    task(
        "false_consensus",
        "False consensus",
        &[rows(&["QID287"], &[1..=10], 1.0, 5.0), rows(&["QID290"], &[1..=7, 10..=12], 0.0, 100.0)],
    ),
    task("base_rate", "Base rate", &[whole(&["QID154", "QID156"], 0.0, 100.0)]),
    task("framing", "Framing", &[whole(&["QID157", "QID158"], 1.0, 6.0)]),
    task("linda", "Conjunction (Linda)", &[rows(&["QID159", "QID160"], &[1..=3], 1.0, 6.0)]),
    task("outcome_bias", "Outcome bias", &[whole(&["QID161", "QID162"], 1.0, 7.0)]),
    ValidationTask {
        key: "anchoring",
        title: "Anchoring",
        parts: &[tenths(&["QID164", "QID166"]), tenths(&["QID168", "QID170"])],
        asked_too: &["QID163", "QID165", "QID167", "QID169"],
    },
    task(
        "less_is_more",
        "Less is more",
        &[
            whole(&["QID171", "QID172", "QID173", "QID174", "QID175", "QID176"], 1.0, 5.0),
            whole(&["QID177", "QID178", "QID179"], 1.0, 6.0),
        ],
    ),
    task("sunk_cost", "Sunk cost", &[whole(&["QID181", "QID182"], 0.0, 20.0)]),
    task("savings", "Absolute or relative saving", &[whole(&["QID183", "QID184"], 1.0, 2.0)]),
    task("wta_wtp", "Willing to accept or pay", &[whole(&["QID189", "QID190", "QID191"], 1.0, 10.0)]),
    task("allais", "Allais", &[whole(&["QID192", "QID193"], 1.0, 2.0)]),
    task("myside", "Myside", &[whole(&["QID194", "QID195"], 1.0, 6.0)]),
    task(
        "matching",
        "Probability matching",
        &[rows(&["QID198"], &[1..=10], 1.0, 2.0), rows(&["QID203"], &[1..=6], 1.0, 2.0)],
    ),
    task("risk_benefit", "Risk and benefit", &[rows(&["QID288", "QID289"], &[1..=4], 1.0, 7.0)]),
    task("omission", "Omission", &[whole(&["QID291"], 1.0, 4.0)]),
    task("denominator", "Denominator neglect", &[whole(&["QID196"], 1.0, 2.0)]),
    task("pricing", "Pricing", &[rows(&["QID9"], &[1..=40], 1.0, 2.0)]),
    task("everyday", "Everyday habits", &[rows(&["S1"], &[1..=5], 1.0, 5.0)]),
    task("money", "Money", &[whole(&["S2", "S3", "S4"], 1.0, 6.0)]),
    task("society", "Society", &[rows(&["S5"], &[1..=4], 1.0, 7.0)]),
    task("estimates", "Estimates in percent", &[whole(&["S6", "S7", "S8"], 0.0, 100.0)]),
    task("wording", "Wording of a risk", &[whole(&["S9", "S10"], 1.0, 6.0)]),
    task("offers", "Offers", &[whole(&["S11", "S12", "S13"], 1.0, 2.0)]),
    task("chances", "Chances", &[whole(&["S14"], 1.0, 2.0)]),
];

impl ValidationTask {
    /// The scored items, in the table's order.
    pub fn items(&self) -> Vec<ScoredItem> {
        let item = |part: &Part, place: usize, key: String| ScoredItem {
            key,
            min: part.min,
            max: part.max,
            tenths: part.tenths.then_some(place),
        };
        let of_part = |(place, part): (usize, &Part)| -> Vec<ScoredItem> {
            let keys = part.qids.iter().flat_map(|qid| match part.rows {
                [] => vec![(*qid).to_owned()],
                rows => rows.iter().cloned().flatten().map(|row| format!("{qid}_{row}")).collect(),
            });
            keys.map(|key| item(part, place, key)).collect()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// Whether the question belongs to the task, scored or not.
    pub fn asks(&self, qid: &str) -> bool {
        let is_scored = |part: &Part| match part.rows {
            // QID9_1 to QID9_40 are questions of their own.
            [] => part.qids.contains(&qid),
            rows => part.qids.iter().any(|of| {
                let row = qid.strip_prefix(of).and_then(|rest| rest.strip_prefix('_')).and_then(|row| row.parse().ok());
                *of == qid || row.is_some_and(|row| rows.iter().any(|rows| rows.contains(&row)))
            }),
        };
        self.asked_too.contains(&qid) || self.parts.iter().any(is_scored)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_datasets_17_tasks_have_its_evaluators_items() {
        let counts: Vec<usize> = TASKS[..17].iter().map(|task| task.items().len()).collect();
        assert_eq!(counts, [20, 2, 2, 6, 2, 4, 9, 2, 2, 3, 2, 2, 16, 8, 1, 1, 40]);
        let keys: HashSet<String> = TASKS.iter().flat_map(ValidationTask::items).map(|item| item.key).collect();
        assert_eq!(keys.len(), TASKS.iter().map(|task| task.items().len()).sum::<usize>(), "each item counts once");
        assert!(keys.contains("QID290_12") && !keys.contains("QID290_8") && keys.contains("QID9_40"));
    }

    #[test]
    fn anchors_are_asked_and_not_scored() {
        let anchoring = &TASKS[5];
        assert!(anchoring.asks("QID163") && anchoring.asks("QID164") && !anchoring.asks("QID171"));
        assert!(!anchoring.items().iter().any(|item| item.key == "QID163"));
        assert_eq!(anchoring.items()[2].tenths, Some(1));
        assert!(TASKS[16].asks("QID9_7") && !TASKS[16].asks("QID9_41") && !TASKS[16].asks("QID91"));
    }
}
