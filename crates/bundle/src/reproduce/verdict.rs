//! The verdict on a reproduction, by fixed rules: the same figures always give the same words.

use crate::reproduce::item::ReproducedItem;

/// Limit of items that are named.
const MAX_NAMED: usize = 5;

/// Words the verdict. `repeats` is the number of repeats in the bundle.
pub fn verdict(items: &[ReproducedItem], repeats: usize) -> String {
    if items.is_empty() {
        return "Nothing was answered both times, so nothing can be said.".to_owned();
    }
    if items.iter().all(|item| item.identical.share >= 1.0) {
        return "Every answer is identical.".to_owned();
    }
    let moved: Vec<&str> = items.iter().filter(|item| item.has_moved()).map(|item| item.name.as_str()).collect();
    let moved = match moved.as_slice() {
        [] => "No mean has surely moved.".to_owned(),
        moved => format!("The mean has surely moved in {} of {} items: {}.", moved.len(), items.len(), named(moved)),
    };
    if repeats == 0 {
        return format!(
            "There are no repeats in the bundle, so nothing tells how much its answers vary by themselves. {moved}"
        );
    }
    let worse = items.iter().filter(|item| item.identical_in_repeats.is_some_and(|own| !own.overlaps(&item.identical)));
    let (more, less): (Vec<&ReproducedItem>, Vec<&ReproducedItem>) =
        worse.partition(|item| item.identical_in_repeats.is_some_and(|own| item.identical.share > own.share));
    let names = |of: &[&ReproducedItem]| {
        let names: Vec<&str> = of.iter().map(|item| item.name.as_str()).collect();
        named(&names)
    };
    let stable = match (less.as_slice(), more.as_slice()) {
        ([], []) => "The answers are as stable as the bundle's own repeats.".to_owned(),
        ([], more) => format!(
            "The answers are as stable as the bundle's own repeats, and more so in {} of {} items: {}.",
            more.len(),
            items.len(),
            names(more)
        ),
        (less, _) => format!(
            "The answers are less stable than the bundle's own repeats in {} of {} items: {}.",
            less.len(),
            items.len(),
            names(less)
        ),
    };
    format!("{stable} {moved}")
}

fn named(names: &[&str]) -> String {
    let shown = names.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMED) {
        0 => shown,
        others => format!("{shown} and {others} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::item::IdenticalShare;

    fn item(name: &str, identical: (f64, f64, f64), own: Option<(f64, f64, f64)>) -> ReproducedItem {
        let share = |(share, low, high)| IdenticalShare { share, low, high, twins: 50 };
        ReproducedItem {
            name: name.to_owned(),
            identical: share(identical),
            identical_in_repeats: own.map(share),
            tvd: None,
            tvd_interval: None,
            mean_then: None,
            mean_now: None,
            shift: None,
            shift_interval: None,
        }
    }

    #[test]
    fn a_verdict_follows_from_the_ends_of_the_intervals() {
        let alike = item("a", (0.8, 0.7, 0.9), Some((0.75, 0.6, 0.85)));
        let worse = item("b", (0.4, 0.3, 0.5), Some((0.75, 0.6, 0.85)));
        let better = item("c", (0.99, 0.95, 1.0), Some((0.75, 0.6, 0.85)));
        assert_eq!(
            verdict(std::slice::from_ref(&alike), 1),
            "The answers are as stable as the bundle's own repeats. No mean has surely moved."
        );
        assert_eq!(
            verdict(&[alike.clone(), worse, better.clone()], 1),
            "The answers are less stable than the bundle's own repeats in 1 of 3 items: b. No mean has surely moved."
        );
        assert_eq!(
            verdict(&[alike.clone(), better], 1),
            "The answers are as stable as the bundle's own repeats, and more so in 1 of 2 items: c. No mean has surely moved."
        );
        let moved = ReproducedItem { shift: Some(0.5), shift_interval: Some([0.1, 0.9]), ..alike };
        assert_eq!(
            verdict(&[moved], 0),
            "There are no repeats in the bundle, so nothing tells how much its answers vary by themselves. \
             The mean has surely moved in 1 of 1 items: a."
        );
        assert_eq!(verdict(&[item("a", (1.0, 0.9, 1.0), None)], 0), "Every answer is identical.");
        assert_eq!(verdict(&[], 0), "Nothing was answered both times, so nothing can be said.");
    }

    #[test]
    fn a_mean_that_all_twins_moved_alike_has_moved_without_an_interval() {
        let of = ReproducedItem { shift: Some(1.0), ..item("a", (0.0, 0.0, 0.1), None) };
        assert!(of.has_moved());
        assert!(!ReproducedItem { shift: Some(0.0), ..of }.has_moved());
    }
}
