use serde::Serialize;

use super::pairs::{Both, Pairing};
use super::{Item, ItemKind, Respondents, Settings};
use crate::categories::{independence, marginal_homogeneity};
use crate::ecdf::{EcdfPoint, ecdf_pair};
use crate::effects::{equivalence, paired, welch};
use crate::groups::AdjustedTest;
use crate::intervals::{Estimate, of_correlation};
use crate::metrics::{Answers, Metric, Scale, jaccard, kolmogorov_smirnov_p, option_shares, shares};
use crate::sample::effective_n;
use crate::sample::{Mean, mean, sd};

/// A question, or a row of a matrix, with the answers of people compared with those of twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemComparison {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    /// Number of answers. With pairs both numbers are that of the pairs with both answers.
    pub n_people: usize,
    pub n_twins: usize,
    /// Kish's effective number of people; lower than their number if they have weights.
    pub n_effective: f64,
    pub mean_people: Option<f64>,
    pub mean_twins: Option<f64>,
    /// Twins' mean less people's; null if there are no means, or all pairs differ by the same value.
    pub difference: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Statistic of its test, with degrees of freedom: Welch's, or the paired test.
    pub t: Option<f64>,
    pub df: Option<f64>,
    /// Cohen's d of the difference.
    pub d: Option<f64>,
    /// Whether the means differ by less than 0.2 sd of the people, by two one-sided tests.
    pub equivalent: Option<bool>,
    /// p of the difference of means, or of the shares if there are no means.
    pub p: Option<f64>,
    /// p adjusted by Benjamini and Hochberg over the table, also where a frozen plan has another rule.
    pub q: Option<f64>,
    #[serde(flatten)]
    pub adjusted: AdjustedTest,
    /// p of the Kolmogorov-Smirnov distance, for numbers without pairs.
    pub ks_p: Option<f64>,
    pub metrics: Vec<MetricValue>,
    /// Shares of the options, for a question with several answers.
    pub options: Vec<OptionShare>,
    /// Both empirical distribution functions, for numbers and ordered options: at most 100 points by value. Options are
    /// numbered from 1.
    pub ecdf: Vec<EcdfPoint>,
}

/// The value of a metric of `docs/evidence.md`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MetricValue {
    #[cfg_attr(feature = "openapi", schema(example = "accuracy"))]
    pub metric: &'static str,
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// An option of a question with several answers, with the share of each side that chose it, 0 to 1.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OptionShare {
    #[cfg_attr(feature = "openapi", schema(example = "Tea"))]
    pub label: String,
    pub people: f64,
    pub twins: f64,
    /// Twins' share less people's.
    pub difference: Estimate,
}

/// Compares the item. `None` if either side has no answer to it.
pub(super) fn compare(
    item: &Item,
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    settings: Settings,
) -> Option<ItemComparison> {
    cancellation::check();
    match &item.kind {
        ItemKind::Single { scale, .. } => single(item, *scale, people, twins, pairing, settings),
        ItemKind::Multiple { labels } => multiple(item, labels, people, twins, pairing, settings),
    }
}

fn single(
    item: &Item,
    scale: Scale,
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    settings: Settings,
) -> Option<ItemComparison> {
    let both = Both::collect(&item.name, people, twins, pairing, |_| true);
    let n = both.human.len().min(both.twin.len());
    let metrics = metrics(scale, &both, &Metric::ALL, settings);
    if n == 0 {
        return None;
    }
    let level = settings.bootstrap.level;
    let difference = if !scale.is_ordered() {
        None
    } else if pairing.is_paired() {
        paired(&both.twin, &both.human, &both.people, level)
    } else {
        let means = Mean::compute(&both.twin, &both.twins).zip(Mean::compute(&both.human, &both.people));
        means.and_then(|(twin, human)| welch(twin, human, level))
    };
    let shares_test = || {
        let categories = scale.categories()?;
        if pairing.is_paired() {
            return marginal_homogeneity(&both.human, &both.twin, &both.people, categories);
        }
        // A weighted side counts as many people as Kish's n, as in Rao and Scott's correction.
        let count = |values: &[f64], weights: &[f64]| {
            let n = effective_n(weights)?;
            Some(shares(values, weights, categories)?.into_iter().map(|share| share * n).collect::<Vec<_>>())
        };
        independence(&count(&both.human, &both.people)?, &count(&both.twin, &both.twins)?)
    };
    let spread = sd(&both.human, &both.people).filter(|sd| *sd > 0.0);
    let ks = metrics.iter().find(|value| value.metric == Metric::KolmogorovSmirnov.name());
    let is_continuous = scale.categories().is_none();
    Some(ItemComparison {
        name: item.name.clone(),
        text: item.text.clone(),
        n_people: both.human.len(),
        n_twins: both.twin.len(),
        n_effective: effective_n(&both.people).unwrap_or(0.0),
        mean_people: mean(&both.human, &both.people).filter(|_| scale.is_ordered()),
        mean_twins: mean(&both.twin, &both.twins).filter(|_| scale.is_ordered()),
        difference: difference.map(|of| of.difference),
        low: difference.map(|of| of.low),
        high: difference.map(|of| of.high),
        t: difference.map(|of| of.t),
        df: difference.map(|of| of.df),
        d: difference.map(|of| of.d),
        equivalent: difference.zip(spread).map(|(of, sd)| equivalence(&of, settings.equivalence_sd * sd).is_equivalent),
        p: if scale.is_ordered() { difference.map(|of| of.p) } else { shares_test().map(|test| test.p) },
        q: None,
        adjusted: AdjustedTest::default(),
        ks_p: ks
            .filter(|_| is_continuous && !pairing.is_paired())
            .zip(effective_n(&both.people).zip(effective_n(&both.twins)))
            .map(|(ks, (people, twins))| kolmogorov_smirnov_p(ks.estimate.value, people, twins)),
        metrics,
        options: Vec::new(),
        ecdf: if scale.is_ordered() {
            ecdf_pair((&both.human, &both.people), (&both.twin, &both.twins))
        } else {
            Vec::new()
        },
    })
}

