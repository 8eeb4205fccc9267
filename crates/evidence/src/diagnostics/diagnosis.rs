//! One pitfall: its findings, or why it does not apply.

use serde::Serialize;

use super::{Diagnostic, Finding};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A finding is beyond its threshold and should be looked at.
    Warning,
    Ok,
    /// There are no data for the diagnostic.
    NotApplicable,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RunDiagnostic))]
pub struct Diagnosis {
    /// The diagnostic, as in `docs/evidence.md`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "modal_answer"))]
    pub diagnostic: Diagnostic,
    pub verdict: Verdict,
    /// Reason why it does not apply.
    #[cfg_attr(feature = "openapi", schema(example = "options were not shuffled"))]
    pub reason: Option<&'static str>,
    /// Description of the measure.
    #[cfg_attr(feature = "openapi", schema(example = "share of the most frequent answer"))]
    pub measure: &'static str,
    /// Advice for a warning.
    #[cfg_attr(feature = "openapi", schema(example = "Do not read spreads or segments from this question."))]
    pub advice: &'static str,
    /// Findings by question or group, with those that warn first.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Creates a diagnosis from its findings. Without findings it does not apply, because `missing` is missing.
    pub fn found(diagnostic: Diagnostic, mut findings: Vec<Finding>, missing: &'static str) -> Self {
        findings.sort_by_key(|finding| !finding.warns);
        let verdict = match findings.first() {
            None => Verdict::NotApplicable,
            Some(first) if first.warns => Verdict::Warning,
            Some(_) => Verdict::Ok,
        };
        let reason = findings.is_empty().then_some(missing);
        let (measure, advice) = words(diagnostic);
        Self { diagnostic, verdict, reason, measure, advice, findings }
    }

    /// Creates a diagnosis that does not apply.
    pub fn not_applicable(diagnostic: Diagnostic, reason: &'static str) -> Self {
        Self::found(diagnostic, Vec::new(), reason)
    }

    /// Creates a diagnosis that needs people's answers or repeats.
    pub fn of_people(diagnostic: Diagnostic, findings: Vec<Finding>) -> Self {
        let missing = match diagnostic {
            Diagnostic::Instability => "needs the same twins asked again: start a study with repeats",
            Diagnostic::Spread => "no question has numbers or an order that people differ in",
            Diagnostic::SubgroupError => {
                "needs people with their own twins, and a column to compare groups by of 30 each"
            }
            Diagnostic::Stereotyping => {
                "needs people with their own twins, and an attribute to compare groups by or regress on"
            }
            Diagnostic::StraightLining => "people answered no matrix of four rows or more",
            Diagnostic::MixedKeys => "people answered no scale of which some items are marked as reversed",
            _ => "not measured here",
        };
        Self::found(diagnostic, findings, missing)
    }

    /// Returns the findings. `None` if the diagnostic does not apply.
    pub fn applicable(&self) -> Option<&[Finding]> {
        (self.verdict != Verdict::NotApplicable).then_some(&self.findings)
    }
}

/// Returns the measure of a diagnostic in words, and the advice for a warning.
fn words(diagnostic: Diagnostic) -> (&'static str, &'static str) {
    match diagnostic {
        Diagnostic::Validity => (
            "share of requests with a valid answer at the first try",
            "Read the failures under Details; ask fewer questions in a call, or a larger model.",
        ),
        Diagnostic::Refusals => (
            "share of refused requests in a group, less that of all others",
            "The remaining answers do not represent everybody: report the refusals by group, or reword the question.",
        ),
        Diagnostic::EmptyPipes => (
            "number of twins that saw a text in which a pipe inserted nothing",
            "They read an incomplete sentence: show the text only if there is something to insert.",
        ),
        Diagnostic::ModalAnswer => (
            "share of the most frequent answer",
            "Nearly all twins give the same answer, so do not use its spread, segments or correlations.",
        ),
        Diagnostic::DuplicateTexts => (
            "share of open answers that repeat another twin's",
            "Count themes, not texts; a higher temperature or a fuller profile makes answers differ.",
        ),
        Diagnostic::SameWords => (
            "share of different words among a hundred words of open answers",
            "Most answers repeat a phrase: read the others; a higher temperature or a fuller profile makes answers differ.",
        ),
        Diagnostic::StraightLining => (
            "share of twins with the same label in every row",
            "Ask the rows as single questions, each in a call of its own, and compare.",
        ),
        Diagnostic::MixedKeys => (
            "share of twins that agree with items of a scale and with its reversed items",
            "They may not have read the items: ask each item in a call of its own, and compare without these twins.",
        ),
        Diagnostic::Acquiescence => (
            "agreement with items and their reverses, above the middle",
            "Use the scale only as the mean of items of both directions.",
        ),
        Diagnostic::Desirability => (
            "agreement with an item that is marked as desirable, above the middle",
            "Compare it with people's answers: twins may choose what looks good instead of what they would do.",
        ),
        Diagnostic::OptionPosition => (
            "Cramér's V of the positions at which chosen options were shown",
            "The position influences the answers: keep the shuffling, and average over it.",
        ),
        Diagnostic::QuestionOrder => (
            "change of the answers for each later position, in sd",
            "Ask each question alone (call scope: question), or report the order effect.",
        ),
        Diagnostic::Attention => (
            "share of twins that passed all attention checks",
            "Read the answers of these twins. Models pass nearly all checks, so a high share proves nothing.",
        ),
        Diagnostic::Drift => (
            "versions of the model that answered",
            "Do not compare answers across versions; ask for a fixed version of the model.",
        ),
        Diagnostic::Instability => {
            ("reliability of the same twins' repeated answers", "Average over repeats, or lower the temperature.")
        }
        Diagnostic::Spread => {
            ("spread of twins over that of people", "Do not use spreads, effect sizes or sample sizes of the twins.")
        }
        Diagnostic::SubgroupError => {
            ("accuracy in a group less that in all others", "Do not compare this group with others by its twins.")
        }
        Diagnostic::Stereotyping => (
            "variance explained by an attribute among twins over that among people",
            "Do not use differences between these groups of twins.",
        ),
        Diagnostic::HyperRationality => (
            "share of right answers to a task; the threshold is that of the people behind the twins",
            "Twins reason better than people here: do not predict errors of people from them.",
        ),
        Diagnostic::Contamination => (
            "accuracy above that of people's own repetition; 1 for a question whose text is marked as published",
            "The model may have seen the answers: leave the question out, or ask it in other words.",
        ),
    }
}
