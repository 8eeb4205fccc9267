//! `replies/raw.jsonl`: what the model replied to each call, of a run that keeps it, and whether the checked answers follow
//! from it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::iter::Peekable;
use std::path::Path;

use ::bundle::io::JsonLines;
use ::bundle::paths::RAW;
use ::bundle::record;
use ::bundle::replay::ReadAgain;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use simulation::answers::{Answer, RequestOutcome};
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::wire::Wire;
use survey::hex::hex;
use survey::question::Question;

use super::{asked, calls};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::prompt::Recipe;
use crate::llm::{CheckedAnswer, ProviderApi, StopReason, is_refused};
use crate::models::call_replies::{self, CallReply, ModelReply};
use crate::results::prompt::KnownInterview;

/// Replies that are read at a time, at most.
const MAX_REPLIES_READ: i64 = 1_000;

/// A line of the file, sorted by twin and time.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawReply {
    persona_id: i32,
    /// SHA-256 of the request's body, as hex.
    prompt_hash: String,
    received_at: DateTime<Utc>,
    #[serde(flatten)]
    reply: ModelReply,
}

/// Writes the file to `path`, if replies were kept.
pub(super) async fn write(pool: &AsyncPool, run: &Run, path: &Path) -> Result<()> {
    let failure = |error: std::io::Error| Error::internal(format!("{RAW}: {error}"));
    let mut lines = JsonLines::where_needed(path);
    let mut after: Option<CallReply> = None;
    loop {
        let page = db::in_time(async {
            let mut conn = db::checkout(pool).await?;
            Ok(call_replies::page(&mut conn, run.facts.id, after.as_ref(), MAX_REPLIES_READ).await?)
        });
        let page: Vec<CallReply> = page.await?;
        if page.is_empty() {
            break;
        }
        for kept in &page {
            let (persona_id, prompt_hash) = (kept.persona_id, hex(&kept.prompt_hash));
            let line = RawReply { persona_id, prompt_hash, received_at: kept.received_at, reply: kept.reply()? };
            lines.write(&line).map_err(failure)?;
        }
        after = page.into_iter().next_back();
    }
    lines.end().map_err(failure)
}

/// Reads all replies again with the checks of answers. `None`: none were kept.
pub(super) fn read_again(folder: &Path) -> Result<Option<ReadAgain>> {
    let path = folder.join(RAW);
    if !path.is_file() {
        return Ok(None);
    }
    let run = record::run(folder)?;
    let recipes = calls::read(folder)?;
    let lines = Lines { reader: BufReader::new(File::open(path).map_err(|error| wrong(&error))?), at: 0 };
    let mut lines = lines.peekable();
    let mut found = ReadAgain { answers: 0, differs_at: None };
    for page in record::interviews(&run, folder)? {
        for interview in page? {
            let (place, replies) = of_twin(&mut lines, interview.persona.id)?;
            let (answers, differs_at) = compare(&run, &interview, place, &replies, &recipes)?;
            found.answers += answers;
            found.differs_at = found.differs_at.or(differs_at);
        }
    }
    Ok(Some(found))
}

/// A reply, and where its line begins.
type Placed = (u64, RawReply);

struct Lines<R> {
    reader: R,
    at: u64,
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Placed>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        let at = self.at;
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(read) => {
                self.at += read as u64;
                Some(serde_json::from_str(&line).map(|reply| (at, reply)).map_err(|error| wrong(&error)))
            }
            Err(error) => Some(Err(wrong(&error))),
        }
    }
}

/// The replies to this twin, and where they begin or would begin.
fn of_twin<R: BufRead>(lines: &mut Peekable<Lines<R>>, persona_id: i32) -> Result<(u64, Vec<Placed>)> {
    let (mut place, mut replies) = (0, Vec::new());
    while let Some(line) = lines.next_if(|line| line.as_ref().map_or(true, |(_, reply)| reply.persona_id <= persona_id))
    {
        let (at, reply) = line?;
        place = at;
        if reply.persona_id == persona_id {
            replies.push((at, reply));
        }
    }
    Ok((replies.first().map_or(place, |(at, _)| *at), replies))
}

/// Answers that were compared, and the place of the first reply that does not give the stored one.
fn compare(
    run: &Run,
    of: &InterviewOutcomes,
    place: u64,
    replies: &[Placed],
    recipes: &HashMap<String, Recipe>,
) -> Result<(u64, Option<u64>)> {
    let standing = asked::standing(of)?;
    let known = KnownInterview { persona_id: of.persona.id, standing: standing.as_ref() };
    let (mut answers, mut differs_at) = (0, None);
    for prompt in asked::prompts(of) {
        let Some(question) = prompt.first_question(run) else { continue };
        let hash = hex(prompt.hash);
        let mut at = place;
        let mut read = Vec::new();
        for (line, RawReply { reply, .. }) in replies.iter().filter(|(_, reply)| reply.prompt_hash == hash) {
            at = *line;
            let content = reply.content.as_deref().unwrap_or_default();
            let recipe = recipes.get(&hash).cloned();
            let wire = recipe.as_ref().map_or(run.parameters.wire, Recipe::wire);
            if let Some(checked) =
                known.read_reply(run, question.id, recipe, content).filter(|_| is_complete(reply, wire))
            {
                read.push((&reply.model, checked));
            }
        }
        for place in prompt.places {
            let Some(RequestOutcome::Answered(answer, Some(provenance))) = of.outcomes.get(place) else { continue };
            answers += 1;
            let gives = |(model, checked): &(&String, HashMap<i64, CheckedAnswer>)| {
                **model == provenance.model
                    && checked
                        .get(&answer.question_id)
                        .is_some_and(|given| is_same(given, answer, &run.questions[place]))
            };
            if !read.iter().any(gives) {
                differs_at = differs_at.or(Some(at));
            }
        }
    }
    Ok((answers, differs_at))
}

/// Neither refused nor cut off.
fn is_complete(reply: &ModelReply, wire: Wire) -> bool {
    let reason = ProviderApi::from(wire).stop_reason(reply.finish_reason.as_deref());
    !is_refused(reply.refusal.as_deref(), reason) && reason != StopReason::TokenLimit
}

fn is_same(given: &CheckedAnswer, stored: &Answer, question: &Question) -> bool {
    given.text == stored.answer && stored.answer_value.decode(question).is_ok_and(|value| given.answer == value)
}

fn wrong(error: &dyn std::fmt::Display) -> Error {
    Error::bad_input(format!("{RAW}: {error}"))
}
