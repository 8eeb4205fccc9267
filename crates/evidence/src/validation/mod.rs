//! Held-out validation: twins, baselines and the same people weeks later, all against the people's first answers.
//!
//! Every arm is scored on the same answers: those of people who answered an item both times. Formulas follow the
//! evaluation of the dataset (Twin-2K-500): a person's accuracy is the mean over tasks of the mean over items, a task's
//! accuracy the mean of all its answers, and the ratio to the ceiling the mean over tasks of the ratios.

mod arm;
mod tenths;

use serde::Serialize;

use crate::baselines::{cell_mean, human_marginal, median, modal};
use crate::intervals::{Bootstrap, Estimate, MIN_PEOPLE};
use crate::metrics::Scale;
use crate::reliability::ratio_to_ceiling;
use crate::ridge::{self, Ridge};
use crate::sample::{self, quantile};
use arm::{Scored, Values, gaps};
use random::{below, generator};
use tenths::Tenths;

/// Answers to one item by person.
pub type ItemAnswers = Vec<Option<f64>>;

#[derive(Clone, Debug)]
pub struct ValidationItem {
    pub name: String,
    pub min: f64,
    pub max: f64,
    /// The group of an unbounded amount: its accuracy is that of the deciles of the first answers to all items of the
    /// group.
    pub tenths: Option<usize>,
    pub task: usize,
    pub first: ItemAnswers,
    pub second: ItemAnswers,
}

/// Twins that were asked in one way.
#[derive(Clone, Debug)]
pub struct ValidationArm {
    pub key: String,
    /// The answers of each repeat, by item in the order of the data's items.
    pub repeats: Vec<Vec<ItemAnswers>>,
}

#[derive(Clone, Debug)]
pub struct ValidationData {
    pub people: usize,
    pub tasks: usize,
    pub items: Vec<ValidationItem>,
    pub arms: Vec<ValidationArm>,
    /// The demographic cell of each person.
    pub cells: Vec<String>,
    /// The demographics of each person, in one order of labels; empty if unknown.
    pub demographics: Vec<Vec<String>>,
}

/// Arms that need no language model, in the order in which they follow the twins'.
pub const BASELINES: [&str; 6] = ["random", "marginal", "modal", "median", "cell_mean", "ridge"];
/// Baselines that try to be right.
pub const CONTENDERS: [&str; 4] = ["modal", "median", "cell_mean", "ridge"];
/// The people themselves, the second time.
pub const CEILING: &str = "ceiling";

#[derive(Clone, Debug)]
pub struct Validated {
    pub draws: usize,
    /// The ceiling, the twins' arms, the baselines.
    pub arms: Vec<ArmFigures>,
    pub tasks: Vec<TaskFigures>,
}

impl Validated {
    pub fn arm(&self, key: &str) -> Option<&ArmFigures> {
        self.arms.iter().find(|arm| arm.key == key)
    }

    /// Returns the most accurate of [`CONTENDERS`]. It is chosen by the same answers that it is compared on, which
    /// favours it.
    pub fn best_without_model(&self) -> Option<&ArmFigures> {
        let accuracy = |arm: &&ArmFigures| arm.accuracy.as_ref().map_or(f64::NEG_INFINITY, |accuracy| accuracy.value);
        let contenders = CONTENDERS.iter().filter_map(|key| self.arm(key)).filter(|arm| arm.accuracy.is_some());
        contenders.max_by(|one, other| accuracy(one).total_cmp(&accuracy(other)))
    }
}

/// Answers of one arm against the people's first ones. A figure is null if it has no answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ArmFigures {
    #[cfg_attr(feature = "openapi", schema(example = "demographics"))]
    pub key: String,
    /// Number of people with answers.
    pub people: usize,
    pub answers: usize,
    /// Accuracy: 1 less the distance to the person's own answer as a share of the scale, as the mean over people of the
    /// mean over tasks.
    pub accuracy: Option<Estimate>,
    /// The mean over tasks of the task's accuracy as a share of the ceiling's.
    pub of_ceiling: Option<Estimate>,
    /// The mean of the items' correlations: Fisher's, weighted by their answers.
    pub r: Option<Estimate>,
    /// `r/√(people's reliability · twins' reliability)`: r without noise on either side, as the mean over the items
    /// whose reliabilities are both above .3. Only for twins that were asked several times.
    pub disattenuated: Option<Estimate>,
    /// Number of these items.
    pub disattenuated_items: Option<usize>,
    /// Spread of the answers over that of the people's: the mean over items.
    pub sd_ratio: Option<Estimate>,
    /// Distance of the means in the people's sd: the mean over items.
    pub glass: Option<Estimate>,
    /// Share of answers that equal the person's own.
    pub exact: Option<Estimate>,
    /// This arm's accuracy less that of each twins' arm and of each of [`CONTENDERS`], by key, over the answers that
    /// the same people have in both.
    #[serde(skip)]
    pub over: Vec<(String, Estimate)>,
}

