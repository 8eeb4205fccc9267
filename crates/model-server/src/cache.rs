//! The cache of prompt prefixes, by the rules that each provider publishes.
//!
//! | server | what is cached | from | for |
//! |---|---|---|---|
//! | OpenAI before GPT-5.6 | every prefix in steps of 128 tokens; writes are free | 1,024 tokens | 5 minutes after the last use, or a day if the request says so |
//! | OpenAI from GPT-5.6 | prefixes up to a mark: the latest three of the request and the end of its newest message, or the latest four | 1,024 tokens | 30 minutes |
//! | Anthropic | prefixes up to a mark, found from a later mark up to 20 blocks away | 512 to 4,096 tokens | 5 minutes or an hour after the last use |
//! | Gemini | every prefix; Google publishes neither steps nor lifetime, so those of OpenAI are taken | 2,048 or 4,096 tokens | 5 minutes |
//! | llama.cpp, vLLM | every prefix | 128 tokens | an hour |
//!
//! OpenAI and Anthropic put the schema of the reply before the prompt, so another schema is another prefix. On local
//! servers the schema is no part of the prompt.

use std::collections::HashMap;
use std::hash::Hasher;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use twox_hash::XxHash64;

use crate::completion::CacheUse;
use crate::request::{Life, Request, Role, Wire};

/// The prefixes that the server caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Caching {
    #[default]
    Off,
    /// The rules of the wire's provider for the model of the request.
    Provider,
    /// The rules of local servers.
    Local,
}

const BYTES_OF_A_TOKEN: usize = 4;
/// Step in which prefixes without marks are cached, in bytes: 128 tokens.
const STEP: usize = 128 * BYTES_OF_A_TOKEN;
/// Maximum number of entries. At the limit all that have expired are dropped, or else all.
const MAX_ENTRIES: usize = 1 << 20;
/// Number of blocks before a mark in which Anthropic looks for an entry.
const LOOKBACK: usize = 20;
/// Number of boundaries, the latest ones, in which OpenAI looks for an entry.
const CONSIDERED: usize = 80;

struct Entry {
    life: Duration,
    until: Instant,
}

#[derive(Default)]
pub struct Caches {
    entries: HashMap<u64, Entry>,
}

/// The end of a part of the prompt, or of a step.
struct Boundary {
    /// Hash of everything up to here.
    prefix: u64,
    bytes: usize,
    mark: Option<Life>,
    ends_message: bool,
}

impl Caches {
    /// Looks the request's prompt up, keeps what it writes, and returns the tokens read and written.
    pub fn use_for(&mut self, request: &Request<'_>, caching: Caching, now: Instant) -> CacheUse {
        if self.entries.len() > MAX_ENTRIES {
            self.entries.retain(|_, entry| entry.until > now);
            if self.entries.len() > MAX_ENTRIES {
                self.entries.clear();
            }
        }
        let model = request.model.as_deref().unwrap_or_default();
        match (caching, request.wire) {
            (Caching::Off, _) => CacheUse::default(),
            (Caching::Local, _) => self.use_steps(&steps(request, ""), 128, Life::OneHour, now),
            (Caching::Provider, Wire::Gemini) => {
                let minimum = if model.contains("gemini-2") { 2_048 } else { 4_096 };
                self.use_steps(&steps(request, ""), minimum, Life::FiveMinutes, now)
            }
            (Caching::Provider, Wire::OpenAi) if !has_marks(model) => {
                let life = request.cache.life.unwrap_or(Life::FiveMinutes);
                self.use_steps(&steps(request, &request.head), 1_024, life, now)
            }
            (Caching::Provider, Wire::OpenAi) => self.use_marks(request, 1_024, now),
            (Caching::Provider, Wire::Anthropic) => self.use_marks(request, minimum_of_claude(model), now),
        }
    }

    fn use_steps(&mut self, steps: &[Boundary], minimum: usize, life: Life, now: Instant) -> CacheUse {
        let from = steps.partition_point(|step| step.bytes < minimum * BYTES_OF_A_TOKEN);
        let known = steps[from..].iter().rposition(|step| self.is_live(step, now));
        for step in &steps[from..] {
            self.keep(step, life, now);
        }
        CacheUse { read: known.map_or(0, |last| tokens(steps[from + last].bytes)), ..CacheUse::default() }
    }

    fn use_marks(&mut self, request: &Request<'_>, minimum: usize, now: Instant) -> CacheUse {
        let boundaries = boundaries(request);
        let marks = marks(request, &boundaries);
        if marks.is_empty() {
            return CacheUse::default();
        }
        let readable = |place: usize| match request.wire {
            // Earlier requests may have ended at any message of this one.
            Wire::OpenAi => {
                place + CONSIDERED >= boundaries.len()
                    && (boundaries[place].mark.is_some() || boundaries[place].ends_message)
            }
            _ => marks.iter().any(|(mark, _)| (*mark + 1).saturating_sub(LOOKBACK) <= place && place <= *mark),
        };
        let read = (0..boundaries.len()).rev().find(|place| readable(*place) && self.is_live(&boundaries[*place], now));
        if let Some(entry) = read.and_then(|place| self.entries.get_mut(&boundaries[place].prefix)) {
            entry.until = now + entry.life;
        }
        let mut used =
            CacheUse { read: read.map_or(0, |place| tokens(boundaries[place].bytes)), ..CacheUse::default() };
        let mut before = used.read;
        for (place, life) in marks {
            let end = tokens(boundaries[place].bytes);
            if end < minimum as u32 || read.is_some_and(|read| place <= read) {
                continue;
            }
            self.keep(&boundaries[place], life, now);
            let written = if life < Life::OneHour { &mut used.written_short } else { &mut used.written_long };
            *written += end - before;
            before = end;
        }
        used
    }

