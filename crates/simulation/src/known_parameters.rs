//! Parameters of calls that not every model acts on: what is known of a model, and what a run says of its own calls.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why calls were sent without a parameter, in runs that do not say more.
const REFUSED: &str = "the model server refused it by name";

/// Effect of a parameter at a model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterEffect {
    /// Replies follow it.
    Works,
    /// Replies do not follow it, although it is taken.
    WithoutEffect,
    /// A call that has it is refused.
    NotTaken,
}

impl ParameterEffect {
    /// The effect for people, after words such as `the check found that`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Works => "it works",
            Self::WithoutEffect => "it has no effect",
            Self::NotTaken => "it is not taken",
        }
    }
}

/// Values of a parameter, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterValues {
    Any,
    Only(Vec<String>),
    Except(Vec<String>),
}

impl ParameterValues {
    fn contain(&self, value: &str) -> bool {
        let is_listed = |list: &[String]| list.iter().any(|listed| listed == value);
        match self {
            Self::Any => true,
            Self::Only(list) => is_listed(list),
            Self::Except(list) => !is_listed(list),
        }
    }
}

/// A known effect of a parameter of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownParameter {
    /// Name as the list of what was not sent has it, for example `reasoning_effort`.
    pub name: String,
    pub values: ParameterValues,
    pub effect: ParameterEffect,
}

impl KnownParameter {
    pub fn new(name: impl Into<String>, values: ParameterValues, effect: ParameterEffect) -> Self {
        Self { name: name.into(), values, effect }
    }
}

/// Known effects of a model's parameters, each with the words that say how it is known. Earlier entries overrule later ones.
#[derive(Clone, Debug, Default)]
pub struct ModelKnowledge(Vec<(KnownParameter, String)>);

impl ModelKnowledge {
    /// Adds what is known from a further source, which earlier ones overrule. `how`: for example `the check of 2026-11-28
    /// found`.
    pub fn add(&mut self, known: impl IntoIterator<Item = KnownParameter>, how: &str) {
        self.0.extend(known.into_iter().map(|known| (known, how.to_owned())));
    }

    /// The effect of this value of a parameter, and how it is known. `None`: nothing is known of it.
    pub fn find(&self, name: &str, value: &str) -> Option<(ParameterEffect, &str)> {
        let of_value = |(known, _): &&(KnownParameter, String)| known.name == name && known.values.contain(value);
        self.0.iter().find(of_value).map(|(known, how)| (known.effect, how.as_str()))
    }
}

/// A parameter of a run that replies do not follow, as it was known at the run's start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InactiveParameter {
    #[schema(example = "seed")]
    pub name: String,
    /// Whether calls have it.
    #[schema(example = true)]
    pub sent: bool,
    /// How this is known.
    #[schema(example = "the check of 2026-11-28 found that it has no effect")]
    pub reason: String,
}

/// The parameters of a run's calls that replies do not follow: those that calls were sent without, and those that were sent and
/// had no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InactiveParameters {
    not_sent: Vec<(String, Option<String>)>,
    without_effect: Vec<(String, String)>,
}

impl InactiveParameters {
    /// Combines what was known at the start with the parameters that calls turned out to be sent without.
    pub fn new(known: &[InactiveParameter], left_out: &[String]) -> Self {
        let mut all = Self::default();
        let reason = |name: &str| known.iter().find(|known| !known.sent && known.name == name);
        let unsent =
            known.iter().filter(|known| !known.sent && !left_out.contains(&known.name)).map(|known| &known.name);
        let named = |name: &String| (name.clone(), reason(name).map(|known| known.reason.clone()));
        all.not_sent = left_out.iter().chain(unsent).map(named).collect();
        let sent = known.iter().filter(|known| known.sent && all.is_sent(&known.name));
        all.without_effect = sent.map(|known| (known.name.clone(), known.reason.clone())).collect();
        all
    }

    /// Whether calls have the parameter.
    pub fn is_sent(&self, name: &str) -> bool {
        !self.not_sent.iter().any(|(known, _)| known == name)
    }

