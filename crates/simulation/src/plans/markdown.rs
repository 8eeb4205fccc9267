//! Frozen plans and their deviations as Markdown.

use std::borrow::Cow;
use std::fmt::Write;

use survey::pipe;

use crate::markdown::{block, cell, code, inline};
use crate::plans::content::{DataBefore, FrozenTwins, PlanContent};
use crate::plans::deviation::Deviation;
use crate::plans::document::{AnalysisChoices, PlanDocument, PlannedRuns};

/// Writes a plan under the headings of AsPredicted and of the OSF's preregistration, with its deviations.
pub fn markdown(content: &PlanContent, sha256: &str, noted: &[Deviation]) -> String {
    let PlanContent { plan, survey, survey_hash, frozen_at, program, .. } = content;
    let primary = plan.items(&survey.questions);
    let mut text = format!(
        "# {}\n\nFrozen {} by {program}. SHA-256 of `plan.json`: `{sha256}`.\nSurvey: {}, SHA-256 `{survey_hash}`.\n",
        inline(&plan.title),
        frozen_at.format("%Y-%m-%d %H:%M:%S UTC"),
        inline(&survey.title)
    );
    for (heading, words) in sections(content) {
        let words = words.trim();
        let words = if words.is_empty() { "Not stated." } else { words };
        let _ = write!(text, "\n## {heading}\n\n{words}\n");
    }
    let _ = write!(text, "\n## Survey\n\n");
    for question in survey.questions.iter().filter(|question| question.is_request()) {
        let mark = if primary.contains(&question.name) { " (primary)" } else { "" };
        // Braces are text in a survey without a design.
        let asked = if survey.design.is_some() { pipe::plain(&question.text) } else { Cow::Borrowed(&*question.text) };
        let _ = writeln!(text, "- {}{mark}: {}", code(&question.name), inline(&asked));
    }
    let _ = write!(text, "\n## Deviations\n\n{}", table(noted));
    text
}

fn sections(content: &PlanContent) -> Vec<(&'static str, String)> {
    let PlanDocument {
        authors,
        main_question,
        hypotheses,
        dependent_variables,
        conditions,
        analyses,
        exclusions,
        sample_size,
        other,
        ..
    } = &content.plan;
    let asked = [block(main_question), list(hypotheses.iter().map(|each| inline(each)))];
    let asked: Vec<String> = asked.into_iter().filter(|text| !text.trim().is_empty()).collect();
    let with = |text: &str, more: String| format!("{}\n\n{more}", block(text.trim()));
    vec![
        ("Authors", block(authors)),
        ("Data collection", data_in_words(&content.data_before)),
        ("Hypotheses", asked.join("\n\n")),
        ("Dependent variables", with(dependent_variables, primary_items(&content.plan))),
        ("Conditions", with(conditions, contrasts(&content.plan))),
        ("Analyses", with(analyses, choices(&content.plan.choices))),
        ("Outliers and exclusions", block(exclusions)),
        ("Sample size", with(sample_size, runs(&content.plan.run, content.twins.as_ref()))),
        ("Other", block(other)),
    ]
}

/// Describes the answers that existed before the freeze.
fn data_in_words(DataBefore { earlier_runs, answers, seen }: &DataBefore) -> String {
    let own = match (answers, seen) {
        (0, _) => "No answers of this study had been collected when the plan was frozen.".to_owned(),
        (answers, false) => {
            format!("{answers} answers had been collected when the plan was frozen; nobody could see them.")
        }
        (answers, true) => format!("{answers} answers had been collected when the plan was frozen, and could be seen."),
    };
    match earlier_runs {
        0 => own,
        runs => format!("{own} {runs} earlier runs of the same survey had answers."),
    }
}

fn primary_items(plan: &PlanDocument) -> String {
    let names: Vec<String> = plan.primary_items.iter().map(|name| code(name)).collect();
    format!("Primary items: {}.", names.join(", "))
}

fn contrasts(plan: &PlanDocument) -> String {
    let describe = |of: &crate::plans::document::PlannedContrast| {
        format!("{}: {} against {}", inline(&of.of), inline(&of.a), inline(&of.b))
    };
    if plan.contrasts.is_empty() {
        return "Primary contrasts: none.".to_owned();
    }
    format!("Primary contrasts:\n\n{}", list(plan.contrasts.iter().map(describe)))
}

