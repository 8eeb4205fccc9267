//! Answers that an invented person gave twice: 21 items in seven tasks. They follow from traits that the profile
//! states, from a hidden tendency, and from the mood of the day. A validation can thus run to its end without anybody's
//! data; its figures say nothing about models.

use super::person::{RandomStream, Temperament};
use crate::models::held_out::{HeldOut, HeldOutAnswers, HeldOutKind, HeldOutQuestion, HeldOutRow};

/// Added to the seed, so that profiles stay the same.
const STREAM: u64 = 0x7477_6963_6500_0000;
/// Weights of the stated traits, of the hidden tendency and of the day's mood.
const STATED: f64 = 0.85;
const OWN: f64 = 0.5;
const MOOD: f64 = 0.7;

/// Weights of openness, conscientiousness, extraversion, agreeableness, neuroticism, ability and conservatism in an
/// item.
type Loads = [f64; 7];

const AGREE: [&str; 5] = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"];
const AGREE_7: [&str; 7] = [
    "Strongly disagree",
    "Disagree",
    "Somewhat disagree",
    "Neither agree nor disagree",
    "Somewhat agree",
    "Agree",
    "Strongly agree",
];
const LIKELY: [&str; 6] =
    ["Very unlikely", "Unlikely", "Somewhat unlikely", "Somewhat likely", "Likely", "Very likely"];
const YES_NO: [&str; 2] = ["Yes", "No"];
const TRAYS: [&str; 2] = ["The large tray", "The small tray"];

enum Form {
    Matrix(&'static [(&'static str, Loads)], &'static [&'static str]),
    Choice(&'static [&'static str], Loads),
    Slider(Loads),
    Number(Loads),
}

