//! Read-only links to a run's results.

use serde_json::{Value, json};

use crate::support::{GroupFixture, sample, with_app};

/// The names of all fields at any depth.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, field)| [vec![name.clone()], names(field)].concat()).collect()
        }
        Value::Array(items) => items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn a_link_shows_a_runs_results_to_anybody_until_it_is_revoked_or_over() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let run = fixture.start(fixture.survey(2).await, 3).await["simulationId"].as_str().expect("an id").to_owned();
        let path = format!("/api/simulations/{run}");
        let (share, shares) = (format!("{path}/share"), format!("{path}/shares"));
        fixture.member.post(&share, json!({})).await.refused(404);
        for expires_at in ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"] {
            let refused = fixture.author.post(&share, json!({"expiresAt": expires_at})).await.refused(400);
            assert!(refused.contains("expiresAt"), "{refused}");
        }

        let link = fixture.owner.post(&share, json!({})).await.ok();
        let token = link["token"].as_str().expect("a token").to_owned();
        assert_eq!((token.len(), link["path"].as_str()), (40, Some(format!("/shared/{token}").as_str())));
        let (facts, summary) = (format!("/api/shared/{token}"), format!("/api/shared/{token}/summary"));
        let visitor = app.visitor();
        let shown = visitor.get(&facts).await;
        assert_eq!(shown.headers["x-robots-tag"], "noindex, nofollow");
        assert_eq!(shown.headers["cache-control"], "no-store");
        let shown = shown.ok();
        assert_eq!(
            (&shown["title"], &shown["personaCount"], &shown["status"]),
            (&json!("Tea"), &json!(3), &json!("QUEUED"))
        );
        assert_eq!(shown["questions"].as_array().map(Vec::len), Some(2));
        let figures = visitor.get(&summary).await.ok();
        assert_eq!((&figures["n"], figures["questions"].as_array().map(Vec::len)), (&json!(3), Some(2)));
        let refused = visitor.get(&format!("/api/shared/{token}/texts?questionId=0")).await.refused(400);
        assert_eq!(refused, "questionId: the run has no question 0 in free words");
        let names_shown = names(&shown);
        for secret in ["held", "calls", "group", "userId", "user", "email", "promptTokens", "budget"] {
            assert!(!names_shown.iter().any(|name| name == secret), "{secret} is shown: {shown}");
        }
        for secret in ["author@test.example", "owner@test.example", "Workshop"] {
            assert!(!shown.to_string().contains(secret), "{secret} is shown: {shown}");
        }

        let listed = fixture.author.get(&shares).await.ok();
        assert_eq!((&listed[0]["id"], &listed[0]["views"]), (&link["id"], &json!(1)));
        assert!(listed[0]["lastViewedAt"].is_string() && !listed.to_string().contains(&token), "{listed}");
        let unknown = visitor.get("/api/shared/no-such-link").await.refused(404);
        let change = "UPDATE share_links SET expires_at = expires_at - interval '60 days'";
        sample::run(&mut *app.connection().await, change).await;
        assert_eq!(visitor.get(&facts).await.refused(404), unknown, "it is over, and looks as if it had never been");
        visitor.get(&summary).await.refused(404);
        visitor.get(&format!("/api/shared/{token}/texts?questionId=0")).await.refused(404);

        let link = fixture.author.post(&share, json!(null)).await.ok();
        let facts = format!("/api/shared/{}", link["token"].as_str().expect("a token"));
        visitor.get(&facts).await.ok();
        fixture.author.delete(&format!("{shares}/{}", link["id"])).await.ok();
        visitor.get(&facts).await.refused(404);
        assert_eq!(fixture.author.get(&shares).await.ok().as_array().map(Vec::len), Some(1));
    })
    .await;
}
