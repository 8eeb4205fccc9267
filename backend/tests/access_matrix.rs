//! Access rules of every route, for every kind of caller.
//!
//! The test fails for a route of the document without a line here, and for a line without a route.

use std::collections::BTreeSet;

use diesel_async::AsyncPgConnection;
use reqwest::Method;
use serde_json::{Value, json};
use twinlab::email::Email;
use twinlab::http;
use twinlab::models::users::{Role, User};

use crate::documented;
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, Database, Kept, TestApp};

/// The callers, in the order of a line's statuses. The last four tokens are the group owner's, made invalid in
/// different ways.
const CALLERS: [&str; 10] = [
    "a visitor",
    "another user",
    "a member of the group",
    "the owner of the survey",
    "the owner of the group",
    "a super admin",
    "a suspended user",
    "an expired token",
    "a forged token",
    "an old token version",
];

/// A route, the body sent to it, and the status for each of [`CALLERS`].
pub struct Line {
    pub method: Method,
    /// Path as in the document, with the query that it needs.
    pub path: &'static str,
    pub body: Option<Value>,
    pub expected: [u16; 10],
}

/// A line for a route that needs a token; the visitor and the invalid tokens get 401.
fn closed(method: Method, path: &'static str, body: Option<Value>, expected: [u16; 5]) -> Line {
    let [other, member, author, owner, root] = expected;
    Line { method, path, body, expected: [401, other, member, author, owner, root, 401, 401, 401, 401] }
}

/// A route for everyone, signed in or not.
fn open(method: Method, path: &'static str, body: Option<Value>, status: u16) -> Line {
    Line { method, path, body, expected: [status; 10] }
}

const ALL: [u16; 5] = [200; 5];
const ROOT: [u16; 5] = [403, 403, 403, 403, 200];

