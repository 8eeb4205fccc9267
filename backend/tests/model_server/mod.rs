//! What the engine makes of everything that a model server can do.

mod encryption;
mod formats;
mod mix;
mod outages;
mod outcomes;
