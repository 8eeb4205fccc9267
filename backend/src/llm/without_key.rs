//! Takes the key of a call out of what the server replies: some servers repeat it, and replies are stored and shown.

/// Stands in the place of the key.
pub const KEY: &str = "[key]";

/// The body without the key.
pub fn without_key(body: Vec<u8>, key: Option<&str>) -> Vec<u8> {
    match key.filter(|key| body.windows(key.len()).any(|window| window == key.as_bytes())) {
        Some(key) => String::from_utf8_lossy(&body).replace(key, KEY).into_bytes(),
        None => body,
    }
}

/// The line without the key.
pub fn line_without_key(line: String, key: Option<&str>) -> String {
    match key {
        Some(key) if line.contains(key) => line.replace(key, KEY),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_taken_out_wherever_it_stands_and_other_bodies_stay_as_they_are() {
        let body = br#"{"error": "sk-1234 is not sk-1234"}"#.to_vec();
        assert_eq!(without_key(body.clone(), Some("sk-1234")), br#"{"error": "[key] is not [key]"}"#);
        assert_eq!(without_key(body.clone(), Some("sk-5678")), body);
        assert_eq!(without_key(vec![0xff], Some("sk-1234")), [0xff]);
        assert_eq!(without_key(Vec::new(), None), b"");
        assert_eq!(line_without_key("a sk-1234 b".to_owned(), Some("sk-1234")), "a [key] b");
        assert_eq!(line_without_key("a".to_owned(), None), "a");
    }
}
