//! The planner: how many people a study needs, and which mix of people and twins is cheapest.

use serde::{Deserialize, Serialize};

use crate::intervals::Estimate;
use crate::power::{SimulatedDesign, TestedEffect};
use crate::rectified::{Budget, FigureRefused, Pair, Prices, human_sd, pair, precision, two_arms, two_shares};

/// Maximum number of people in a plan. More would be an input error.
const MAX_PEOPLE: f64 = 1e9;

/// Aim of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlanKind {
    /// A difference of two arms' means. Takes `d`.
    Means,
    /// A difference of two arms' shares. Takes `p` and `q`.
    Shares,
    /// A mean to within a margin. Takes `margin` and `sd`, or `twinSd` and `sdRatio`.
    Precision,
    /// The cheapest mix of people and twins. Takes `rho`, `pricePerson`, `priceTwin`, and `effective` or `budget`.
    Mix,
    /// An effect in a 2 × 2 design, whose power is simulated. Takes `d`, `effect`, and `rho` with `others` for twins beside
    /// the people. With `n`, its power is answered; without, the number of people that `power` takes.
    Factorial,
    /// The difference of two answers of each person, whose power is simulated. Takes `d`, `correlation`, and `rho` with
    /// `others`.
    Paired,
}

/// The effect of a 2 × 2 design that is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FactorialEffect {
    /// The mean of two cells less that of the other two.
    Main,
    /// The difference of two differences.
    #[default]
    Interaction,
}

/// A question to the planner. Fields that its kind does not take are ignored.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StudyToPlan {
    kind: PlanKind,
    /// The difference, in standard deviations of people.
    #[cfg_attr(feature = "openapi", schema(example = 0.3))]
    d: Option<f64>,
    /// The two shares, 0 to 1.
    p: Option<f64>,
    q: Option<f64>,
    /// Half the width of the interval, in the question's unit.
    margin: Option<f64>,
    /// Standard deviation of people, in the question's unit.
    sd: Option<f64>,
    /// Standard deviation of twins. Needs `sdRatio`, because twins are too much alike.
    twin_sd: Option<f64>,
    /// Twins' standard deviation over people's, as found by a validation of the same twins.
    sd_ratio: Option<f64>,
    /// Probability of finding a difference that does not exist; 0.05 if missing. Intervals cover 1 − alpha.
    #[cfg_attr(feature = "openapi", schema(example = 0.05, exclusive_minimum = 0.0, exclusive_maximum = 1.0))]
    alpha: Option<f64>,
    /// Probability of finding a difference that exists; 0.8 if missing.
    #[cfg_attr(feature = "openapi", schema(example = 0.8, exclusive_minimum = 0.0, exclusive_maximum = 1.0))]
    power: Option<f64>,
    /// Correlation of people's answers with those of their own twins, −1 to 1.
    rho: Option<f64>,
    /// Price of a person's answer, in the same currency as a twin's.
    price_person: Option<f64>,
    price_twin: Option<f64>,
    /// Number of people alone who would give the wanted precision.
    effective: Option<f64>,
    /// Amount of money to spend.
    budget: Option<f64>,
    /// The effect of a 2 × 2 design that is tested; the interaction if missing.
    effect: Option<FactorialEffect>,
    /// Correlation of the two answers of a person, for pairs; 0.5 if missing.
    correlation: Option<f64>,
    /// Number of twins of people who are not asked, for each cell of a simulated design.
    others: Option<u32>,
    /// Number of people in each cell, whose power is computed for a simulated design.
    n: Option<u32>,
}

/// Numbers of people and twins to ask.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedStudy {
    /// Number of people to ask, in all arms.
    #[cfg_attr(feature = "openapi", schema(example = 350))]
    people: usize,
    /// Number of people in each of two arms; null if there are no arms.
    #[cfg_attr(feature = "openapi", schema(example = 175))]
    people_per_arm: Option<usize>,
    /// The number in each arm before rounding.
    #[cfg_attr(feature = "openapi", schema(example = 174.42))]
    exact: Option<f64>,
    /// Number of twins of people who are not asked, in a mix. 0 means that twins do not pay.
    others: Option<usize>,
    /// Price of a mix, with the twins of the people asked.
    cost: Option<f64>,
    /// Number of people alone who would be as informative as a mix.
    n_effective: Option<f64>,
    /// The simulated power, with the interval of the simulation.
    achieved: Option<Estimate>,
    sentence: String,
}

impl StudyToPlan {
    fn probability(value: Option<f64>, default: f64, field: &str) -> Result<f64, String> {
        let value = value.unwrap_or(default);
        if value > 0.0 && value < 1.0 { Ok(value) } else { Err(format!("{field} must be between 0 and 1")) }
    }

    fn arms(exact: f64) -> Result<PlannedStudy, String> {
        let each = people(exact)?;
        Ok(PlannedStudy {
            people: 2 * each,
            people_per_arm: Some(each),
            exact: Some(exact),
            sentence: format!("{each} people in each of two arms. Twins do not count as people."),
            ..PlannedStudy::default()
        })
    }

