//! The program against a real PostgreSQL: a file for each thing that it can do.

mod access_matrix;
mod access_requests;
mod account;
mod configuration;
mod control;
mod database;
mod demo;
mod demo_model;
mod exports;
mod floors;
mod groups;
mod headers;
mod interleavings;
mod ledger;
mod limits;
mod model_server;
mod openapi;
mod personas;
mod postgres;
mod prompts;
mod serve;
mod sign_in;
mod simulate;
mod support;
mod transactions;
mod verify;
