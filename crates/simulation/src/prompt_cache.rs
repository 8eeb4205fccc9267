//! How providers cache prompts, and what that means for a run.

use crate::model_options::PromptCache;
use crate::parameters::{Parameters, PersonaVariant};
use crate::wire::Wire;

/// A run among the runs of its study that send the same texts of twins to the same model. Each twin's calls in these runs
/// follow one another, so that the later ones find its text in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTexts {
    /// Number of these runs.
    pub runs: i64,
    /// Number of those that ask a twin before this one.
    pub earlier: i64,
    /// Whether one of the earlier ones sends the same prompts to the end.
    pub is_repeat: bool,
}

impl Default for SharedTexts {
    /// A run that shares its texts with no other.
    fn default() -> Self {
        Self { runs: 1, earlier: 0, is_repeat: false }
    }
}

impl SharedTexts {
    /// The run at this place among the runs of a study.
    pub fn of(cells: &[Parameters], place: usize) -> Self {
        let Some(run) = cells.get(place) else { return Self::default() };
        let sharing = |cells: &[Parameters]| cells.iter().filter(|cell| shares_texts(cell, run)).count() as i64;
        let asked = |run: &Parameters| (run.arms(), run.of_walk().option_order);
        let earlier = &cells[..place];
        Self {
            runs: sharing(cells).max(1),
            earlier: sharing(earlier),
            is_repeat: earlier.iter().any(|cell| shares_texts(cell, run) && asked(cell) == asked(run)),
        }
    }
}

/// Whether calls of these runs begin with the same text if they ask the same twin, and find it in one cache.
pub fn shares_texts(one: &Parameters, other: &Parameters) -> bool {
    let prefix = |run: &Parameters| (run.wire, run.persona_variant, run.answer_mode, run.batch);
    one.server() == other.server() && one.model == other.model && prefix(one) == prefix(other) && !one.batch
}

/// Whether the run pays less for a twin's text if another call has left it in the cache.
pub fn pays_less_for_cached_texts(run: &Parameters) -> bool {
    !run.batch && (run.prompt_cache == Some(PromptCache::Twin) || caches_in_steps(run.wire))
}

/// The use of the cache that costs least in a run with these parameters. `has_several_calls`: a twin's text is sent
/// more than once within the cache's life.
/// `None`: what the model server does by itself.
pub fn cheapest_cache(parameters: &Parameters, has_several_calls: bool) -> Option<PromptCache> {
    let Parameters { wire, model, persona_variant, batch, .. } = parameters;
    if !caches_at_marks(*wire, model) {
        return None;
    }
    let has_text = !matches!(persona_variant, PersonaVariant::Demographics | PersonaVariant::Empty);
    match wire {
        // The calls of a twin are in different batches, hours apart.
        _ if has_several_calls && has_text && !batch => Some(PromptCache::Twin),
        Wire::OpenAi => Some(PromptCache::Off),
        // Nothing is kept without a mark.
        Wire::Anthropic | Wire::Gemini => None,
    }
}

/// Whether the model's prompts are cached up to marks alone.
pub fn caches_at_marks(wire: Wire, model: &str) -> bool {
    match wire {
        Wire::OpenAi => is_gpt_from(model, (5, 6)),
        Wire::Anthropic => true,
        Wire::Gemini => false,
    }
}

/// Whether the end of each prompt is a mark by itself.
pub fn marks_the_end(wire: Wire, model: &str) -> bool {
    wire == Wire::OpenAi && caches_at_marks(wire, model)
}

/// Whether the model's prompts are cached in steps from their beginning, without the schema of the answers.
pub fn caches_in_steps(wire: Wire) -> bool {
    match wire {
        Wire::OpenAi | Wire::Anthropic => false,
        Wire::Gemini => true,
    }
}

/// The length of prefix from which the model's prompts are cached, in tokens.
pub fn shortest_prefix(wire: Wire, model: &str) -> i64 {
    let is = |names: &[&str]| names.iter().any(|name| model.contains(name));
    match wire {
        Wire::Gemini if is(&["gemini-2"]) => 2_048,
        Wire::Gemini => 4_096,
        Wire::Anthropic if is(&["opus-5", "fable-5", "mythos-5"]) => 512,
        Wire::Anthropic if is(&["haiku-4-5", "opus-4-5", "opus-4-6", "opus-4-7"]) => 4_096,
        Wire::OpenAi | Wire::Anthropic => 1_024,
    }
}

/// Whether a model of OpenAI has this version or a later one, by its name.
fn is_gpt_from(model: &str, version: (u32, u32)) -> bool {
    let Some(rest) = model.strip_prefix("gpt-") else { return false };
    let digits = rest.split(|sign: char| !sign.is_ascii_digit() && sign != '.').next().unwrap_or_default();
    let mut numbers = digits.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_that_cache_at_marks_are_told_what_to_keep() {
        for (model, at_marks) in [
            ("gpt-5.6", true),
            ("gpt-5.6-luna", true),
            ("gpt-6-luna", true),
            ("gpt-6.2-sol-2026-11-17", true),
            ("gpt-10", true),
            ("gpt-5.5", false),
            ("gpt-5-mini", false),
            ("gpt-4.1-mini", false),
            ("gpt-4o", false),
            ("gpt-oss-120b", false),
            ("llama-3.3-70b", false),
            ("openai/gpt-6-luna", false),
        ] {
            assert_eq!(caches_at_marks(Wire::OpenAi, model), at_marks, "{model}");
        }
        assert_eq!(cheapest_cache(&Parameters::new("gpt-4.1-mini", 1, 20), true), None);
    }

    #[test]
    fn a_twins_text_is_kept_if_it_is_read_again_soon_and_long_enough() {
        let newest = Parameters::new("gpt-6-luna", 1, 20);
        assert_eq!(cheapest_cache(&newest, true), Some(PromptCache::Twin));
        assert_eq!(cheapest_cache(&newest, false), Some(PromptCache::Off));
        let batch = Parameters { batch: true, ..newest.clone() };
        assert_eq!(cheapest_cache(&batch, true), Some(PromptCache::Off));
        let claude = Parameters { wire: Wire::Anthropic, ..Parameters::new("claude-haiku-5-5", 1, 20) };
        assert_eq!(cheapest_cache(&claude, true), Some(PromptCache::Twin));
        assert_eq!(cheapest_cache(&claude, false), None, "without a mark nothing is kept");
        let gemini = Parameters { wire: Wire::Gemini, ..Parameters::new("gemini-4-hydrogen", 1, 20) };
        assert_eq!(cheapest_cache(&gemini, true), None);
        let short = Parameters { persona_variant: PersonaVariant::Demographics, ..newest };
        assert_eq!(cheapest_cache(&short, true), Some(PromptCache::Off));
    }
}
