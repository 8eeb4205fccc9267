//! The disclosure sheet: the items of bodies of the field, filled in as far as a bundle knows them.

use simulation::answer_mode::AnswerMode;
use simulation::markdown::inline;
use simulation::parameters::PersonaVariant;
use simulation::run::Run;

use crate::documents::{BLANK, Documented, cell, each_once, model, persona_text};
use crate::paths::{SURVEY_TEXT, TEMPLATES, TWINS};

/// An item that is asked for, and what is known of it.
type Item = (&'static str, String);

/// Lists the items of AAPOR and of ICC and ESOMAR, of one run or of those of a study. What only the authors know is left as a
/// marked blank.
pub fn sheet(of: &[Documented]) -> String {
    format!(
        "# Disclosure\n\n\
         What is known stands here; **{BLANK}** marks what only the authors know. No sentence here says that twins stand for \
         people: that is a finding, and needs people's answers.\n\n\
         ## AAPOR, items for immediate disclosure\n\n\
         Code of Professional Ethics and Practices, April 2021, section III.A: \
         <https://aapor.org/standards-and-ethics/disclosure-standards/>\n\n{}\n\
         ## ICC/ESOMAR International Code\n\n\
         The revision of 2025 asks for openness about artificial intelligence, synthetic data and synthetic personas, and about \
         the part that people had in the work: \
         <https://iccwbo.org/news-publications/policies-reports/iccesomar-international-code-market-opinion-social-research-data-analytics>\n\n{}",
        table(&aapor(of)),
        table(&esomar(of)),
    )
}

fn table(items: &[Item]) -> String {
    let rows: String = items.iter().map(|(what, words)| format!("| {what} | {} |\n", cell(words))).collect();
    format!("| item | here |\n|---|---|\n{rows}")
}

fn each(of: &[Documented], words: impl Fn(&Run) -> String) -> String {
    each_once(of.iter().map(|each| words(&each.run)))
}

/// Says how twins agree with people, as far as the bundle knows it.
fn validated(of: &[Documented]) -> String {
    match each_once(of.iter().filter_map(Documented::beside_people)) {
        known if known.is_empty() => "This bundle has no answers of people beside those of twins.".to_owned(),
        known => known,
    }
}

/// The respondent in the place of persons.
fn respondent(run: &Run) -> String {
    let asked = match run.parameters.answer_mode {
        AnswerMode::Draw => "",
        AnswerMode::Stated | AnswerMode::Tokens => ", by probabilities from which the program drew the answers",
    };
    format!("{}{asked}", inline(&model(run)))
}

/// The part of a profile that the model was given.
fn profiles(run: &Run) -> String {
    let to = if run.facts.demo_model { "the built-in demo model" } else { "the model's server" };
    match run.parameters.persona_variant {
        PersonaVariant::Empty => format!("nothing about persons was sent to {to}"),
        _ => format!("{} was sent to {to}", persona_text(run)),
    }
}

/// The source of the twins.
fn source(run: &Run) -> String {
    format!("{}{}", inline(&run.personas_source), if run.synthetic { ", invented profiles" } else { "" })
}

fn dates(run: &Run) -> String {
    let day = |time: chrono::DateTime<chrono::Utc>| time.format("%Y-%m-%d").to_string();
    let begin = day(run.facts.started_at.unwrap_or(run.facts.created_at));
    match run.facts.completed_at.map(day) {
        Some(end) if end == begin => begin,
        Some(end) => format!("{begin} to {end}"),
        None => format!("from {begin}, not over"),
    }
}

fn aapor(of: &[Documented]) -> [Item; 11] {
    let blank = format!("**{BLANK}**");
    let sum = |part: fn(&Run) -> i32| of.iter().map(|each| i64::from(part(&each.run))).sum::<i64>();
    let failed = sum(|run| run.facts.failed_requests);
    let sizes = |run: &Run| format!("{} twins", run.facts.persona_count);
    let calls = |run: &Run| match run.facts.demo_model {
        true => inline(&model(run)),
        false => {
            format!("{} through {}", inline(&run.parameters.model_in_words()), run.parameters.wire.in_words())
        }
    };
    [
        (
            "1. Data collection strategy",
            format!(
                "A survey, answered in the role of persons (digital twins) by {}. No person answered it.",
                each(of, respondent)
            ),
        ),
        ("2. Sponsor, and who conducted it", blank.clone()),
        (
            "3. Instruments",
            format!("`{SURVEY_TEXT}` has every question and option word for word, `{TEMPLATES}` the instructions."),
        ),
        (
            "4. Population under study",
            format!(
                "The twins are made from: {}. The population to which conclusions are drawn: {blank}",
                each(of, source)
            ),
        ),
        (
            "5. How the sample was generated and recruited",
            format!(
                "`{TWINS}` lists the twins that were asked. Nobody was recruited for it. How the persons behind the profiles were recruited: {blank}"
            ),
        ),
        ("6. Method and mode", format!("Calls to {}, each checked by code.", each(of, calls))),
        ("7. Dates", each(of, dates)),
        (
            "8. Sample sizes and precision",
            format!(
                "{}. Intervals in `analysis/` are about twins like these, and not about people. {}",
                each(of, sizes),
                validated(of)
            ),
        ),
        ("9. Weights", "Answers of twins have no weights, unless a table says so.".to_owned()),
        (
            "10. Processing and quality",
            format!(
                "A reply that is no possible answer is asked again; {failed} requests ended without an answer and are rows with \
                 their reason. Nothing was recoded or imputed. Attention checks, if the survey has some, are questions."
            ),
        ),
        (
            "11. Limitations",
            format!(
                "Answers of twins are no measurements of persons. What a language model was trained on is not known. Further: {blank}"
            ),
        ),
    ]
}

fn esomar(of: &[Documented]) -> [Item; 4] {
    let blank = format!("**{BLANK}**");
    [
        ("Artificial intelligence", format!("All answers are from {}.", each(of, respondent))),
        (
            "Synthetic data and personas",
            format!(
                "All answers are synthetic, from synthetic personas made from: {}. {}",
                each(of, source),
                validated(of)
            ),
        ),
        (
            "The part of people",
            format!(
                "In the deployment none: code sent the prompts and checked the replies. In design, analysis and interpretation: {blank}"
            ),
        ),
        (
            "Personal data",
            format!(
                "For each twin, {}. On which legal basis, and of what the persons were informed: {blank}",
                each(of, profiles)
            ),
        ),
    ]
}
