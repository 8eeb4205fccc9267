//! The program against a real PostgreSQL: a file for each thing that it can do.

mod configuration;
mod control;
mod database;
mod demo;
mod demo_model;
mod exports;
mod floors;
mod interleavings;
mod ledger;
mod limits;
mod model_server;
mod personas;
mod postgres;
mod prompts;
mod serve;
mod simulate;
mod support;
mod verify;
