use super::*;
use crate::config::ModelConfig;

/// Takes the place of the worker registry.
struct Workers;

impl Actor for Workers {
    type Context = Context<Self>;
}

impl Handler<Blocked> for Workers {
    type Result = ();

    fn handle(&mut self, _: Blocked, _: &mut Self::Context) {}
}

/// A limiter with this share, for a server that has reported nothing.
fn limiter(rpm: Option<u32>, share: f64) -> RateLimiter {
    let model = ModelConfig {
        models: Vec::new(),
        prices: Default::default(),
        base_url: Some("http://127.0.0.1:1".into()),
        api_key: None,
        model: "test".into(),
        rpm,
        tpm: None,
        max_concurrency: 64,
        questions_per_call: 1,
        timeout: Duration::from_secs(1),
        max_attempts: 1,
    };
    let mut limiter = RateLimiter::new(Limits::new(&model), Timings::default(), Workers.start().recipient());
    limiter.set_share(share);
    limiter
}

fn report(limiter: &mut RateLimiter, requests: u32) {
    limiter.read_headers(&RateLimitHeaders { limit_requests: Some(requests), ..RateLimitHeaders::default() });
}

fn per_minute(quota: &Option<Quota>) -> Option<f64> {
    quota.as_ref().map(Quota::per_minute)
}

#[actix::test]
async fn a_worker_takes_its_share_of_the_limits_that_the_server_reports() {
    let mut limiter = limiter(None, 0.5);
    assert_eq!((per_minute(&limiter.rpm), per_minute(&limiter.tpm)), (Some(250.0), Some(100_000.0)));
    report(&mut limiter, 6_000);
    assert_eq!((per_minute(&limiter.rpm), per_minute(&limiter.tpm)), (Some(3_000.0), None));
    limiter.set_share(1.0);
    assert_eq!(per_minute(&limiter.rpm), Some(6_000.0));
    // A reply without headers changes nothing.
    limiter.read_headers(&RateLimitHeaders::default());
    assert_eq!(per_minute(&limiter.rpm), Some(6_000.0));
}

#[actix::test]
async fn a_limit_that_is_reported_grants_no_burst() {
    let mut limiter = limiter(None, 1.0);
    limiter.used.calls = 1;
    report(&mut limiter, 6_000);
    assert!(limiter.rpm.as_mut().is_some_and(|rpm| rpm.ready(1).is_err()));
}

#[actix::test]
async fn what_the_first_report_leaves_of_a_limit_may_be_used_at_once() {
    let mut limiter = limiter(None, 1.0);
    limiter.used.calls = 3;
    let headers = |remaining| RateLimitHeaders {
        limit_requests: Some(6_000),
        remaining_requests: Some(remaining),
        ..RateLimitHeaders::default()
    };
    limiter.read_headers(&headers(40));
    limiter.read_headers(&headers(30));
    let rpm = limiter.rpm.as_mut().unwrap();
    assert!((0..40).all(|_| rpm.ready(1).map(|()| rpm.take(1)).is_ok()));
    assert!(rpm.ready(1).is_err(), "later reports grant nothing");
}

#[actix::test]
async fn a_limit_that_is_reported_does_not_raise_the_one_that_is_set() {
    let mut limiter = limiter(Some(100), 1.0);
    report(&mut limiter, 6_000);
    assert_eq!(per_minute(&limiter.rpm), Some(100.0));
    report(&mut limiter, 60);
    assert_eq!(per_minute(&limiter.rpm), Some(60.0));
}

#[actix::test]
async fn the_first_call_waits_for_no_cells_and_the_second_for_what_it_overdrew() {
    let mut limiter = limiter(None, 1.0);
    let now = Instant::now();
    // More than the burst of the 200,000 tokens a minute that hold until the server reports its limit.
    let tokens = 20_000;
    assert_eq!(limiter.may_call(tokens, now), Ok(false));
    limiter.used.calls = 1;
    limiter.tpm.as_mut().unwrap().take(tokens);
    assert!(matches!(limiter.may_call(1, now), Err(Some(later)) if later > now));
}

#[actix::test]
async fn the_first_call_of_one_among_several_workers_waits_for_its_cells() {
    let mut limiter = limiter(None, 0.5);
    assert!(limiter.may_call(20_000, Instant::now()).is_err());
}