/// A line for every route, with the statuses of another user, a member, the survey's owner, the group's owner and a
/// super admin.
pub fn matrix() -> Vec<Line> {
    // The planted survey is private, and locked because it has run.
    const SEES: [u16; 5] = [404, 404, 200, 200, 200];
    const OWNS: [u16; 5] = [404, 404, 200, 403, 200];
    const LOCKED: [u16; 5] = [404, 404, 409, 403, 409];
    // Super administrators have no surveys of their own.
    const CREATES: [u16; 5] = [404, 201, 201, 201, 403];
    let question = || Some(json!({"text": "Why?", "type": "TEXT_ENTRY"}));
    let file = json!({"title": "Copy", "questions": [{"text": "Why?", "type": "TEXT_ENTRY"}]});
    // The planted run is over.
    const OVER: [u16; 5] = [404, 404, 409, 409, 409];
    let percentage = || Some(json!({"progressPercentage": 10}));
    vec![
        open(Method::POST, "/api/auth/request-login", Some(json!({"email": "ada@test.example"})), 200),
        open(Method::POST, "/api/auth/verify-login", Some(json!({"email": "ada@test.example", "code": "000000"})), 401),
        open(Method::POST, "/api/auth/request-group", Some(json!({"email": "ada@test.example"})), 201),
        closed(Method::GET, "/api/auth/profile", None, ALL),
        closed(Method::PUT, "/api/auth/profile", Some(json!({"name": "Ada"})), ALL),
        // The body has no photo.
        closed(Method::POST, "/api/auth/photo", None, [400; 5]),
        open(Method::GET, "/api/auth/photo/{photo}", None, 404),
        closed(Method::GET, "/api/auth/settings", None, ALL),
        closed(Method::PUT, "/api/auth/settings", Some(json!({})), ALL),
        closed(Method::GET, "/api/auth/data", None, ALL),
        // The owner of the group has it open.
        closed(Method::DELETE, "/api/auth/account", None, [204, 204, 204, 409, 204]),
        closed(Method::POST, "/api/auth/logout", None, [204; 5]),
        closed(Method::POST, "/api/auth/logout-everywhere", None, [204; 5]),
        closed(Method::GET, "/api/auth/tokens", None, ALL),
        closed(Method::POST, "/api/auth/tokens", Some(json!({"name": "Script", "scopes": ["read"]})), [201; 5]),
        // The token belongs to the survey's owner.
        closed(Method::DELETE, "/api/auth/tokens/{tokenId}", None, [404, 404, 204, 404, 404]),
        closed(Method::GET, "/api/access-requests", None, ROOT),
        closed(Method::POST, "/api/access-requests/{accessRequestId}/approve", None, ROOT),
        closed(Method::POST, "/api/access-requests/{accessRequestId}/reject", Some(json!({"reason": "No"})), ROOT),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/export", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.csv", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.jsonl", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.parquet", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.csv", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/qualtrics.csv", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.jsonl", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.parquet", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.sav", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.dta", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/bundle.zip", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/codebook.csv", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/read.R", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/read.py", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/debug", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/responses/counts", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/summary", None, SEES),
        closed(
            Method::GET,
            "/api/surveys/{surveyId}/simulation/{simulationId}/comparison?others={simulationId}",
            None,
            SEES,
        ),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/diagnostics", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/texts?questionId=8", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/own-answers", None, SEES),
        // The body has no file.
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/simulation/{simulationId}/people",
            None,
            [404, 404, 400, 400, 400],
        ),
        closed(Method::POST, "/api/plan", Some(json!({"kind": "means", "d": 0.3, "alpha": 0.05, "power": 0.8})), ALL),
        closed(Method::GET, "/api/surveys/{surveyId}/studies", None, SEES),
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/studies?price=true",
            Some(json!({"run": {"personaCount": 1}})),
            [404, 404, 200, 403, 200],
        ),
        closed(Method::GET, "/api/surveys/{surveyId}/plans", None, SEES),
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/plans",
            Some(json!({"title": "Fees"})),
            [404, 404, 201, 403, 201],
        ),
        closed(Method::GET, "/api/plans/{planId}", None, SEES),
        closed(Method::PUT, "/api/plans/{planId}", Some(json!({"title": "Fees"})), OWNS),
        closed(Method::DELETE, "/api/plans/{planId}", None, [404, 404, 204, 403, 204]),
        closed(Method::POST, "/api/plans/{planId}/freeze", None, OWNS),
        // The plan hides nothing, and is a draft.
        closed(Method::POST, "/api/plans/{planId}/look", None, LOCKED),
        closed(Method::POST, "/api/plans/{planId}/publication", None, LOCKED),
        closed(Method::DELETE, "/api/plans/{planId}/publication", None, [404, 404, 204, 403, 204]),
        closed(Method::GET, "/api/plans/{planId}/plan.md", None, OVER),
        closed(Method::GET, "/api/plans/{planId}/plan.json", None, OVER),
        // The plan has no deviation.
        closed(
            Method::PATCH,
            "/api/plans/{planId}/deviations/{deviationId}",
            Some(json!({"reason": "Cut"})),
            [404, 404, 404, 403, 404],
        ),
        // The study has no plan.
        closed(Method::GET, "/api/studies/{studyId}/plan", None, [404; 5]),
        closed(Method::POST, "/api/studies/{studyId}/freeze", None, [404, 404, 400, 403, 400]),
        closed(Method::GET, "/api/studies/{studyId}", None, SEES),
        closed(Method::GET, "/api/studies/{studyId}/comparison", None, SEES),
        closed(Method::GET, "/api/studies/{studyId}/comparison.csv", None, SEES),
        closed(Method::GET, "/api/studies/{studyId}/bundle", None, SEES),
        closed(Method::PATCH, "/api/studies/{studyId}", Some(json!({"name": "Baselines"})), SEES),
        closed(Method::POST, "/api/studies/{studyId}/continue", None, OVER),
        closed(Method::POST, "/api/studies/{studyId}/retry-failed", None, SEES),
        closed(Method::POST, "/api/studies/{studyId}/pause", None, OVER),
        closed(Method::POST, "/api/studies/{studyId}/resume", None, OVER),
        closed(Method::POST, "/api/studies/{studyId}/stop", None, OVER),
        // No persona of the planted set has held-out answers.
        closed(Method::GET, "/api/personas/validation", None, ALL),
        closed(
            Method::POST,
            "/api/personas/sets/{setId}/validation",
            Some(json!({"groupId": 1, "personaCount": 1})),
            [404, 409, 409, 409, 403],
        ),
        closed(Method::GET, "/api/studies/{studyId}/validation", None, OVER),
        closed(Method::GET, "/api/studies/{studyId}/calibration", None, OVER),
        // The body has no file.
        closed(Method::POST, "/api/studies/{studyId}/people", None, [404, 404, 400, 400, 400]),
        // People's answers belong to the survey's owner; everybody who sees the run sees the figures that follow from
        // them.
        closed(Method::GET, "/api/studies/{studyId}/people", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation/{simulationId}/people", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/human-samples", None, SEES),
        // The body has no file.
        closed(Method::POST, "/api/surveys/{surveyId}/human-samples", None, [404, 404, 400, 403, 400]),
        closed(Method::GET, "/api/human-samples/{sampleId}", None, OWNS),
        closed(Method::PATCH, "/api/human-samples/{sampleId}", Some(json!({"name": "Panel"})), OWNS),
        closed(Method::DELETE, "/api/human-samples/{sampleId}", None, [404, 404, 204, 403, 204]),
        closed(Method::GET, "/api/simulations/{simulationId}/trust", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/leaks", None, SEES),
        closed(Method::GET, "/api/surveys/my", None, ALL),
        closed(Method::POST, "/api/surveys", Some(json!({"title": "New", "groupId": 1})), CREATES),
        closed(Method::POST, "/api/surveys/import?groupId=1", Some(file), CREATES),
        // The body has no file.
        closed(Method::POST, "/api/surveys/import/qsf?groupId=1", None, [404, 400, 400, 400, 403]),
        closed(Method::GET, "/api/surveys/{surveyId}", None, SEES),
        closed(Method::PATCH, "/api/surveys/{surveyId}", Some(json!({"visibility": "PUBLIC"})), OWNS),
        closed(Method::DELETE, "/api/surveys/{surveyId}", None, [404, 404, 204, 403, 204]),
        closed(Method::PATCH, "/api/surveys/{surveyId}/toggle-lock", None, LOCKED),
        closed(Method::PATCH, "/api/surveys/{surveyId}/toggle-visibility", None, OWNS),
        closed(Method::GET, "/api/surveys/{surveyId}/export", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/import-report", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/design", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/preview?seed=3", None, OWNS),
        closed(Method::PUT, "/api/surveys/{surveyId}/design", Some(json!({"flow": []})), LOCKED),
        closed(Method::POST, "/api/surveys/{surveyId}/design/check", Some(json!({})), SEES),
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/rename",
            Some(json!({"kind": "question", "from": "Why", "to": "reason"})),
            LOCKED,
        ),
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/duplicate",
            Some(json!({"title": "Copy"})),
            [404, 404, 201, 201, 403],
        ),
        // The owner of the group is no member with credits of it, and super administrators have no surveys.
        closed(Method::POST, "/api/surveys/{surveyId}/ask", Some(json!({"personaId": 1})), [404, 404, 201, 402, 403]),
        closed(Method::GET, "/api/surveys/{surveyId}/questions", None, SEES),
        closed(Method::POST, "/api/surveys/{surveyId}/questions", question(), LOCKED),
        closed(
            Method::POST,
            "/api/surveys/{surveyId}/questions/bulk",
            Some(json!({"questions": [{"text": "Why?", "type": "TEXT_ENTRY"}]})),
            LOCKED,
        ),
        closed(
            Method::PATCH,
            "/api/surveys/{surveyId}/questions/order",
            Some(json!({"questionOrders": [{"id": 1, "order": 1}]})),
            LOCKED,
        ),
        closed(Method::PATCH, "/api/surveys/questions/{questionId}", question(), LOCKED),
        closed(Method::DELETE, "/api/surveys/questions/{questionId}", None, LOCKED),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation-history", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation-status", None, SEES),
        closed(Method::GET, "/api/surveys/{surveyId}/simulation-config", None, SEES),
        closed(Method::GET, "/api/simulations", None, ALL),
        closed(Method::GET, "/api/simulations/personas/available", None, ALL),
        closed(
            Method::POST,
            "/api/simulations/survey/{surveyId}/start",
            Some(json!({"personaCount": 1})),
            [404, 404, 201, 403, 403],
        ),
        closed(Method::POST, "/api/simulations/retry-failed/{simulationId}", Some(json!({"surveyId": 1})), SEES),
        closed(Method::POST, "/api/simulations/execute/{simulationId}", None, OVER),
        closed(Method::POST, "/api/simulations/{simulationId}/pause", None, OVER),
        closed(Method::POST, "/api/simulations/{simulationId}/resume", None, OVER),
        closed(Method::POST, "/api/simulations/{simulationId}/stop", None, OVER),
        closed(Method::POST, "/api/simulations/{simulationId}/continue", None, OVER),
        closed(Method::POST, "/api/simulations/{simulationId}/reset-counters", None, SEES),
        closed(Method::GET, "/api/simulations/{simulationId}", None, SEES),
        closed(Method::PATCH, "/api/simulations/{simulationId}", Some(json!({"name": "Pilot"})), SEES),
        closed(
            Method::POST,
            "/api/simulations/{simulationId}/share",
            Some(json!({"expiresAt": null})),
            [404, 404, 201, 201, 201],
        ),
        closed(Method::GET, "/api/simulations/{simulationId}/shares", None, SEES),
        closed(Method::DELETE, "/api/simulations/{simulationId}/shares/{shareId}", None, [404, 404, 204, 204, 204]),
        open(Method::GET, "/api/shared/{token}", None, 200),
        open(Method::GET, "/api/shared/{token}/summary", None, 200),
        open(Method::GET, "/api/shared/{token}/texts?questionId=8", None, 200),
        open(Method::GET, "/api/shared-plans/{token}", None, 200),
        open(Method::GET, "/api/shared-plans/{token}/plan.md", None, 200),
        open(Method::GET, "/api/shared-plans/{token}/plan.json", None, 200),
        closed(Method::GET, "/api/simulations/{simulationId}/personas", None, SEES),
        closed(Method::GET, "/api/simulations/{simulationId}/assignments", None, SEES),
        // The planted answers have no real prompts.
        closed(
            Method::GET,
            "/api/simulations/{simulationId}/prompt?personaId=1&questionId=1",
            None,
            [404, 404, 409, 409, 409],
        ),
        closed(Method::GET, "/api/simulations/{simulationId}/progress", None, SEES),
        closed(Method::GET, "/api/simulations/{simulationId}/live-progress", None, SEES),
        closed(Method::GET, "/api/simulations/{simulationId}/refresh-status", None, SEES),
        closed(Method::POST, "/api/simulations/{simulationId}/update-progress", percentage(), SEES),
        closed(Method::GET, "/api/simulations/{simulationId}/failures", None, SEES),
        closed(Method::GET, "/api/simulations/{simulationId}/events", None, SEES),
        closed(Method::POST, "/api/simulations/check-all-statuses", None, ALL),
        closed(Method::GET, "/api/simulations/survey/{surveyId}/progress", None, SEES),
        closed(Method::GET, "/api/simulations/survey/{surveyId}/live-progress", None, SEES),
        closed(Method::GET, "/api/simulations/survey/{surveyId}/refresh-status", None, SEES),
        closed(Method::POST, "/api/simulations/survey/{surveyId}/update-progress", percentage(), SEES),
        closed(Method::POST, "/api/simulations/survey/{surveyId}/reset-counters", None, SEES),
        closed(Method::POST, "/api/simulations/survey/{surveyId}/pause", None, OVER),
        closed(Method::POST, "/api/simulations/survey/{surveyId}/resume", None, OVER),
        closed(Method::POST, "/api/simulations/survey/{surveyId}/stop", None, OVER),
        closed(Method::POST, "/api/simulations/queue/trigger", None, ROOT),
        closed(Method::GET, "/api/simulations/queue/status", None, ROOT),
        closed(Method::GET, "/api/admin/model-servers", None, ROOT),
        // No server has the name.
        closed(Method::POST, "/api/admin/model-servers/{name}/check", None, [403, 403, 403, 403, 404]),
    ]
    .into_iter()
    .chain(groups())
    .chain(transactions())
    .chain(personas())
    .collect()
}