fn choices(of: &AnalysisChoices) -> String {
    let AnalysisChoices { metric, multiplicity, family, weights, alpha } = of;
    let free = of.not_applied();
    let not_applied = |choice: &str| {
        let is_free = free.iter().any(|each| each.choice == choice);
        if is_free { " (not applied by the program)" } else { "" }
    };
    let or_none = |text: &str| if text.trim().is_empty() { "not stated".to_owned() } else { inline(text) };
    list(
        [
            format!("Metric: {}{}", or_none(metric), not_applied("metric")),
            format!("Several tests: {}; family: {}{}", multiplicity.in_words(), or_none(family), not_applied("family")),
            format!("Weights: {}{}", or_none(weights), not_applied("weights")),
            format!("Alpha: {alpha}"),
        ]
        .into_iter(),
    )
}

fn runs(planned: &PlannedRuns, twins: Option<&FrozenTwins>) -> String {
    let PlannedRuns {
        persona_count,
        seed,
        temperature,
        models,
        variants,
        every_arm,
        repeats,
        orders,
        questions_per_call,
        call_scope,
        shuffle_options,
        memory,
    } = planned;
    let variants: Vec<&str> = variants.iter().map(|variant| variant.name()).collect();
    let reversed = orders.contains(&survey::walk::OptionOrder::Reversed);
    let facts = [
        persona_count.map(|count| format!("Twins of each run: {count}, drawn by the seed")),
        twins.map(|known| format!("Twins to draw from: {} (set {})", known.twins, known.set_id)),
        seed.map(|seed| format!("Seed: {seed}")),
        temperature.map(|temperature| format!("Temperature: {temperature}")),
        (!models.is_empty()).then(|| format!("Models: {}", inline(&models.join(", ")))),
        (!variants.is_empty()).then(|| format!("Texts of the twins: {}", variants.join(", "))),
        every_arm
            .map(|every| format!("Arms: {}", if every { "every twin in every arm" } else { "each twin in one arm" })),
        repeats.map(|repeats| format!("Repeats: {repeats}")),
        reversed.then(|| "Options also in reverse order".to_owned()),
        questions_per_call.map(|count| format!("Questions in a call: at most {count}")),
        call_scope.map(|scope| format!("Questions that share a call: {}", scope.in_words())),
        shuffle_options
            .map(|shuffled| format!("Options: {}", if shuffled { "shuffled for each twin" } else { "not shuffled" })),
        memory.map(|memory| format!("Context of later calls: {}", memory.in_words())),
    ];
    list(facts.into_iter().flatten())
}

/// Writes `deviations.md` of a bundle.
pub fn deviations(title: &str, sha256: &str, noted: &[Deviation]) -> String {
    format!(
        "# Deviations from the frozen plan\n\nPlan: {}, SHA-256 of `analysis/plan.json`: `{sha256}`. The program noted each \
         difference when it happened; reasons were added by the authors.\n\n{}",
        inline(title),
        table(noted)
    )
}

fn table(noted: &[Deviation]) -> String {
    if noted.is_empty() {
        return "None so far.\n".to_owned();
    }
    let mut text = "| when | what | planned | done | reason |\n|---|---|---|---|---|\n".to_owned();
    for Deviation { at, field, before, after, reason, .. } in noted {
        let shown = |text: &Option<String>| text.as_deref().map_or_else(|| "–".to_owned(), cell);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            at.format("%Y-%m-%d %H:%M UTC"),
            cell(field),
            shown(before),
            shown(after),
            shown(reason)
        );
    }
    text
}

fn list(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_is_a_row_whatever_stands_in_it() {
        let noted = Deviation {
            id: 1,
            at: "2026-11-26T10:00:00Z".parse().expect("a time"),
            field: "question fair: text".into(),
            before: Some("a | b\nc".into()),
            after: None,
            reason: Some("cut".into()),
            reason_at: None,
        };
        assert_eq!(
            table(&[noted]).lines().nth(2),
            Some("| 2026-11-26 10:00 UTC | question fair: text | a \\| b c | – | cut |")
        );
        assert_eq!(table(&[]), "None so far.\n");
    }
}
