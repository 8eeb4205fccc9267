//! Held-out validation: what one would ask, starting one, what it found, and what that says of a run.

pub mod calibration;
pub mod figures;
pub mod offer;
pub mod overlaps;
pub mod start;
pub mod trust;
