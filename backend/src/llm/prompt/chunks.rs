//! Which questions go into one call.

use crate::models::questions::Question;

/// The calls that ask the `open` questions, at most `per_call` of them in each.
///
/// The chunks are cut over the whole survey: a question keeps its company whatever else is still open, so that a
/// resumed interview asks as an uninterrupted one would have.
pub fn calls<'a>(questions: &'a [Question], open: &[i64], per_call: u16) -> Vec<Vec<&'a Question>> {
    questions
        .chunks(usize::from(per_call.max(1)))
        .map(|chunk| chunk.iter().filter(|question| open.contains(&question.id)).collect::<Vec<_>>())
        .filter(|chunk| !chunk.is_empty())
        .collect()
}
