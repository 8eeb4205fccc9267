//! Free-text answers: counted, searched and by group.

use evidence::intervals::of_share;
use serde_json::json;

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::with_app;

#[tokio::test]
async fn equal_texts_are_counted_together_searched_and_split_and_the_commonest_come_first() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 9).await;
        let words = "
            UPDATE personas SET attributes = jsonb_build_object('Gender', CASE WHEN id < 6 THEN 'Male' ELSE 'Female' END);
            UPDATE responses SET answer = said, answer_value = to_jsonb(said) FROM (VALUES (1, 'By bus'), (2, 'by car'),
                (4, 'By bus'), (5, '50% walk'), (6, 'By bus'), (7, 'by car'), (8, 'by train'), (9, '500 walk')) AS
                given (twin, said) WHERE question_id = 8 AND persona_id = twin";
        sample::run(&mut *app.connection().await, words).await;
        let texts = async |rest: &str| owner.get(&at(&format!("texts?questionId=8{rest}"))).await;

        let all = texts("").await.ok();
        assert_eq!((&all["total"], &all["n"]), (&json!(5), &json!(8)));
        let first = json!({"text": "By bus", "count": 3, "groups": []});
        assert_eq!(all["texts"][0], first);
        assert_eq!(all["texts"][1]["text"], "by car");
        let page = texts("&limit=1&offset=1").await.ok();
        assert_eq!((&page["total"], &page["texts"][0]["text"]), (&json!(5), &json!("by car")));
        assert_eq!(page["texts"].as_array().map(Vec::len), Some(1));
        let beyond = texts("&offset=90").await.ok();
        assert_eq!((&beyond["total"], &beyond["texts"]), (&json!(5), &json!([])));

        let by = texts("&q=BY&by=Gender").await.ok();
        assert_eq!((&by["total"], &by["n"]), (&json!(3), &json!(6)));
        let groups = json!([{"value": "Male", "n": 2}, {"value": "Female", "n": 1}]);
        assert_eq!(by["texts"][0]["groups"], groups);
        assert_eq!(by["texts"][2]["groups"], json!([{"value": "Female", "n": 1}]), "others gave it");
        let women = texts("&where=Gender:Female").await.ok();
        assert_eq!((&women["total"], &women["n"]), (&json!(4), &json!(4)));
        let percent = texts("&q=50%25").await.ok();
        assert_eq!((&percent["total"], &percent["texts"][0]["text"]), (&json!(1), &json!("50% walk")));

        let women = texts("&by=Gender&group=Female").await.ok();
        assert_eq!((&women["total"], &women["n"]), (&json!(4), &json!(4)));
        let both = json!([{"value": "Male", "n": 4}, {"value": "Female", "n": 4}]);
        assert_eq!(women["groups"], both, "all groups are still to be chosen from");
        assert_eq!(texts("&by=Gender&group=None").await.ok()["total"], 0);

        for (query, expected) in [
            ("texts?questionId=8&group=Male", "group: needs by, which makes the groups"),
            ("texts?questionId=1", "questionId: the run has no question 1 in free words"),
            ("texts?questionId=99", "questionId: the run has no question 99 in free words"),
            ("texts?questionId=8&by=Shoes", "by must be an attribute with at most 100 values: Gender"),
            ("texts?questionId=8&where=Shoes:1", "where: no twin has the attribute Shoes"),
        ] {
            assert_eq!(owner.get(&at(query)).await.refused(400), expected);
        }
    })
    .await;
}

#[tokio::test]
async fn texts_are_grouped_by_the_commonest_words_that_they_share_and_a_theme_can_be_read() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 9).await;
        // Three would take the bus, two of them with cheap fares; two say nothing would; one would walk.
        let words = "
            UPDATE personas SET attributes = jsonb_build_object('Gender', CASE WHEN id < 6 THEN 'Male' ELSE 'Female' END);
            UPDATE responses SET answer = said, answer_value = to_jsonb(said) FROM (VALUES (1, 'A cheaper bus.'),
                (2, 'The BUS, if it came'), (4, 'Nothing would'), (5, 'nothing would!'), (6, 'More buses, one bus at least'),
                (7, 'I might walk'), (8, 'Work from home'), (9, 'work at home')) AS
                given (twin, said) WHERE question_id = 8 AND persona_id = twin";
        sample::run(&mut *app.connection().await, words).await;
        let texts = async |rest: &str| owner.get(&at(&format!("texts?questionId=8{rest}"))).await.ok();

        let all = texts("&by=Gender").await;
        let tally = |value: &str, count: i64, n: f64| {
            let interval = of_share(count as f64, n, 0.95).expect("somebody answered");
            let share = count as f64 / n;
            json!({"value": value, "count": count, "share": share, "low": interval.low, "high": interval.high})
        };
        let groups = |male, female| json!([tally("Male", male, 4.0), tally("Female", female, 4.0)]);
        let theme = |name: &str, n: i64, male, female| {
            json!({"name": name, "n": n, "share": n as f64 / 8.0, "groups": groups(male, female)})
        };
        let themes = json!([
            theme("bus", 3, 2, 1),
            theme("home", 2, 0, 2),
            theme("nothing", 2, 2, 0),
            theme("Not grouped", 1, 0, 1)
        ]);
        assert_eq!(all["themes"], themes);

        let bus = texts("&by=Gender&theme=bus&limit=1").await;
        assert_eq!((&bus["total"], &bus["n"], &bus["themes"]), (&json!(3), &json!(3), &themes));
        assert_eq!(bus["groups"], json!([{"value": "Male", "n": 2}, {"value": "Female", "n": 1}]));
        assert_eq!(bus["texts"][0]["text"], "A cheaper bus.");
        let women = texts("&by=Gender&theme=bus&group=Female&q=MORE").await;
        assert_eq!((&women["n"], &women["texts"][0]["text"]), (&json!(1), &json!("More buses, one bus at least")));
        assert_eq!(texts("&theme=Not%20grouped").await["texts"][0]["text"], "I might walk");
        assert_eq!(texts("&theme=train").await["total"], 0);
        let men = texts("&where=Gender:Male").await;
        let names: Vec<_> = men["themes"].as_array().expect("themes").iter().map(|theme| theme["name"].clone()).collect();
        assert_eq!(names, ["bus", "nothing"], "of those that pass the filter alone");
    })
    .await;
}
