//! Statistics that set the answers of digital twins beside those of people. Nothing here knows a database, the network or
//! the time: the same answers and the same seed give the same numbers on any machine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`metrics`] | how close twins are to people: one formula a metric |
//! | [`intervals`], [`multiplicity`], [`weights`] | bootstrap over people, many tests at once, raking |
//! | [`effects`], [`regression`] | contrasts of arms, coefficients, and whether twins and people agree on them |
//! | [`formula`] | outcomes that are computed from several questions |
//! | [`groups`] | whether groups answer a question differently: one test a part, its effect and its adjusted p |
//! | [`reliability`], [`baselines`], [`ridge`] | ceilings, repeats, and what no language model at all would reach |
//! | [`calibration`] | repeated answers as forecasts: scores and the chart of what came true |
//! | [`compare`] | all of it for the items of a survey: the table of a comparison |
//! | [`aggregates`] | counts of answers, what follows from them alone, and which of them tell too much |
//! | [`rectified`] | PPI++: estimates from few people and many twins |
//! | [`planner`], [`power`] | how many people and twins a study takes, by formulas and by simulation |
//! | [`validation`] | twins, baselines and ceiling against answers that were held out |
//! | [`diagnostics`] | what a run's answers ought to look like |
//! | [`people`], [`options`] | all of this for people's answers and twins, and what is chosen for it |
//! | [`rows`] | every figure as a row of one table |
//! | [`upload`] | files of people's answers: CSV, SPSS and Stata, columns to items, cells to values |
//!
//! `docs/evidence.md` explains each figure to a reader who is no statistician.

pub mod aggregates;
pub mod baselines;
pub mod calibration;
pub mod categories;
pub mod compare;
pub mod diagnostics;
pub mod distributions;
pub mod ecdf;
pub mod effects;
mod factors;
pub mod formula;
pub mod groups;
pub mod intervals;
mod linear;
pub mod metrics;
pub mod multiplicity;
mod noncentral;
pub mod options;
pub mod people;
pub mod planner;
pub mod power;
pub mod quantiles;
pub mod rectified;
pub mod regression;
pub mod reliability;
pub mod ridge;
pub mod rows;
pub mod sample;
pub mod upload;
pub mod validation;
pub mod weights;