fn groups() -> Vec<Line> {
    const OWNER: [u16; 5] = [404, 403, 403, 200, 200];
    const MEMBER: [u16; 5] = [404, 200, 200, 200, 200];
    let group = json!({"group_name": "New", "default_budget_per_user": 5, "owner_email": "admin@test.example"});
    vec![
        closed(Method::GET, "/api/groups", None, ALL),
        closed(Method::GET, "/api/groups/my", None, ALL),
        closed(Method::POST, "/api/groups", Some(group), [403, 403, 403, 201, 201]),
        closed(Method::GET, "/api/groups/{groupId}", None, MEMBER),
        closed(Method::PATCH, "/api/groups/{groupId}", Some(json!({"group_name": "New"})), OWNER),
        closed(Method::DELETE, "/api/groups/{groupId}", None, [404, 403, 403, 204, 204]),
        closed(Method::GET, "/api/groups/{groupId}/members", None, MEMBER),
        closed(
            Method::POST,
            "/api/groups/{groupId}/members",
            Some(json!({"email": "grace@test.example", "budget": 5})),
            [404, 403, 403, 201, 201],
        ),
        closed(
            Method::POST,
            "/api/groups/{groupId}/members/bulk",
            Some(json!({"emails": ["grace@test.example"], "budget": 5})),
            [404, 403, 403, 200, 200],
        ),
        closed(Method::DELETE, "/api/groups/{groupId}/members/{userId}", None, [404, 403, 403, 204, 204]),
        closed(Method::PATCH, "/api/groups/{groupId}/members/{userId}/budget", Some(json!({"budget": 5})), OWNER),
        closed(
            Method::PATCH,
            "/api/groups/{groupId}/members/budgets",
            Some(json!([{"userId": 2, "budget": 5}])),
            OWNER,
        ),
        closed(
            Method::PATCH,
            "/api/groups/{groupId}/members/{userId}/status",
            Some(json!({"status": "suspended"})),
            OWNER,
        ),
        closed(Method::GET, "/api/groups/{groupId}/model-keys", None, OWNER),
        // The tests' instance has the demo model alone, which takes no key.
        closed(
            Method::PUT,
            "/api/groups/{groupId}/model-keys/{server}",
            Some(json!({"key": "sk-0123456789abcdef"})),
            [404, 403, 403, 404, 404],
        ),
        closed(Method::DELETE, "/api/groups/{groupId}/model-keys/{server}", None, [404, 403, 403, 404, 404]),
        closed(Method::GET, "/api/groups/{groupId}/usage", None, OWNER),
        closed(Method::GET, "/api/groups/{groupId}/transactions", None, MEMBER),
        closed(Method::GET, "/api/groups/transactions/all", None, ALL),
    ]
}

