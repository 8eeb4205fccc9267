//! The demo model's answers pass the product's own checks.

use model_server::Answers;
use proptest::prelude::*;
use simulation::answer_mode::AnswerMode;
use simulation::parameters::Parameters;

use crate::llm::answer::read;
use crate::llm::prompt::{PromptItem, ResponseFormat, max_tokens};
use crate::llm::samples::{any_question, encoded, parameters};

const MODES: [AnswerMode; 3] = [AnswerMode::Draw, AnswerMode::Stated, AnswerMode::Tokens];
const FORMATS: [ResponseFormat; 3] = [ResponseFormat::JsonSchema, ResponseFormat::JsonObject, ResponseFormat::Plain];

/// The content of the model's reply to a request.
fn content(body: &str, seed: u64) -> String {
    Answers::Demo.content(body.as_bytes(), seed).unwrap()
}

proptest! {
    #[test]
    fn the_model_s_answers_pass_the_checks_for_every_type_and_format(
        questions in (any_question(1), any_question(2), any_question(3)).prop_map(<[_; 3]>::from),
        persona in "\\PC{0,200}", seed in any::<u64>(), persona_id in 1..3000i32,
    ) {
        for (format, answer_mode) in FORMATS.into_iter().flat_map(|format| MODES.map(|mode| (format, mode))) {
            let parameters = Parameters { seed: seed as i64, answer_mode, ..parameters() };
            let asked: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &parameters, persona_id)).collect();
            let prompt = encoded(&persona, &parameters, &asked, format, max_tokens(&asked));
            for answer in read(&asked, &content(prompt.body(), seed)) {
                prop_assert!(answer.is_ok(), "{format:?} {answer:?}");
            }
        }
    }

    #[test]
    fn a_persona_chooses_the_same_option_in_any_order(
        question in any_question(1).prop_filter("has options", |question| question.has_options()),
        seeds in (any::<i64>(), any::<i64>()),
    ) {
        let answer = |seed| {
            // At another temperature a seed changes minds, too.
            let parameters = Parameters { seed, temperature: Some(0.0), ..parameters() };
            let asked = [PromptItem::new(&question, &parameters, 1)];
            let prompt = encoded("Age: 30", &parameters, &asked, ResponseFormat::JsonSchema, 9000);
            read(&asked, &content(prompt.body(), 0)).remove(0).unwrap()
        };
        prop_assert_eq!(answer(seeds.0), answer(seeds.1));
    }
}
