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

/// Maximum length of a pattern, in characters.
pub const MAX_PATTERN_CHARACTERS: usize = 200;
/// Maximum size of the automaton that a pattern is compiled to, in bytes.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;
/// Maximum size of the state cache of a search, in bytes.
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

/// The left side of a comparison: the value that is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Left {
    /// An answer, or a part of it. `row` is 1-based: the row of a matrix, or the option of a constant sum or a ranking.
    /// For a best-worst choice, 1 is the best and 2 the worst option.
    Answer { question: String, row: Option<u32> },
    /// A field, or the arm that a random node dealt.
    Field(String),
    /// An attribute of the twin.
    Twin(String),
    /// A question that the person behind the twin answered in a part of their survey that is hidden from twins.
    HeldOut(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// True if there is a value.
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
    /// Compares without regard to case.
    Contains(String),
    Matches(Pattern),
}

/// A regular expression whose search takes linear time.
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

    /// Returns the compiled pattern, or `None` if it is invalid or too long.
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source)).as_ref()
    }

    /// Whether the pattern compiles. Does not keep the result.
    pub fn is_expression(&self) -> bool {
        self.compiled.get().map_or_else(|| compile(&self.source).is_some(), Option::is_some)
    }

    /// Reuses the compiled form of an equal pattern.
    pub fn share(&self, other: &Self) {
        if let Some(compiled) = other.compiled.get() {
            // `set` fails if this pattern is compiled already, and keeps that.
            let _ = self.compiled.set(compiled.clone());
        }
    }
}

/// Compiles the pattern, or returns `None` if it is invalid or too long.
fn compile(source: &str) -> Option<Regex> {
    let config = meta::Config::new().nfa_size_limit(Some(MAX_AUTOMATON_BYTES)).hybrid_cache_capacity(MAX_SEARCH_BYTES);
    let fits = source.chars().count() <= MAX_PATTERN_CHARACTERS;
    fits.then(|| Regex::builder().configure(config).build(source).ok()).flatten()
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// The value of a left side, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    Given(Given),
    /// There is no value: the question was not answered and will not be, was not shown, or the field was not set.
    Nothing,
    /// The value is not known yet.
    Pending,
    /// The request failed for good, so the value will never be known.
    Failed,
}

/// A source of values for conditions and pipes.
pub trait Facts {
    fn look(&self, left: &Left) -> Cow<'_, Known>;

    /// Returns the value of a loop's column in a turn (0-based), or `None` if no row was drawn for the turn.
    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String>;

    /// Whether the rows of a loop are drawn already. If not, its cells may be those of any row.
    fn has_rows(&self, _turns: &str) -> bool {
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    /// Depends on a value that is not known yet.
    Pending,
    /// Depends on a request that failed. Example: after the request for `age` failed, `{"answer": "age", "ge": 18}` is
    /// neither true nor false, so a question with this condition is not asked and fails as `upstream`.
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

    /// Returns every comparison with its JSON pointer below the condition.
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

    /// Returns the left sides that the condition reads.
    pub fn reads(&self) -> impl Iterator<Item = &Left> {
        self.leaves().into_iter().map(|(_, leaf)| &leaf.left)
    }

    /// Returns the same condition with renamed left sides.
    pub fn renamed(&self, rename: &mut impl FnMut(&Left) -> Left) -> Self {
        let mut all = |conditions: &[Self]| conditions.iter().map(|condition| condition.renamed(rename)).collect();
        match self {
            Self::All(conditions) => Self::All(all(conditions)),
            Self::Any(conditions) => Self::Any(all(conditions)),
            Self::Not(condition) => Self::Not(Box::new(condition.renamed(rename))),
            Self::Leaf(leaf) => Self::Leaf(Leaf { left: rename(&leaf.left), operator: leaf.operator.clone() }),
        }
    }

    /// Depth of nesting. A comparison alone has depth 1.
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

/// Returns `decisive` if one condition has this value, `neutral` if all have that one, and otherwise an open result.
/// `Pending` takes precedence over `Failed`, because a pending value may still decide.
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
