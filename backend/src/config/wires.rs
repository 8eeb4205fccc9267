//! The providers of the APIs: their addresses, and the models that are asked where none is named.

use simulation::wire::Wire;

/// Address of the provider's own server.
pub fn address(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "https://api.openai.com/v1",
        Wire::Anthropic => "https://api.anthropic.com",
        Wire::Gemini => "https://generativelanguage.googleapis.com",
    }
}

/// A model of the provider that costs little.
pub fn model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "gpt-4.1-mini",
        Wire::Anthropic => "claude-haiku-5-5",
        Wire::Gemini => "gemini-3.5-flash-lite",
    }
}