    /// Names of the parameters that calls were sent without.
    pub fn not_sent(&self) -> Vec<&str> {
        self.not_sent.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Names of the parameters that were sent and had no effect.
    pub fn without_effect(&self) -> Vec<&str> {
        self.without_effect.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The parameters that calls were sent without, each group with its reason. Empty: there is none.
    pub fn not_sent_in_words(&self) -> String {
        grouped(self.not_sent.iter().map(|(name, reason)| (name.as_str(), reason.as_deref().unwrap_or(REFUSED))))
    }

    /// The parameters that were sent without effect, each group with the way in which that is known. Empty: there is none.
    pub fn without_effect_in_words(&self) -> String {
        grouped(self.without_effect.iter().map(|(name, reason)| (name.as_str(), reason.as_str())))
    }

    /// How it is known that calls were sent without a parameter that the run sets; `None`: the server refused it.
    pub fn reason(&self, name: &str) -> Option<&str> {
        self.not_sent.iter().find(|(known, _)| known == name)?.1.as_deref()
    }

    /// Words after the seed where it did not reach the model; empty where it did, or may have.
    pub fn after_seed(&self) -> &'static str {
        match (self.is_sent("seed"), self.without_effect().contains(&"seed")) {
            (false, _) => " (not sent to the model)",
            (true, true) => " (sent to the model without effect)",
            (true, false) => "",
        }
    }
}

/// Joins names with the same reason, for example `seed, temperature (the model server refused it by name)`.
fn grouped<'a>(parameters: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in parameters {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    let group = |(reason, names): (&str, Vec<&str>)| format!("{} ({reason})", names.join(", "));
    groups.into_iter().map(group).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inactive(name: &str, sent: bool) -> InactiveParameter {
        InactiveParameter {
            name: name.to_owned(),
            sent,
            reason: "the check of 2026-11-28 found that it has no effect".to_owned(),
        }
    }

    #[test]
    fn an_earlier_source_overrules_a_later_one_for_the_values_that_it_knows() {
        use ParameterEffect::{NotTaken, WithoutEffect, Works};
        let only = |value: &str| ParameterValues::Only(vec![value.to_owned()]);
        let mut knowledge = ModelKnowledge::default();
        knowledge.add([KnownParameter::new("reasoning_effort", only("low"), Works)], "the file says");
        let checked = [
            KnownParameter::new("reasoning_effort", ParameterValues::Any, NotTaken),
            KnownParameter::new("temperature", ParameterValues::Except(vec!["1".to_owned()]), WithoutEffect),
        ];
        knowledge.add(checked, "the check found");
        assert_eq!(knowledge.find("reasoning_effort", "low"), Some((Works, "the file says")));
        assert_eq!(knowledge.find("reasoning_effort", "high"), Some((NotTaken, "the check found")));
        assert_eq!(knowledge.find("temperature", "0.5"), Some((WithoutEffect, "the check found")));
        assert_eq!((knowledge.find("temperature", "1"), knowledge.find("verbosity", "low")), (None, None));
    }

    #[test]
    fn what_was_not_sent_and_what_had_no_effect_are_told_apart() {
        let left_out = ["maxLength".to_owned(), "temperature".to_owned()];
        let known = [inactive("temperature", false), inactive("verbosity", false), inactive("seed", true)];
        let all = InactiveParameters::new(&known, &left_out);
        assert_eq!(all.not_sent(), ["maxLength", "temperature", "verbosity"]);
        assert_eq!(
            all.not_sent_in_words(),
            "maxLength (the model server refused it by name); temperature, verbosity (the check of 2026-11-28 found that \
             it has no effect)"
        );
        assert_eq!(all.without_effect_in_words(), "seed (the check of 2026-11-28 found that it has no effect)");
        assert_eq!(all.after_seed(), " (sent to the model without effect)");
        assert!(all.is_sent("seed") && !all.is_sent("verbosity"));
    }

    #[test]
    fn a_parameter_that_was_refused_after_all_is_not_said_to_have_been_sent() {
        let all = InactiveParameters::new(&[inactive("seed", true)], &["seed".to_owned()]);
        assert_eq!((all.not_sent(), all.without_effect().len()), (vec!["seed"], 0));
        assert_eq!(all.after_seed(), " (not sent to the model)");
        let none = InactiveParameters::new(&[], &[]);
        assert_eq!((none.not_sent_in_words(), none.without_effect_in_words()), (String::new(), String::new()));
    }
}