fn transactions() -> Vec<Line> {
    const MEMBER: [u16; 5] = [404, 200, 200, 200, 200];
    // The entries are about the survey's owner.
    const OWN: [u16; 5] = [404, 404, 200, 200, 200];
    const BOOKED: [u16; 5] = [404, 403, 403, 201, 201];
    let grant = json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 5});
    vec![
        closed(Method::GET, "/api/transactions", None, ALL),
        closed(Method::GET, "/api/transactions/all", None, ALL),
        closed(Method::GET, "/api/transactions/user-groups", None, ALL),
        closed(Method::GET, "/api/transactions/all/stats", None, ALL),
        closed(Method::GET, "/api/transactions/all/export.csv", None, ALL),
        closed(Method::GET, "/api/transactions/user-groups/stats", None, ALL),
        closed(Method::GET, "/api/transactions/user-groups/export.csv", None, ALL),
        closed(Method::POST, "/api/transactions", Some(grant.clone()), BOOKED),
        closed(Method::POST, "/api/transactions/bulk", Some(json!({"transactions": [grant]})), BOOKED),
        closed(Method::GET, "/api/transactions/group/{groupId}", None, MEMBER),
        closed(Method::GET, "/api/transactions/group/{groupId}/stats", None, MEMBER),
        closed(Method::GET, "/api/transactions/group/{groupId}/count", None, MEMBER),
        closed(Method::GET, "/api/transactions/user/{userId}", None, OWN),
        closed(Method::GET, "/api/transactions/user/{userId}/stats", None, OWN),
        closed(Method::GET, "/api/transactions/user/{userId}/count", None, OWN),
        closed(Method::GET, "/api/transactions/simulation/{simulationId}", None, OWN),
        closed(Method::GET, "/api/transactions/{transactionId}", None, OWN),
        // The run has spent some of it.
        closed(Method::DELETE, "/api/transactions/{transactionId}", None, [404, 404, 403, 403, 409]),
    ]
}