#[derive(Clone, Debug)]
pub struct TaskFigures {
    /// Number of items with answers of both times.
    pub items: usize,
    pub people: usize,
    /// Accuracy in the order of the arms.
    pub accuracy: Vec<Option<Estimate>>,
}

/// Computes every figure of every arm, with percentile intervals of a bootstrap over people.
pub fn validate(data: &ValidationData, bootstrap: Bootstrap) -> Validated {
    let tenths = Tenths::new(data);
    let arms = arms(data, &tenths, bootstrap.seed);
    let scored: Vec<Scored> = arms.iter().map(|arm| Scored::new(data, &tenths, arm)).collect();
    let is_rival = |arm: &ValidationArm| CONTENDERS.contains(&arm.key.as_str());
    let rivals: Vec<usize> =
        (1..arms.len()).filter(|place| *place <= data.arms.len() || is_rival(&arms[*place])).collect();
    let against = |arm| rivals.iter().map(|rival| gaps(data, &tenths, arm, &arms[*rival])).collect::<Vec<_>>();
    let gaps: Vec<Vec<Vec<Option<f64>>>> = arms.iter().map(against).collect();
    let everybody = vec![1.0; data.people];
    let of = |weights: &[f64]| -> Vec<Values> {
        let gap = |gaps: &Vec<Option<f64>>| {
            let known = gaps.iter().zip(weights).filter_map(|(gap, weight)| Some(((*gap)?, *weight)));
            let (gaps, weights): (Vec<f64>, Vec<f64>) = known.unzip();
            sample::mean(&gaps, &weights)
        };
        let over = |gaps: &Vec<Vec<Option<f64>>>| gaps.iter().map(gap).collect();
        let values = scored.iter().zip(&gaps);
        values.map(|(arm, gaps)| Values { over: over(gaps), ..arm.values(data, weights) }).collect()
    };
    let whole = of(&everybody);
    let drawn: Vec<Vec<Values>> = match data.people {
        people if people < MIN_PEOPLE => Vec::new(),
        people => (0..bootstrap.replicates).map(|b| of(&bootstrap.draw("validation", b, &[people])[0])).collect(),
    };
    let estimate = |n: usize, value: &dyn Fn(&[Values]) -> Option<f64>| {
        let at = value(&whole).filter(|value| value.is_finite())?;
        let interval = bootstrap.of_draws(drawn.iter().filter_map(|values| value(values)));
        Some(Estimate::new(at, n, interval))
    };
    let figures = |place: usize| {
        let n = scored[place].people();
        let of_this = |value: fn(&Values) -> Option<f64>| estimate(n, &|values: &[Values]| value(&values[place]));
        let against = |(number, rival): (usize, &usize)| {
            let difference = move |values: &[Values]| values[place].over[number];
            let people = gaps[place][number].iter().flatten().count();
            Some((scored[*rival].key.clone(), estimate(people, &difference)?))
        };
        let disattenuated = of_this(|values| values.disattenuated);
        ArmFigures {
            key: scored[place].key.clone(),
            people: n,
            answers: scored[place].answers(),
            accuracy: of_this(|values| values.accuracy),
            of_ceiling: estimate(n, &|values: &[Values]| {
                let pairs = values[place].tasks.iter().zip(&values[0].tasks);
                ratio_to_ceiling(&pairs.filter_map(|(arm, ceiling)| Some(((*arm)?, (*ceiling)?))).collect::<Vec<_>>())
            }),
            r: of_this(|values| values.r),
            disattenuated_items: disattenuated.as_ref().map(|_| scored[place].disattenuated_items()),
            disattenuated,
            sd_ratio: of_this(|values| values.sd_ratio),
            glass: of_this(|values| values.glass).map(|estimate| centred(estimate, &drawn, |of| of[place].glass)),
            exact: of_this(|values| values.exact),
            over: rivals.iter().enumerate().filter(|(_, rival)| **rival != place).filter_map(against).collect(),
        }
    };
    let task = |task: usize| {
        let people = scored[0].people_of(task);
        TaskFigures {
            items: scored[0].items_of(data, task),
            people,
            accuracy: (0..scored.len())
                .map(|place| estimate(people, &|values: &[Values]| values[place].tasks[task]))
                .collect(),
        }
    };
    Validated {
        draws: drawn.len(),
        arms: (0..scored.len()).map(figures).collect(),
        tasks: (0..data.tasks).map(task).collect(),
    }
}

