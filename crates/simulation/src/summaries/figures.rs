//! The figures of a question, computed from the counts of its answers.

use evidence::groups::LEVEL;
use evidence::intervals::of_mean;
use serde::Serialize;
use survey::answer::{Parts, ValueKind, yes_or_no};
use survey::question::Question;
use utoipa::ToSchema;

use crate::summaries::given::GivenAnswers;
use crate::summaries::numbers::{Bin, Intervals, Numbers, share, share_interval};

/// Figures of some twins' answers to a question. Fields that a type of question does not have are null or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Number of twins who answered.
    #[schema(example = 200)]
    pub n: i64,
    /// Mean of numbers: their sum / n.
    #[schema(example = 4.25)]
    pub mean: Option<f64>,
    /// Sample standard deviation of numbers, √(Σ(x − mean)² / (n − 1)); null for a single answer.
    #[schema(example = 1.1)]
    pub sd: Option<f64>,
    /// Ends of the mean's 95 % interval (Student's t); null for fewer than two answers.
    #[schema(example = 4.1)]
    pub mean_low: Option<f64>,
    #[schema(example = 4.4)]
    pub mean_high: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// Frequency of each option, of yes and no, or of each answered number; options in the order of the question. If a
    /// row may have several labels, each row with each label, as `Phone: Morning`.
    pub counts: Vec<Count>,
    /// Figures of each row of a matrix, or of each option of a constant sum, a ranking or a best and worst choice. A choice
    /// between degrees, as `Strongly disagree` to `Strongly agree`, has one row without a name, rated 1, 2, 3 and so on.
    pub rows: Vec<RowFigures>,
    /// Histogram of numbers: each whole number of the question's range if that has at most 20, else up to 12 intervals
    /// of equal width over the range. Without a range, it covers all answers of the run. Bins are the same for all
    /// groups and filters.
    pub bins: Vec<Bin>,
}

/// An answer with its frequency.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Count {
    #[schema(example = "Tea")]
    pub value: String,
    #[schema(example = 50)]
    pub count: i64,
    /// count / n, the share of those who answered. If several options may be chosen, the sum may exceed 1.
    #[schema(example = 0.25)]
    pub share: f64,
    /// Ends of the share's 95 % interval (Wilson 1927); null where nobody answered.
    #[schema(example = 0.19)]
    pub low: Option<f64>,
    #[schema(example = 0.31)]
    pub high: Option<f64>,
    /// Mean of the probabilities that the twins gave this answer, in a run that asks for distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<MeanProbability>,
}

/// Mean of the probabilities that twins gave an answer.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MeanProbability {
    #[schema(example = 0.27)]
    pub mean: f64,
    /// Ends of its 95 % interval (Student's t); null for fewer than two twins.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl MeanProbability {
    pub fn of_moments(n: i64, mean: f64, sd: Option<f64>) -> Self {
        let (low, high) = mean_interval(n, Some(mean), sd);
        Self { mean, low: low.map(|low| low.max(0.0)), high: high.map(|high| high.min(1.0)) }
    }
}

/// Figures of one row of a matrix, or one option of a constant sum, a ranking or a best and worst choice.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowFigures {
    #[schema(example = "I plan ahead")]
    pub row: String,
    /// Number of twins who rated the row; for an option, who answered.
    #[schema(example = 200)]
    pub n: i64,
    /// Mean of the ratings as numbers: 1 for the first label of the scale, 2 for the second. Constant sum: mean of the
    /// numbers. Ranking: mean of the ranks, 1 for the first. Best and worst choice: (times best − times worst) / n.
    /// Null if a row may have several labels.
    #[schema(example = 3.5)]
    pub mean: Option<f64>,
    /// Sample standard deviation of the values that `mean` averages.
    pub sd: Option<f64>,
    /// Ends of the mean's 95 % interval (Student's t); null for fewer than two answers.
    pub mean_low: Option<f64>,
    pub mean_high: Option<f64>,
    /// Counts in the order of the scale; if a row may have several labels, shares may add up to more than 1. Ranking:
    /// by rank. Best and worst choice: `Best`, `Neither` and `Worst`. Constant sum: empty.
    pub counts: Vec<Count>,
}

impl Figures {
    /// The moments of `n` numbers: their mean with its interval, and their standard deviation.
    pub fn of_moments(n: i64, (mean, sd): (Option<f64>, Option<f64>)) -> Self {
        let (mean_low, mean_high) = mean_interval(n, mean, sd);
        Self { n, mean, sd, mean_low, mean_high, ..Self::default() }
    }

    /// Adds the mean probabilities of answers, by row and label. The row of a choice has no name.
    pub fn add_probabilities(&mut self, of: &impl Fn(&str, &str) -> Option<MeanProbability>) {
        self.counts.iter_mut().for_each(|count| count.probability = of("", &count.value));
        for row in &mut self.rows {
            let name = row.row.clone();
            row.counts.iter_mut().for_each(|count| count.probability = of(&name, &count.value));
        }
    }

