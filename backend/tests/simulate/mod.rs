//! `twinlab simulate` as a stranger's script uses it.

mod bad_input;
mod endings;
