//! Moments and histograms of counted numbers.

use evidence::groups::LEVEL;
use evidence::intervals::of_share;
use serde::Serialize;
use survey::question::Question;
use utoipa::ToSchema;

/// Up to this many whole numbers are shown one by one.
const MAX_SINGLE: usize = 20;
/// Upper limit of intervals for other numbers.
const MAX_INTERVALS: usize = 12;

/// An interval of numbers, or a single one.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Bin {
    /// The smallest number in the bin.
    #[schema(example = 4.0)]
    pub from: f64,
    /// Upper end: numbers below it are in the bin, in the last bin also the number itself. Equal to `from` for a single
    /// number.
    #[schema(example = 4.0)]
    pub to: f64,
    #[schema(example = 50)]
    pub count: i64,
    /// count / n.
    #[schema(example = 0.25)]
    pub share: f64,
    /// Ends of the share's 95 % interval (Wilson 1927); null where nobody answered.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Bin {
    /// How many of `n` numbers lie between the edges.
    pub fn of((from, to): (f64, f64), count: i64, n: i64) -> Self {
        let (low, high) = share_interval(count, n);
        Self { from, to, count, share: share(count, n), low, high }
    }
}

/// Different numbers, ascending, with their frequencies.
pub struct Numbers {
    each: Vec<(f64, i64)>,
    n: i64,
}

impl Numbers {
    pub fn new(mut each: Vec<(f64, i64)>) -> Self {
        each.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        // 1 and 1.0 are one number.
        each.dedup_by(|(number, times), (earlier, sum)| {
            number == earlier && {
                *sum += *times;
                true
            }
        });
        let n = each.iter().map(|(_, times)| times).sum();
        Self { each, n }
    }

    pub fn each(&self) -> &[(f64, i64)] {
        &self.each
    }

    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum(|number| number) / self.n as f64)
    }

    pub fn sd(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.n > 1)?;
        Some((self.sum(|number| (number - mean).powi(2)) / (self.n - 1) as f64).sqrt())
    }

    pub fn min(&self) -> Option<f64> {
        self.each.first().map(|(number, _)| *number)
    }

    pub fn max(&self) -> Option<f64> {
        self.each.last().map(|(number, _)| *number)
    }

    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        self.each.iter().map(|(number, times)| term(*number) * *times as f64).sum()
    }

    pub fn extent(&self) -> Extent {
        let whole = self.each.iter().all(|(number, _)| is_whole(*number));
        Extent { low: self.min(), high: self.max(), whole }
    }
}

/// Range of the answers to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Whether all are whole numbers.
    pub whole: bool,
}

impl Default for Extent {
    /// The extent without any answer.
    fn default() -> Self {
        Self { low: None, high: None, whole: true }
    }
}

/// The intervals in which all figures of a question are counted, ascending. An interval of one number has equal ends.
pub struct Intervals(Vec<(f64, f64)>);

impl Intervals {
    /// Divides the question's own range, or that of the answers if it has none; edges are round numbers.
    pub fn from_question(question: &Question, answers: &Extent) -> Self {
        match question.question_type.is_number() {
            true => Self::over(question.min_value, question.max_value, answers),
            false => Self(Vec::new()),
        }
    }

    /// Whether the intervals of a question depend on its answers, which lie within the range of the question.
    pub fn depend_on_answers(question: &Question) -> bool {
        let is_wide = |(low, high): (f64, f64)| high - low >= MAX_SINGLE as f64;
        question.question_type.is_number() && !question.min_value.zip(question.max_value).is_some_and(is_wide)
    }

