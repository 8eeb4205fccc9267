//! Worked prices: what a survey costs on each of some models, by the estimate of a start.

use serde_json::json;
use simulation::money::Price;
use simulation::parameters::Parameters;
use simulation::prompt_cache::SharedTexts;
use simulation::wire::Wire;
use survey::question::{Question, QuestionPayload};

use crate::config::prices::{Prices, listed};
use crate::error::{Error, Result};
use crate::llm::prompt;
use crate::models::simulations::workload::{TOKEN_BYTES, Workload, choose_prompt_cache};

/// The models, each with its API: the newest ones of a provider that answer surveys well or cheaply.
const MODELS: [(Wire, &str); 6] = [
    (Wire::OpenAi, "gpt-6-luna"),
    (Wire::OpenAi, "gpt-6.2-sol"),
    (Wire::Anthropic, "claude-haiku-5-5"),
    (Wire::Anthropic, "claude-sonnet-5-5"),
    (Wire::Gemini, "gemini-3.8-flash"),
    (Wire::Gemini, "gemini-4-hydrogen"),
];
/// Tokens of a twin's profile.
const PROFILE_TOKENS: i64 = 4_000;

/// A survey of single-choice questions with five options each, asked of twins with a profile of 4,000 tokens.
#[derive(Clone, Copy, Debug)]
pub struct WorkedSurvey {
    pub twins: usize,
    pub questions: usize,
}

impl WorkedSurvey {
    /// The table in Markdown: a row for each model, a column for each way to ask.
    pub fn table(self) -> Result<String> {
        let Self { questions, .. } = self;
        let third = questions.div_ceil(3);
        let ways = [(questions, false), (questions, true), (third, false), (1, false)];
        let head =
            ["model", "one call a twin", "one call, batch", "three calls a twin", "a call for each question", "as of"];
        let mut lines = vec![row(&head.map(str::to_owned)), format!("|---|{}---|", "---:|".repeat(ways.len()))];
        let asked = questions_of(questions)?;
        for (wire, model) in MODELS {
            let costs = ways.iter().map(|(per_call, batch)| self.cost(&asked, wire, model, *per_call, *batch));
            let as_of = listed().models.get(model).and_then(|prices| prices.read);
            let mut cells = vec![format!("`{model}`")];
            cells.extend(costs);
            cells.push(as_of.map(|day| day.to_string()).unwrap_or_default());
            lines.push(row(&cells));
        }
        Ok(lines.join("\n"))
    }

    /// The expected cost for people, or a dash without a price.
    fn cost(self, asked: &[Question], wire: Wire, model: &str, per_call: usize, batch: bool) -> String {
        let prices = Prices::new(Some(listed()), None);
        let known: Option<Price> = match batch {
            true => prices.of_batch(model).cloned(),
            false => prices.find(model).cloned(),
        };
        let Some(price) = known else { return "–".to_owned() };
        let mut parameters =
            Parameters { wire, batch, ..Parameters::new(model, 1, u16::try_from(per_call).unwrap_or(u16::MAX)) };
        let requests = vec![self.questions as i64; self.twins];
        choose_prompt_cache(&mut parameters, &requests, SharedTexts::default());
        let sizes = prompt::measure(asked, &parameters);
        let work = Workload::new(&requests, PROFILE_TOKENS * TOKEN_BYTES, sizes, &parameters);
        let [_, expected, _] = work.cost(&price, &parameters, None);
        let cents = (expected + 5_000) / 10_000;
        format!("{} {}.{:02}", price.currency, cents / 100, cents % 100)
    }
}

fn questions_of(count: usize) -> Result<Vec<Question>> {
    let labels = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"];
    (1..)
        .take(count)
        .map(|number| {
            let text = format!("How much do you agree with the following? This is statement {number} of the survey.");
            let payload = json!({"type": "SINGLE_CHOICE", "text": text, "options": labels});
            let payload = serde_json::from_value::<QuestionPayload>(payload);
            let payload = payload.map_err(|reason| Error::internal(reason.to_string()))?;
            let valid = payload.validate().map_err(|reason| Error::internal(format!("{reason:?}")))?;
            Ok(valid.at(i64::from(number), number))
        })
        .collect()
}

fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/models-and-costs.md");
    const BEGIN: &str = "<!-- worked: 2058x20 -->\n";
    const END: &str = "\n<!-- end of worked -->";

    #[test]
    fn the_table_in_the_documentation_is_what_the_command_prints() {
        let page = fs::read_to_string(PAGE).expect("the page");
        let (_, table) = page.split_once(BEGIN).expect("a beginning");
        let (table, _) = table.split_once(END).expect("an end");
        let worked = WorkedSurvey { twins: 2_058, questions: 20 }.table().expect("a table");
        assert_eq!(table, worked, "paste the output of `twinlab prices --worked 2058x20` between the marks");
    }

    #[test]
    fn a_batch_is_half_price_and_more_calls_cost_more() {
        let worked = WorkedSurvey { twins: 100, questions: 20 };
        let asked = questions_of(20).expect("questions");
        let cost = |per_call, batch| {
            let cost = worked.cost(&asked, Wire::OpenAi, "gpt-6.2-sol", per_call, batch);
            cost.trim_start_matches("USD ").parse::<f64>().expect("a number")
        };
        let (one, batch, three, each) = (cost(20, false), cost(20, true), cost(7, false), cost(1, false));
        assert!((one / batch - 2.0).abs() < 0.05, "{one} {batch}");
        assert!(one < three && three < 2.0 * one && three < each, "{one} {three} {each}");
    }
}
