//! Headers of every response, responses to unknown calls, cross-origin calls, and metrics.

use diesel::RunQueryDsl;
use reqwest::Method;

use crate::support::sample::{self, PlantedRun};
use crate::support::{TestApp, with_app, with_flags};

#[tokio::test]
async fn responses_of_the_api_carry_security_headers_and_a_request_id() {
    with_app(async |app| {
        let answer = app.visitor().get("/api/auth/profile").await;
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.headers[name], value, "{name}");
        }
        let policy = answer.headers["content-security-policy"].to_str().expect("text");
        assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(answer.headers.contains_key("x-request-id"));
        assert!(answer.headers["permissions-policy"].to_str().expect("text").contains("camera=()"));
        assert_eq!(answer.body["code"], "not_signed_in");
        for missing in ["strict-transport-security", "access-control-allow-origin"] {
            assert!(!answer.headers.contains_key(missing), "{missing}");
        }
    })
    .await;
}

#[tokio::test]
async fn browsers_stay_with_tls_where_the_product_is_reached_over_it() {
    with_flags(&["--public-url", "https://lab.example"], async |app| {
        let answer = app.visitor().get("/health").await;
        assert_eq!(answer.headers["strict-transport-security"], "max-age=31536000; includeSubDomains");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_path_is_404_and_another_method_of_a_known_one_is_405_in_the_usual_shape() {
    with_app(async |app| {
        assert_eq!(app.visitor().get("/api/nothing").await.refused(404), "Call not found");
        assert_eq!(app.visitor().get("/api/auth/nothing").await.refused(404), "Call not found");
        assert_eq!(app.visitor().get("/api/surveys/").await.refused(404), "Call not found");
        let answer = app.visitor().send(Method::DELETE, "/api/surveys/my", None).await;
        assert_eq!(answer.refused(405), "The call takes GET");
        let answer = app.visitor().send(Method::DELETE, "/api/auth/profile", None).await;
        assert_eq!(answer.headers["allow"], "GET, PUT");
        assert_eq!(answer.refused(405), "The call takes GET, PUT");
    })
    .await;
}

#[tokio::test]
async fn the_metrics_tell_what_was_answered_and_what_waits() {
    with_app(async |app| {
        app.visitor().get("/health").await.ok();
        let answer = app.visitor().get("/metrics").await;
        let text = String::from_utf8(answer.bytes).expect("it is text");
        for line in [
            "twinlab_http_requests_total{method=\"GET\",route=\"/health\",status=\"200\"}",
            "twinlab_queue_depth 0",
            "twinlab_mails_waiting 0",
            "# TYPE twinlab_database_connections gauge",
            "# TYPE twinlab_database_checkouts_total counter",
            "twinlab_model_calls_in_flight 0",
            "twinlab_downloads 0",
        ] {
            assert!(text.contains(line), "{line} is missing:\n{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_metrics_count_simulations_by_status_sessions_of_the_database_and_the_age_of_the_oldest_hold() {
    with_app(async |app| {
        assert_eq!(metric(app, "twinlab_oldest_hold_seconds").await, Some(0), "nothing is on hold");
        assert_eq!(metric(app, "twinlab_simulations{status=\"running\"}").await, None);
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        // Other runs of the survey: older ones that hold nothing, and one that holds something and waits.
        let others = "
            UPDATE simulations SET created_at = now() - interval '2 hours';
            INSERT INTO simulations (survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
                total_requests, successful_requests, failed_requests, open_requests, held, parameters, survey_snapshot,
                survey_hash, demo_model, program_version, created_at, completed_at)
            SELECT survey_id, user_id, group_id, persona_set_id, ended.status, persona_count, question_count, 27, 0, 27, 0, 0,
                parameters, survey_snapshot, survey_hash, demo_model, program_version, now() - interval '9 hours', now()
            FROM simulations, (VALUES ('FAILED'), ('FAILED'), ('STOPPED')) AS ended (status)";
        sample::run(&mut *app.connection().await, others).await;
        for (status, simulations) in [("running", Some(1)), ("failed", Some(2)), ("stopped", Some(1)), ("queued", None)] {
            let name = format!("twinlab_simulations{{status=\"{status}\"}}");
            assert_eq!(metric(app, &name).await, simulations, "{status}");
        }
        let age = metric(app, "twinlab_oldest_hold_seconds").await.expect("a number");
        assert!((7_200..7_260).contains(&age), "{age}: of the running one, not of those that are over");
        let sessions = metric(app, "twinlab_database_sessions").await.expect("a number");
        let mut others = [app.database.connect(), app.database.connect(), app.database.connect()];
        assert_eq!(metric(app, "twinlab_database_sessions").await, Some(sessions + 3));
        let counted = "SELECT count(*)::bigint AS number FROM pg_stat_activity WHERE datname = current_database()";
        assert_eq!(sample::number(&mut *app.connection().await, counted).await, sessions + 3);
        for connection in &mut others {
            diesel::sql_query("SELECT 1").execute(connection).expect("it is still there");
        }
        // They have no answers and no failures, which the ledger's checks would notice.
        sample::run(&mut *app.connection().await, "DELETE FROM simulations WHERE status <> 'RUNNING'").await;
    })
    .await;
}

/// The value of a metric, by its name and labels.
async fn metric(app: &TestApp, name: &str) -> Option<i64> {
    let answer = app.visitor().get("/metrics").await;
    let text = String::from_utf8(answer.bytes).expect("it is text");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map(|value| value.parse().expect("a whole number"))
}

#[tokio::test]
async fn the_metrics_are_for_who_has_the_token_and_without_one_for_this_machine() {
    with_flags(&["--metrics-token", "the token of the metrics"], async |app| {
        let behind_a_proxy = app.visitor().with_header("x-forwarded-for", "203.0.113.9");
        behind_a_proxy.get("/metrics").await.refused(403);
        behind_a_proxy.with_token("another token").get("/metrics").await.refused(403);
        assert_eq!(behind_a_proxy.with_token("the token of the metrics").get("/metrics").await.status, 200);
        app.visitor().get("/metrics").await.refused(403);
    })
    .await;
    with_app(async |app| {
        let behind_a_proxy = app.visitor().with_header("x-forwarded-for", "203.0.113.9");
        behind_a_proxy.get("/metrics").await.refused(403);
        assert_eq!(app.visitor().get("/metrics").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_named_origin_may_call_and_no_other() {
    with_flags(&["--cors-origins", "https://lab.example,http://localhost:5173"], async |app| {
        let preflight = |origin| {
            let client = app.visitor().with_header("origin", origin);
            let client = client.with_header("access-control-request-method", "PUT");
            async move { client.send(Method::OPTIONS, "/api/auth/profile", None).await }
        };
        let allowed = preflight("http://localhost:5173").await;
        assert_eq!(allowed.status, 200);
        assert_eq!(allowed.headers["access-control-allow-origin"], "http://localhost:5173");
        assert!(allowed.headers["access-control-allow-headers"].to_str().expect("text").contains("authorization"));
        assert_eq!(allowed.headers["access-control-max-age"], "600");
        assert!(!allowed.headers.contains_key("access-control-allow-credentials"));

        let refused = preflight("https://elsewhere.example").await;
        assert_eq!(refused.status, 400);
        assert!(!refused.headers.contains_key("access-control-allow-origin"));

        let called = app.visitor().with_header("origin", "https://lab.example").get("/api/auth/profile").await;
        assert_eq!(called.status, 401);
        assert_eq!(called.headers["access-control-allow-origin"], "https://lab.example");
        assert!(called.headers["access-control-expose-headers"].to_str().expect("text").contains("x-total-count"));
        assert!(called.headers["vary"].to_str().expect("text").contains("Origin"));
    })
    .await;
}
