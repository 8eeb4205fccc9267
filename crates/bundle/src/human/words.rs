//! The samples in words.

use simulation::markdown::inline;

use super::samples::PeopleRecords;
use crate::paths::{AGGREGATES, PEOPLE_TABLE, ROWS};

/// Describes the samples for readers. `None`: there are none.
pub fn in_words(PeopleRecords { samples: of, have_rows }: &PeopleRecords) -> Option<String> {
    if of.is_empty() {
        return None;
    }
    let each = of.iter().map(|sample| {
        let weighted = sample.weights.as_ref().map(|by| format!(", weighted by {}", inline(by))).unwrap_or_default();
        let twins = sample.twin_weight.as_ref().map(|by| format!(", twins by {}", inline(by))).unwrap_or_default();
        let unread = sample.unread.as_ref().map(|reason| format!(", not read: {}", inline(reason))).unwrap_or_default();
        let alone = sample
            .not_compared
            .as_ref()
            .map(|reason| format!(", not compared: {}", inline(reason)))
            .unwrap_or_default();
        let day = sample.created_at.format("%Y-%m-%d");
        let name = inline(&sample.name);
        format!("\"{name}\" ({} people, uploaded {day}{weighted}{twins}{unread}{alone})", sample.people)
    });
    let names = each.collect::<Vec<_>>().join("; ");
    let suppressed = if of.iter().any(|sample| sample.suppressed) {
        " Counts of fewer than 5 people, and those from which they would follow, are left out."
    } else {
        ""
    };
    let rows = if *have_rows {
        format!(
            "`{ROWS}` has people's rows, because the survey's author chose to pass them on: each person's answers with arm, \
             weight and groups, and the id of the person's twin; `{PEOPLE_TABLE}` therefore also has what sets each twin beside its \
             own person, with bootstrap intervals. Rectified estimates are not part of this bundle."
        )
    } else {
        "Figures that set each twin beside its own person, and bootstrap intervals, need people's rows, which are not part of \
         this bundle."
            .to_owned()
    };
    Some(format!(
        "Answers of people to the same survey stand beside the twins': {names}. `{AGGREGATES}` has how many gave each answer, \
         `{PEOPLE_TABLE}` what follows from these counts: distances of distributions, spreads, differences of means and of \
         shares; both sides count as they are weighted. {rows}{suppressed}"
    ))
}
