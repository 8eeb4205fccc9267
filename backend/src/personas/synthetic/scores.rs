//! Test scores, as `name = value (Nth percentile)` lines under a heading a test.

use std::fmt::Write;

use super::chance::{Chance, share_below};
use super::temperament::Temperament;

struct Score {
    name: &'static str,
    mean: f64,
    deviation: f64,
    low: f64,
    high: f64,
    decimals: usize,
    /// What it has in common with openness, conscientiousness, extraversion, agreeableness, neuroticism, ability and
    /// conservatism, as correlations.
    loads: [f64; 7],
}

const fn score(name: &'static str, scale: [f64; 4], decimals: usize, loads: [f64; 7]) -> Score {
    let [mean, deviation, low, high] = scale;
    Score { name, mean, deviation, low, high, decimals, loads }
}

/// Headings and their scores. Scales are mean, standard deviation, lowest and highest value.
#[rustfmt::skip]
const TESTS: [(&str, &[Score]); 6] = [
    ("The person's Big Five scores (1 to 5)", &[
        score("score_openness", [3.6, 0.65, 1.0, 5.0], 2, [0.95, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        score("score_conscientiousness", [3.8, 0.68, 1.0, 5.0], 2, [0.0, 0.95, 0.0, 0.0, 0.0, 0.0, 0.0]),
        score("score_extraversion", [3.0, 0.82, 1.0, 5.0], 2, [0.0, 0.0, 0.95, 0.0, 0.0, 0.0, 0.0]),
        score("score_agreeableness", [3.8, 0.62, 1.0, 5.0], 2, [0.0, 0.0, 0.0, 0.95, 0.0, 0.0, 0.0]),
        score("score_neuroticism", [2.8, 0.85, 1.0, 5.0], 2, [0.0, 0.0, 0.0, 0.0, 0.95, 0.0, 0.0]),
    ]),
    ("The person's cognitive test scores", &[
        score("score_cognitive_reflection", [1.8, 1.3, 0.0, 4.0], 0, [0.05, 0.05, 0.0, 0.0, -0.1, 0.65, 0.0]),
        score("score_numeracy", [4.9, 1.9, 0.0, 8.0], 0, [0.0, 0.05, 0.0, 0.0, -0.1, 0.7, 0.0]),
        score("score_financial_literacy", [5.3, 1.7, 0.0, 8.0], 0, [0.0, 0.15, 0.0, 0.0, -0.1, 0.6, 0.1]),
        score("score_fluid_intelligence", [3.1, 1.4, 0.0, 6.0], 0, [0.05, 0.0, 0.0, 0.0, 0.0, 0.75, 0.0]),
        score("score_vocabulary", [13.2, 3.4, 0.0, 20.0], 0, [0.2, 0.0, 0.0, 0.0, 0.0, 0.65, 0.0]),
        score("score_logical_reasoning", [7.1, 2.1, 0.0, 12.0], 0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.65, -0.05]),
        score("score_overconfidence", [1.1, 2.4, -8.0, 8.0], 1, [0.0, -0.05, 0.2, 0.0, -0.1, -0.4, 0.1]),
    ]),
    ("The person's scores on how they think and feel (1 to 5, anxiety and depression 0 to 63)", &[
        score("score_need_for_cognition", [3.3, 0.75, 1.0, 5.0], 2, [0.5, 0.15, 0.1, 0.0, -0.15, 0.35, 0.0]),
        score("score_need_for_closure", [3.4, 0.55, 1.0, 5.0], 2, [-0.3, 0.3, 0.0, 0.0, 0.2, 0.0, 0.2]),
        score("score_empathy", [3.7, 0.5, 1.0, 5.0], 2, [0.2, 0.0, 0.1, 0.55, 0.15, 0.0, -0.15]),
        score("score_self_concept_clarity", [3.5, 0.85, 1.0, 5.0], 2, [0.0, 0.35, 0.1, 0.1, -0.5, 0.0, 0.1]),
        score("score_self_monitoring", [2.7, 0.8, 1.0, 5.0], 2, [0.1, -0.15, 0.45, -0.1, 0.05, 0.0, 0.0]),
        score("score_need_for_uniqueness", [2.6, 0.8, 1.0, 5.0], 2, [0.4, -0.1, 0.2, -0.15, 0.0, 0.0, -0.15]),
        score("score_anxiety", [11.0, 9.0, 0.0, 63.0], 0, [0.0, -0.1, -0.1, 0.0, 0.65, -0.05, 0.0]),
        score("score_depression", [11.5, 9.5, 0.0, 63.0], 0, [0.0, -0.2, -0.25, -0.05, 0.6, 0.0, 0.0]),
    ]),
    ("The person's scores on values (1 to 5)", &[
        score("score_environmental_concern", [3.5, 0.85, 1.0, 5.0], 2, [0.25, 0.0, 0.0, 0.2, 0.05, 0.05, -0.45]),
        score("score_individualism", [3.7, 0.6, 1.0, 5.0], 2, [0.1, 0.1, 0.1, -0.2, 0.0, 0.05, 0.2]),
        score("score_collectivism", [3.6, 0.6, 1.0, 5.0], 2, [0.0, 0.1, 0.15, 0.45, 0.0, 0.0, 0.1]),
        score("score_agency", [3.4, 0.6, 1.0, 5.0], 2, [0.15, 0.35, 0.4, -0.1, -0.3, 0.05, 0.0]),
        score("score_communion", [3.9, 0.55, 1.0, 5.0], 2, [0.05, 0.1, 0.2, 0.65, 0.0, 0.0, 0.0]),
        score("score_minimalism", [3.2, 0.8, 1.0, 5.0], 2, [0.1, 0.25, -0.15, 0.05, 0.0, 0.05, -0.1]),
    ]),
    ("The person's scores on money and risk", &[
        score("score_spending", [13.5, 4.2, 4.0, 26.0], 0, [0.05, -0.3, 0.25, 0.05, 0.1, -0.1, 0.0]),
        score("score_maximization", [3.1, 0.65, 1.0, 5.0], 2, [0.05, 0.0, 0.05, -0.1, 0.3, 0.0, 0.0]),
        score("score_discount_rate", [0.21, 0.11, 0.0, 0.6], 2, [-0.05, -0.25, 0.05, 0.0, 0.1, -0.35, 0.0]),
        score("score_present_bias", [0.12, 0.1, 0.0, 0.5], 2, [0.0, -0.3, 0.05, 0.0, 0.15, -0.25, 0.0]),
        score("score_risk_aversion", [0.55, 0.2, 0.0, 1.0], 2, [-0.2, 0.15, -0.3, 0.1, 0.3, -0.1, 0.05]),
        score("score_loss_aversion", [0.58, 0.2, 0.0, 1.0], 2, [-0.05, 0.1, -0.1, 0.05, 0.35, -0.15, 0.0]),
    ]),
    ("What the person gave of 10 dollars in games with a stranger", &[
        score("score_dictator_game", [3.6, 1.9, 0.0, 10.0], 0, [0.05, 0.0, 0.0, 0.45, 0.05, 0.0, -0.1]),
        score("score_trust_game", [5.1, 2.5, 0.0, 10.0], 0, [0.15, 0.0, 0.15, 0.35, -0.2, 0.1, -0.05]),
        score("score_ultimatum_game", [4.7, 1.2, 0.0, 10.0], 0, [0.0, 0.05, 0.0, 0.25, 0.15, 0.0, 0.0]),
    ]),
];

pub fn write(text: &mut String, chance: &mut Chance, temperament: &Temperament) {
    let Temperament { openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism } =
        *temperament;
    let traits = [openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism];
    for (heading, scores) in TESTS {
        let _ = writeln!(text, "\n{heading}:");
        for Score { name, mean, deviation, low, high, decimals, loads } in scores {
            let explained: f64 = loads.iter().map(|load| load * load).sum();
            let known: f64 = loads.iter().zip(traits).map(|(load, of)| load * of).sum();
            let z = known + (1.0 - explained).max(0.0).sqrt() * chance.normal();
            let value = (mean + deviation * z).clamp(*low, *high);
            let unit = [1.0, 10.0, 100.0][*decimals];
            // Adding zero turns a rounded -0 into 0.
            let value = (value * unit).round() / unit + 0.0;
            let percentile = percentile((value - mean) / deviation);
            let _ = writeln!(text, "{name} = {value:.decimals$} ({percentile}{} percentile)", ordinal(percentile));
        }
    }
}

fn percentile(z: f64) -> u32 {
    (share_below(z) * 100.0).round().clamp(1.0, 99.0) as u32
}

fn ordinal(number: u32) -> &'static str {
    match (number % 10, number % 100) {
        (1, other) if other != 11 => "st",
        (2, other) if other != 12 => "nd",
        (3, other) if other != 13 => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_score_is_explained_more_than_whole() {
        for score in TESTS.iter().flat_map(|(_, scores)| *scores) {
            assert!(score.loads.iter().map(|load| load * load).sum::<f64>() < 1.0, "{}", score.name);
        }
    }

    #[test]
    fn percentiles_are_spelt_as_ordinals() {
        let spelt: Vec<String> =
            [1, 2, 3, 4, 11, 12, 13, 21, 52, 93].iter().map(|&n| format!("{n}{}", ordinal(n))).collect();
        assert_eq!(spelt.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 52nd 93rd");
    }
}
