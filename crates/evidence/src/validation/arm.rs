//! One arm against the first answers: sums from which figures follow for any weights of people.

use super::tenths::Tenths;
use super::{ValidationArm, ValidationData};
use crate::metrics::mean_correlation;
use crate::reliability::disattenuated;
use crate::sample;

/// Figures for one set of weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub accuracy: Option<f64>,
    pub exact: Option<f64>,
    pub r: Option<f64>,
    /// r without noise, over the items with two reliabilities; empty without repeats.
    pub disattenuated: Option<f64>,
    pub sd_ratio: Option<f64>,
    pub glass: Option<f64>,
    /// Accuracy by task.
    pub tasks: Vec<Option<f64>>,
    /// Accuracy less that of each twins' arm, in their order.
    pub over: Vec<Option<f64>>,
}

pub(super) struct Scored {
    pub key: String,
    people: Vec<PersonScores>,
    /// The pairs of each item: person, first answer, this arm's answer. Both are on the item's scale and less the
    /// item's middle, so that sums of squares stay exact.
    pairs: Vec<Vec<(usize, f64, f64)>>,
    /// The repeats of each item, if the arm was asked several times.
    repeated: Vec<Repeated>,
}

/// One person's answers by task: their number, and the sums of their accuracies and of exact matches.
#[derive(Clone, Default)]
struct PersonScores {
    tasks: Vec<TaskSums>,
}

#[derive(Clone, Copy, Default)]
struct TaskSums {
    answers: f64,
    accuracy: f64,
    exact: f64,
}

impl PersonScores {
    /// The mean over tasks of the mean over answers.
    fn mean(&self, of: impl Fn(&TaskSums) -> f64) -> Option<f64> {
        let answered = self.tasks.iter().filter(|sums| sums.answers > 0.0);
        let (sum, tasks) = answered.fold((0.0, 0.0), |(sum, tasks), sums| (sum + of(sums) / sums.answers, tasks + 1.0));
        (tasks > 0.0).then_some(sum / tasks)
    }
}

impl Scored {
    pub fn new(data: &ValidationData, tenths: &Tenths, arm: &ValidationArm) -> Self {
        let nobody = PersonScores { tasks: vec![TaskSums::default(); data.tasks] };
        let mut people = vec![nobody; data.people];
        let mut pairs = vec![Vec::new(); data.items.len()];
        for (place, item) in data.items.iter().enumerate() {
            let middle = (item.min + item.max) / 2.0;
            let range = item.max - item.min;
            for repeat in &arm.repeats {
                let Some(answers) = repeat.get(place) else { continue };
                for (person, said) in answers.iter().enumerate().take(data.people) {
                    let (Some(first), Some(_), Some(said)) = (item.first[person], item.second[person], *said) else {
                        continue;
                    };
                    let (h, t) = (tenths.on_scale(item, first), tenths.on_scale(item, said));
                    let sums = &mut people[person].tasks[item.task];
                    sums.answers += 1.0;
                    sums.accuracy += 1.0 - (h - t).abs() / range;
                    sums.exact += f64::from(first == said);
                    pairs[place].push((person, h - middle, t - middle));
                }
            }
        }
        let everybody = vec![1.0; data.people];
        let mut repeated: Vec<Repeated> =
            (0..data.items.len()).map(|place| Repeated::collect(data, tenths, arm, place)).collect();
        // The items with both reliabilities are chosen once, so that no draw leaves out those in which it was unlucky.
        for (of, pairs) in repeated.iter_mut().zip(&pairs) {
            let r = Moments::compute(pairs, &everybody).map(|moments| moments.r());
            let [human, twin] = of.reliabilities(&everybody);
            of.counts =
                r.zip(human.zip(twin)).is_some_and(|(r, (human, twin))| disattenuated(r, human, twin).is_some());
        }
        Self { key: arm.key.clone(), people, pairs, repeated }
    }

    /// Number of items whose r is divided by their reliabilities.
    pub fn disattenuated_items(&self) -> usize {
        self.repeated.iter().filter(|of| of.counts).count()
    }

    /// Number of people with an answer.
    pub fn people(&self) -> usize {
        self.people.iter().filter(|scores| scores.tasks.iter().any(|sums| sums.answers > 0.0)).count()
    }

    pub fn people_of(&self, task: usize) -> usize {
        self.people.iter().filter(|scores| scores.tasks[task].answers > 0.0).count()
    }