    fn is_live(&self, boundary: &Boundary, now: Instant) -> bool {
        self.entries.get(&boundary.prefix).is_some_and(|entry| entry.until > now)
    }

    fn keep(&mut self, boundary: &Boundary, life: Life, now: Instant) {
        let life = duration(life);
        self.entries.insert(boundary.prefix, Entry { life, until: now + life });
    }
}

/// The marks whose prefixes the request writes, in their order.
fn marks(request: &Request<'_>, boundaries: &[Boundary]) -> Vec<(usize, Life)> {
    let marked = |(place, boundary): (usize, &Boundary)| Some((place, boundary.mark?));
    let mut marks: Vec<(usize, Life)> = boundaries.iter().enumerate().filter_map(marked).collect();
    let most = if request.cache.marks_the_end { 3 } else { 4 };
    marks.drain(..marks.len().saturating_sub(most));
    let end = boundaries.len().saturating_sub(1);
    if request.cache.marks_the_end && marks.last().is_none_or(|(last, _)| *last < end) && !boundaries.is_empty() {
        marks.push((end, request.cache.life.unwrap_or(Life::HalfAnHour)));
    }
    marks
}

fn hasher(request: &Request<'_>) -> XxHash64 {
    let mut hasher = XxHash64::with_seed(request.wire as u64);
    hasher.write(request.model.as_deref().unwrap_or_default().as_bytes());
    hasher.write(b"\n");
    hasher
}

/// The texts of the prompt in their order, each after the name of its role.
fn texts<'a>(request: &'a Request<'a>) -> impl Iterator<Item = (&'static str, &'a str)> {
    request.parts.iter().map(|part| {
        let role = match part.role {
            Role::System => "s",
            Role::User => "u",
            Role::Assistant => "a",
        };
        (role, part.json)
    })
}

/// The ends of the prompt's parts.
fn boundaries(request: &Request<'_>) -> Vec<Boundary> {
    let mut hasher = hasher(request);
    hasher.write(request.head.as_bytes());
    let mut bytes = request.head.len();
    let messages: Vec<usize> = request.parts.iter().map(|part| part.message).collect();
    let ends = texts(request).zip(&request.parts).enumerate().map(|(place, ((role, text), part))| {
        hasher.write(role.as_bytes());
        hasher.write(text.as_bytes());
        bytes += text.len();
        let ends_message = messages.get(place + 1) != Some(&part.message);
        Boundary { prefix: hasher.finish(), bytes, mark: part.mark, ends_message }
    });
    ends.collect()
}

/// The ends of the steps of the prompt after this head.
fn steps(request: &Request<'_>, head: &str) -> Vec<Boundary> {
    let mut hasher = hasher(request);
    let (mut bytes, mut steps) = (0, Vec::new());
    for (role, text) in std::iter::once(("h", head)).chain(texts(request)) {
        hasher.write(role.as_bytes());
        let mut rest = text.as_bytes();
        while bytes % STEP + rest.len() >= STEP {
            let (piece, after) = rest.split_at(STEP - bytes % STEP);
            hasher.write(piece);
            (bytes, rest) = (bytes + piece.len(), after);
            steps.push(Boundary { prefix: hasher.finish(), bytes, mark: None, ends_message: false });
        }
        hasher.write(rest);
        bytes += rest.len();
    }
    steps
}

fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES_OF_A_TOKEN).unwrap_or(u32::MAX)
}

fn duration(life: Life) -> Duration {
    Duration::from_secs(match life {
        Life::FiveMinutes => 5 * 60,
        Life::HalfAnHour => 30 * 60,
        Life::OneHour => 60 * 60,
        Life::TwelveHours => 12 * 60 * 60,
        Life::OneDay => 24 * 60 * 60,
    })
}

/// Whether OpenAI caches the model's prompts at marks: GPT-5.6 and later.
pub fn has_marks(model: &str) -> bool {
    let Some(version) = model.strip_prefix("gpt-") else { return false };
    let digits = version.split(|sign: char| !sign.is_ascii_digit() && sign != '.').next().unwrap_or_default();
    let mut numbers = digits.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (5, 6)
}

/// The length of prefix from which Anthropic caches, in tokens.
fn minimum_of_claude(model: &str) -> usize {
    let is = |names: &[&str]| names.iter().any(|name| model.contains(name));
    if is(&["opus-5", "fable-5", "mythos-5"]) {
        512
    } else if is(&["haiku-4-5", "opus-4-5", "opus-4-6", "opus-4-7"]) {
        4_096
    } else if is(&["haiku-3", "3-haiku", "3-5-haiku"]) {
        2_048
    } else {
        1_024
    }
}

#[cfg(test)]
mod tests;
