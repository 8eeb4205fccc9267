//! The program against a real PostgreSQL: a file for each thing that it can do.

mod access_matrix;
mod configuration;
mod database;
mod exports;
mod ledger;
mod openapi;
mod postgres;
mod serve;
mod support;
mod verify;