    pub fn over(min: Option<f64>, max: Option<f64>, answers: &Extent) -> Self {
        let (Some(low), Some(high)) = (least(min, answers.low), least(max.map(|x| -x), answers.high.map(|x| -x)))
        else {
            return Self(Vec::new());
        };
        let high = -high;
        let all_whole = is_whole(low) && is_whole(high) && answers.whole;
        if low >= high {
            return Self(vec![(low, low)]);
        }
        if all_whole && high - low < MAX_SINGLE as f64 {
            return Self((0..=(high - low) as usize).map(|step| low + step as f64).map(|one| (one, one)).collect());
        }
        // Steps are 1, 2, 2.5 or 5 times a power of ten. The inverse of a power below 1 is exact, and so are the edges.
        let mut power = ((high - low) / MAX_INTERVALS as f64).log10().floor() as i32;
        loop {
            for factor in [1.0, 2.0, 2.5, 5.0] {
                let edge = |index: f64| match power {
                    0.. => index * factor * 10_f64.powi(power),
                    _ => index * factor / 10_f64.powi(-power),
                };
                let (first, last) = ((low / edge(1.0)).floor(), (high / edge(1.0)).ceil());
                if last - first <= MAX_INTERVALS as f64 {
                    let indices = (0..(last - first) as usize).map(|step| first + step as f64);
                    return Self(indices.map(|index| (edge(index), edge(index + 1.0))).collect());
                }
            }
            power += 1;
        }
    }

    /// `4` for a single number, `20 to 30` for an interval.
    pub fn names(&self) -> Vec<String> {
        let name = |(from, to): &(f64, f64)| if from == to { from.to_string() } else { format!("{from} to {to}") };
        self.0.iter().map(name).collect()
    }

    /// Index of the interval that contains the number; `None` if there is no interval.
    pub fn place(&self, number: f64) -> Option<usize> {
        // Found by the edges, so that rounding puts no number outside its interval.
        let place = self.0.partition_point(|&(from, to)| to < number || (to == number && from < to));
        Some(place.min(self.0.len().checked_sub(1)?))
    }

    pub fn count(&self, numbers: &Numbers) -> Vec<Bin> {
        let mut counts = vec![0; self.0.len()];
        for (number, times) in &numbers.each {
            if let Some(count) = self.place(*number).and_then(|place| counts.get_mut(place)) {
                *count += times;
            }
        }
        let bin = |(&(from, to), count)| Bin::of((from, to), count, numbers.n);
        self.0.iter().zip(counts).map(bin).collect()
    }
}

/// The ends of a share's interval.
pub fn share_interval(count: i64, n: i64) -> (Option<f64>, Option<f64>) {
    of_share(count as f64, n as f64, LEVEL).map(|of| (of.low, of.high)).unzip()
}

pub fn share(count: i64, n: i64) -> f64 {
    if n == 0 { 0.0 } else { count as f64 / n as f64 }
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0
}

fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use survey::question::QuestionPayload;

    use super::*;

    #[test]
    fn moments_weigh_each_number_by_how_often_it_was_given() {
        let numbers = Numbers::new(vec![(4.0, 1), (1.0, 3)]);
        // 1, 1, 1, 4: mean 1.75, squares 3 × 0.5625 + 5.0625 = 6.75, over 3.
        assert_eq!((numbers.mean(), numbers.sd()), (Some(1.75), Some(1.5)));
        assert_eq!((numbers.min(), numbers.max()), (Some(1.0), Some(4.0)));
        assert_eq!(Numbers::new(vec![(2.0, 1), (1.0, 1), (2.0, 3)]).each(), [(1.0, 1), (2.0, 4)]);
        assert_eq!(Numbers::new(vec![(2.0, 1)]).sd(), None, "one answer has no spread");
        assert_eq!(Numbers::new(vec![]).mean(), None);
    }

    fn bins(min: Option<f64>, max: Option<f64>, each: &[(f64, i64)]) -> Vec<(f64, f64, i64)> {
        let numbers = Numbers::new(each.to_vec());
        let bins = Intervals::over(min, max, &numbers.extent()).count(&numbers);
        bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect()
    }

    #[test]
    fn a_few_whole_numbers_stand_alone_over_the_range_of_the_question() {
        assert_eq!(bins(Some(1.0), Some(3.0), &[(2.0, 5)]), [(1.0, 1.0, 0), (2.0, 2.0, 5), (3.0, 3.0, 0)]);
        assert_eq!(bins(None, None, &[(7.0, 2)]), [(7.0, 7.0, 2)]);
        assert_eq!(bins(None, None, &[]), []);
    }

    #[test]
    fn a_wide_range_of_a_question_is_divided_alike_whatever_the_answers() {
        let payload = json!({ "text": "How far?", "question_type": "Slider", "minValue": 0, "maxValue": 1 });
        let payload: QuestionPayload = serde_json::from_value(payload).expect("an object");
        let question = payload.validate().expect("a valid question").at(1, 1);
        let wide = MAX_SINGLE as f64;
        let extents = [(1.0, 2.0, true), (0.5, 3.25, false)].map(|(low, high, whole)| Extent {
            low: Some(low),
            high: Some(high),
            whole,
        });
        let cases = [(Some(0.0), Some(wide - 1.0), true), (Some(0.0), Some(wide), false), (None, Some(wide), true)];
        for (min_value, max_value, depends) in cases {
            let question = Question { min_value, max_value, ..question.clone() };
            let intervals = extents.map(|extent| Intervals::from_question(&question, &extent).names());
            assert_eq!(Intervals::depend_on_answers(&question), depends, "{min_value:?} to {max_value:?}");
            assert_eq!(intervals[0] != intervals[1], depends, "{min_value:?} to {max_value:?}");
        }
    }

    #[test]
    fn many_numbers_are_counted_in_intervals_with_round_edges_that_miss_none() {
        let scale = bins(Some(0.0), Some(100.0), &[(0.0, 1), (9.5, 1), (10.0, 2), (100.0, 3)]);
        assert_eq!(
            (scale.len(), scale[0], scale[1], scale[9]),
            (10, (0.0, 10.0, 2), (10.0, 20.0, 2), (90.0, 100.0, 3))
        );
        let tenths = bins(None, None, &[(0.1, 1), (0.3, 1), (0.72, 1)]);
        assert_eq!((tenths[0].0, tenths[2].0, tenths[tenths.len() - 1].1), (0.1, 0.3, 0.8));
        assert_eq!(tenths.iter().map(|bin| bin.2).sum::<i64>(), 3);
        assert!(tenths.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }

    #[test]
    fn intervals_are_named_by_their_edges_and_every_number_lies_in_one() {
        let extent = Extent { low: Some(-5.0), high: Some(100.0), whole: true };
        let intervals = Intervals::over(Some(0.0), Some(100.0), &extent);
        assert_eq!(intervals.names()[..3], ["-10 to 0", "0 to 10", "10 to 20"]);
        let name = |number| intervals.place(number).map(|place| intervals.names()[place].clone());
        assert_eq!((name(-5.0).as_deref(), name(9.99).as_deref()), (Some("-10 to 0"), Some("0 to 10")));
        assert_eq!((name(10.0).as_deref(), name(100.0).as_deref()), (Some("10 to 20"), Some("90 to 100")));
        assert_eq!(Intervals::over(None, None, &Numbers::new(vec![(7.0, 2)]).extent()).names(), ["7"]);
        assert_eq!(Intervals::over(None, None, &Extent::default()).place(1.0), None);
    }

    #[test]
    fn another_group_is_counted_in_the_same_intervals() {
        let all = Numbers::new(vec![(18.0, 1), (64.0, 1)]);
        let intervals = Intervals::over(None, None, &all.extent());
        let group = Numbers::new(vec![(18.0, 1)]);
        let edges = |numbers: &Numbers| intervals.count(numbers).iter().map(|bin| bin.from).collect::<Vec<_>>();
        assert_eq!(edges(&all), edges(&group));
        assert_eq!(intervals.count(&group)[0].share, 1.0);
    }
}
