//! Figures of a question's answers, computed from their counts.

pub mod counts;
pub mod figures;
pub mod given;
pub mod numbers;
pub mod order;
pub mod variables;
