use super::files::parts;
use super::openai::{ENDPOINT, items, list};
use super::submission::check;
use super::*;
use serde_json::json;

#[test]
fn the_parts_of_a_form_are_found_whatever_they_hold() {
    let body = b"--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--b\r\n\
        Content-Disposition: form-data; name=\"file\"; filename=\"x\"\r\nContent-Type: application/octet-stream\r\n\r\n\
        {\"a\": \"--b\"}\r\n\r\n{}\n\r\n--b--\r\n";
    let found = parts(body, "b");
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, part)| (name.as_str(), str::from_utf8(part).unwrap())).collect();
    assert_eq!(found, [("purpose", "batch"), ("file", "{\"a\": \"--b\"}\r\n\r\n{}\n")]);
    for broken in ["", "--b", "--b\r\n", "--b\r\nname=\"a\"\r\n\r\nno end"] {
        assert!(parts(broken.as_bytes(), "b").is_empty(), "{broken}");
    }
}

#[test]
fn a_file_is_checked_before_anything_of_it_is_answered() {
    let line = |id: &str, url: &str| json!({"custom_id": id, "method": "POST", "url": url, "body": {}}).to_string();
    let good = |id: &str| line(id, ENDPOINT);
    let checked = |text: &str| items(text).and_then(check).map(|items| items.len());
    assert_eq!(checked(&format!("{}\n{}\n", good("a"), good("b"))), Ok(2));
    let refused = |text: &str| checked(text).expect_err("it is refused");
    assert!(refused("").contains("no request"));
    assert!(refused("{}").starts_with("Line 1: "));
    assert!(refused(&format!("{}\n{}", good("a"), good("a"))).starts_with("Line 2: its custom_id"));
    assert!(refused(&line("a", "/v1/embeddings")).contains("POST /v1/chat/completions"));
}

#[test]
fn batches_are_listed_page_by_page_the_newest_first() {
    let state = State::new(crate::Faults::default());
    for number in 0..5 {
        let batch = Batch {
            wire: Wire::OpenAi,
            model: None,
            cancelled: None,
            ended: None,
            deleted: false,
            id: format!("batch-{number}"),
            status: "completed",
            input: String::new(),
            output: None,
            errors: None,
            metadata: Value::Null,
            lines: 1,
            tokens: 1,
            completed: 1,
            failed: 0,
            complaint: None,
            created: UNIX_EPOCH,
        };
        state.batches().batches.push(batch);
    }
    let page = |query: &str| {
        let page: Value = serde_json::from_str(&list(&state, query).body).unwrap();
        let ids: Vec<String> =
            page["data"].as_array().unwrap().iter().map(|batch| batch["id"].as_str().unwrap().to_owned()).collect();
        (ids.join(" "), page["has_more"].as_bool().unwrap())
    };
    assert_eq!(page("limit=3"), ("batch-4 batch-3 batch-2".to_owned(), true));
    assert_eq!(page("limit=3&after=batch-2"), ("batch-1 batch-0".to_owned(), false));
    assert_eq!(page(""), ("batch-4 batch-3 batch-2 batch-1 batch-0".to_owned(), false));
}
