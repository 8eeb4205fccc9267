use super::*;
use crate::request::{Format, Part};
use serde_json::json;

const MINUTE: Duration = Duration::from_secs(60);

fn text(kilotokens: usize, of: &str) -> String {
    serde_json::Value::from(of.repeat(4_000 * kilotokens / of.len())).to_string()
}

fn request<'a>(wire: Wire, model: &str, texts: &[(&'a str, Option<Life>)]) -> Request<'a> {
    let part = |(message, (json, mark)): (usize, &(&'a str, Option<Life>))| {
        let role = if message == 0 { Role::System } else { Role::User };
        Part { role, message, json, mark: *mark }
    };
    Request::new(wire, Some(model.to_owned()), texts.iter().enumerate().map(part).collect())
}

fn read(caches: &mut Caches, request: &Request<'_>, now: Instant) -> (u32, u32, u32) {
    let used = caches.use_for(request, Caching::Provider, now);
    (used.read, used.written_short, used.written_long)
}

#[test]
fn older_models_of_openai_find_the_longest_prefix_in_steps_of_128_tokens() {
    let (persona, first, second) = (text(3, "persona "), text(1, "first "), text(1, "second "));
    let of = |question| request(Wire::OpenAi, "gpt-4.1", &[(&persona, None), (question, None)]);
    let (mut caches, start) = (Caches::default(), Instant::now());
    assert_eq!(read(&mut caches, &of(&first), start), (0, 0, 0));
    let (cached, written, _) = read(&mut caches, &of(&second), start + 4 * MINUTE);
    assert_eq!((cached % 128, written), (0, 0));
    assert!((2_900..=3_000).contains(&cached), "{cached}");
    let later = start + 10 * MINUTE;
    assert_eq!(read(&mut caches, &of(&first), later).0, 0, "five minutes after the last use");
    let short = text(1, "short ");
    let of_short = request(Wire::OpenAi, "gpt-4.1", &[(&short, None)]);
    assert_eq!(read(&mut caches, &of_short, start), (0, 0, 0));
    assert_eq!(read(&mut caches, &of_short, start), (0, 0, 0), "1,024 tokens are the least");
}

#[test]
fn another_schema_is_another_prefix_except_on_local_servers() {
    let persona = text(3, "persona ");
    let of = |name: &str| {
        let schema = json!({ "properties": { name: { "type": "string" } } });
        request(Wire::OpenAi, "gpt-4.1", &[(&persona, None)]).answer_in(Format::Schema(schema))
    };
    for (caching, hits) in [(Caching::Provider, false), (Caching::Local, true)] {
        let (mut caches, now) = (Caches::default(), Instant::now());
        caches.use_for(&of("a"), caching, now);
        assert_eq!(caches.use_for(&of("b"), caching, now).read > 0, hits, "{caching:?}");
        assert!(caches.use_for(&of("a"), caching, now).read > 2_800);
    }
}

#[test]
fn newer_models_of_openai_read_at_marks_alone_and_pay_for_writes() {
    let (persona, first, second) = (text(3, "persona "), text(1, "first "), text(1, "second "));
    let of = |mark, question, marks_the_end| {
        let mut request = request(Wire::OpenAi, "gpt-5.6-terra", &[(&persona, mark), (question, None)]);
        request.cache.marks_the_end = marks_the_end;
        request
    };
    let (mut caches, now) = (Caches::default(), Instant::now());
    assert_eq!(read(&mut caches, &of(None, &first, true), now), (0, 4_000, 0));
    assert_eq!(read(&mut caches, &of(None, &second, true), now), (0, 4_000, 0), "the suffix differs");
    assert_eq!(read(&mut caches, &of(None, &first, true), now), (4_000, 0, 0), "the same again");
    let (mut caches, mark) = (Caches::default(), Some(Life::HalfAnHour));
    assert_eq!(read(&mut caches, &of(mark, &first, false), now), (0, 3_000, 0));
    assert_eq!(read(&mut caches, &of(mark, &second, false), now + 29 * MINUTE), (3_000, 0, 0));
    assert_eq!(read(&mut caches, &of(None, &first, false), now), (0, 0, 0), "no mark, no cache");
}

#[test]
fn claude_caches_up_to_marks_for_their_lives() {
    let (persona, study, question) = (text(3, "persona "), text(1, "study "), text(1, "question "));
    let of = |model: &str, study_life| {
        let texts = [(&*persona, Some(Life::OneHour)), (&study, Some(study_life)), (&question, None)];
        request(Wire::Anthropic, model, &texts)
    };
    let (mut caches, start) = (Caches::default(), Instant::now());
    let first = of("claude-sonnet-5", Life::FiveMinutes);
    assert_eq!(read(&mut caches, &first, start), (0, 1_000, 3_000));
    assert_eq!(read(&mut caches, &first, start + 4 * MINUTE), (4_000, 0, 0));
    assert_eq!(read(&mut caches, &first, start + 8 * MINUTE), (4_000, 0, 0), "each use renews");
    assert_eq!(read(&mut caches, &first, start + 20 * MINUTE), (3_000, 1_000, 0));
    let small = of("claude-haiku-4-5", Life::FiveMinutes);
    assert_eq!(read(&mut Caches::default(), &small, start), (0, 0, 0), "4,096 tokens are the least");
}

#[test]
fn models_with_marks_are_known_by_their_version() {
    let known = ["gpt-4.1", "gpt-5", "gpt-5.5-pro", "o3", "gpt-5.6", "gpt-5.10-mini", "gpt-6"].map(has_marks);
    assert_eq!(known, [false, false, false, false, true, true, true]);
}
