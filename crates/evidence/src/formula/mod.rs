//! Outcomes that are computed from several questions: scale scores, sums, differences and counts, by a formula over their
//! names such as `mean(fair, reverse(greedy))`.
//!
//! | form | value |
//! |---|---|
//! | `name`, `"a name"` | the answer to a question with an order, or to a row of a matrix |
//! | `2.5`, `a + b`, `a - b`, `a * b`, `a / b`, `-a`, `(a)` | arithmetic; missing if a part is |
//! | `reverse(name)` | the lowest and the highest answer less the answer |
//! | `mean(..)` | the mean of what was answered; missing if that is fewer than half |
//! | `sum(..)`, `min(..)`, `max(..)` | of all parts; missing if one is |
//! | `first(..)` | the first part that is not missing |
//! | `count(..)` | how many parts are not missing |
//! | `is(name, "an option")` | 1 if the option was chosen, else 0 |
//!
//! A formula is checked before it is computed: names exist, questions without an order are no numbers, and means take
//! parts with the same range. The range of the outcome follows from those of its parts.

mod parse;
mod reliability;

use serde::Serialize;

use crate::compare::{Column, Item, ItemKind, Respondents};
use crate::metrics::Scale;
use parse::{Call, Parsed, Tree};
pub use reliability::{ScaleReliability, scale_reliability};

/// A formula that is no outcome of the survey.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaRefused {
    #[error("{0}")]
    Syntax(String),
    #[error("there is no question {name}{}", nearest.as_ref().map(|near| format!("; the nearest name is {near}")).unwrap_or_default())]
    Unknown { name: String, nearest: Option<String> },
    #[error("{0} has options without an order: use is({0}, \"an option\")")]
    NotOrdered(String),
    #[error("{question} has no option {option}")]
    NoOption { question: String, option: String },
    #[error("mean(..) takes parts with the same range, but {first} and {second} differ: rescale one of them")]
    MixedRanges { first: String, second: String },
    #[error("reverse({0}) needs the lowest and the highest answer, but {0} has no bounds")]
    Unbounded(String),
    #[error("reverse(..) takes the name of one question")]
    ReverseOfOne,
    #[error("is(..) takes the name of a question and one of its options")]
    IsOfOption,
    #[error("{0}(..) needs a part")]
    NoParts(&'static str),
}

/// A checked formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    value: Value,
    /// Lowest and highest possible value. `None` if there are no bounds.
    pub range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Constant(f64),
    Answer(Item),
    /// The sum of the lowest and the highest answer less the answer.
    Reversed {
        item: Item,
        ends: f64,
    },
    /// Whether the single choice is this category.
    Category {
        item: String,
        category: f64,
    },
    /// Whether the option at this position was chosen among several.
    Option {
        item: String,
        place: usize,
    },
    Minus(Box<Value>),
    Plus(Box<Value>, Box<Value>),
    Less(Box<Value>, Box<Value>),
    Times(Box<Value>, Box<Value>),
    Over(Box<Value>, Box<Value>),
    Of(Call, Vec<Value>),
}

type Range = Option<(f64, f64)>;

impl Formula {
    /// Parses and checks a formula over these items.
    pub fn new(text: &str, items: &[Item]) -> Result<Self, FormulaRefused> {
        let tree = parse::parse(text).map_err(FormulaRefused::Syntax)?;
        let (value, range) = checked(&tree, items)?;
        Ok(Self { value, range })
    }

    /// The item that the outcome is: a number with the formula's range.
    pub fn item(&self, name: &str, text: &str) -> Item {
        let scale = match self.range {
            Some((min, max)) if max > min => Scale::Interval { min, max },
            _ => Scale::Unbounded,
        };
        Item { text: text.to_owned(), ..Item::single(name, scale) }
    }

    /// The values of all respondents.
    pub fn column(&self, side: &Respondents) -> Column {
        Column::Numbers((0..side.ids.len()).map(|row| self.value.of_row(side, row)).collect())
    }

    /// Names of the items that it reads.
    pub fn items(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.value.collect_items(&mut names);
        names
    }

    /// The values of the parts of its mean or sum, where each respondent answered them all: the rows of a scale. Empty if the
    /// formula is no mean or sum of three parts or more.
    pub fn parts(&self, side: &Respondents) -> Vec<Vec<f64>> {
        let Value::Of(Call::Mean | Call::Sum, parts) = &self.value else { return Vec::new() };
        if parts.len() < 3 {
            return Vec::new();
        }
        let row = |row: usize| parts.iter().map(|part| part.of_row(side, row)).collect::<Option<Vec<f64>>>();
        (0..side.ids.len()).filter_map(row).collect()
    }
}

