//! The program against a real PostgreSQL: a file for each thing that it can do.

mod access_matrix;
mod access_requests;
mod account;
mod configuration;
mod database;
mod exports;
mod ledger;
mod openapi;
mod postgres;
mod serve;
mod sign_in;
mod support;
mod verify;
