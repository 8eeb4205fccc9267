//! Counters of this process for `GET /metrics`. `docs/operations.md` explains each.

use std::sync::LazyLock;
use std::time::Duration;

use prometheus::{
    GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry, TextEncoder,
};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

static REQUESTS: LazyLock<IntCounterVec> =
    LazyLock::new(|| counter("twinlab_http_requests_total", "Requests answered", &["method", "route", "status"]));

static DURATIONS: LazyLock<HistogramVec> = LazyLock::new(|| {
    let opts = HistogramOpts::new("twinlab_http_request_seconds", "Time from a request to the head of its answer");
    register(HistogramVec::new(opts, &["route"]))
});

static MAILS: LazyLock<IntCounterVec> =
    LazyLock::new(|| counter("twinlab_mails_total", "Mails by kind and outcome", &["kind", "outcome"]));

static CALLS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    counter("twinlab_model_call_outcomes_total", "Calls to the model server by what came of them", &["outcome"])
});

static CALL_SECONDS: LazyLock<Histogram> = LazyLock::new(|| {
    let opts = HistogramOpts::new("twinlab_model_call_seconds", "Time from a call to the end of its answer");
    histogram(opts.buckets(vec![0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0]))
});

static PLANS: LazyLock<IntCounter> = LazyLock::new(|| {
    register(IntCounter::new("twinlab_plans_compiled_total", "Plans of surveys with a design that were compiled"))
});

static BATCH_ROWS: LazyLock<Histogram> = LazyLock::new(|| {
    let opts = HistogramOpts::new("twinlab_settle_rows", "Answers and failures in a batch that was settled");
    histogram(opts.buckets(vec![1.0, 10.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 4_000.0]))
});

static BATCH_SECONDS: LazyLock<Histogram> = LazyLock::new(|| {
    let opts = HistogramOpts::new("twinlab_settle_seconds", "Time that the transaction of a batch took");
    histogram(opts.buckets(vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0]))
});

static BATCHES: LazyLock<IntCounterVec> =
    LazyLock::new(|| counter("twinlab_settle_total", "Batches by what came of them", &["outcome"]));

static SHARE: LazyLock<GaugeVec> =
    LazyLock::new(|| gauge("twinlab_limiter_share", "This process's part of the model server's allowance, 0 to 1"));

static CONCURRENCY: LazyLock<GaugeVec> =
    LazyLock::new(|| gauge("twinlab_limiter_concurrency", "Calls that this process may have under way at once"));

static IN_FLIGHT: LazyLock<GaugeVec> =
    LazyLock::new(|| gauge("twinlab_limiter_in_flight", "Calls that this process has under way"));

static BLOCKED: LazyLock<GaugeVec> = LazyLock::new(|| {
    gauge(
        "twinlab_limiter_blocked_seconds",
        "Until this process calls again, where it was refused or the server is down",
    )
});

fn counter(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    register(IntCounterVec::new(Opts::new(name, help), labels))
}

fn histogram(opts: HistogramOpts) -> Histogram {
    register(Histogram::with_opts(opts))
}

/// A gauge for each model server.
fn gauge(name: &str, help: &str) -> GaugeVec {
    register(GaugeVec::new(Opts::new(name, help), &["server"]))
}

/// Registers a metric. Names and labels are constants of this file, so neither step can fail at runtime.
fn register<C: prometheus::core::Collector + Clone + 'static>(made: prometheus::Result<C>) -> C {
    let collector = made.expect("the metric is well named");
    REGISTRY.register(Box::new(collector.clone())).expect("the metric is registered once");
    collector
}

pub fn answered(method: &str, route: &str, status: u16, took: Duration) {
    REQUESTS.with_label_values(&[method, route, &status.to_string()]).inc();
    DURATIONS.with_label_values(&[route]).observe(took.as_secs_f64());
}

pub fn mail(kind: &str, outcome: &str) {
    MAILS.with_label_values(&[kind, outcome]).inc();
}

/// Counts an ended call to the model server.
pub fn called(outcome: &str, took: Duration) {
    CALLS.with_label_values(&[outcome]).inc();
    CALL_SECONDS.observe(took.as_secs_f64());
}

/// Counts a compiled plan of a survey.
pub fn plan_compiled() {
    PLANS.inc();
}

/// Counts a batch of `rows` that was settled or failed.
pub fn settled(outcome: &str, rows: usize, took: Duration) {
    BATCHES.with_label_values(&[outcome]).inc();
    BATCH_ROWS.observe(rows as f64);
    BATCH_SECONDS.observe(took.as_secs_f64());
}

/// Sets the gauges of this process's limiter of a model server.
pub fn limiter(server: &str, share: f64, concurrency: usize, in_flight: u32, blocked_for: Duration) {
    let labels = &[server];
    SHARE.with_label_values(labels).set(share);
    CONCURRENCY.with_label_values(labels).set(concurrency as f64);
    IN_FLIGHT.with_label_values(labels).set(in_flight.into());
    BLOCKED.with_label_values(labels).set(blocked_for.as_secs_f64());
}

/// All metrics in Prometheus's text format.
pub fn text() -> prometheus::Result<String> {
    TextEncoder::new().encode_to_string(&REGISTRY.gather())
}