impl Value {
    fn collect_items<'v>(&'v self, names: &mut Vec<&'v str>) {
        match self {
            Self::Constant(_) => {}
            Self::Answer(item) | Self::Reversed { item, .. } => names.push(&item.name),
            Self::Category { item, .. } | Self::Option { item, .. } => names.push(item),
            Self::Minus(a) => a.collect_items(names),
            Self::Plus(a, b) | Self::Less(a, b) | Self::Times(a, b) | Self::Over(a, b) => {
                a.collect_items(names);
                b.collect_items(names);
            }
            Self::Of(_, parts) => parts.iter().for_each(|part| part.collect_items(names)),
        }
    }

    fn of_row(&self, side: &Respondents, row: usize) -> Option<f64> {
        let both = |a: &Self, b: &Self| Some((a.of_row(side, row)?, b.of_row(side, row)?));
        let finite = |value: f64| value.is_finite().then_some(value);
        match self {
            Self::Constant(value) => Some(*value),
            Self::Answer(item) => side.number(&item.name, row).map(|answer| item.score(answer)),
            Self::Reversed { item, ends } => side.number(&item.name, row).map(|answer| ends - item.score(answer)),
            Self::Category { item, category } => {
                side.number(item, row).map(|answer| f64::from(u8::from(answer == *category)))
            }
            Self::Option { item, place } => {
                let chosen = side.selection(item, row)?;
                Some(f64::from(u8::from(chosen.get(*place) == Some(&true))))
            }
            Self::Minus(a) => a.of_row(side, row).map(|value| -value),
            Self::Plus(a, b) => both(a, b).map(|(a, b)| a + b),
            Self::Less(a, b) => both(a, b).map(|(a, b)| a - b),
            Self::Times(a, b) => both(a, b).map(|(a, b)| a * b),
            Self::Over(a, b) => both(a, b).and_then(|(a, b)| finite(a / b)),
            Self::Of(call, parts) => {
                let all: Vec<Option<f64>> = parts.iter().map(|part| part.of_row(side, row)).collect();
                let known: Vec<f64> = all.iter().copied().flatten().collect();
                let whole = (known.len() == all.len()).then_some(&known);
                match call {
                    Call::Mean => (2 * known.len() >= all.len() && !known.is_empty())
                        .then(|| known.iter().sum::<f64>() / known.len() as f64),
                    Call::Sum => whole.map(|all| all.iter().sum()),
                    Call::Min => whole.and_then(|all| all.iter().copied().reduce(f64::min)),
                    Call::Max => whole.and_then(|all| all.iter().copied().reduce(f64::max)),
                    Call::First => known.first().copied(),
                    Call::Count => Some(known.len() as f64),
                }
            }
        }
    }
}

fn find<'a>(name: &str, items: &'a [Item]) -> Result<&'a Item, FormulaRefused> {
    items
        .iter()
        .find(|item| item.name == name)
        .ok_or_else(|| FormulaRefused::Unknown { name: name.to_owned(), nearest: nearest(name, items) })
}

/// The most similar name of a question, by the letters that would have to change; none if more than half would.
fn nearest(name: &str, items: &[Item]) -> Option<String> {
    let distance = |other: &str| {
        let (a, b): (Vec<char>, Vec<char>) =
            (name.to_lowercase().chars().collect(), other.to_lowercase().chars().collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (place, letter) in a.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], place + 1);
            for (at, other) in b.iter().enumerate() {
                let changed = diagonal + usize::from(letter != other);
                diagonal = row[at + 1];
                row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
            }
        }
        (row[b.len()], a.len().max(b.len()))
    };
    let near = items.iter().map(|item| (distance(&item.name), item));
    let near = near.filter(|((changed, letters), _)| 2 * changed <= *letters);
    near.min_by_key(|((changed, _), _)| *changed).map(|(_, item)| item.name.clone())
}

/// The range of a question's numbers. Fails if it has none.
fn range_of(item: &Item) -> Result<Range, FormulaRefused> {
    match &item.kind {
        ItemKind::Single { scale, .. } => match scale {
            // Scores rise or fall with the order, so that the ends are those of the scale.
            Scale::Ordinal { categories } => {
                let (first, last) = (item.score(1.0), item.score(*categories as f64));
                Ok(Some((first.min(last), first.max(last))))
            }
            Scale::Interval { min, max } => Ok(Some((*min, *max))),
            Scale::Unbounded => Ok(None),
            Scale::Nominal { .. } => Err(FormulaRefused::NotOrdered(item.name.clone())),
        },
        ItemKind::Multiple { .. } => Err(FormulaRefused::NotOrdered(item.name.clone())),
    }
}

