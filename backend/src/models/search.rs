//! Search texts as `ILIKE` patterns.

/// Returns a pattern for texts that contain `text`, with its wildcards escaped.
pub fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for letter in text.chars() {
        if matches!(letter, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::containing;

    #[test]
    fn wildcards_in_the_text_stand_for_themselves() {
        assert_eq!(containing(r"50%_\"), r"%50\%\_\\%");
    }
}
