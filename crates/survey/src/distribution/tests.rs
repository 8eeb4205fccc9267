use proptest::prelude::*;
use proptest::sample::select;
use random::generator;
use serde_json::{Map, Value, json};

use super::*;
use crate::answer::Answer;
use crate::question::Question;
use crate::samples::{one_of_each, question};
use crate::schema::Schema;
use crate::types::Asked;

fn asked(question: &Question) -> Asked<'_> {
    Asked { question, order: None, max_text_length: None }
}

fn stated(question: &Question, value: &Value) -> Result<Distribution, String> {
    match AnswerForm::Stated.check(asked(question), value)? {
        FormReply::Distribution(distribution) => Ok(distribution),
        FormReply::Answer(answer) => panic!("{answer:?} is no distribution"),
    }
}

fn prompt(form: AnswerForm, question: &Question) -> String {
    let mut message = String::new();
    form.write_instructions(asked(question), &mut message).expect("a string");
    format!("{message}{}", serde_json::to_string(&form.schema(asked(question))).expect("JSON"))
}

#[test]
fn only_single_choices_yes_or_no_matrices_and_numbers_have_distributions() {
    let names: Vec<&str> =
        one_of_each().iter().filter(|question| has_distribution(question)).map(|q| q.question_type.name()).collect();
    assert_eq!(names, ["SINGLE_CHOICE", "MATRIX", "MATRIX", "SLIDER", "RANGE", "NUMBER", "BOOLEAN"]);
    for question in one_of_each() {
        let form = AnswerForm::Stated.of(&question);
        assert_eq!(form == AnswerForm::Stated, has_distribution(&question));
        let by_codes = AnswerForm::Codes.of(&question) == AnswerForm::Codes;
        assert_eq!(by_codes, has_distribution(&question) && !question.question_type.is_number());
    }
    let many: Vec<String> = (0..=MAX_CODES).map(|number| format!("Option {number}")).collect();
    let question = question(1, json!({ "type": "SINGLE_CHOICE", "text": "Which?", "options": many }));
    assert_eq!(AnswerForm::Codes.of(&question), AnswerForm::Answer);
}

#[test]
fn prompts_of_each_form_are_recorded() {
    let questions = one_of_each();
    let of = |name: &str| questions.iter().find(|question| question.question_type.name() == name).expect("a sample");
    let forms = [
        (AnswerForm::Stated, "SINGLE_CHOICE"),
        (AnswerForm::Stated, "MATRIX"),
        (AnswerForm::Stated, "RANGE"),
        (AnswerForm::Codes, "BOOLEAN"),
        (AnswerForm::Codes, "MATRIX"),
    ];
    insta::assert_snapshot!("forms", forms.map(|(form, name)| prompt(form, of(name))).join("\n\n"));
}

