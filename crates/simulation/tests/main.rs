//! Integration tests of the crate.

mod experiments;
