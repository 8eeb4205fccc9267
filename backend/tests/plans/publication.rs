//! The public page of a frozen plan.

use serde_json::json;
use twinlab::models::users::Role;

use super::{drafted, import, plan, run_by};
use crate::support::{GroupFixture, with_app};

#[actix_web::test]
async fn a_public_plan_is_read_by_everybody_until_it_is_withdrawn() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        let publication = format!("{path}/publication");
        fixture.author.post(&publication, json!(null)).await.refused_with(409, "plan_not_frozen");
        let frozen = fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        assert_eq!(frozen["link"], json!(null));
        fixture.owner.post(&publication, json!(null)).await.refused(403);
        let published = fixture.author.post(&publication, json!(null)).await.ok();
        let link = published["link"].as_str().expect("a link").to_owned();
        assert_eq!(fixture.author.post(&publication, json!(null)).await.ok()["link"], json!(link), "it stays");
        assert_eq!(fixture.owner.get(&path).await.ok()["link"], json!(null), "only its owner sees the link");
        let token = link.strip_prefix("/plans/").expect("a page");
        assert_eq!(token.len(), 40);
        run_by(&fixture, survey, &path, json!({"run": {"personaCount": 4}})).await;

        let visitor = app.visitor();
        let page = format!("/api/shared-plans/{token}");
        let shown = visitor.get(&page).await;
        assert_eq!(shown.headers["x-robots-tag"], "noindex, nofollow");
        let shown = shown.ok();
        assert_eq!(shown["document"], frozen["document"]);
        assert_eq!((&shown["sha256"], &shown["started"]), (&frozen["frozen"]["sha256"], &json!(true)));
        assert_eq!(shown["deviations"][0]["after"], "4");
        let json_file = visitor.get(&format!("{page}/plan.json")).await;
        assert_eq!(json_file.bytes, fixture.author.get(&format!("{path}/plan.json")).await.bytes);
        let markdown = String::from_utf8(visitor.get(&format!("{page}/plan.md")).await.bytes).expect("UTF-8");
        for text in [shown.to_string(), markdown, json_file.body.to_string()] {
            for secret in ["author@test.example", "Workshop", "\"who\"", "userId"] {
                assert!(!text.contains(secret), "{secret} is shown: {text}");
            }
        }

        // Other groups do not see the plan by its own address.
        let stranger = app.client("stranger@test.example", Role::User).await;
        for call in ["", "/plan.md", "/plan.json"] {
            stranger.get(&format!("{path}{call}")).await.refused(404);
            fixture.member.get(&format!("{path}{call}")).await.refused(404);
            visitor.get(&format!("{path}{call}")).await.refused(401);
        }
        stranger.get(&format!("/api/surveys/{survey}/plans")).await.refused(404);

        let unknown = visitor.get("/api/shared-plans/no-such-plan").await.refused_with(404, "link_not_found");
        fixture.author.delete(&publication).await.ok();
        for call in ["", "/plan.md", "/plan.json"] {
            let gone = visitor.get(&format!("{page}{call}")).await.refused_with(404, "link_not_found");
            assert_eq!(gone, unknown, "it looks as if it had never been");
        }
        let again = fixture.author.post(&publication, json!(null)).await.ok();
        assert_ne!(again["link"], json!(link), "the old address stays dead");
        visitor.get(&page).await.refused(404);
        fixture.author.delete(&format!("/api/surveys/{survey}")).await;
    })
    .await;
}
