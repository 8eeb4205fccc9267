//! Prints a comparison on the terminal.

use evidence::calibration::Calibration;
use evidence::intervals::MIN_PEOPLE;
use evidence::people::{PeopleFigures, Weighting};
use evidence::rows::{FigureRow, PEOPLE};
use evidence::upload::ReadFile;

/// Prints all figures, one line each.
pub fn figures(of: &PeopleFigures) {
    let compared = &of.comparison;
    say!("{} people, {} twins, {} pairs", compared.people, compared.twins, compared.pairs);
    if !compared.paired {
        say!("No twin has a person's id: the two are compared as samples, without accuracy and correlation.");
    }
    if let Some(Weighting { people, twins, trimmed }) = &of.weights {
        let of_twins = twins.map(|n| format!(", twins for {n:.1}")).unwrap_or_default();
        let cut = trimmed.map(|n| format!("; {n} weights cut to 1/5 or 5 times the mean")).unwrap_or_default();
        say!("Weighted: the people count for {people:.1}{of_twins}{cut}");
    }
    let level = compared.level * 100.0;
    say!("{level:.0} % intervals; bootstrap over people, {} draws, seed {}", compared.draws, compared.seed);
    say!("q counts {} questions", compared.family);
    for item in &compared.questions {
        say!("\n{}  people {}, twins {}", item.name, item.n_people, item.n_twins);
        lines(&item.rows(PEOPLE), false);
        if let Some(equivalent) = item.equivalent {
            say!("  {} within ±0.2 sd of the people", if equivalent { "surely" } else { "not surely" });
        }
    }
    say!("\nAll items");
    lines(&compared.overall_rows(), false);
    if let Some(arms) = &compared.arms {
        say!("\nEffects of arms, against {}", arms.reference);
        if arms.twins_in_all_arms {
            say!("Twins stood in every arm: each is compared with itself.");
        }
        if !arms.covariates.is_empty() {
            say!("Effects are also adjusted for {} by regression (Lin).", arms.covariates.join(", "));
        }
        for unused in &arms.unused_covariates {
            say!("  not adjusted for {}: {}", unused.name, unused.reason);
        }
        lines(&arms.rows(), true);
        for not in &arms.not_compared {
            let option = not.category.as_ref().map(|option| format!(", {option}")).unwrap_or_default();
            say!("  {}{option}, {} against {}: not compared, {}", not.item, not.arm, not.reference, not.reason);
        }
    }
    for group in &compared.groups {
        say!("\n{} = {}  {} pairs", group.attribute, group.value, group.pairs);
        lines(&group.rows(), true);
    }
    for of in &of.regressions {
        say!("\n{} on attributes  {} pairs", of.name, of.pairs);
        lines(&of.rows(), false);
    }
    say!("\nRectified estimates");
    match &of.rectified.refusal {
        Some(refusal) => say!("  {refusal}"),
        None => say!("  {}", of.rectified.assumption),
    }
    lines(&of.rectified.rows(), true);
    for refused in &of.rectified.refused {
        say!("  {}: {}", refused.name, refused.reason);
    }
    if let Some(calibration) = &of.calibration {
        match calibration.repeats {
            1 => say!("\nForecasts by the twins' probabilities"),
            repeats => say!("\nForecasts from {repeats} repeats"),
        }
        lines(&calibration.rows(), true);
        bins(calibration);
    }
    let warnings: Vec<_> =
        of.diagnostics.iter().flat_map(|of| of.findings.iter().filter(|finding| finding.warns)).collect();
    if !warnings.is_empty() {
        say!("\nTo be looked at (docs/evidence.md, Diagnostics)");
    }
    for finding in warnings {
        let name = serde_json::to_value(finding.diagnostic).unwrap_or_default();
        let name = name.as_str().unwrap_or_default();
        say!("  {name:<18} {} {:.3}, threshold {:.3}, n {}", finding.of, finding.value, finding.threshold, finding.n);
    }
}

/// Prints the calibration table.
fn bins(of: &Calibration) {
    say!("\nForecasts of every option, and how often they came true");
    for bin in of.options.iter().filter(|bin| bin.n > 0) {
        let (from, to, n) = (100.0 * bin.low, 100.0 * bin.high, bin.n);
        let (forecast, observed) = (bin.forecast.unwrap_or_default(), bin.observed.unwrap_or_default());
        let interval = match bin.observed_low.zip(bin.observed_high) {
            Some((low, high)) if n >= MIN_PEOPLE => format!("[{low:.3}, {high:.3}]"),
            _ => format!("cannot tell: fewer than {MIN_PEOPLE} forecasts"),
        };
        say!("  {from:>3.0} to {to:>3.0} %  n {n:<6} forecast {forecast:.3}  came true {observed:.3}  {interval}");
    }
    say!("{}", of.verdict.in_words());
}

/// Prints a line for each row, which names its question unless a heading does.
fn lines(rows: &[FigureRow], with_question: bool) {
    for row in rows {
        let parts = [row.question.as_str(), &row.option, &row.arm];
        let parts = parts.iter().skip(usize::from(!with_question)).filter(|part| !part.is_empty());
        let about = parts.copied().collect::<Vec<_>>().join(", ");
        let name = if about.is_empty() { row.metric.clone() } else { format!("{about}: {}", row.metric) };
        let interval = row.low.zip(row.high).map(|(low, high)| format!("  [{low:.4}, {high:.4}]")).unwrap_or_default();
        let n = row.n.map(|n| format!("  n {n}")).unwrap_or_default();
        let note = row.note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
        say!("  {name:<28} {:>9.4}{interval}{n}{note}", row.value);
    }
}

/// Prints questions and columns of a file that fitted nothing.
pub fn leftovers(name: &str, file: &ReadFile) {
    let listed = |heading: &str, names: &[String]| {
        if !names.is_empty() {
            say!("\n{heading}: {}", names.join(", "));
        }
    };
    listed(&format!("Questions without a column in the {name}"), &file.unmatched_questions);
    listed(&format!("Columns of the {name} that are no question"), &file.unmatched_columns);
    for unread in &file.unread {
        say!("  {}: {} cells \"{}\" of the {name} are no answer", unread.name, unread.count, unread.cell);
    }
}
