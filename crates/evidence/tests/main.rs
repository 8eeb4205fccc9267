//! Tests of the statistics against published figures, scipy, statsmodels and ppi-python.

mod aggregates;
mod calibration;
mod compare;
mod diagnostics;
mod ecdf;
mod effects;
mod formula;
mod golden;
mod groups;
mod metrics;
mod rectified;
mod studies;
mod upload;
mod validation;
