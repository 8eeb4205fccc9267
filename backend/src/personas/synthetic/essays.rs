//! Short answers in the person's own words. They are composed of ready sentences, one per thing that makes a
//! difference, so that whoever reads them can see the traits behind.

use std::fmt::Write;

use super::chance::{Chance, step};
use super::demographics::Life;
use super::temperament::Temperament;

/// Sentences for those low, middling and high in something.
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

pub fn write(text: &mut String, chance: &mut Chance, temperament: &Temperament, life: &Life) {
    let mut tell = |ladder: &Ladder, trait_: f64| chance.of_these(ladder[step(trait_, &[-0.6, 0.6])]);
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
                tell(&EXTRAVERSION, temperament.extraversion),
                tell(&NEUROTICISM, temperament.neuroticism),
                tell(&AGREEABLENESS, temperament.agreeableness),
                tell(&CONSCIENTIOUSNESS, temperament.conscientiousness),
                tell(&OPENNESS, temperament.openness),
            ],
        ),
        (
            "Describe the person you would like to be, and the person you feel you ought to be.",
            vec![
                tell(&HOPES, 0.7 * temperament.conscientiousness + 0.3 * temperament.extraversion),
                tell(&OUGHT, temperament.agreeableness),
                faith,
            ],
        ),
        ("What does an ordinary day look like for you?", vec![DAYS[life.employment()], company, MEANS[life.income()]]),
        (
            "What matters to you in politics, and how do you decide what to buy?",
            vec![
                tell(&POLITICS, 1.2 * temperament.conservatism),
                tell(&BUYING, 0.6 * temperament.conscientiousness + 0.5 * temperament.ability),
            ],
        ),
    ];
    for (question, sentences) in essays {
        let _ = writeln!(text, "\nThe person was asked: {question}\n{}", sentences.join(" "));
    }
}
