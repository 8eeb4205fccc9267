//! Renaming: a name of a question, a field, an arm or a block changes, and everything that reads it follows.

mod walk;

#[cfg(test)]
mod tests;

use crate::flow::{Design, Node, all_nodes};
use crate::plan::names::check_label;
use crate::question::Question;
use crate::question::names::{self, QuestionNames};

/// A renaming. The inverse has `from` and `to` exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rename {
    Question {
        from: String,
        /// `None`: made from the question's text.
        to: Option<String>,
    },
    /// A field that is set, or a random node: conditions and texts read both as fields.
    Field { from: String, to: String },
    /// An arm of a random node.
    Arm {
        /// The name of the node.
        random: String,
        from: String,
        to: String,
    },
    /// A block, at all places where it is asked.
    Block {
        /// The names of its questions, which tell it from another block of the same name.
        questions: Vec<String>,
        from: String,
        to: String,
    },
}

/// Why a name does not change. The message names the field.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameRefusal {
    #[error("from: there is no {0}")]
    Unknown(String),
    #[error("to: a name {0}")]
    BadName(String),
    /// Another question has the name.
    #[error("to: question {order} is called “{name}” already")]
    QuestionTaken { name: String, order: i32 },
    #[error("to: {0}")]
    Taken(String),
}

impl Rename {
    /// Applies the renaming to the questions of a survey and to its design. Fails, and changes nothing, if nothing has the old name, or
    /// the new one is taken or not allowed.
    pub fn apply(&self, questions: &mut [Question], design: &mut Design) -> Result<(), RenameRefusal> {
        let rename = self.with_made_name(questions)?;
        rename.check(questions, design)?;
        rename.walk(questions, design);
        Ok(())
    }

    /// Returns the renaming with a name in `to`.
    fn with_made_name(&self, questions: &[Question]) -> Result<Self, RenameRefusal> {
        let Self::Question { from, to: None } = self else { return Ok(self.clone()) };
        let question = find(questions, from)?;
        let mut names = QuestionNames::of_survey();
        for other in questions.iter().filter(|other| other.name != *from) {
            names.take(&other.name);
        }
        let to = names.made_from(&question.text, &format!("q{}", question.order));
        Ok(Self::Question { from: from.clone(), to: Some(to) })
    }

    fn check(&self, questions: &[Question], design: &Design) -> Result<(), RenameRefusal> {
        let unknown = |what: String| Err(RenameRefusal::Unknown(what));
        let taken = |what: String| Err(RenameRefusal::Taken(what));
        let nodes = all_nodes(&design.flow);
        match self {
            Self::Question { from, to } => {
                let to = to.as_deref().unwrap_or_default();
                names::check(to).map_err(RenameRefusal::BadName)?;
                let question = find(questions, from)?;
                let mut others = questions.iter().filter(|other| other.name != question.name);
                let other = others.find(|other| other.name.eq_ignore_ascii_case(to));
                other.map_or(Ok(()), |Question { name, order, .. }| {
                    Err(RenameRefusal::QuestionTaken { name: name.clone(), order: *order })
                })
            }
            Self::Field { from, to } => {
                names::check(to).map_err(RenameRefusal::BadName)?;
                let is_named = |name: &str| {
                    let random = nodes.iter().any(|node| matches!(node, Node::Random(random) if random.name == name));
                    let set = nodes.iter().any(|node| matches!(node, Node::Set(set) if set.set.contains_key(name)));
                    (random, set)
                };
                match (from == to, is_named(from), is_named(to)) {
                    (_, (false, false), _) => unknown(format!("field “{from}”")),
                    (false, _, (true, _)) => taken(format!("random node “{to}” has the name already")),
                    (false, _, (_, true)) => taken(format!("field “{to}” is set already")),
                    _ => Ok(()),
                }
            }
            Self::Arm { random, from, to } => {
                check_label(to).map_err(RenameRefusal::BadName)?;
                let arms: Vec<&str> = nodes
                    .iter()
                    .filter_map(|node| if let Node::Random(node) = node { Some(node) } else { None })
                    .filter(|node| node.name == *random)
                    .flat_map(|node| node.of.iter().map(|arm| arm.arm.as_str()))
                    .collect();
                match (arms.contains(&from.as_str()), from != to && arms.contains(&to.as_str())) {
                    (false, _) => unknown(format!("arm “{from}” of random node “{random}”")),
                    (_, true) => taken(format!("another arm of random node “{random}” is called “{to}” already")),
                    _ => Ok(()),
                }
            }
            Self::Block { questions, from, to } => {
                check_label(to).map_err(RenameRefusal::BadName)?;
                let blocks =
                    || nodes.iter().filter_map(|node| if let Node::Block(block) = node { Some(block) } else { None });
                let is_there = blocks().any(|block| block.name == *from && block.questions == *questions);
                match (is_there, from != to && blocks().any(|block| block.name == *to)) {
                    (false, _) => unknown(format!("block “{from}” with these questions")),
                    (_, true) => taken(format!("another block is called “{to}” already")),
                    _ => Ok(()),
                }
            }
        }
    }
}

fn find<'a>(questions: &'a [Question], name: &str) -> Result<&'a Question, RenameRefusal> {
    let found = questions.iter().find(|question| question.name == name);
    found.ok_or_else(|| RenameRefusal::Unknown(format!("question “{name}”")))
}
