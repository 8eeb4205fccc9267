//! Williams squares: orders in which every item has each position equally often, and follows every other item equally
//! often.

/// Maximum number of items. A deck of the rows of a longer square would be larger than usual samples.
pub const MAX_ITEMS: usize = 10;

/// Number of rows of the square: as many as items, or twice as many for an odd number above 1.
pub fn rows(items: usize) -> usize {
    if items % 2 == 1 && items > 1 { 2 * items } else { items }
}

/// Returns a row (0-based) of the square as 0-based positions.
pub fn row(items: usize, row: usize) -> Vec<usize> {
    // 0, 1, n-1, 2, n-2, ...: the differences of neighbours are all distances, once each.
    let first = |place: usize| match place {
        0 => 0,
        odd if odd % 2 == 1 => odd.div_ceil(2),
        even => items - even / 2,
    };
    let mut order: Vec<usize> = (0..items).map(|place| (first(place) + row) % items).collect();
    // For an odd number of items, each row also occurs in reverse.
    if row >= items {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn square(items: usize) -> Vec<Vec<usize>> {
        (0..rows(items)).map(|number| row(items, number)).collect()
    }

    #[test]
    fn positions_and_first_order_carry_over_are_balanced() {
        for items in 1..=MAX_ITEMS {
            let rows = square(items);
            assert_eq!(rows.len(), if items % 2 == 1 && items > 1 { 2 * items } else { items });
            let mut at: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            let mut after: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for row in &rows {
                row.iter().enumerate().for_each(|(place, item)| *at.entry((place, *item)).or_default() += 1);
                row.windows(2).for_each(|pair| *after.entry((pair[0], pair[1])).or_default() += 1);
            }
            assert_eq!(at.len(), items * items, "{items} items: every item at every position");
            assert_eq!(after.len(), items * (items - 1), "{items} items: every ordered pair");
            let times = rows.len() / items;
            assert!(at.values().chain(after.values()).all(|count| *count == times), "{items} items");
        }
        assert_eq!(square(0), Vec::<Vec<usize>>::new());
        assert_eq!(square(4), [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]);
    }
}
