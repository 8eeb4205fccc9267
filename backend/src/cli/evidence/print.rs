//! A comparison on the terminal.

use evidence::calibration::{Calibration, Scores};
use evidence::compare::Comparison;
use evidence::intervals::Estimate;
use evidence::rectified::{FigureRefused, RectifiedTable};
use evidence::upload::{Mapping, Reading};

use crate::results::people::{PeopleFigures, Weighting};

/// All figures, a line each.
pub fn figures(of: &PeopleFigures) {
    let PeopleFigures { comparison: compared, rectified, calibration, weighting, regressions, diagnoses } = of;
    let Comparison { people, twins, pairs, level, replicates, seed, .. } = compared;
    say!("{people} people, {twins} twins, {pairs} pairs");
    if !compared.paired {
        say!("No twin has a person's id: the two are compared as samples, without accuracy and correlation.");
    }
    if let Some(Weighting { people, twins, trimmed }) = weighting {
        let of_twins = twins.map(|n| format!(", twins for {n:.1}")).unwrap_or_default();
        let cut = trimmed.map(|n| format!("; {n} weights cut to 1/5 or 5 times the mean")).unwrap_or_default();
        say!("Weighted: the people count for {people:.1}{of_twins}{cut}");
    }
    say!("{:.0} % intervals; bootstrap over people, {replicates} draws, seed {seed}", level * 100.0);
    for item in &compared.items {
        say!("\n{}  people {}, twins {}", item.name, item.n_people, item.n_twins);
        for value in &item.metrics {
            line(value.metric, &value.estimate);
        }
        for option in &item.options {
            line(&format!("share of {}", option.label), &option.difference);
        }
        if let (Some(p), Some(q)) = (item.p, item.q) {
            let same = match item.equivalence {
                Some(tested) if tested.is_equivalent => ", surely within ±0.2 sd",
                Some(_) => ", not surely within ±0.2 sd",
                None => "",
            };
            say!("  {:<18} p {p:.4}, q {q:.4} of {}{same}", "no difference", compared.family);
        }
    }
    say!("\nAll items");
    let all = &compared.overall;
    let named = [
        ("accuracy", &all.accuracy),
        ("r", &all.r),
        ("r within person", &all.r_within_person),
        ("r of item means", &all.r_of_item_means),
    ];
    for (name, estimate) in named {
        if let Some(estimate) = estimate {
            line(name, estimate);
        }
    }
    if let Some(arms) = &compared.arms {
        say!("\nEffects of arms, against {}", arms.reference);
        if arms.twins_in_all_arms {
            say!("Twins stood in every arm: each is compared with itself.");
        }
        for contrast in &arms.contrasts {
            let category = contrast.category.as_ref().map(|label| format!(" = {label}")).unwrap_or_default();
            let [people, twins] = [&contrast.people, &contrast.twins].map(|of| {
                format!(
                    "{:.3} [{:.3}, {:.3}] n {}+{}",
                    of.difference, of.interval.low, of.interval.high, of.n_first, of.n_second
                )
            });
            let sign = if contrast.agreement.same_sign { "same sign" } else { "other sign" };
            say!("  {}{category}, {}: people {people}, twins {twins}, {sign}", contrast.item, contrast.arm);
        }
    }
    for group in &compared.subgroups {
        say!("\n{} = {}  {} pairs", group.attribute, group.level, group.pairs);
        line("accuracy", &group.accuracy);
        if let Some(gap) = &group.gap {
            line("less the others'", gap);
        }
    }
    for of in regressions {
        say!("\n{} on attributes  {} pairs", of.item, of.pairs);
        for term in &of.coefficients {
            let [people, twins] = [(term.people, term.people_error), (term.twins, term.twins_error)]
                .map(|(value, error)| format!("{value:.3} (se {error:.3})"));
            say!("  {:<18} people {people}, twins {twins}, p of the difference {:.4}", term.term, term.p);
        }
    }
    estimates(rectified);
    if let Some(calibration) = calibration {
        forecasts(calibration);
    }
    let warnings: Vec<_> = (diagnoses.iter())
        .flat_map(|diagnosis| diagnosis.findings.iter().flatten())
        .filter(|finding| finding.warns)
        .collect();
    if !warnings.is_empty() {
        say!("\nTo be looked at (docs/evidence.md, Diagnostics)");
    }
    for finding in warnings {
        let name = serde_json::to_value(finding.diagnostic).unwrap_or_default();
        let name = name.as_str().unwrap_or_default();
        say!("  {name:<18} {} {:.3}, threshold {:.3}, n {}", finding.of, finding.value, finding.threshold, finding.n);
    }
}

