//! The engine's reaction to all behaviour of a model server.

mod bills;
mod checks;
mod distributions;
mod encryption;
mod formats;
mod known;
mod lengths;
mod mix;
mod outages;
mod outcomes;
mod parameters;
mod servers;
mod streams;
mod tokens;
mod wires;