#[test]
fn percentages_are_renormalised_if_they_are_off_by_rounding_and_refused_beyond() {
    let question = &one_of_each()[0];
    let given = |percentages: [f64; 3]| {
        let [tea, coffee, water] = percentages;
        stated(question, &json!({ "q1_1": tea, "q1_2": coffee, "q1_3": water }))
    };
    let Ok(Distribution::Options(options)) = given([50.0, 30.0, 22.0]) else { panic!("within the tolerance") };
    assert!((options["Tea"] - 50.0 / 102.0).abs() < 1e-12 && (options.values().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(given([50.0, 30.0, 30.0]), Err("the percentages add up to 110, not to 100".to_owned()));
    assert_eq!(given([0.5, 0.3, 0.2]), Err("the percentages add up to 1, not to 100".to_owned()));
    assert_eq!(given([120.0, -20.0, 0.0]), Err("q1_2 (\"Coffee\"): -20 is below 0".to_owned()));
    let missing = stated(question, &json!({ "q1_1": 50, "Coffee": "50 %" }));
    assert_eq!(missing, Err("q1_3 (\"Water\"): has no percentage".to_owned()));
    assert!(stated(question, &json!({ "Tea": "50 %", "Coffee": "50", "Water": 0 })).is_ok());
}

#[test]
fn quantiles_lie_between_the_bounds_and_do_not_decrease() {
    let question = question(
        1,
        json!({ "type": "RANGE", "text": "How likely?", "min_value": 0, "max_value": 10,
        "min_description": "never", "max_description": "surely" }),
    );
    let given = |numbers: [f64; 5]| {
        let [a, b, c, d, e] = numbers;
        stated(&question, &json!({ "p5": a, "p25": b, "p50": c, "p75": d, "p95": e }))
    };
    assert_eq!(given([1.0, 2.0, 2.0, 4.0, 9.0]), Ok(Distribution::Quantiles(Quantiles([1.0, 2.0, 2.0, 4.0, 9.0]))));
    assert!(given([1.0, 3.0, 2.0, 4.0, 9.0]).unwrap_err().starts_with("the five numbers decrease"));
    assert_eq!(given([1.0, 3.0, 4.0, 5.0, 11.0]), Err("p95: 11 is above the maximum 10".to_owned()));
    assert!(stated(&question, &json!({ "p5": 1 })).is_err());
}

#[test]
fn codes_are_read_with_quotes_and_in_words() {
    let questions = one_of_each();
    let read = |question: &Question, value: Value| match AnswerForm::Codes.check(asked(question), &value) {
        Ok(FormReply::Answer(answer)) => Ok(answer.to_value()),
        Ok(other) => panic!("{other:?}"),
        Err(message) => Err(message),
    };
    assert_eq!(read(&questions[0], json!("B")), Ok(json!("Coffee")));
    assert_eq!(read(&questions[0], json!(" b) ")), Ok(json!("Coffee")));
    assert_eq!(read(&questions[0], json!("water")), Ok(json!("Water")));
    assert_eq!(read(&questions[0], json!("D")), Err("\"D\" is not one of the letters A, B, C".to_owned()));
    assert_eq!(
        read(&questions[2], json!({ "r1": "A", "r2": "C" })),
        Ok(json!({ "It is cheap": "Disagree", "It is near": "Agree" }))
    );
    assert_eq!(read(&questions[2], json!({ "r1": "A" })), Err("row r2: the letter is missing".to_owned()));
    let boolean = questions.iter().find(|question| question.question_type.name() == "BOOLEAN").expect("a sample");
    assert_eq!(read(boolean, json!("B")), Ok(json!(false)));

    let parts = AnswerForm::Codes.code_parts(asked(&questions[0]));
    let of_weights = of_codes(&parts, &[vec![0.2, 0.6, 0.0]]).expect("weights");
    assert_eq!(of_weights.part(None), of_weights.part(None));
    let Distribution::Options(options) = of_weights else { panic!("options") };
    assert!((options["Coffee"] - 0.75).abs() < 1e-12);
    assert_eq!(of_codes(&parts, &[vec![0.0; 3]]), None);
}

#[test]
fn answers_that_were_drawn_have_shares_or_quantiles() {
    let questions = one_of_each();
    let tea = |text: &str| Answer::Choice(text.to_owned());
    let shares = Distribution::of_answers(&questions[0], &[tea("Tea"), tea("Water"), tea("Tea"), tea("Tea")]);
    assert_eq!(
        serde_json::to_value(shares).unwrap(),
        json!({ "options": { "Coffee": 0.0, "Tea": 0.75, "Water": 0.25 } })
    );
    let numbers: Vec<Answer> = [4.0, 1.0, 2.0, 3.0, 5.0].map(Answer::Number).into();
    let quantiles = Distribution::of_answers(&questions[6], &numbers);
    assert_eq!(serde_json::to_value(quantiles).unwrap(), json!({ "quantiles": [1.2, 2.0, 3.0, 4.0, 4.8] }));
    assert_eq!(Distribution::of_answers(&questions[9], &[Answer::Text("Because.".to_owned())]), None);
    assert_eq!(Distribution::of_answers(&questions[0], &[]), None);
}

#[test]
fn the_corners_of_quantiles_lie_between_the_bounds() {
    let quantiles = Quantiles([1.0, 2.0, 4.0, 5.0, 9.0]);
    let expected = [(0.0, 0.75), (0.05, 1.0), (0.25, 2.0), (0.5, 4.0), (0.75, 5.0), (0.95, 9.0), (1.0, 10.0)];
    assert_eq!(quantiles.corners((Some(0.0), Some(10.0))), expected);
    assert_eq!(quantiles.corners((Some(1.0), Some(9.0)))[6], (1.0, 9.0));
    assert_eq!(quantiles.corners((Some(1.0), None))[0], (0.0, 1.0));
    assert_eq!(quantiles.at(0.5, (None, None)), 4.0);
}

#[test]
fn draws_follow_the_distribution() {
    let questions = one_of_each();
    let options =
        Distribution::Options([("Tea".to_owned(), 0.5), ("Coffee".to_owned(), 0.3), ("Water".to_owned(), 0.2)].into());
    let draw = |distribution: &Distribution, question: &Question, seed: i64| {
        distribution.draw(question, &mut generator(seed, &[b"draw"])).expect("an answer")
    };
    let draws: Vec<Value> = (0..2_000).map(|seed| draw(&options, &questions[0], seed).to_value()).collect();
    let chi: f64 = [("Tea", 1_000.0), ("Coffee", 600.0), ("Water", 400.0)]
        .map(|(option, expected)| {
            let observed = draws.iter().filter(|drawn| *drawn == option).count() as f64;
            (observed - expected).powi(2) / expected
        })
        .iter()
        .sum();
    // The 99.9 % point of chi-squared with two degrees of freedom.
    assert!(chi < 13.82, "{chi}");
    assert_eq!(draw(&options, &questions[0], 7), draw(&options, &questions[0], 7));

    let quantiles = Distribution::Quantiles(Quantiles([10.0, 20.0, 50.0, 60.0, 90.0]));
    let range = &questions[5];
    let mut below = [0.0_f64; 6];
    for seed in 0..2_000 {
        let Answer::Number(number) = draw(&quantiles, range, seed) else { panic!("a number") };
        assert!((0.0..=100.0).contains(&number) && number.fract() == 0.0, "{number}");
        // Numbers are rounded to whole ones, so the ends are between two of them.
        below[[10.5, 20.5, 50.5, 60.5, 90.5].iter().filter(|end| number > **end).count()] += 1.0;
    }
    let chi: f64 = below
        .iter()
        .zip([0.06, 0.195, 0.2433, 0.252, 0.2, 0.0497])
        .map(|(observed, share)| (observed - 2_000.0 * share).powi(2) / (2_000.0 * share))
        .sum();
    // The 99.9 % point with five degrees of freedom.
    assert!(chi < 20.52, "{chi} {below:?}");
}

/// A value that is valid under the schema, made by these numbers.
fn instance(schema: &Schema<'_>, numbers: &[u32]) -> Value {
    let Schema::Object { fields, description } = schema else { panic!("{schema:?}") };
    if fields.iter().all(|(_, field)| matches!(field, Schema::Object { .. })) {
        let rows =
            fields.iter().enumerate().map(|(place, (name, field))| (name.clone(), instance(field, &numbers[place..])));
        return rows.collect::<Map<_, _>>().into();
    }
    let at = |place: usize| f64::from(numbers[place % numbers.len()]);
    if description.as_deref().is_some_and(|words| words.starts_with("Percentages")) {
        let sum: f64 = (0..fields.len()).map(at).sum();
        let share = |(place, (name, _)): (usize, &(String, _))| (name.clone(), Value::from(at(place) / sum * 100.0));
        return fields.iter().enumerate().map(share).collect::<Map<_, _>>().into();
    }
    let mut sorted: Vec<f64> = (0..fields.len()).map(at).collect();
    sorted.sort_by(f64::total_cmp);
    let number = |((name, field), number): (&(String, Schema<'_>), f64)| {
        let Schema::Number { min, max } = field else { panic!("{field:?}") };
        let number = number.max(min.unwrap_or(f64::MIN)).min(max.unwrap_or(f64::MAX));
        (name.clone(), Value::from(number))
    };
    fields.iter().zip(sorted).map(number).collect::<Map<_, _>>().into()
}

proptest! {
    #[test]
    fn any_statement_is_read_stored_and_drawn_from(
        question in select(one_of_each().into_iter().filter(has_distribution).collect::<Vec<_>>()),
        numbers in prop::collection::vec(1..1_000_u32, 12), seed in any::<i64>(),
    ) {
        let given = instance(&AnswerForm::Stated.schema(asked(&question)), &numbers);
        let distribution = stated(&question, &given).expect("a valid statement");
        prop_assert!(distribution.is_of(&question), "{distribution:?}");
        let stored = serde_json::to_value(&distribution).expect("JSON");
        prop_assert_eq!(&serde_json::from_value::<Distribution>(stored).expect("a distribution"), &distribution);
        let draw = || distribution.draw(&question, &mut generator(seed, &[b"draw"])).expect("an answer");
        let answer = draw();
        prop_assert_eq!(&answer, &draw());
        let decoded = Answer::decode(&question, &answer.to_value()).expect("an answer to the question");
        prop_assert_eq!(decoded, answer);
    }

    #[test]
    fn no_statement_makes_the_reader_panic(
        question in select(one_of_each()), numbers in prop::collection::vec(any::<f64>(), 5), text in "[A-Zpq0-9_%\"]{0,6}",
    ) {
        let named = |name: &str, place: usize| (name.to_owned(), Value::from(numbers[place]));
        let object: Map<String, Value> =
            [named("q1_1", 0), named("q1_2", 1), named("p5", 2), named("p95", 3), named(&text, 4)].into_iter().collect();
        for value in [Value::Object(object), Value::from(text), Value::Null, Value::from(numbers.clone())] {
            if let Ok(distribution) = stated_or_none(&question, &value) {
                prop_assert!(distribution.is_of(&question), "{distribution:?}");
            }
            let _ = AnswerForm::Codes.of(&question).check(asked(&question), &value);
        }
    }
}

fn stated_or_none(question: &Question, value: &Value) -> Result<Distribution, String> {
    match AnswerForm::Stated.of(question) {
        AnswerForm::Stated => stated(question, value),
        _ => Err("no distribution".to_owned()),
    }
}
