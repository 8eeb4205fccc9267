//! The space of traits. Each word is a direction in it, which follows from the word's hash.

use sha2::{Digest, Sha256};

pub const DIMENSIONS: usize = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vector([f64; DIMENSIONS]);

impl Vector {
    /// Eight numbers in -1..1 that depend on the bytes alone.
    pub fn of_bytes(parts: &[&[u8]]) -> Self {
        let digest = digest(parts);
        let mut vector = [0.0; DIMENSIONS];
        for (number, bytes) in vector.iter_mut().zip(digest.chunks_exact(4)) {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            *number = f64::from(i32::from_le_bytes(bytes)) / f64::from(i32::MAX);
        }
        Self(vector)
    }

    /// The mean direction of a text's words, of length 1. Texts that share words have similar directions. Short words
    /// have little weight, and word endings none.
    pub fn of_text(text: &str) -> Self {
        let mut sum = Self::default();
        let lower = text.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3) {
            let stem: String = word.chars().take(6).collect();
            sum.add(&Self::of_bytes(&[stem.as_bytes()]), 1.0);
        }
        if sum == Self::default() {
            sum = Self::of_bytes(&[lower.as_bytes()]);
        }
        sum.normalised()
    }

    pub fn add(&mut self, other: &Self, weight: f64) {
        for (number, other) in self.0.iter_mut().zip(other.0) {
            *number += weight * other;
        }
    }

    pub fn dot(&self, other: &Self) -> f64 {
        self.0.iter().zip(other.0).map(|(a, b)| a * b).sum()
    }

    pub fn normalised(self) -> Self {
        let length = self.dot(&self).sqrt();
        if length > 0.0 { Self(self.0.map(|number| number / length)) } else { self }
    }
}

/// A number in 0..1, evenly distributed, that depends on the bytes alone.
pub fn uniform(parts: &[&[u8]]) -> f64 {
    let digest = digest(parts);
    let bytes = [digest[0], digest[1], digest[2], digest[3]];
    f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