    pub fn answers(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// Number of a task's items with an answer.
    pub fn items_of(&self, data: &ValidationData, task: usize) -> usize {
        data.items.iter().zip(&self.pairs).filter(|(item, pairs)| item.task == task && !pairs.is_empty()).count()
    }

    pub fn values(&self, data: &ValidationData, weights: &[f64]) -> Values {
        let mean = |of: fn(&TaskSums) -> f64| {
            let known =
                self.people.iter().zip(weights).filter_map(|(scores, weight)| Some((scores.mean(of)?, *weight)));
            let (sum, total) =
                known.fold((0.0, 0.0), |(sum, total), (value, weight)| (sum + weight * value, total + weight));
            (total > 0.0).then(|| sum / total)
        };
        let task = |task: usize| {
            let sums = self.people.iter().zip(weights).map(|(scores, weight)| (scores.tasks[task], *weight));
            let (sum, total) = sums.fold((0.0, 0.0), |(sum, total), (of, weight)| {
                (sum + weight * of.accuracy, total + weight * of.answers)
            });
            (total > 0.0).then(|| sum / total)
        };
        let (mut r, mut exact_r, mut ratios, mut deltas) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (pairs, repeated) in self.pairs.iter().zip(&self.repeated) {
            let Some(moments) = Moments::compute(pairs, weights) else { continue };
            r.push((moments.r(), moments.n.round() as usize));
            exact_r.extend(repeated.counts.then(|| repeated.exact(moments.r(), weights)).flatten());
            if moments.var_h > 0.0 {
                ratios.push((moments.var_t / moments.var_h).sqrt());
                deltas.push((moments.mean_t - moments.mean_h).abs() / moments.var_h.sqrt());
            }
        }
        let mean_of = |values: &[f64]| sample::mean(values, &sample::ones(values.len()));
        Values {
            accuracy: mean(|sums| sums.accuracy),
            exact: mean(|sums| sums.exact),
            r: mean_correlation(&r),
            disattenuated: mean_of(&exact_r),
            sd_ratio: mean_of(&ratios),
            glass: mean_of(&deltas),
            tasks: (0..data.tasks).map(task).collect(),
            over: Vec::new(),
        }
    }
}

/// The data of an item's reliabilities: people's two answers, and the twins' answers of each repeat.
struct Repeated {
    /// Person, first answer, second answer.
    twice: Vec<(usize, f64, f64)>,
    /// Person, mean of the answers, sum of their squared distances from it.
    twins: Vec<(usize, f64, f64)>,
    repeats: f64,
    /// Whether both reliabilities are high enough.
    counts: bool,
}

impl Repeated {
    fn collect(data: &ValidationData, tenths: &Tenths, arm: &ValidationArm, place: usize) -> Self {
        let item = &data.items[place];
        let repeats = arm.repeats.len() as f64;
        let middle = (item.min + item.max) / 2.0;
        let scaled = |answer: f64| tenths.on_scale(item, answer) - middle;
        let (mut twice, mut twins) = (Vec::new(), Vec::new());
        for person in 0..data.people {
            let (Some(first), Some(second)) = (item.first[person], item.second[person]) else { continue };
            twice.push((person, scaled(first), scaled(second)));
            let said = arm.repeats.iter().map(|repeat| Some(scaled((*repeat.get(place)?.get(person)?)?)));
            let Some(said) = said.collect::<Option<Vec<f64>>>() else { continue };
            let mean = said.iter().sum::<f64>() / repeats;
            twins.push((person, mean, said.iter().map(|answer| (answer - mean).powi(2)).sum()));
        }
        Self { twice, twins, repeats, counts: false }
    }

    /// Returns r of the people's two answers, and ICC(1) of the twins.
    fn reliabilities(&self, weights: &[f64]) -> [Option<f64>; 2] {
        [Moments::compute(&self.twice, weights).map(|moments| moments.r()), self.icc(weights)]
    }

