//! Random moments that can be reproduced.

use std::env;

use rand::SeedableRng;
use rand::rngs::StdRng;

/// A random generator that prints its seed; `TEST_SEED` sets it.
pub fn seeded() -> StdRng {
    let seed = match env::var("TEST_SEED") {
        Ok(seed) => seed.parse().expect("TEST_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("TEST_SEED={seed}");
    StdRng::seed_from_u64(seed)
}