#[rustfmt::skip]
const QUESTIONS: [(&str, &str, Form); 14] = [
    ("S1", "How much do you agree that this is true of you?", Form::Matrix(&[
        ("My openness: I look for ideas that are new to me", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("My conscientiousness: I finish what I begin", [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("My extraversion: I talk to many people at a party", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        ("My agreeableness: I give way in a quarrel", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("My neuroticism: small things upset me", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
    ], &AGREE)),
    ("S2", "Somebody you know well offers you a share in a new restaurant. How likely is it that risk aversion and loss aversion keep you from it?",
        Form::Choice(&LIKELY, [-0.2, 0.2, -0.3, 0.1, 0.6, -0.2, 0.0])),
    ("S3", "You find a fifty in an old coat. How likely are you to have spent it by the evening: spending, with some present bias?",
        Form::Choice(&LIKELY, [0.1, -0.6, 0.3, 0.0, 0.2, -0.3, 0.0])),
    ("S4", "You need a new kettle. How likely are you to compare ten of them, out of maximization and a need for cognition?",
        Form::Choice(&LIKELY, [0.4, 0.2, 0.0, -0.1, 0.2, 0.3, 0.0])),
    ("S5", "How much do you agree with each of these about the world?", Form::Matrix(&[
        ("Environmental concern should come before growth", [0.3, 0.0, 0.0, 0.2, 0.0, 0.0, -0.7]),
        ("Individualism is good: everybody for themselves", [0.1, 0.1, 0.1, -0.3, 0.0, 0.0, 0.4]),
        ("Collectivism is good: the group comes first", [0.0, 0.1, 0.2, 0.7, 0.0, 0.0, 0.1]),
        ("Communion and empathy matter more than success", [0.2, 0.0, 0.1, 0.8, 0.1, 0.0, -0.1]),
    ], &AGREE_7)),
    ("S6", "On how many of a hundred days do you feel anxiety or depression?", Form::Slider([0.0, -0.1, -0.2, 0.0, 0.9, 0.0, 0.0])),
    ("S7", "How many of a hundred people have less numeracy and financial literacy than you?", Form::Slider([0.0, 0.1, 0.0, 0.0, -0.1, 0.9, 0.0])),
    ("S8", "Of a hundred riddles that need cognitive reflection and logical reasoning, how many would you solve?", Form::Number([0.1, 0.0, 0.0, 0.0, -0.1, 0.9, 0.0])),
    ("S9", "A plan saves 200 of 600 people for certain. How likely are you to choose it, given your need for closure?",
        Form::Choice(&LIKELY, [-0.5, 0.5, 0.0, 0.0, 0.3, 0.0, 0.3])),
    ("S10", "A plan lets 400 of 600 people die for certain. How likely are you to choose it, given your need for closure?",
        Form::Choice(&LIKELY, [-0.5, 0.5, 0.0, 0.0, 0.3, 0.0, 0.3])),
    ("S11", "You are given ten dollars in a dictator game. Do you give a stranger half of them?", Form::Choice(&YES_NO, [-0.1, 0.0, 0.0, -0.9, 0.0, 0.0, 0.1])),
    ("S12", "A calculator costs fifteen dollars here, and ten at a shop twenty minutes away. Do you go there, minding your spending?",
        Form::Choice(&YES_NO, [0.0, 0.5, -0.3, 0.0, -0.2, 0.2, 0.0])),
    ("S13", "A jacket costs a hundred and twenty-five dollars here, and a hundred and twenty at a shop twenty minutes away. Do you go there, minding your spending?",
        Form::Choice(&YES_NO, [0.0, 0.5, -0.3, 0.0, -0.2, 0.2, 0.0])),
    ("S14", "You win if you draw a black marble without looking. The large tray has 16 black ones among 100, the small tray 2 among 10. From which do you draw, with your numeracy and cognitive reflection?",
        Form::Choice(&TRAYS, [0.0, 0.1, 0.0, 0.0, -0.1, 0.9, 0.0])),
];

/// Pairs of questions with two wordings, of which a person is asked one.
const PAIRS: [[&str; 2]; 2] = [["S9", "S10"], ["S12", "S13"]];

/// The answers that one person gave twice. `seed` and `number` are those of the person.
pub fn answers(seed: u64, number: u64, temperament: &Temperament) -> Vec<HeldOut> {
    let mut random = RandomStream::new(seed.wrapping_add(STREAM), number);
    let wordings = PAIRS.map(|pair| pair[random.weighted(&[1.0, 1.0])]);
    let mut found = Vec::new();
    for (qid, text, form) in &QUESTIONS {
        let question = HeldOutQuestion { qid: (*qid).into(), text: (*text).into(), kind: kind(form) };
        let mut answers = HeldOutAnswers::new();
        match form {
            Form::Matrix(rows, columns) => {
                let scale = (1.0, columns.len() as f64);
                for ((_, loads), row) in rows.iter().zip(question.rows()) {
                    answers.insert(question.key(Some(row)), twice(&mut random, temperament, loads, scale));
                }
            }
            Form::Choice(options, loads) => {
                let pair = twice(&mut random, temperament, loads, (1.0, options.len() as f64));
                answers.insert(question.key(None), pair);
            }
            Form::Slider(loads) | Form::Number(loads) => {
                answers.insert(question.key(None), twice(&mut random, temperament, loads, (0.0, 100.0)));
            }
        }
        let is_other_wording = PAIRS.iter().any(|pair| pair.contains(qid)) && !wordings.contains(qid);
        if !is_other_wording {
            found.push(HeldOut { question, answers });
        }
    }
    found
}

fn kind(form: &Form) -> HeldOutKind {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    match form {
        Form::Matrix(rows, columns) => HeldOutKind::Matrix {
            rows: (rows.iter().zip(1..))
                .map(|((text, _), id): (_, u32)| HeldOutRow { id: id.to_string(), text: (*text).to_owned() })
                .collect(),
            columns: texts(columns),
        },
        Form::Choice(options, _) => HeldOutKind::Choice(texts(options)),
        Form::Slider(_) => HeldOutKind::Numbers { rows: Vec::new(), bounds: Some((0.0, 100.0)) },
        Form::Number(_) => HeldOutKind::Numbers { rows: Vec::new(), bounds: None },
    }
}

/// The answers of two days on a scale.
fn twice(
    random: &mut RandomStream,
    temperament: &Temperament,
    loads: &Loads,
    (min, max): (f64, f64),
) -> (Option<f64>, Option<f64>) {
    let Temperament { openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism } =
        *temperament;
    let traits = [openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism];
    let length = loads.iter().map(|load| load * load).sum::<f64>().sqrt();
    let stated = loads.iter().zip(traits).map(|(load, of)| load * of).sum::<f64>() / length;
    let leaning = STATED * stated + OWN * random.normal();
    let mut day = || {
        let along = (leaning + MOOD * random.normal()) / 1.9;
        // A scale of two is cut in the middle; a longer one has most answers there.
        let at = (min + max) / 2.0 + along * (max - min) / 2.0;
        Some(at.round().clamp(min, max))
    };
    (day(), day())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::synthesize;
    use crate::validation::survey;
    use crate::validation::tasks::TASKS;

    #[test]
    fn items_of_seven_tasks_repeat_themselves_at_eighty_percent() {
        let mut pairs: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        let mut questions = Vec::new();
        for of in synthesize(1_000, 1).flat_map(|twin| twin.held_out) {
            for (key, pair) in &of.answers {
                let (Some(first), Some(second)) = pair else { panic!("{key} has an answer each time") };
                pairs.entry(key.clone()).or_default().push((*first, *second));
            }
            if !questions.contains(&of.question) {
                questions.push(of.question);
            }
        }
        let tasks = survey::asked(&questions, false);
        assert_eq!(tasks.len(), 7);
        let mut accuracies = Vec::new();
        for task in TASKS.iter().filter(|task| tasks.iter().any(|asked| asked.task.key == task.key)) {
            let of_item = |item: &crate::validation::tasks::ScoredItem| {
                let pairs = &pairs[&item.key];
                let near = |(a, b): &(f64, f64)| 1.0 - (a - b).abs() / (item.max - item.min);
                pairs.iter().map(near).sum::<f64>() / pairs.len() as f64
            };
            let items = task.items();
            accuracies.push(items.iter().map(of_item).sum::<f64>() / items.len() as f64);
        }
        assert_eq!(pairs.len(), 21);
        let mean = accuracies.iter().sum::<f64>() / accuracies.len() as f64;
        assert!((0.78..=0.82).contains(&mean), "{mean} {accuracies:?}");
    }

    #[test]
    fn a_person_is_asked_in_one_of_two_wordings() {
        let mut counts = BTreeMap::new();
        for twin in synthesize(400, 1) {
            assert_eq!(twin.held_out.len(), 12);
            twin.held_out.iter().for_each(|of| *counts.entry(of.question.qid.clone()).or_insert(0) += 1);
        }
        assert_eq!(counts["S9"] + counts["S10"], 400);
        assert!((150..=250).contains(&counts["S9"]) && (150..=250).contains(&counts["S12"]), "{counts:?}");
    }
}
