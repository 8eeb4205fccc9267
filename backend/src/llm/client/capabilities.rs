//! The parts of a request that the server accepts, as far as its refusals have shown, and what its models do.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use simulation::parameters::Parameters;
use simulation::wire::Wire;

use crate::llm::prompt::{Dialect, ModelParameter, OmittedParameters, RequestPart, Sampling};

/// Starts with every part and only ever loses some. Shared by all threads, so that one refusal is enough for all.
#[derive(Debug)]
pub struct ServerCapabilities {
    dialect: Mutex<Dialect>,
    models: Mutex<KnownModels>,
}

/// The server's models, as refusals and replies have shown them.
#[derive(Debug, Default)]
struct KnownModels {
    /// Parameters that a model does not take with this value.
    refused: BTreeSet<(String, ModelParameter, String)>,
    /// Models whose replies had reasoning.
    reasoning: BTreeSet<String>,
    /// Refusals that were not taken yet.
    news: Vec<ModelRefusal>,
}

/// A value of a parameter that a model did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRefusal {
    pub model: String,
    pub parameter: &'static str,
    /// Empty: any value.
    pub value: String,
}

impl ServerCapabilities {
    /// Nothing is known yet of the server, which speaks this API.
    pub fn new(wire: Wire) -> Self {
        Self { dialect: Mutex::new(Dialect::of(wire)), models: Mutex::default() }
    }

    pub fn dialect(&self) -> Dialect {
        *locked(&self.dialect)
    }

    /// The parameters of a run that its model does not take.
    pub fn refused(&self, parameters: &Parameters) -> OmittedParameters {
        let models = locked(&self.models);
        if models.refused.is_empty() {
            return OmittedParameters::default();
        }
        let sampling = Sampling::new(parameters, Dialect::default(), 0);
        let is_refused = |parameter: &ModelParameter| {
            let value = sampling.value(*parameter);
            value.is_some_and(|value| models.refused.contains(&(parameters.model.clone(), *parameter, value)))
        };
        ModelParameter::ALL.into_iter().filter(is_refused).collect()
    }

    /// Records that the model does not take this parameter with this value.
    pub fn note_refusal(&self, model: &str, parameter: ModelParameter, value: String) {
        let name = parameter.name();
        let mut models = locked(&self.models);
        if models.refused.insert((model.to_owned(), parameter, value.clone())) {
            tracing::info!(model, parameter = name, "the model does not take a parameter");
            models.news.push(ModelRefusal { model: model.to_owned(), parameter: name, value });
        }
    }

    /// Records that the server refused the seed in a call of this model.
    pub fn note_refused_seed(&self, model: &str) {
        let refusal = ModelRefusal { model: model.to_owned(), parameter: "seed", value: String::new() };
        let mut models = locked(&self.models);
        if !models.news.contains(&refusal) {
            models.news.push(refusal);
        }
    }

    /// Returns what was refused since the last call of this.
    pub fn take_refusals(&self) -> Vec<ModelRefusal> {
        std::mem::take(&mut locked(&self.models).news)
    }

    /// Whether a reply of this model had reasoning.
    pub fn reasons(&self, model: &str) -> bool {
        locked(&self.models).reasoning.contains(model)
    }

    /// Records that a reply of this model had reasoning.
    pub fn note_reasoning(&self, model: &str) {
        if !self.reasons(model) {
            locked(&self.models).reasoning.insert(model.to_owned());
        }
    }

    /// Records that the server refused this part of a request in the dialect `sent`. Returns false if nothing simpler is left
    /// to try. Any number of refusals of requests in the same dialect simplify it once.
    pub fn simplify(&self, sent: Dialect, part: RequestPart) -> bool {
        // What a model does not take is no matter of the server.
        let of_server = Dialect { omitted: OmittedParameters::default(), ..sent };
        let Some(simpler) = of_server.without(part) else { return false };
        let mut current = locked(&self.dialect);
        // Some runs send less of the other parts than the server accepts.
        let next = current.common(current.with_part_of(simpler, part));
        if next != *current {
            tracing::info!(dialect = ?next, "the model server refused a part of the request; sending requests without it");
            *current = next;
        }
        true
    }
}

/// A poisoned lock is no harm: values are replaced and inserted as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