fn personas() -> Vec<Line> {
    let persona = json!({"name": "Twin 4", "description": "Female, 30-49"});
    vec![
        closed(Method::GET, "/api/personas", None, ALL),
        closed(Method::GET, "/api/personas/count", None, ALL),
        closed(Method::GET, "/api/personas/search", None, ALL),
        closed(Method::GET, "/api/personas/attributes", None, ALL),
        // The twins have no attributes.
        closed(Method::GET, "/api/personas/quotas?attribute=Gender&n=5", None, [400; 5]),
        closed(Method::GET, "/api/personas/random/{n}", None, ALL),
        closed(Method::GET, "/api/personas/{personaId}", None, ALL),
        closed(Method::POST, "/api/personas", Some(persona), [403, 403, 403, 403, 201]),
        closed(Method::PATCH, "/api/personas/{personaId}", Some(json!({"name": "New"})), ROOT),
        closed(Method::DELETE, "/api/personas/{personaId}", None, [403, 403, 403, 403, 204]),
        closed(Method::DELETE, "/api/personas", None, ROOT),
        // The body has no file.
        closed(Method::POST, "/api/personas/import/csv", None, [403, 403, 403, 403, 400]),
    ]
}

/// The values of path parameters, by their names in the document: the planted survey and what belongs to it.
const PARAMETERS: &[(&str, &str)] = &[
    ("{groupId}", "1"),
    ("{surveyId}", "1"),
    ("{questionId}", "1"),
    ("{simulationId}", sample::SIMULATION_ID),
    ("{transactionId}", "1"),
    ("{userId}", "2"),
    ("{personaId}", "1"),
    ("{n}", "2"),
    ("{setId}", "1"),
    ("{accessRequestId}", "1"),
    ("{tokenId}", "1"),
    ("{shareId}", "1"),
    ("{sampleId}", "8c7d6e5f-0000-4000-8000-000000000008"),
    ("{planId}", "6a5b4c3d-0000-4000-8000-000000000006"),
    ("{deviationId}", "1"),
    ("{studyId}", "5f4e3d2c-0000-4000-8000-000000000005"),
    ("{token}", "shared-by-its-author"),
    ("{name}", "no-such-server"),
    ("{server}", "default"),
    ("{photo}", "0b5c8c5e-5f0a-4a5e-9d3c-2f1b6a7c8d9e"),
];

