//! The program against a real PostgreSQL: a file for each thing that it can do.

mod configuration;
mod control;
mod database;
mod demo;
mod demo_model;
mod exports;
mod interleavings;
mod ledger;
mod postgres;
mod serve;
mod support;
mod verify;
