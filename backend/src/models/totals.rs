//! How many rows a list has.

/// What a page of so many rows tells of it: where the list ends on the page, nobody needs to count.
pub fn of_last_page(rows: usize, limit: i64, offset: i64) -> Option<i64> {
    let rows = i64::try_from(rows).ok()?;
    // An empty page is the list's end, or is behind it.
    (rows < limit && (rows > 0 || offset == 0)).then_some(offset + rows)
}

#[cfg(test)]
mod tests {
    use super::of_last_page;

    #[test]
    fn only_a_page_on_which_the_list_ends_tells_how_long_it_is() {
        assert_eq!(of_last_page(0, 10, 0), Some(0));
        assert_eq!(of_last_page(9, 10, 0), Some(9));
        assert_eq!(of_last_page(1, 10, 20), Some(21));
        assert_eq!(of_last_page(10, 10, 0), None, "there may be more");
        assert_eq!(of_last_page(0, 10, 20), None, "it may have ended before");
    }
}
