//! Invented personas, for trying the product without the published dataset: texts in the shape of its
//! `persona_summary`.
//!
//! Number `i` of a seed is the same person on every machine and in every version.

mod held_out;
mod person;
mod text;

use std::fmt::Write;

use self::person::{Life, RandomStream, Temperament};
use crate::models::personas::NewPersona;
use crate::personas::demographics::{Attributes, LABELS, description};

/// The source of a set of these personas.
pub fn source(seed: u64) -> String {
    format!("synthetic, seed {seed}")
}

/// `n` invented personas, each made when the iterator reaches it.
pub fn synthesize(n: usize, seed: u64) -> impl Iterator<Item = NewPersona> {
    (1..=n as u64).map(move |number| person(seed, number))
}

fn person(seed: u64, number: u64) -> NewPersona {
    let mut random = RandomStream::new(seed, number);
    let mut temperament = Temperament::draw(&mut random);
    let life = Life::draw(&mut random, &mut temperament);

    let attributes: Attributes =
        LABELS.iter().zip(life.values()).map(|(label, value)| (label.to_string(), value.to_owned())).collect();
    let mut text = format!(
        "SYNTHETIC PROFILE: invented by Digital Twin Lab (seed {seed}, number {number}); no real person stands behind \
         it.\n\nThe person's demographics are the following:\n"
    );
    for (label, value) in LABELS.iter().zip(life.values()) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "{label}: {value}");
    }
    text::write_scores(&mut text, &mut random, &temperament);
    text::write_essays(&mut text, &mut random, &temperament, &life);

    NewPersona {
        pid: format!("synthetic-{seed}-{number}"),
        name: format!("Synthetic Twin {number}"),
        description: format!("Synthetic: {}", description(&attributes)),
        attributes,
        summary: Some(text),
        held_out: held_out::answers(seed, number, &temperament),
        ..NewPersona::default()
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::personas::demographics;

    fn texts(n: usize, seed: u64) -> Vec<String> {
        synthesize(n, seed).filter_map(|twin| twin.summary).collect()
    }

    #[test]
    fn the_same_seed_invents_the_same_people_however_many_are_asked_for() {
        let all: Vec<NewPersona> = synthesize(20, 7).collect();
        assert_eq!(all[..5], synthesize(5, 7).collect::<Vec<_>>());
        assert_ne!(all, synthesize(20, 8).collect::<Vec<_>>());
    }

    #[test]
    fn a_seed_invents_the_same_people_in_every_version() {
        let hash = Sha256::digest(texts(200, 1).concat());
        assert_eq!(survey::hex::hex(&hash), "de7a82ae8c618ccb47f1dcf786b1d6059a393e1e8d0c46977a89b35b1ab71425");
    }

    #[test]
    fn every_profile_says_first_that_it_is_synthetic() {
        for twin in synthesize(50, 1) {
            let text = twin.summary.unwrap();
            assert!(text.lines().next().unwrap().starts_with("SYNTHETIC PROFILE: invented by Digital Twin Lab"));
            assert!(twin.name.starts_with("Synthetic Twin ") && twin.description.starts_with("Synthetic: "));
        }
    }

    #[test]
    fn every_profile_holds_the_fourteen_demographics_that_an_import_would_find() {
        for twin in synthesize(300, 3) {
            let found = demographics::read(twin.summary.as_deref().unwrap());
            assert_eq!(found, twin.attributes);
            assert_eq!(found.len(), LABELS.len());
        }
    }

    #[test]
    fn a_profile_takes_3000_to_6000_characters() {
        for text in texts(2058, 1) {
            assert!((3000..=6000).contains(&text.chars().count()), "{}: {text}", text.len());
        }
    }

    #[test]
    fn no_two_people_are_alike() {
        let mut texts: Vec<String> =
            texts(2058, 1).iter().map(|text| text.lines().skip(1).collect::<Vec<_>>().join("\n")).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 2058);
    }

    #[test]
    fn traits_and_demographics_hang_together() {
        let people: Vec<(Attributes, String)> =
            synthesize(2058, 1).map(|twin| (twin.attributes, twin.summary.unwrap())).collect();
        let share = |of: &dyn Fn(&(Attributes, String)) -> bool, among: &dyn Fn(&(Attributes, String)) -> bool| {
            let among: Vec<_> = people.iter().filter(|&person| among(person)).collect();
            among.iter().filter(|&&person| of(person)).count() as f64 / among.len() as f64
        };
        let retired = |person: &(Attributes, String)| person.0["Employment status"] == "Retired";
        assert!(share(&retired, &|person| person.0["Age"] == "65+") > 0.6);
        assert!(share(&retired, &|person| person.0["Age"] == "18-29") == 0.0);
        let republican = |person: &(Attributes, String)| person.0["Political affiliation"] == "Republican";
        assert!(share(&republican, &|person| person.0["Political views"].contains("onservative")) > 0.6);
        assert!(share(&republican, &|person| person.0["Political views"].contains("iberal")) < 0.1);
        let anxious = |person: &(Attributes, String)| score(&person.1, "score_anxiety") > 20.0;
        assert!(
            share(&anxious, &|person| score(&person.1, "score_neuroticism") > 3.5)
                > 3.0 * share(&anxious, &|person| score(&person.1, "score_neuroticism") < 2.2)
        );
    }

    fn score(text: &str, name: &str) -> f64 {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
        line.split(' ').nth(2).unwrap().parse().unwrap()
    }
}