    /// Answers the question. `twins` is the number of twins that exist. Fails with a sentence that names the field.
    pub fn answer(&self, twins: usize) -> Result<PlannedStudy, String> {
        let alpha = Self::probability(self.alpha, 0.05, "alpha")?;
        let power = Self::probability(self.power, 0.8, "power")?;
        let needed = |value: Option<f64>, field: &str| {
            value.filter(|value| value.is_finite()).ok_or_else(|| format!("{field} is required"))
        };
        let share = |value: Option<f64>, field: &str| {
            let value = needed(value, field)?;
            if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(format!("{field} must be between 0 and 1")) }
        };
        let refused = |refusal: FigureRefused| refusal.to_string();
        match self.kind {
            PlanKind::Means => {
                let exact = two_arms(needed(self.d, "d")?, alpha, power);
                Self::arms(exact.map_err(|refusal| format!("d: {refusal}"))?)
            }
            PlanKind::Shares => {
                let exact = two_shares(share(self.p, "p")?, share(self.q, "q")?, alpha, power);
                Self::arms(exact.map_err(|refusal| format!("p and q: {refusal}"))?)
            }
            PlanKind::Precision => {
                let sd = match (self.sd, self.twin_sd) {
                    (Some(sd), _) => sd,
                    (None, Some(twin)) => {
                        human_sd(twin, self.sd_ratio).map_err(|refusal| format!("sdRatio: {refusal}"))?
                    }
                    (None, None) => return Err("sd is required, or twinSd with sdRatio".to_owned()),
                };
                let exact = precision(sd, needed(self.margin, "margin")?, 1.0 - alpha).map_err(refused)?;
                let people = people(exact)?;
                let sentence = format!("{people} people, whose spread is taken as {sd:.4}.");
                Ok(PlannedStudy { people, exact: Some(exact), sentence, ..PlannedStudy::default() })
            }
            PlanKind::Mix => {
                let rho = needed(self.rho, "rho")?;
                if !(-1.0..=1.0).contains(&rho) {
                    return Err("rho must be between -1 and 1".to_owned());
                }
                let prices = Prices {
                    person: needed(self.price_person, "pricePerson")?,
                    twin: needed(self.price_twin, "priceTwin")?,
                };
                let budget = match (self.effective, self.budget) {
                    (Some(n), None) => Budget::Effective(n),
                    (None, Some(money)) => Budget::Money(money),
                    _ => return Err("effective or budget is required, and not both".to_owned()),
                };
                // Without twins, the number of people is bounded by the budget or the wanted precision.
                people(match budget {
                    Budget::Effective(n) => n,
                    Budget::Money(money) => money / prices.person,
                })?;
                let Pair { people, others, cost, n_effective } = pair(rho, prices, budget, twins).map_err(refused)?;
                let sentence = match others {
                    0 => format!("{people} people alone: twins do not pay at this correlation and these prices."),
                    _ => format!(
                        "{people} people with their twins, and {others} more twins, are as informative as {n_effective:.0} people alone."
                    ),
                };
                let (others, cost, n_effective) = (Some(others), Some(cost), Some(n_effective));
                Ok(PlannedStudy { people, others, cost, n_effective, sentence, ..PlannedStudy::default() })
            }
            PlanKind::Factorial => {
                let tested = match self.effect.unwrap_or_default() {
                    FactorialEffect::Main => TestedEffect::Main,
                    FactorialEffect::Interaction => TestedEffect::Interaction,
                };
                self.simulated(tested, needed(self.d, "d")?, alpha, power)
            }
            PlanKind::Paired => self.simulated(TestedEffect::Paired, needed(self.d, "d")?, alpha, power),
        }
    }

    /// Simulates a design: its power with `n` people in each cell, or the people that a power takes.
    fn simulated(&self, tested: TestedEffect, d: f64, alpha: f64, power: f64) -> Result<PlannedStudy, String> {
        let within = |value: Option<f64>, default: f64, field: &str| match value.unwrap_or(default) {
            value if value > -1.0 && value < 1.0 => Ok(value),
            _ => Err(format!("{field} must be between -1 and 1")),
        };
        let correlation = within(self.correlation, 0.5, "correlation")?;
        let rho = within(self.rho, 0.0, "rho")?;
        let others = self.others.map_or(0, |others| others as usize);
        let design = SimulatedDesign { tested, d, correlation, rho, others, alpha };
        let (each, achieved) = match self.n {
            Some(n) if (n as usize) < design.fewest() => {
                return Err(format!("n must be at least {}", design.fewest()));
            }
            Some(n) => (n as usize, design.power(n as usize)),
            None if d == 0.0 => return Err("d: the effect must not be 0".to_owned()),
            None => design.people(power).ok_or("that would take more than 1000000 people in each cell")?,
        };
        let cells = tested.cells();
        let percent = (achieved.value * 100.0).round();
        let who = match cells {
            1 => format!("{each} people, who all give both answers"),
            _ => format!("{each} people in each of four cells"),
        };
        let with =
            if others > 0 { format!(", with their twins and {others} more twins for each") } else { String::new() };
        Ok(PlannedStudy {
            people: cells * each,
            people_per_arm: (cells > 1).then_some(each),
            others: (others > 0).then_some(others * cells),
            sentence: format!("{who}{with}, find the effect in {percent} % of {} simulated studies.", achieved.n),
            achieved: Some(achieved),
            ..PlannedStudy::default()
        })
    }
}

