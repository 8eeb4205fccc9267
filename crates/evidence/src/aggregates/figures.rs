use super::{ShownTallies, Tallies, Value};
use crate::compare::{Item, ItemKind};
use crate::effects::{newcombe, welch};
use crate::intervals::ends;
use crate::metrics::{Answers, Metric, Scale};
use crate::rows::FigureRow;
use crate::sample::Mean;

/// Returns the figures of an item that follow from the counts of both sides, over all arms. Leaves out figures that
/// need counts of people which are suppressed.
pub fn figures(item: &Item, people: &ShownTallies, twins: &Tallies, level: f64) -> Vec<FigureRow> {
    let n = [people.tallies.all.n, twins.all.n];
    let shares = |labels: &[String]| {
        let shown = labels.iter().enumerate().filter(|(place, _)| !people.hidden.contains(&value(*place)));
        let rows = shown.filter_map(|(place, label)| share_rows(place, label, &people.tallies, twins, level));
        rows.flatten().collect::<Vec<_>>()
    };
    let rows = match &item.kind {
        ItemKind::Single { scale, labels } => {
            let means = people.mean.or_else(|| people.tallies.mean().filter(|_| people.is_whole)).zip(twins.mean());
            let means = means.filter(|_| scale.is_ordered());
            let mut rows = match (people.is_whole, means) {
                (true, _) => distances(*scale, &people.tallies, twins),
                (false, Some((human, twin))) => spreads(human, twin),
                (false, None) => Vec::new(),
            };
            rows.extend(means.into_iter().flat_map(|(human, twin)| mean_rows(human, twin, level)));
            if scale.categories().is_some() {
                rows.extend(shares(labels));
            }
            rows
        }
        ItemKind::Multiple { labels } => shares(labels),
    };
    let named = |row: FigureRow| FigureRow {
        question: item.name.clone(),
        n: Some(match row.metric.as_str() {
            "mean of people" | "share of people" => n[0],
            "mean of twins" | "share of twins" => n[1],
            _ => n[0].min(n[1]),
        }),
        ..row
    };
    rows.into_iter().map(named).collect()
}

fn value(place: usize) -> Value {
    Value(place as f64 + 1.0)
}

/// The SD ratio and Glass' Δ. Spreads are those of a population (ddof 0).
fn spreads(human: Mean, twin: Mean) -> Vec<FigureRow> {
    let sd = |of: Mean| of.sd * ((of.n as f64 - 1.0) / of.n as f64).sqrt();
    if sd(human) <= 0.0 {
        return Vec::new();
    }
    let figure = |metric: Metric, value| FigureRow::new("", metric.name(), value);
    let glass = (twin.mean - human.mean) / sd(human);
    vec![figure(Metric::SdRatio, sd(twin) / sd(human)), figure(Metric::Glass, glass)]
}

/// Distances of the two distributions. Each value occurs once, weighted by the people who gave it.
fn distances(scale: Scale, people: &Tallies, twins: &Tallies) -> Vec<FigureRow> {
    let side = |of: &Tallies| -> (Vec<f64>, Vec<f64>) {
        of.by_value.iter().map(|(value, tally)| (value.0, tally.weight)).unzip()
    };
    let ((human, people), (twin, twins)) = (side(people), side(twins));
    if human.is_empty() || twin.is_empty() {
        return Vec::new();
    }
    let answers = Answers::new(scale, &human, &twin);
    let wanted = Metric::ALL.iter().filter(|metric| !metric.needs_pairs() && metric.fits(scale));
    let valued =
        wanted.filter_map(|metric| Some(FigureRow::new("", metric.name(), answers.value(*metric, &people, &twins)?)));
    valued.collect()
}

/// Both means and their difference, with Welch's interval.
fn mean_rows(human: Mean, twin: Mean, level: f64) -> [FigureRow; 3] {
    let (low, high) = ends(welch(twin, human, level).map(|found| found.interval()));
    [
        FigureRow::new("", "mean of people", human.mean),
        FigureRow::new("", "mean of twins", twin.mean),
        FigureRow::new("", "mean difference", twin.mean - human.mean).interval(low, high),
    ]
}

/// Both shares of an option and their difference, with Newcombe's interval. A weighted side counts as many people as
/// Kish's n.
fn share_rows(place: usize, label: &str, people: &Tallies, twins: &Tallies, level: f64) -> Option<[FigureRow; 3]> {
    let share = |of: &Tallies| {
        let chose = of.by_value.get(&value(place)).copied().unwrap_or_default();
        (of.all.weight > 0.0).then(|| chose.weight / of.all.weight)
    };
    let (human, twin) = share(people).zip(share(twins))?;
    let (n_people, n_twins) = (people.all.n_effective(), twins.all.n_effective());
    let interval = newcombe(twin * n_twins, n_twins, human * n_people, n_people, level).map(|(_, of)| of);
    let (low, high) = ends(interval);
    let rows = [
        FigureRow::new("", "share of people", human),
        FigureRow::new("", "share of twins", twin),
        FigureRow::new("", "share difference", twin - human).interval(low, high),
    ];
    Some(rows.map(|row| row.of_option(label)))
}