/// Moves the draws so that their median is the estimate, because a mean of distances grows in any resample.
fn centred(estimate: Estimate, drawn: &[Vec<Values>], value: impl Fn(&[Values]) -> Option<f64>) -> Estimate {
    let mut values: Vec<f64> = drawn.iter().filter_map(|values| value(values)).collect();
    values.sort_by(f64::total_cmp);
    let Some((interval, median)) = estimate.interval().zip(quantile(&values, 0.5)) else { return estimate };
    let moved = |end: f64| (end - median + estimate.value).max(0.0);
    Estimate { low: Some(moved(interval.low)), high: Some(moved(interval.high)), ..estimate }
}

/// The ceiling, the twins' arms, the baselines.
fn arms(data: &ValidationData, tenths: &Tenths, seed: i64) -> Vec<ValidationArm> {
    let second = data.items.iter().map(|item| item.second.clone()).collect();
    let ceiling = ValidationArm { key: CEILING.into(), repeats: vec![second] };
    let mut ridge = Ridge::new(&data.demographics, ridge::folds(data.people, seed), ridge::PENALTY);
    let mut blind = Blind { data, tenths, ridge: &mut ridge, seed };
    let baseline = |key: &&str| ValidationArm {
        key: (*key).into(),
        repeats: vec![data.items.iter().map(|item| blind.answers(key, item)).collect()],
    };
    std::iter::once(ceiling).chain(data.arms.iter().cloned()).chain(BASELINES.iter().map(baseline)).collect()
}

/// The data from which baselines are made.
struct Blind<'a> {
    data: &'a ValidationData,
    tenths: &'a Tenths,
    ridge: &'a mut Ridge,
    seed: i64,
}

impl Blind<'_> {
    /// Returns the baseline's answer for each person who answered.
    fn answers(&mut self, baseline: &str, item: &ValidationItem) -> ItemAnswers {
        let (people, human): (Vec<usize>, Vec<f64>) =
            item.first.iter().enumerate().filter_map(|(person, value)| Some((person, (*value)?))).unzip();
        if human.is_empty() {
            return item.first.clone();
        }
        let said = match baseline {
            "random" => uniform(item, &human, self.seed),
            "marginal" => human_marginal(&human, self.seed, &item.name),
            "modal" => modal(&human),
            "median" => median(&human),
            "ridge" => {
                // Amounts are predicted as deciles, because few very large ones would outweigh all others.
                let scaled: Vec<f64> = human.iter().map(|value| self.tenths.on_scale(item, *value)).collect();
                let predicted = self.ridge.predict(&people, &scaled);
                predicted.into_iter().map(|value| self.tenths.amount(item, value)).collect()
            }
            _ => {
                let cell = |person: &usize| self.data.cells.get(*person).cloned().unwrap_or_default();
                cell_mean(Scale::Unbounded, &human, &people.iter().map(cell).collect::<Vec<_>>())
            }
        };
        let mut answers = vec![None; item.first.len()];
        for (person, value) in people.into_iter().zip(said) {
            answers[person] = Some(value).filter(|value| value.is_finite());
        }
        answers
    }
}

/// Draws whole numbers evenly over the scale; for amounts, answers that somebody gave.
fn uniform(item: &ValidationItem, human: &[f64], seed: i64) -> Vec<f64> {
    let mut random = generator(seed, &[b"uniform", item.name.as_bytes()]);
    let draw = |_: &f64| match item.tenths {
        Some(_) => human[below(human.len(), &mut random)],
        None => item.min + below((item.max - item.min) as usize + 1, &mut random) as f64,
    };
    human.iter().map(draw).collect()
}