/// Rounds up to a number of people.
fn people(exact: f64) -> Result<usize, String> {
    match exact.ceil() {
        few if few <= MAX_PEOPLE => Ok(few.max(0.0) as usize),
        _ => Err(format!("that would take more than {MAX_PEOPLE} people")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::StudyToPlan;

    fn planned(asked: Value) -> Result<Value, String> {
        let asked: StudyToPlan = serde_json::from_value(asked).expect("a question");
        let answer = asked.answer(2_058)?;
        Ok(serde_json::to_value(answer).expect("JSON"))
    }

    #[test]
    fn plans_are_those_of_the_golden_values() {
        let means = planned(json!({"kind": "means", "d": 0.3})).unwrap();
        assert_eq!((&means["peoplePerArm"], &means["people"]), (&json!(175), &json!(350)));
        assert!((means["exact"].as_f64().unwrap() - 174.42).abs() < 0.01);
        let mix = |rho: f64, more: Value| {
            let mut asked = json!({"kind": "mix", "rho": rho, "pricePerson": 5.0, "priceTwin": 0.02});
            asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let plan = planned(asked).unwrap();
            (plan["people"].clone(), plan["others"].clone())
        };
        assert_eq!(mix(0.2, json!({"effective": 400})), (json!(389), json!(866)));
        assert_eq!(mix(0.5, json!({"budget": 1000})), (json!(193), json!(1568)));
        // The mix cannot have more twins than exist.
        assert_eq!(mix(0.5, json!({"effective": 400})).1, json!(2058));
    }

    #[test]
    fn designs_are_simulated() {
        let of = |more: Value| {
            let mut asked = json!({"kind": "factorial", "d": 0.5, "effect": "main"});
            asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            planned(asked)
        };
        let main = of(json!({})).unwrap();
        let each = main["peoplePerArm"].as_u64().unwrap();
        assert!((30..=36).contains(&each), "{main}");
        assert_eq!(main["people"], 4 * each);
        let sentence = main["sentence"].as_str().unwrap();
        assert!(
            sentence.starts_with(&format!("{each} people in each of four cells, find the effect in 8")),
            "{sentence}"
        );
        // An interaction of the same size takes four times as many.
        let interaction = of(json!({"effect": "interaction"})).unwrap()["peoplePerArm"].as_u64().unwrap();
        assert!((3.6..=4.4).contains(&(interaction as f64 / each as f64)), "{interaction}");
        let known = of(json!({"n": 100})).unwrap();
        assert!(known["achieved"]["value"].as_f64().unwrap() > 0.99 && known["people"] == 400, "{known}");
        let pairs = planned(json!({"kind": "paired", "d": 0.5, "rho": 0.5, "others": 500})).unwrap();
        assert_eq!((&pairs["peoplePerArm"], &pairs["others"]), (&Value::Null, &json!(500)));
        assert_eq!(of(json!({"n": 4})).unwrap_err(), "n must be at least 5");
        assert_eq!(of(json!({"d": 0})).unwrap_err(), "d: the effect must not be 0");
        assert_eq!(of(json!({"rho": 1})).unwrap_err(), "rho must be between -1 and 1");
    }

    #[test]
    fn a_spread_of_twins_needs_a_validation_and_what_is_missing_is_named() {
        let twins = json!({"kind": "precision", "twinSd": 0.6, "margin": 0.1});
        assert!(planned(twins).unwrap_err().starts_with("sdRatio: the spread of twins is not that of people"));
        let validated = json!({"kind": "precision", "twinSd": 0.6, "sdRatio": 0.6, "margin": 0.1});
        assert_eq!(planned(validated).unwrap()["people"], 385);
        for (asked, refusal) in [
            (json!({"kind": "means"}), "d is required"),
            (json!({"kind": "means", "d": 0}), "d: the effect must be above 0"),
            (json!({"kind": "means", "d": 1, "alpha": 1}), "alpha must be between 0 and 1"),
            (json!({"kind": "means", "d": 1e-300}), "that would take more than 1000000000 people"),
            (
                json!({"kind": "mix", "rho": 1, "pricePerson": 1e-300, "priceTwin": 1e-300, "budget": 1e300}),
                "that would take more than 1000000000 people",
            ),
            (json!({"kind": "shares", "p": 0.5, "q": 1.5}), "q must be between 0 and 1"),
            (
                json!({"kind": "mix", "rho": 0.5, "pricePerson": 5, "priceTwin": 1}),
                "effective or budget is required, and not both",
            ),
        ] {
            assert_eq!(planned(asked).unwrap_err(), refusal);
        }
    }
}