    pub fn compute(question: &Question, given: &GivenAnswers, bins: &Intervals) -> Self {
        let n = given.n;
        match question.layout() {
            None => Self::default(),
            Some((Parts::Whole, ValueKind::Number)) => Self::of_numbers(given, bins),
            Some((Parts::Whole, ValueKind::YesNo)) => {
                let count = |value: &str| Count::new(value, given.times(None, value), n);
                Self { n, counts: [true, false].map(yes_or_no).map(count).into(), ..Self::default() }
            }
            Some((Parts::Whole, _)) => {
                let count = |option: &String| Count::new(option, given.times(None, option), n);
                let counts: Vec<Count> = question.options.iter().map(count).collect();
                let rating = question.has_degrees().then(|| RowFigures::of_degrees(&counts));
                Self { n, rows: rating.into_iter().collect(), counts, ..Self::default() }
            }
            Some((Parts::Rows, ValueKind::Choices)) => {
                let row = |row: &String| RowFigures::of_several(row, &question.scale_labels, given);
                let rows: Vec<RowFigures> = question.rows().iter().map(row).collect();
                let of_row = |row: &RowFigures| {
                    let labelled =
                        |count: &Count| Count { value: format!("{}: {}", row.row, count.value), ..count.clone() };
                    row.counts.iter().map(labelled).collect::<Vec<_>>()
                };
                Self { n, counts: rows.iter().flat_map(of_row).collect(), rows, ..Self::default() }
            }
            Some((Parts::Rows, _)) => {
                let row = |row: &String| RowFigures::from_labels(row, &question.scale_labels, given);
                Self { n, rows: question.rows().iter().map(row).collect(), ..Self::default() }
            }
            Some((Parts::Options, ValueKind::Rank)) => {
                let ranks: Vec<String> = (1..=question.options.len()).map(|rank| rank.to_string()).collect();
                let row = |option: &String| RowFigures::from_labels(option, &ranks, given);
                Self { n, rows: question.options.iter().map(row).collect(), ..Self::default() }
            }
            Some((Parts::Options, _)) => {
                let row = |option: &String| RowFigures::of_numbers(option, given);
                Self { n, rows: question.options.iter().map(row).collect(), ..Self::default() }
            }
            Some((Parts::Ends, _)) => {
                let row = |option: &String| RowFigures::of_best_and_worst(option, given);
                Self { n, rows: question.options.iter().map(row).collect(), ..Self::default() }
            }
        }
    }

    fn of_numbers(given: &GivenAnswers, bins: &Intervals) -> Self {
        let numbers = given.numbers();
        let counts = numbers.each().iter().map(|(number, times)| Count::new(&number.to_string(), *times, given.n));
        Self {
            min: numbers.min(),
            max: numbers.max(),
            counts: counts.collect(),
            bins: bins.count(&numbers),
            ..Self::of_moments(given.n, (numbers.mean(), numbers.sd()))
        }
    }
}

impl Count {
    /// The count of one answer among `n`, with its share.
    pub fn new(value: &str, count: i64, n: i64) -> Self {
        let (low, high) = share_interval(count, n);
        Self { value: value.to_owned(), count, share: share(count, n), low, high, probability: None }
    }
}

impl RowFigures {
    /// The moments of the numbers that `n` twins gave to a row, with their counts.
    pub fn of_moments(row: &str, n: i64, (mean, sd): (Option<f64>, Option<f64>), counts: Vec<Count>) -> Self {
        let (mean_low, mean_high) = mean_interval(n, mean, sd);
        Self { row: row.to_owned(), n, mean, sd, mean_low, mean_high, counts }
    }

    fn new(row: &str, n: i64, numbers: &Numbers, counts: Vec<Count>) -> Self {
        Self::of_moments(row, n, (numbers.mean(), numbers.sd()), counts)
    }

    fn from_labels(row: &str, labels: &[String], given: &GivenAnswers) -> Self {
        let times: Vec<i64> = labels.iter().map(|label| given.times(Some(row), label)).collect();
        let n = times.iter().sum();
        let counts = labels.iter().zip(&times).map(|(label, times)| Count::new(label, *times, n)).collect();
        Self::new(row, n, &ranks(times.into_iter()), counts)
    }

    /// The rating of a choice between degrees.
    fn of_degrees(counts: &[Count]) -> Self {
        let ranks = ranks(counts.iter().map(|count| count.count));
        Self::new("", counts.iter().map(|count| count.count).sum(), &ranks, counts.to_vec())
    }

    /// The figures of a row that may have several labels.
    fn of_several(row: &str, labels: &[String], given: &GivenAnswers) -> Self {
        let n = given.of_row(row);
        let counts = labels.iter().map(|label| Count::new(label, given.times(Some(row), label), n));
        Self::new(row, n, &Numbers::new(Vec::new()), counts.collect())
    }

    fn of_numbers(option: &str, given: &GivenAnswers) -> Self {
        Self::new(option, given.of_row(option), &given.numbers_of(option), Vec::new())
    }

    fn of_best_and_worst(option: &str, given: &GivenAnswers) -> Self {
        let n = given.n;
        let [best, worst] = ["best", "worst"].map(|end| given.times(Some(end), option));
        let neither = n - best - worst;
        let scores = [(1.0, best), (0.0, neither), (-1.0, worst)];
        let scores = Numbers::new(scores.into_iter().filter(|(_, times)| *times > 0).collect());
        let counts = [("Best", best), ("Neither", neither), ("Worst", worst)];
        Self::new(option, n, &scores, counts.into_iter().map(|(label, times)| Count::new(label, times, n)).collect())
    }
}

/// Ratings as numbers, 1 for the first label.
fn ranks(times: impl Iterator<Item = i64>) -> Numbers {
    Numbers::new((1..).map(f64::from).zip(times).filter(|(_, times)| *times > 0).collect())
}

/// The ends of a mean's interval.
fn mean_interval(n: i64, mean: Option<f64>, sd: Option<f64>) -> (Option<f64>, Option<f64>) {
    let interval = mean.zip(sd).and_then(|(mean, sd)| of_mean(mean, sd, n as usize, LEVEL));
    interval.map(|of| (of.low, of.high)).unzip()
}
