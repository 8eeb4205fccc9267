use super::{ShownTallies, Tallies, Tally, Value};
use crate::compare::{Item, ItemKind};
use crate::effects::{newcombe, welch};
use crate::intervals::Interval;
use crate::metrics::{Answers, Metric, Scale};
use crate::sample::Mean;

/// A figure of two groups that needs no pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateFigure {
    /// The name of a [`Metric`], or `mean difference`, or `share difference`.
    pub metric: &'static str,
    /// Whose share it is.
    pub option: Option<String>,
    /// Both sides' means or shares, where it is their difference.
    pub people: Option<f64>,
    pub twins: Option<f64>,
    /// Of differences twins less people.
    pub value: f64,
    /// Of differences: Welch's of means, Newcombe's of shares. Of others it does not follow from counts.
    pub interval: Option<Interval>,
}

/// What follows from both sides' counts of an item, as far as people's are shown.
pub fn figures(item: &Item, people: &ShownTallies, twins: &Tallies, level: f64) -> Vec<AggregateFigure> {
    let shares = |labels: &[String]| {
        let all = share_differences(labels, &people.tallies, twins, level).into_iter();
        let hidden = |place: usize| people.hidden.contains(&Value(place as f64 + 1.0));
        all.filter_map(|(place, figure)| (!hidden(place)).then_some(figure)).collect::<Vec<_>>()
    };
    match &item.kind {
        ItemKind::Single { scale, labels } => {
            let means = people.mean.or_else(|| people.tallies.mean().filter(|_| people.is_whole)).zip(twins.mean());
            let means = means.filter(|_| scale.is_ordered());
            let mut figures = match (people.is_whole, means) {
                (true, _) => distances(*scale, &people.tallies, twins),
                (false, Some((human, twin))) => spreads(human, twin),
                (false, None) => Vec::new(),
            };
            figures.extend(means.map(|(human, twin)| mean_difference(human, twin, level)));
            if scale.categories().is_some() {
                figures.extend(shares(labels));
            }
            figures
        }
        ItemKind::Multiple { labels } => shares(labels),
    }
}

/// Spreads are those of a population (ddof 0).
fn spreads(human: Mean, twin: Mean) -> Vec<AggregateFigure> {
    let sd = |of: Mean| of.sd * ((of.n as f64 - 1.0) / of.n as f64).sqrt();
    if sd(human) <= 0.0 {
        return Vec::new();
    }
    let figure = |metric: Metric, value| AggregateFigure {
        metric: metric.name(),
        option: None,
        people: None,
        twins: None,
        value,
        interval: None,
    };
    let glass = (twin.mean - human.mean) / sd(human);
    vec![figure(Metric::SdRatio, sd(twin) / sd(human)), figure(Metric::Glass, glass)]
}

/// A value stands for all who gave it: weights count them.
fn distances(scale: Scale, people: &Tallies, twins: &Tallies) -> Vec<AggregateFigure> {
    let side = |of: &Tallies| -> (Vec<f64>, Vec<f64>) {
        of.by_value.iter().map(|(value, tally)| (value.0, tally.weight)).unzip()
    };
    let ((human, people), (twin, twins)) = (side(people), side(twins));
    if human.is_empty() || twin.is_empty() {
        return Vec::new();
    }
    let answers = Answers::new(scale, &human, &twin);
    let wanted = Metric::ALL.iter().filter(|metric| !metric.needs_pairs() && metric.fits(scale));
    let valued = wanted.filter_map(|metric| {
        let value = answers.value(*metric, &people, &twins)?;
        let metric = metric.name();
        Some(AggregateFigure { metric, option: None, people: None, twins: None, value, interval: None })
    });
    valued.collect()
}

fn mean_difference(human: Mean, twin: Mean, level: f64) -> AggregateFigure {
    AggregateFigure {
        metric: "mean difference",
        option: None,
        people: Some(human.mean),
        twins: Some(twin.mean),
        value: twin.mean - human.mean,
        interval: welch(twin, human, level).map(|found| found.interval),
    }
}

/// By the option's place. With weights a side counts for as many as Kish's n.
fn share_differences(
    labels: &[String],
    people: &Tallies,
    twins: &Tallies,
    level: f64,
) -> Vec<(usize, AggregateFigure)> {
    let share = |of: &Tallies, place: usize| {
        let chose = of.by_value.get(&Value(place as f64 + 1.0)).copied().unwrap_or_default();
        (of.all.weight > 0.0).then(|| chose.weight / of.all.weight)
    };
    let difference = |(place, label): (usize, &String)| {
        let (human, twin) = share(people, place).zip(share(twins, place))?;
        let n = |of: &Tally| of.n_effective();
        let (n_people, n_twins) = (n(&people.all), n(&twins.all));
        let figure = AggregateFigure {
            metric: "share difference",
            option: Some(label.clone()),
            people: Some(human),
            twins: Some(twin),
            value: twin - human,
            interval: newcombe(twin * n_twins, n_twins, human * n_people, n_people, level).map(|(_, of)| of),
        };
        Some((place, figure))
    };
    labels.iter().enumerate().filter_map(difference).collect()
}
