//! Texts of a profile: test scores as `name = value (Nth percentile)` lines, then short essays in the person's own
//! words, composed of ready sentences by trait.

use std::fmt::Write;

use super::person::{Life, RandomStream, Temperament, share_below, step};

struct Score {
    name: &'static str,
    mean: f64,
    deviation: f64,
    low: f64,
    high: f64,
    decimals: usize,
    /// Correlations with openness, conscientiousness, extraversion, agreeableness, neuroticism, ability and
    /// conservatism.
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

pub fn write_scores(text: &mut String, random: &mut RandomStream, temperament: &Temperament) {
    let Temperament { openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism } =
        *temperament;
    let traits = [openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism];
    for (heading, scores) in TESTS {
        let _ = writeln!(text, "\n{heading}:");
        for Score { name, mean, deviation, low, high, decimals, loads } in scores {
            let explained: f64 = loads.iter().map(|load| load * load).sum();
            let known: f64 = loads.iter().zip(traits).map(|(load, of)| load * of).sum();
            let z = known + (1.0 - explained).max(0.0).sqrt() * random.normal();
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

/// Sentences for people who are low, average and high in a trait.
type Ladder = [&'static [&'static str]; 3];

const EXTRAVERSION: Ladder = [
    &[
        "I am a quiet person and a full calendar wears me out; an evening with a book or a show suits me best.",
        "I keep to myself and to a few people I have known for years. Parties drain me and I leave early.",
    ],
    &[
        "I enjoy company in doses: a good dinner with friends, and then a day or two of peace.",
        "I can talk to anybody if I have to, but I also need time on my own.",
    ],
    &[
        "I am the one who starts the conversation. I like being around people and a silent house makes me restless.",
        "People tell me I light up a room. I call, I visit, I organise, and I am happiest in a crowd.",
    ],
];
const NEUROTICISM: Ladder = [
    &[
        "Not much rattles me. When something goes wrong I shrug, fix what I can and sleep well.",
        "I am calm by nature; friends come to me when they are upset because I do not get upset myself.",
    ],
    &[
        "I worry about the usual things, money and health mostly, but it passes.",
        "I have good days and bad days. Stress gets to me now and then and a walk helps.",
    ],
    &[
        "I worry a lot, about things that I know will probably never happen, and my mood can drop without warning.",
        "I overthink everything. A sharp word stays with me for days and I often lie awake at night.",
    ],
];
const AGREEABLENESS: Ladder = [
    &[
        "I say what I think even if it stings. People should earn trust before they get it from me.",
        "I look out for myself first, since nobody else will, and I do not mind an argument.",
    ],
    &[
        "I try to be fair: I help where I can, but I do not let people walk over me.",
        "I am friendly to those who are friendly to me.",
    ],
    &[
        "I hate to see anybody left out, and I would rather give too much than too little.",
        "I try to see the best in everyone. If a neighbour needs a hand I am there before they ask twice.",
    ],
];
const CONSCIENTIOUSNESS: Ladder = [
    &[
        "I am not an organised person. I put things off, lose papers and live with a bit of chaos.",
        "Plans bore me; I do what comes up and finish about half of what I start.",
    ],
    &[
        "I get the important things done, though the garage has been waiting for me since spring.",
        "I am fairly reliable, with a lazy streak on weekends.",
    ],
    &[
        "I make lists and I finish them. If I say I will be there at eight, I am there at ten to eight.",
        "I like order: bills paid early, tools in their place, the week planned on Sunday.",
    ],
];
const OPENNESS: Ladder = [
    &[
        "I like things the way they are and I see no point in changing what works. Modern art leaves me cold.",
        "I stick to what I know: the same dishes, the same places, the same music as twenty years ago.",
    ],
    &[
        "I try something new once in a while, but I do not go looking for it.",
        "I am curious about some things, practical about most.",
    ],
    &[
        "I am curious about nearly everything: other countries, strange ideas, how things work. I am always reading.",
        "I paint, I write a little, and I cannot walk past a museum. New ideas excite me more than new things.",
    ],
];
const HOPES: Ladder = [
    &[
        "I would like to worry less about tomorrow and have more fun while I can.",
        "I would love a life without alarm clocks, and to travel when I feel like it.",
    ],
    &[
        "I would like to be someone my family can count on and who still finds time to laugh.",
        "I hope to be healthy, to learn to say no, and to be content with what I have.",
    ],
    &[
        "I want to keep setting goals and reaching them: to be fit, debt-free and good at what I do.",
        "I hope to look back and see that I kept my word and built something that lasts.",
    ],
];
const OUGHT: Ladder = [
    &[
        "People say that I ought to be more considerate. Maybe; I think one should mostly be honest.",
        "I do not believe in oughts. Everybody has to find out for themselves and leave others alone.",
    ],
    &[
        "I ought to be more patient and call my relatives more often than I do.",
        "I believe one should work hard, treat others well, and not make too much noise about it.",
    ],
    &[
        "I feel that I ought to give more of my time to people who have less than I do.",
        "I ought to be kind even on days when it is hard, because you never know what another person is carrying.",
    ],
];
const POLITICS: Ladder = [
    &[
        "I want the government to do more about health care, the climate and wages, and I vote that way.",
        "The rich should pay their share. Everyone should be free to live and love as they choose.",
    ],
    &[
        "Both parties get on my nerves. I look at the person and at what they have done.",
        "I am in the middle on most questions and wish people would listen to each other again.",
    ],
    &[
        "I believe in family, hard work and a government that stays out of my business and keeps taxes low.",
        "We are losing values that made this country strong. Borders, faith and personal responsibility matter to me.",
    ],
];
const BUYING: Ladder = [
    &[
        "If I like it I buy it, and I think about the bill later. A sale sign works on me every time.",
        "I shop on impulse and own more gadgets than I need.",
    ],
    &[
        "I look at two or three offers, read some reviews and take the one in the middle.",
        "For small things I do not think twice; for large ones I sleep on it.",
    ],
    &[
        "I compare prices and read the fine print, and I keep what I buy until it falls apart.",
        "I have a budget for everything. Before I buy something big I wait a month to see if I still want it.",
    ],
];
const DAYS: [&str; 7] = [
    "I work full time, so my week has a fixed shape and the evenings go by fast.",
    "I work part time, which leaves me hours for other things but not much to spend on them.",
    "I work for myself: nobody tells me when to stop, and so I often do not.",
    "I run our home, which is more work than people think.",
    "I am still studying, and between classes and deadlines I try to have a life.",
    "I am out of work at the moment and spend my mornings on applications.",
    "I am retired, and I fill my days with the garden, errands and people I like.",
];
const MEANS: [&str; 5] = [
    "Money is tight and an unexpected bill would be a real problem.",
    "We get by, though there is little left at the end of the month.",
    "I have enough if I am careful.",
    "I am comfortable and can put something aside.",
    "I earn well and money is not what keeps me up at night.",
];

pub fn write_essays(text: &mut String, random: &mut RandomStream, temperament: &Temperament, life: &Life) {
    let mut sentence = |ladder: &Ladder, trait_: f64| random.pick(ladder[step(trait_, &[-0.6, 0.6])]);
    let company = match (life.has_partner(), life.lives_alone()) {
        (true, _) => "I share my home with my partner, and most decisions are made at the kitchen table.",
        (false, true) => "I live on my own, which has its quiet sides.",
        (false, false) => "I do not live alone, so there is always somebody to talk to or to clean up after.",
    };
    let faith = match (life.is_devout(), life.is_unreligious()) {
        (true, _) => "My faith carries me, and I am in services more weeks than not.",
        (_, true) => "Religion plays no part in my life.",
        _ => "I believe in my own way and do not need a building for it.",
    };
    let essays = [
        (
            "Describe yourself as you actually are.",
            vec![
                sentence(&EXTRAVERSION, temperament.extraversion),
                sentence(&NEUROTICISM, temperament.neuroticism),
                sentence(&AGREEABLENESS, temperament.agreeableness),
                sentence(&CONSCIENTIOUSNESS, temperament.conscientiousness),
                sentence(&OPENNESS, temperament.openness),
            ],
        ),
        (
            "Describe the person you would like to be, and the person you feel you ought to be.",
            vec![
                sentence(&HOPES, 0.7 * temperament.conscientiousness + 0.3 * temperament.extraversion),
                sentence(&OUGHT, temperament.agreeableness),
                faith,
            ],
        ),
        ("What does an ordinary day look like for you?", vec![DAYS[life.employment()], company, MEANS[life.income()]]),
        (
            "What matters to you in politics, and how do you decide what to buy?",
            vec![
                sentence(&POLITICS, 1.2 * temperament.conservatism),
                sentence(&BUYING, 0.6 * temperament.conscientiousness + 0.5 * temperament.ability),
            ],
        ),
    ];
    for (question, sentences) in essays {
        let _ = writeln!(text, "\nThe person was asked: {question}\n{}", sentences.join(" "));
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