pub fn address(path: &str) -> String {
    let address = PARAMETERS.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
    assert!(!address.contains('{'), "{path} has a parameter that PARAMETERS does not know");
    address
}

/// A plan's frozen JSON.
const FROZEN: &str = r#"{"dataBefore":{"answers":0,"earlierRuns":0,"seen":false},"format":1,"frozenAt":"2026-11-26T10:00:00Z","plan":{"title":"Fees"},"program":"Digital Twin Lab 0.1.0","survey":{"description":"","questions":[],"title":"Fees"},"surveyHash":"00ff"}"#;

/// Two people with the number 12, as a stored sample: compressed JSON.
const ANSWERS_OF_PEOPLE: &str = "78dab58e4b0ec3200c44efe2358b24cb9ca077881072521421191305e84788bbd7b068d503643733b69fa7c016287b8e302f0518bd85190e77070584ab2571229d3fc2998cc4dd3e90b2357d2e77a52af02e46c7bb399177217026fa857dbd3dd00a927da5260185b382249ba546590635eaaabe1d6ee1693cf2fbf222e3f4df62d055d70fa08e5c7a";

/// A survey that has run, and its callers.
pub struct World {
    database: Database,
    other: User,
    member: User,
    author: User,
    owner: User,
    /// The owner with an earlier token version.
    owner_before: User,
    root: User,
    suspended: User,
}

