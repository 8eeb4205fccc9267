//! Held-out validation: twins answer questions that the people behind them answered twice and that the twins do not
//! know.
//!
//! [`tasks`] says what is scored, [`survey`] makes the survey, [`guard`] looks for answers that leaked into profiles,
//! [`figures`] sets the answers of a study's runs beside both waves, [`verdicts`] says what follows, [`record`] what files keep; [`right_answers`] says which answers are right.

pub mod calibration;
pub mod figures;
pub mod guard;
pub mod overlap;
pub mod own_answers;
pub mod record;
pub mod right_answers;
pub mod set;
pub mod survey;
pub mod tasks;
pub mod verdicts;
