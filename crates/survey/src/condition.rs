//! Conditions: what they read, and whether they hold.

mod json;
mod operator;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use regex_automata::meta::{self, Regex};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use json::with_whole_numbers;

use super::given::Given;

/// Characters of a pattern.
pub const MAX_PATTERN: usize = 200;
/// Bytes of the automaton that a pattern is compiled to.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;
/// Bytes that a search may remember of a pattern's states.
const MAX_SEARCH_BYTES: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "json::Fields", into = "json::Fields")]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Leaf(Leaf),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub left: Left,
    pub operator: Operator,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Left {
    /// `row`: 1-based, of a matrix; the option of a constant sum or a ranking; 1 the best and 2 the worst of those.
    Answer { question: String, row: Option<u32> },
    /// A field that was set, or the arm that a random node dealt.
    Field(String),
    /// An attribute of the twin.
    Twin(String),
    /// A question that the person behind the twin answered in a part of their survey that no twin sees.
    HeldOut(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// There is a value.
    Answered,
    Is(Value),
    IsNot(Value),
    In(Vec<Value>),
    Has(Value),
    HasNot(Value),
    Lt(Value),
    Le(Value),
    Gt(Value),
    Ge(Value),
    /// Ignores case.
    Contains(String),
    Matches(Pattern),
}

/// A regular expression of linear time.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    compiled: Arc<OnceLock<Option<Regex>>>,
}

impl Pattern {
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), compiled: Arc::default() }
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// `None`: it is no pattern, or longer than the longest.
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source)).as_ref()
    }

    /// Whether there is such an expression. Keeps nothing of it.
    pub fn is_expression(&self) -> bool {
        self.compiled.get().map_or_else(|| compile(&self.source).is_some(), Option::is_some)
    }

    /// Takes over what an equal pattern is compiled to.
    pub fn share(&self, other: &Self) {
        if let Some(compiled) = other.compiled.get() {
            // One that is compiled already stays.
            let _ = self.compiled.set(compiled.clone());
        }
    }
}

/// `None`: it is no pattern, or longer than the longest.
fn compile(source: &str) -> Option<Regex> {
    let config = meta::Config::new().nfa_size_limit(Some(MAX_AUTOMATON_BYTES)).hybrid_cache_capacity(MAX_SEARCH_BYTES);
    let fits = source.chars().count() <= MAX_PATTERN;
    fits.then(|| Regex::builder().configure(config).build(source).ok()).flatten()
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// What is known of a left side.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    Given(Given),
    /// Not answered and not going to be, not shown, not set.
    Nothing,
    /// Not known yet.
    Pending,
    /// Its request failed for good.
    Failed,
}

/// What conditions and pipes read from.
pub trait Facts {
    fn look(&self, left: &Left) -> Cow<'_, Known>;

    /// The value of a loop's column in one of its turns, from 0. `None`: no row was drawn for it.
    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    /// Depends on what is not known yet.
    Pending,
    /// Depends on a request that failed.
    Failed,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl Condition {
    pub fn evaluate(&self, facts: &impl Facts) -> Truth {
        match self {
            Self::All(conditions) => joined(conditions, facts, Truth::False, Truth::True),
            Self::Any(conditions) => joined(conditions, facts, Truth::True, Truth::False),
            Self::Not(condition) => match condition.evaluate(facts) {
                Truth::True => Truth::False,
                Truth::False => Truth::True,
                open => open,
            },
            Self::Leaf(leaf) => match facts.look(&leaf.left).as_ref() {
                Known::Given(given) => leaf.operator.holds(given).into(),
                Known::Nothing => leaf.operator.holds_for_nothing().into(),
                Known::Pending => Truth::Pending,
                Known::Failed => Truth::Failed,
            },
        }
    }

    /// Every comparison with its place below the condition.
    pub fn leaves(&self) -> Vec<(String, &Leaf)> {
        let mut leaves = Vec::new();
        self.collect(String::new(), &mut leaves);
        leaves
    }

    fn collect<'a>(&'a self, place: String, leaves: &mut Vec<(String, &'a Leaf)>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                let word = if matches!(self, Self::All(_)) { "all" } else { "any" };
                for (index, condition) in conditions.iter().enumerate() {
                    condition.collect(format!("{place}/{word}/{index}"), leaves);
                }
            }
            Self::Not(condition) => condition.collect(format!("{place}/not"), leaves),
            Self::Leaf(leaf) => leaves.push((place, leaf)),
        }
    }

    /// What it reads.
    pub fn reads(&self) -> impl Iterator<Item = &Left> {
        self.leaves().into_iter().map(|(_, leaf)| &leaf.left)
    }

    /// The same condition on other names.
    pub fn renamed(&self, rename: &mut impl FnMut(&Left) -> Left) -> Self {
        let mut all = |conditions: &[Self]| conditions.iter().map(|condition| condition.renamed(rename)).collect();
        match self {
            Self::All(conditions) => Self::All(all(conditions)),
            Self::Any(conditions) => Self::Any(all(conditions)),
            Self::Not(condition) => Self::Not(Box::new(condition.renamed(rename))),
            Self::Leaf(leaf) => Self::Leaf(Leaf { left: rename(&leaf.left), operator: leaf.operator.clone() }),
        }
    }

    /// Levels of nesting.
    pub fn depth(&self) -> usize {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                1 + conditions.iter().map(Self::depth).max().unwrap_or_default()
            }
            Self::Not(condition) => 1 + condition.depth(),
            Self::Leaf(_) => 1,
        }
    }
}

/// `decisive` as soon as one is; `neutral` if all are; else open. What may still be known comes before what failed.
fn joined(conditions: &[Condition], facts: &impl Facts, decisive: Truth, neutral: Truth) -> Truth {
    let mut open = neutral;
    for condition in conditions {
        match condition.evaluate(facts) {
            truth if truth == decisive => return decisive,
            Truth::Pending => open = Truth::Pending,
            Truth::Failed if open != Truth::Pending => open = Truth::Failed,
            _ => {}
        }
    }
    open
}