impl World {
    pub async fn plant() -> Self {
        let database = Database::new();
        let pool = database.pool().await;
        let connection = &mut *pool.get().await.expect("a connection");
        sample::plant(connection, PlantedRun::Failed).await;
        let owner_before = person(connection, "admin@test.example").await;
        let member = sample::person(connection, "member@test.example", Role::User).await;
        let suspended = sample::person(connection, "suspended@test.example", Role::User).await;
        sample::run(
            connection,
            &format!(
                "INSERT INTO group_members (group_id, user_id) VALUES (1, {});
                 INSERT INTO studies (study_id) VALUES ('5f4e3d2c-0000-4000-8000-000000000005');
                 INSERT INTO study_runs SELECT simulations.id, studies.id FROM simulations, studies;
                 INSERT INTO access_tokens (user_id, name, prefix, token_hash, scopes)
                    VALUES (2, 'Script', 'twl_12345678', '\\x00', '{{run}}');
                 INSERT INTO share_links (simulation_id, created_by, prefix, token_hash, expires_at)
                    SELECT id, user_id, 'shared-by', sha256('shared-by-its-author'), now() + interval '1 day' FROM simulations;
                 INSERT INTO study_plans (id, plan_id, survey_id, created_by, blind, document)
                    SELECT 1, '6a5b4c3d-0000-4000-8000-000000000006'::uuid, s.id, s.user_id, true, jsonb_build_object(
                        'title', 'Fees', 'primaryItems', (SELECT jsonb_agg(name) FROM questions WHERE survey_id = s.id
                            AND question_type <> 'INFO'))
                    FROM surveys s
                    UNION ALL SELECT 2, gen_random_uuid(), s.id, s.user_id, false, '{{}}' FROM surveys s;
                 SELECT setval(pg_get_serial_sequence('study_plans', 'id'), 2);
                 INSERT INTO frozen_plans
                    SELECT 2, user_id, now(), canonical, encode(sha256(convert_to(canonical, 'UTF8')), 'hex') FROM surveys,
                        (VALUES ('{FROZEN}')) AS frozen (canonical);
                 INSERT INTO plan_links SELECT 2, user_id, 'shared-by-its-author' FROM surveys;
                 INSERT INTO human_samples (sample_id, survey_id, created_by, name, people, matched, dropped, settings, content)
                    SELECT '8c7d6e5f-0000-4000-8000-000000000008', id, user_id, 'Panel', 2, '{{How_many}}', '[]', '{{}}',
                        '\\x{ANSWERS_OF_PEOPLE}' FROM surveys;
                 INSERT INTO access_requests (email) VALUES ('grace@test.example');
                 UPDATE users SET suspended_at = now() WHERE id = {};
                 UPDATE users SET token_version = 1 WHERE id = {};",
                member.id, suspended.id, owner_before.id
            ),
        )
        .await;
        Self {
            other: sample::person(connection, "other@test.example", Role::User).await,
            member,
            author: person(connection, "user@test.example").await,
            owner: person(connection, "admin@test.example").await,
            owner_before,
            root: sample::person(connection, "root@test.example", Role::SuperAdmin).await,
            suspended,
            database,
        }
    }

    /// Starts the app on the database, and returns it with [`CALLERS`].
    pub async fn open(self) -> (TestApp, Vec<Client>) {
        let url = self.database.url().to_owned();
        let app = TestApp::start_at(self.database, &url, &[]).await;
        let callers = vec![
            app.visitor(),
            app.signed_in(&self.other),
            app.signed_in(&self.member),
            app.signed_in(&self.author),
            app.signed_in(&self.owner),
            app.signed_in(&self.root),
            app.signed_in(&self.suspended),
            app.expired(&self.owner),
            app.forged(&self.owner),
            app.signed_in(&self.owner_before),
        ];
        (app, callers)
    }
}

/// Returns the planted user with this e-mail.
async fn person(connection: &mut AsyncPgConnection, email: &str) -> User {
    let email = Email::parse(email).expect("an address");
    User::find_by_email(connection, &email).await.expect("the query runs").expect("who was planted")
}

#[tokio::test]
async fn every_route_answers_every_kind_of_caller_as_the_matrix_says() {
    let mut surprises = Vec::new();
    let (app, callers) = World::plant().await.open().await;
    let connection = &mut *app.connection().await;
    let planted = Kept::of(connection).await;
    let document = serde_json::to_value(http::document()).expect("it is JSON");
    for Line { method, path, body, expected } in matrix() {
        let address = address(path);
        for (at, (caller, expected)) in CALLERS.iter().zip(expected).enumerate() {
            let answer = callers[at].send(method.clone(), &address, body.clone()).await;
            if answer.status != expected {
                surprises.push(format!(
                    "{method} {path} as {caller}: {} instead of {expected}: {}",
                    answer.status, answer.body
                ));
            }
            if answer.status < 300 {
                let differences = documented::differences(&document, method.as_str(), path, &answer);
                surprises.extend(differences.iter().map(|found| format!("{method} {path} as {caller}: {found}")));
            }
            // The next call finds everything as it was.
            if method != Method::GET && answer.status < 300 {
                planted.restore(connection).await;
            }
        }
    }
    app.stop().await;
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn every_route_of_the_document_is_in_the_matrix() {
    let document = serde_json::to_value(http::document()).expect("it is JSON");
    let documented: BTreeSet<String> = document["paths"]
        .as_object()
        .expect("it has paths")
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path has calls").keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let listed: BTreeSet<String> = matrix()
        .iter()
        .map(|line| format!("{} {}", line.method, line.path.split('?').next().unwrap_or_default()))
        .collect();
    assert_eq!(documented.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "missing in the matrix");
    assert_eq!(listed.difference(&documented).collect::<Vec<_>>(), Vec::<&String>::new(), "missing in the document");
}
