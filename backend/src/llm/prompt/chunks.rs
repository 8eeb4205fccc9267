//! Cuts a plain survey into calls.

use std::iter;

use survey::question::Question;

/// The calls that ask the `open` questions, at most `per_call` of them in each.
///
/// The survey as a whole is cut into chunks, so that a question's neighbours do not depend on what is still open: a
/// resumed interview asks as an uninterrupted one would have. Texts without an answer do not count. Each call is cut when
/// it is due, because thousands of interviews at once would each keep a list of all their calls.
pub fn calls<'a>(questions: &'a [Question], open: &'a [i64], per_call: u16) -> impl Iterator<Item = Vec<&'a Question>> {
    let mut requests = questions.iter().filter(|question| question.is_request());
    let mut chunk = move || requests.by_ref().take(usize::from(per_call.max(1))).collect::<Vec<_>>();
    iter::from_fn(move || Some(chunk()).filter(|chunk| !chunk.is_empty()))
        .map(|chunk| chunk.into_iter().filter(|question| open.contains(&question.id)).collect::<Vec<_>>())
        .filter(|call| !call.is_empty())
}
