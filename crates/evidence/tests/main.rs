//! The statistics against published figures, scipy, statsmodels and ppi-python.

mod metrics;
