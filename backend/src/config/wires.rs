//! The providers of the APIs: their addresses, and the models that are asked where none is named.

use simulation::wire::Wire;

/// Address of the provider's own server.
pub fn address(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "https://api.openai.com/v1",
    }
}

/// A model of the provider that costs little.
pub fn model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "gpt-4.1-mini",
    }
}
