//! Estimates what runs take before they are started: calls, tokens, money and time.

use serde::Serialize;
use simulation::money::Money;
use simulation::parameters::Parameters;
use utoipa::ToSchema;

use super::speed::{Speeds, TimeRange};
use super::workload::Workload;

/// Estimated cost in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CostRange {
    /// The lowest cost: profiles are cached, answers are short.
    pub low: Money,
    /// The expected cost: the server caches by its provider's rules, and answers have their usual length.
    pub expected: Money,
    /// The highest cost: nothing is cached, answers are long, a tenth of the calls is repeated.
    pub high: Money,
}

/// Estimate of one run or of several.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RunEstimate {
    /// Answers if every request succeeds, of one credit each.
    #[schema(example = 1000)]
    pub answers: i64,
    /// Calls to the model.
    #[schema(example = 100)]
    pub calls: i64,
    /// Tokens of prompts, reasoning and answers.
    #[schema(example = 490_000)]
    pub tokens: i64,
    /// Cost of the tokens; null: the price of a model is not known, or the currencies differ.
    pub cost: Option<CostRange>,
    /// Time that it takes; null: nothing limits it and no earlier run was measured.
    pub time: Option<TimeRange>,
}

impl RunEstimate {
    /// Estimates the runs together.
    pub fn of(runs: &[(&Parameters, Workload)], speeds: &Speeds) -> Self {
        let reasoning =
            runs.iter().map(|(parameters, work)| work.reasoning_tokens(parameters, speeds.reasoning(parameters)));
        let sum = |of: fn(&Workload) -> i64| runs.iter().map(|(_, work)| of(work)).sum();
        Self {
            answers: sum(|work| work.answers),
            calls: sum(|work| work.calls),
            tokens: sum(Workload::tokens) + reasoning.sum::<i64>(),
            cost: cost(runs, speeds),
            time: speeds.time(runs),
        }
    }
}

fn cost(runs: &[(&Parameters, Workload)], speeds: &Speeds) -> Option<CostRange> {
    let first = runs.first()?.0.price.as_ref()?;
    let (mut low, mut expected, mut high) = (0, 0, 0);
    for (parameters, work) in runs {
        let price = parameters.price.as_ref().filter(|price| price.currency == first.currency)?;
        let [least, likely, most] = work.cost(price, parameters, speeds.reasoning(parameters));
        low += least;
        expected += likely;
        high += most;
    }
    Some(CostRange { low: first.money(low), expected: first.money(expected), high: first.money(high) })
}

#[cfg(test)]
mod tests {
    use simulation::money::Price;

    use super::*;
    use crate::models::simulations::speed::LimitsByServer;
    use crate::models::simulations::workload::PromptSizes;

    const SIZES: PromptSizes =
        PromptSizes { opening: 0.0, rest: 0.0, question: 240.0, schema: 0.0, answer_tokens: 30.0 };

    fn parameters(questions_per_call: u16, price: Option<Price>) -> Parameters {
        Parameters { price, ..Parameters::new("m", 1, questions_per_call) }
    }

    fn price(currency: &str) -> Option<Price> {
        Some(Price {
            currency: currency.to_owned(),
            prompt: 400_000,
            cached: 100_000,
            completion: 1_600_000,
            cache_write: None,
            reasoning: None,
            as_of: None,
        })
    }

    fn estimate(runs: &[(&Parameters, Workload)]) -> RunEstimate {
        RunEstimate::of(runs, &Speeds::unmeasured(LimitsByServer::default()))
    }

    /// Returns the ends of the cost in micro-units.
    fn ends(cost: &CostRange) -> (i64, i64) {
        let micro = |money: &Money| money.amount.replace('.', "").parse().expect("digits");
        (micro(&cost.low), micro(&cost.high))
    }

    #[test]
    fn one_call_a_twin_caches_nothing_so_the_range_is_that_of_answers_and_repeated_calls() {
        let one_call = parameters(20, price("USD"));
        // 100 twins: 400,000 tokens of profiles, 120,000 of 2,000 questions, 60,000 of answers.
        let of_run = estimate(&[(&one_call, Workload::new(&[20; 100], 16_000, SIZES, &one_call))]);
        assert_eq!((of_run.answers, of_run.calls, of_run.tokens), (2_000, 100, 580_000));
        let high = 520_000 * 4 / 10 + 60_000 * 16 / 10;
        let cost = of_run.cost.expect("a price");
        assert_eq!(ends(&cost), (520_000 * 4 / 10 + 30_000 * 16 / 10, high + high / 10));
        assert_eq!(cost.low.currency, "USD");
    }

    #[test]
    fn profiles_of_further_calls_of_a_twin_may_be_cached() {
        let five_calls = parameters(4, price("USD"));
        let of_run = estimate(&[(&five_calls, Workload::new(&[20; 100], 16_000, SIZES, &five_calls))]);
        assert_eq!(of_run.calls, 500);
        let (fresh, cached) = (520_000 * 4 / 10, 1_600_000 / 10);
        let high = 2_120_000 * 4 / 10 + 60_000 * 16 / 10;
        assert_eq!(ends(&of_run.cost.expect("a price")), (fresh + cached + 48_000, high + high / 10));
    }

    #[test]
    fn runs_are_added_up_in_money_where_all_prices_are_known_in_one_currency() {
        let (usd, eur, free) = (parameters(20, price("USD")), parameters(20, price("EUR")), parameters(20, None));
        let work = Workload::new(&[20; 100], 16_000, SIZES, &usd);
        let cost = |runs: &[&Parameters]| {
            let runs: Vec<_> = runs.iter().map(|parameters| (*parameters, work)).collect();
            estimate(&runs).cost.as_ref().map(ends)
        };
        let (low, high) = cost(&[&usd]).expect("a price");
        assert_eq!(cost(&[&usd, &usd]), Some((2 * low, 2 * high)));
        assert_eq!(cost(&[&usd, &eur]), None);
        assert_eq!(cost(&[&usd, &free]), None);
        assert_eq!(cost(&[&free]), None);
    }
}