/// Rectified estimates, or why there are none.
fn estimates(rectified: &Result<RectifiedTable, FigureRefused>) {
    say!("\nRectified estimates");
    let table = match rectified {
        Err(refusal) => {
            say!("  {refusal}");
            return;
        }
        Ok(table) => table,
    };
    say!("  {}", table.assumption);
    for row in &table.rows {
        let named = [
            row.category.as_ref().map(|label| format!(" = {label}")),
            row.arm.as_ref().map(|arm| format!(", {arm}")),
            row.term.as_ref().map(|term| format!(", {term}")),
        ];
        let name = named.into_iter().flatten().fold(row.item.clone(), |name, more| name + &more);
        let [people, twins, both] = [&row.people, &row.twins, &row.rectified]
            .map(|of| format!("{:.3} [{:.3}, {:.3}]", of.estimate, of.interval.low, of.interval.high));
        say!("  {name}: people {people}, twins {twins}, rectified {both}; n {} and {} other twins", row.n, row.others);
        say!("    {}", row.sentence);
    }
    for refused in &table.refused {
        say!("  {}: {}", refused.item, refused.reason);
    }
}

/// What repeats forecast, and what people answered.
fn forecasts(of: &Calibration) {
    let Scores { brier, log_loss, ranked_probability, expected_calibration_error, brier_of_shares } = &of.scores;
    say!("\nForecasts from {} repeats", of.repeats);
    line("Brier", brier);
    line("Brier of shares", brier_of_shares);
    line("NLL", log_loss);
    if let Some(score) = ranked_probability {
        line("RPS", score);
    }
    line("ECE", expected_calibration_error);
    for bin in of.options.iter().filter(|bin| bin.n > 0) {
        let (forecast, observed) = (bin.forecast.unwrap_or_default(), bin.observed.unwrap_or_default());
        let interval = bin.interval.map(|of| format!(" [{:.3}, {:.3}]", of.low, of.high)).unwrap_or_default();
        say!(
            "  {:.1} to {:.1}: forecast {forecast:.3}, came true {observed:.3}{interval}  n {}",
            bin.low,
            bin.high,
            bin.n
        );
    }
}

fn line(name: &str, of: &Estimate) {
    let interval = match (of.interval, of.note) {
        (Some(interval), _) => format!("[{:.4}, {:.4}]", interval.low, interval.high),
        (None, note) => note.unwrap_or_default().to_owned(),
    };
    say!("  {name:<18} {:>8.4}  {interval}  n {}", of.value, of.n);
}

/// What of a file fitted nothing.
pub fn leftovers(file: &str, mapping: &Mapping, reading: &Reading) {
    let listed = |heading: &str, names: &[String]| {
        if !names.is_empty() {
            say!("\n{heading}: {}", names.join(", "));
        }
    };
    listed(&format!("Questions without a column in the {file}"), &mapping.unmatched_items);
    listed(&format!("Columns of the {file} that are no question"), &mapping.unmatched_columns);
    for unread in &reading.unread {
        say!("  {}: {} cells \"{}\" of the {file} are no answer", unread.item, unread.count, unread.cell);
    }
}
