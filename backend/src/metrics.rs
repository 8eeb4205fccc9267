//! Counters of this process, for `/metrics`. Any floor may count; one route writes them down.

use std::sync::LazyLock;
use std::time::Duration;

use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

static REQUESTS: LazyLock<IntCounterVec> =
    LazyLock::new(|| counter("twinlab_http_requests_total", "Requests answered", &["method", "route", "status"]));

static DURATIONS: LazyLock<HistogramVec> = LazyLock::new(|| {
    let opts = HistogramOpts::new("twinlab_http_request_seconds", "Time from a request to the head of its answer");
    register(HistogramVec::new(opts, &["route"]))
});

static MAILS: LazyLock<IntCounterVec> =
    LazyLock::new(|| counter("twinlab_mails_total", "Mails by kind and outcome", &["kind", "outcome"]));

fn counter(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    register(IntCounterVec::new(Opts::new(name, help), labels))
}

/// Names and labels are constants of this file, so both steps can only fail in a test.
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

/// All of them, in Prometheus' text format.
pub fn text() -> prometheus::Result<String> {
    TextEncoder::new().encode_to_string(&REGISTRY.gather())
}
