//! `twinlab personas synthesize`.

use super::{current, run};
use crate::support::Database;

#[test]
fn invented_twins_are_stored_as_synthetic_and_come_back_with_their_seed() {
    let database = Database::new();
    let outcome = run(&database, &["synthesize", "40", "--seed", "7"]);
    assert_eq!(
        outcome.stdout, "Invented 40 synthetic twins with seed 7. They are the current ones now.\n",
        "{outcome:#?}"
    );
    assert_eq!(outcome.code, Some(0));
    let (source, synthetic, twins) = current(&database);
    assert_eq!((source.as_str(), synthetic, twins.len()), ("synthetic, seed 7", true, 40));
    let first = &twins[0];
    assert_eq!((first.pid.as_str(), first.name.as_str()), ("synthetic-7-1", "Synthetic Twin 1"));
    assert!(first.summary.as_deref().is_some_and(|text| text.starts_with("SYNTHETIC PROFILE: ")), "{first:?}");

    assert_eq!(run(&database, &["synthesize", "40", "--seed", "7"]).code, Some(0));
    assert_eq!(current(&database).2, twins);
    assert_eq!(run(&database, &["synthesize", "40"]).code, Some(0));
    assert_ne!(current(&database).2, twins);
}

#[test]
fn a_number_of_twins_that_cannot_be_is_refused() {
    let database = Database::new();
    for (number, what) in [("0", "0 is not in 1..=1000000"), ("many", "invalid digit found in string")] {
        let outcome = run(&database, &["synthesize", number]);
        assert!(outcome.only_line().ends_with(what), "{outcome:#?}");
        assert_eq!(outcome.code, Some(2));
    }
}
