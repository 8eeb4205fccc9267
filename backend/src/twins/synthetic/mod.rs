//! Placeholder.
use crate::models::personas::NewPersona;
pub fn source(seed: u64) -> String { format!("synthetic, seed {seed}") }
pub fn synthesize(n: usize, seed: u64) -> impl Iterator<Item = NewPersona> { let _ = seed; (0..n).map(|_| NewPersona::default()) }