fn checked(tree: &Tree, items: &[Item]) -> Result<(Value, Range), FormulaRefused> {
    let two = |a: &Tree, b: &Tree| Ok((checked(a, items)?, checked(b, items)?));
    let boxed = |a: Value, b: Value| (Box::new(a), Box::new(b));
    Ok(match &tree.parsed {
        Parsed::Number(value) => (Value::Constant(*value), Some((*value, *value))),
        Parsed::Name(name) => {
            let item = find(name, items)?;
            (Value::Answer(item.clone()), range_of(item)?)
        }
        Parsed::Minus(a) => {
            let (a, range) = checked(a, items)?;
            (Value::Minus(Box::new(a)), range.map(|(low, high)| (-high, -low)))
        }
        Parsed::Plus(a, b) => {
            let ((a, x), (b, y)) = two(a, b)?;
            let (a, b) = boxed(a, b);
            (Value::Plus(a, b), x.zip(y).map(|((a, b), (c, d))| (a + c, b + d)))
        }
        Parsed::Less(a, b) => {
            let ((a, x), (b, y)) = two(a, b)?;
            let (a, b) = boxed(a, b);
            (Value::Less(a, b), x.zip(y).map(|((a, b), (c, d))| (a - d, b - c)))
        }
        Parsed::Times(a, b) => {
            let ((a, x), (b, y)) = two(a, b)?;
            let (a, b) = boxed(a, b);
            (Value::Times(a, b), x.zip(y).map(|(x, y)| hull(x, y, |a, b| a * b)))
        }
        Parsed::Over(a, b) => {
            let ((a, x), (b, y)) = two(a, b)?;
            let (a, b) = boxed(a, b);
            // A range about 0 has no bounds as a divisor.
            let bounded = y.filter(|(low, high)| low * high > 0.0);
            (Value::Over(a, b), x.zip(bounded).map(|(x, y)| hull(x, y, |a, b| a / b)))
        }
        Parsed::Reverse(parts) => {
            let [Tree { parsed: Parsed::Name(name), .. }] = parts.as_slice() else {
                return Err(FormulaRefused::ReverseOfOne);
            };
            let item = find(name, items)?;
            let (low, high) = range_of(item)?.ok_or_else(|| FormulaRefused::Unbounded(name.clone()))?;
            (Value::Reversed { item: item.clone(), ends: low + high }, Some((low, high)))
        }
        Parsed::Is(parts) => is_option(parts, items)?,
        Parsed::Of(call, parts) => of_parts(*call, parts, items)?,
    })
}

/// The ends of a combination of two ranges.
fn hull((a, b): (f64, f64), (c, d): (f64, f64), of: fn(f64, f64) -> f64) -> (f64, f64) {
    let ends = [of(a, c), of(a, d), of(b, c), of(b, d)];
    ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(*end), high.max(*end)))
}

fn is_option(parts: &[Tree], items: &[Item]) -> Result<(Value, Range), FormulaRefused> {
    let [Tree { parsed: Parsed::Name(name), .. }, Tree { parsed: Parsed::Name(option), .. }] = parts else {
        return Err(FormulaRefused::IsOfOption);
    };
    let item = find(name, items)?;
    let (ItemKind::Single { labels, .. } | ItemKind::Multiple { labels }) = &item.kind;
    let place = labels
        .iter()
        .position(|label| label == option)
        .ok_or_else(|| FormulaRefused::NoOption { question: name.clone(), option: option.clone() })?;
    let value = match &item.kind {
        ItemKind::Single { .. } => Value::Category { item: name.clone(), category: place as f64 + 1.0 },
        ItemKind::Multiple { .. } => Value::Option { item: name.clone(), place },
    };
    Ok((value, Some((0.0, 1.0))))
}

fn of_parts(call: Call, parts: &[Tree], items: &[Item]) -> Result<(Value, Range), FormulaRefused> {
    if parts.is_empty() {
        return Err(FormulaRefused::NoParts(call.name()));
    }
    let mut values = Vec::new();
    let mut ranges: Vec<(Range, &str)> = Vec::new();
    for part in parts {
        // A count takes questions of any kind by whether they were answered; all others take numbers.
        let (value, range) = checked(part, items)?;
        values.push(value);
        ranges.push((range, &part.text));
    }
    if call == Call::Mean
        && let Some((_, text)) = ranges.iter().find(|(range, _)| *range != ranges[0].0)
    {
        return Err(FormulaRefused::MixedRanges { first: ranges[0].1.to_owned(), second: (*text).to_owned() });
    }
    let known: Option<Vec<(f64, f64)>> = ranges.iter().map(|(range, _)| *range).collect();
    // Lowest values and highest values, combined each by its own rule.
    let ends = |lows: fn(f64, f64) -> f64, highs: fn(f64, f64) -> f64| {
        known
            .as_ref()
            .and_then(|ranges| ranges.iter().copied().reduce(|(low, high), (a, b)| (lows(low, a), highs(high, b))))
    };
    let range = match call {
        Call::Count => Some((0.0, parts.len() as f64)),
        Call::Sum => ends(|a, b| a + b, |a, b| a + b),
        Call::Min => ends(f64::min, f64::min),
        Call::Max => ends(f64::max, f64::max),
        Call::Mean | Call::First => ends(f64::min, f64::max),
    };
    Ok((Value::Of(call, values), range))
}

/// An outcome of a comparison that a formula computes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComputedOutcome {
    #[cfg_attr(feature = "openapi", schema(example = "trust"))]
    pub name: String,
    #[cfg_attr(feature = "openapi", schema(example = "mean(honest, reverse(greedy), fair)"))]
    pub formula: String,
    /// Lowest and highest possible value; null if there are no bounds.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Reliability of the scale among people, if the formula is a mean or a sum of three parts or more.
    pub people: Option<ScaleReliability>,
    pub twins: Option<ScaleReliability>,
}