/// Computes the metrics that fit the scale, with intervals: Fisher's for correlations, a bootstrap for the rest.
pub(super) fn metrics(scale: Scale, both: &Both, wanted: &[Metric], settings: Settings) -> Vec<MetricValue> {
    let answers = Answers::new(scale, &both.human, &both.twin);
    let is_paired = !both.pairs.is_empty();
    let n = both.human.len().min(both.twin.len());
    let fitting = wanted.iter().filter(|metric| metric.fits(scale) && (is_paired || !metric.needs_pairs()));
    let valued = fitting.filter_map(|metric| {
        let value = answers.value(*metric, &both.people, &both.twins)?;
        let interval = match metric {
            Metric::Pearson | Metric::Spearman => {
                let n = effective_n(&both.people)?.round() as usize;
                of_correlation(value, n, settings.bootstrap.level)
            }
            _ if n < crate::intervals::MIN_PEOPLE => None,
            _ => settings.bootstrap.interval(metric.name(), &both.samples(), |counts| {
                let (people, twins) = both.drawn(counts);
                answers.value(*metric, &people, &twins)
            }),
        };
        Some(MetricValue { metric: metric.name(), estimate: Estimate::new(value, n, interval) })
    });
    valued.collect()
}

/// A statistic as a function of the weights of both sides.
type Statistic<'a> = dyn Fn(&[f64], &[f64]) -> Option<f64> + 'a;

fn multiple(
    item: &Item,
    labels: &[String],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    settings: Settings,
) -> Option<ItemComparison> {
    let all = |side: &Respondents| -> (Vec<Vec<bool>>, Vec<f64>) {
        let rows =
            (0..side.ids.len()).filter_map(|row| Some((side.selection(&item.name, row)?.clone(), side.weight(row))));
        rows.unzip()
    };
    let is_paired = pairing.is_paired();
    let (human, twin, both) = if is_paired {
        let mut both = Both::default();
        let complete = pairing.pairs.iter().enumerate().filter_map(|(place, (person, twin))| {
            let row = (people.selection(&item.name, *person)?.clone(), twins.selection(&item.name, *twin)?.clone());
            both.people.push(people.weight(*person));
            both.pairs.push(place);
            Some(row)
        });
        let (human, twin): (Vec<_>, Vec<_>) = complete.unzip();
        both.twins = both.people.clone();
        (human, twin, both)
    } else {
        let ((human, people), (twin, twins)) = (all(people), all(twins));
        (human, twin, Both { people, twins, ..Both::default() })
    };
    let n = human.len().min(twin.len());
    if n == 0 {
        return None;
    }
    let samples = if is_paired { vec![human.len()] } else { vec![human.len(), twin.len()] };
    let interval = |name: &str, statistic: &Statistic| {
        let drawn = |counts: &[Vec<f64>]| {
            let (people, twins) = both.drawn(counts);
            statistic(&people, &twins)
        };
        if n < crate::intervals::MIN_PEOPLE { None } else { settings.bootstrap.interval(name, &samples, drawn) }
    };
    let mut metrics = Vec::new();
    if is_paired {
        let value = jaccard(&human, &twin, &both.people)?;
        let interval = interval("jaccard", &|people, _| jaccard(&human, &twin, people));
        metrics.push(MetricValue { metric: "jaccard", estimate: Estimate::new(value, n, interval) });
    }
    let shares = |people: &[f64], twins: &[f64]| {
        Some((option_shares(&human, people, labels.len())?, option_shares(&twin, twins, labels.len())?))
    };
    let (p, q) = shares(&both.people, &both.twins)?;
    let options = labels.iter().enumerate().map(|(option, label)| {
        let interval =
            interval("option share", &|people, twins| shares(people, twins).map(|(p, q)| q[option] - p[option]));
        let difference = Estimate::new(q[option] - p[option], n, interval);
        OptionShare { label: label.clone(), people: p[option], twins: q[option], difference }
    });
    Some(ItemComparison {
        name: item.name.clone(),
        text: item.text.clone(),
        n_people: human.len(),
        n_twins: twin.len(),
        n_effective: effective_n(&both.people).unwrap_or(0.0),
        mean_people: None,
        mean_twins: None,
        metrics,
        difference: None,
        low: None,
        high: None,
        t: None,
        df: None,
        d: None,
        equivalent: None,
        p: None,
        q: None,
        adjusted: AdjustedTest::default(),
        ks_p: None,
        options: options.collect(),
        ecdf: Vec::new(),
    })
}
