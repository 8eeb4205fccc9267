//! What the bench and the tests of twinlab share: the inputs of the workloads, and what processes cost.

pub mod inputs;
pub mod process;
