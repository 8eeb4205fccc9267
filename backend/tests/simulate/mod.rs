//! `twinlab simulate` as a script uses it.

mod abandoned;
mod bad_input;
mod encryption;
mod endings;
mod studies;
mod wires;