    /// ICC(1) with weights that are numbers of times that a person was drawn. `None` without repeats.
    fn icc(&self, weights: &[f64]) -> Option<f64> {
        let weighted = || self.twins.iter().map(|(person, mean, squares)| (weights[*person], *mean, *squares));
        let n: f64 = weighted().map(|(weight, ..)| weight).sum();
        if self.repeats < 2.0 || n < 2.0 {
            return None;
        }
        let whole = weighted().map(|(weight, mean, _)| weight * mean).sum::<f64>() / n;
        let between: f64 = weighted().map(|(weight, mean, _)| weight * (mean - whole).powi(2)).sum();
        let between = self.repeats * between / (n - 1.0);
        let within = weighted().map(|(weight, _, squares)| weight * squares).sum::<f64>() / (n * (self.repeats - 1.0));
        let all = between + (self.repeats - 1.0) * within;
        (all > 0.0).then(|| (between - within) / all)
    }

    /// `r/√(rel_h·rel_t)`. `None` for a draw without reliability.
    fn exact(&self, r: f64, weights: &[f64]) -> Option<f64> {
        let [human, twin] = self.reliabilities(weights);
        let product = human.filter(|of| *of > 0.0)? * twin.filter(|of| *of > 0.0)?;
        Some((r / product.sqrt()).clamp(-1.0, 1.0))
    }
}

/// Returns, for each person, this arm's accuracy less the other's over the answers that both have: the mean over
/// tasks of the mean over items. `None` if there are none.
pub(super) fn gaps(
    data: &ValidationData,
    tenths: &Tenths,
    arm: &ValidationArm,
    other: &ValidationArm,
) -> Vec<Option<f64>> {
    let mut sums = vec![vec![(0.0, 0.0); data.tasks]; data.people];
    for (place, item) in data.items.iter().enumerate() {
        for (person, sums) in sums.iter_mut().enumerate() {
            let (Some(first), Some(_)) = (item.first[person], item.second[person]) else { continue };
            let h = tenths.on_scale(item, first);
            // With repeats, the mean over them.
            let accuracy = |arm: &ValidationArm| {
                let said = arm.repeats.iter().filter_map(|repeat| *repeat.get(place)?.get(person)?);
                let (sum, count) = said.fold((0.0, 0.0), |(sum, count), said| {
                    (sum + 1.0 - (h - tenths.on_scale(item, said)).abs() / (item.max - item.min), count + 1.0)
                });
                (count > 0.0).then(|| sum / count)
            };
            if let (Some(own), Some(others)) = (accuracy(arm), accuracy(other)) {
                let (sum, count) = &mut sums[item.task];
                *sum += own - others;
                *count += 1.0;
            }
        }
    }
    let of_person = |tasks: &Vec<(f64, f64)>| {
        let answered = tasks.iter().filter(|(_, count)| *count > 0.0);
        let (sum, tasks) = answered.fold((0.0, 0.0), |(sum, tasks), (of, count)| (sum + of / count, tasks + 1.0));
        (tasks > 0.0).then(|| sum / tasks)
    };
    sums.iter().map(of_person).collect()
}

/// Moments of one item for a set of weights. Variances have ddof 0.
struct Moments {
    n: f64,
    mean_h: f64,
    mean_t: f64,
    var_h: f64,
    var_t: f64,
    covariance: f64,
}

impl Moments {
    /// Computes the moments. `None` for fewer than two answers, which have no variance.
    fn compute(pairs: &[(usize, f64, f64)], weights: &[f64]) -> Option<Self> {
        let (mut n, mut h, mut t, mut hh, mut tt, mut ht) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (person, human, twin) in pairs {
            let weight = weights[*person];
            n += weight;
            h += weight * human;
            t += weight * twin;
            hh += weight * human * human;
            tt += weight * twin * twin;
            ht += weight * human * twin;
        }
        let (mean_h, mean_t) = (h / n, t / n);
        // Rounding can leave a constant's variance slightly above 0.
        let variance = |square: f64, mean: f64| {
            let variance = square / n - mean * mean;
            if variance > 1e-9 { variance } else { 0.0 }
        };
        let covariance = ht / n - mean_h * mean_t;
        (n >= 2.0).then(|| Self {
            n,
            mean_h,
            mean_t,
            var_h: variance(hh, mean_h),
            var_t: variance(tt, mean_t),
            covariance,
        })
    }

    /// Pearson's r; 0 if a side is constant: a twin that always answers the same predicts nothing.
    fn r(&self) -> f64 {
        let spread = (self.var_h * self.var_t).sqrt();
        if spread > 0.0 { (self.covariance / spread).clamp(-1.0, 1.0) } else { 0.0 }
    }
}
