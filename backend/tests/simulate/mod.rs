//! `twinlab simulate` as a stranger's script uses it.

mod abandoned;
mod bad_input;
mod encryption;
mod endings;
mod studies;
