//! Whole answers of the API, field by field, as a script reads them.

use serde_json::json;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{Client, TestApp, with_app};

/// A client of the planted simulation's author, or of the owner of its group.
async fn caller(app: &TestApp, email: &str) -> Client {
    sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
    app.client(email, Role::User).await
}

/// The status, the full count of a list and the body, with times replaced.
async fn whole(client: &Client, path: &str) -> String {
    let answer = client.get(path).await;
    let body = serde_json::to_string_pretty(&answer.body).expect("it is JSON");
    let is_time = |line: &&str| line.contains("T") && line.ends_with(['Z', '"', ',']) && line.matches(':').count() >= 3;
    let lines = body.lines().map(|line| match line.split_once(": \"20").filter(|_| is_time(&line)) {
        Some((field, rest)) => format!("{field}: [time]{}", if rest.ends_with(',') { "," } else { "" }),
        None => line.to_owned(),
    });
    let count = answer.headers.get("x-total-count").map_or("", |count| count.to_str().expect("a number"));
    format!("{} {count}\n{}", answer.status, lines.collect::<Vec<_>>().join("\n"))
        .replace(SIMULATION_ID, "[simulation]")
}

#[tokio::test]
async fn a_profile_says_who_is_signed_in() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/auth/profile").await, @r#"
        200 
        {
          "email": "user@test.example",
          "id": 2,
          "isVerified": false,
          "name": null,
          "photoUrl": null,
          "role": "user"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn settings_begin_with_defaults() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/auth/settings").await, @r#"
        200 
        {
          "autoSave": true,
          "defaultDigitalTwins": 100,
          "emailNotifications": true,
          "exportFormat": "csv",
          "lowBudget": true,
          "newFeatures": false,
          "simulationComplete": true,
          "theme": "light"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_group_says_who_owns_it_and_what_it_may_spend() {
    with_app(async |app| {
        let client = caller(app, "admin@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/groups/1").await, @r#"
        200 
        {
          "allowFullPersonas": true,
          "allowSingleQuestionCalls": true,
          "available": 0,
          "createdAt": [time],
          "groupName": "Testers",
          "id": 1,
          "initialBudgetPerUser": 0,
          "isOwner": true,
          "ownerCreditCeiling": 10000000,
          "ownerCreditsGranted": 1000,
          "ownerEmail": "admin@test.example",
          "ownerId": 1,
          "status": "open",
          "updatedAt": [time]
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn members_come_with_their_credits() {
    with_app(async |app| {
        let client = caller(app, "admin@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/groups/1/members?limit=1").await, @r#"
        200 2
        [
          {
            "available": 983,
            "budget": 983,
            "createdAt": [time],
            "group": {
              "allowFullPersonas": true,
              "allowSingleQuestionCalls": true,
              "available": 0,
              "createdAt": [time],
              "groupName": "Testers",
              "id": 1,
              "initialBudgetPerUser": 0,
              "isOwner": true,
              "ownerEmail": "admin@test.example",
              "ownerId": 1,
              "status": "open",
              "updatedAt": [time]
            },
            "groupId": 1,
            "held": 0,
            "id": 2,
            "status": "active",
            "user": {
              "email": "user@test.example",
              "id": 2,
              "isVerified": false,
              "name": null,
              "photoUrl": null,
              "role": "user"
            },
            "userId": 2
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn usage_is_per_member() {
    with_app(async |app| {
        let client = caller(app, "admin@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/groups/1/usage?limit=1").await, @r#"
        200 2
        [
          {
            "budget": 983,
            "cost": [],
            "costByGroupKeys": [],
            "email": "user@test.example",
            "held": 0,
            "lastRunAt": [time],
            "name": null,
            "runs": 1,
            "spent": 17,
            "status": "active",
            "userId": 2
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_list_of_surveys_shows_the_latest_simulation_of_each() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/surveys/my").await, @r#"
        200 1
        [
          {
            "createdAt": [time],
            "description": "",
            "group": {
              "group_name": "Testers",
              "id": 1
            },
            "groupId": 1,
            "id": 1,
            "isLocked": true,
            "questionCount": 9,
            "simulationId": "[simulation]",
            "simulation_completed_at": [time],
            "simulation_status": "FAILED",
            "title": "=1+1 survey",
            "updatedAt": [time],
            "userId": 2,
            "visibility": "PRIVATE"
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn questions_have_the_fields_of_their_type_only() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/surveys/1/questions?limit=3").await, @r#"
        200 
        [
          {
            "id": 1,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "Which_colour_then",
            "options": [
              {
                "text": "-red"
              },
              {
                "text": "blue"
              }
            ],
            "order": 1,
            "placeholder": null,
            "questionType": "SINGLE_CHOICE",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "+ Which colour, \"then\"?"
          },
          {
            "id": 2,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "Which_of_these",
            "options": [
              {
                "text": "=A1"
              },
              {
                "text": "@home"
              },
              {
                "text": "none"
              }
            ],
            "order": 2,
            "placeholder": null,
            "questionType": "MULTIPLE_CHOICE",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "Which of these?"
          },
          {
            "id": 3,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "Agree",
            "options": [],
            "order": 3,
            "placeholder": null,
            "questionType": "MATRIX",
            "required": true,
            "scale_labels": [
              "Agree",
              "Neutral"
            ],
            "subQuestions": [
              "Tea",
              "Coffee"
            ],
            "surveyId": 1,
            "text": "Agree?"
          },
          {
            "id": 4,
            "maxDescription": null,
            "maxValue": 10.0,
            "minDescription": null,
            "minValue": -10.0,
            "name": "How_warm",
            "options": [],
            "order": 4,
            "placeholder": null,
            "questionType": "SLIDER",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "How warm?"
          },
          {
            "id": 5,
            "maxDescription": "always",
            "maxValue": 5.0,
            "minDescription": "never",
            "minValue": 1.0,
            "name": "How_often",
            "options": [],
            "order": 5,
            "placeholder": null,
            "questionType": "RANGE",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "How often?"
          },
          {
            "id": 6,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "How_many",
            "options": [],
            "order": 6,
            "placeholder": null,
            "questionType": "NUMBER",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "How many?"
          },
          {
            "id": 7,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "Do_you",
            "options": [],
            "order": 7,
            "placeholder": null,
            "questionType": "BOOLEAN",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "Do you?"
          },
          {
            "id": 8,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "q8",
            "options": [],
            "order": 8,
            "placeholder": null,
            "questionType": "TEXT_ENTRY",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "ما رأيك؟"
          },
          {
            "id": 9,
            "maxDescription": null,
            "maxValue": null,
            "minDescription": null,
            "minValue": null,
            "name": "Tell_us",
            "options": [],
            "order": 9,
            "placeholder": null,
            "questionType": "OPENENDED",
            "required": true,
            "scale_labels": [],
            "subQuestions": [],
            "surveyId": 1,
            "text": "Tell us 😀"
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_start_preview_names_what_a_start_would_take() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/surveys/1/simulation-config").await, @r#"
        200 
        {
          "allowFullPersonas": true,
          "availableCredits": 983,
          "batchPrices": {},
          "callSeconds": null,
          "canSimulate": true,
          "concurrency": null,
          "demoModel": true,
          "lastPersonaId": 3,
          "limits": {
            "twinlab-demo": {
              "concurrency": null,
              "minQuestionsPerCall": 1,
              "questionsPerCall": 20,
              "requestsPerMinute": null,
              "tokensPerMinute": null
            }
          },
          "maxPersonas": 3,
          "minQuestionsPerCall": 1,
          "missingPersonaIds": [],
          "model": "twinlab-demo",
          "modelServers": {},
          "models": [
            "twinlab-demo"
          ],
          "personaVariants": [
            "summary",
            "demographics",
            "empty"
          ],
          "prices": {},
          "questionCount": 9,
          "questionsPerCall": 20,
          "reason": null,
          "requestsPerMinute": null,
          "tokensPerMinute": null,
          "tokensPerPersona": 811,
          "tokensPerProfile": 1,
          "tokensPerQuestion": 90,
          "totalPersonas": 3
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_start_preview_names_the_twins_that_were_deleted_below_the_last_one() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        assert_eq!(app.super_admin().await.delete("/api/personas/2").await.status, 204);
        let config = client.get("/api/surveys/1/simulation-config").await.ok();
        assert_eq!((&config["totalPersonas"], &config["lastPersonaId"]), (&json!(2), &json!(3)));
        assert_eq!(config["missingPersonaIds"], json!([2]));
    })
    .await;
}

#[tokio::test]
async fn a_history_has_each_simulation_with_its_parameters() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/surveys/1/simulation-history").await, @r#"
        200 1
        [
          {
            "attempt": 1,
            "completedAt": [time],
            "created_at": [time],
            "demoModel": false,
            "errorMessage": null,
            "failedRequests": 10,
            "groupId": 1,
            "groupName": "Testers",
            "id": 7,
            "name": null,
            "note": null,
            "parameters": {
              "model": "gpt-test",
              "personaVariant": "summary",
              "questionsPerCall": 20,
              "seed": 42,
              "shuffleOptions": true,
              "temperature": 0.5
            },
            "personaCount": 3,
            "simulationId": "[simulation]",
            "skippedRequests": 0,
            "startedAt": [time],
            "startedBy": null,
            "status": "FAILED",
            "studyId": null,
            "successfulRequests": 17,
            "surveyId": 1,
            "surveyTitle": "=1+1 survey",
            "totalQuestions": 9,
            "totalRequests": 27,
            "updated_at": [time],
            "userId": 2
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn progress_counts_every_request() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, &format!("/api/simulations/{SIMULATION_ID}/progress")).await, @r#"
        200 
        {
          "batchProgress": null,
          "debug": {
            "failedRequests": 10,
            "isComplete": true,
            "simulationStatus": "FAILED",
            "successfulRequests": 17,
            "surveyStatus": "FAILED",
            "totalRequests": 27
          },
          "errorMessage": null,
          "etaSeconds": null,
          "failedRequests": 10,
          "inFlight": 0,
          "progressPercentage": 100.0,
          "requestsPerSecond": null,
          "simulationId": "[simulation]",
          "simulationStatus": "FAILED",
          "skippedRequests": 0,
          "startedAt": [time],
          "status": "FAILED",
          "successfulRequests": 17,
          "totalRequests": 27,
          "updatedAt": [time],
          "waitingReason": null,
          "waitingUntil": null
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn failures_are_grouped_by_reason() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, &format!("/api/simulations/{SIMULATION_ID}/failures")).await, @r#"
        200 
        [
          {
            "code": "refused",
            "count": 10,
            "message": "=the model refused",
            "personas": 2
          }
        ]
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_ledger_entry_names_member_group_and_simulation() {
    with_app(async |app| {
        let client = caller(app, "user@test.example").await;
        insta::assert_snapshot!(whole(&client, "/api/transactions?limit=1").await, @r#"
        200 2
        [
          {
            "amount": "17",
            "attempt": 1,
            "balance": 983,
            "createdAt": [time],
            "description": "Simulation",
            "effect": -17,
            "groupId": 1,
            "groupUser": {
              "available": 983,
              "budget": 983,
              "createdAt": [time],
              "group": {
                "allowFullPersonas": true,
                "allowSingleQuestionCalls": true,
                "available": 983,
                "createdAt": [time],
                "groupName": "Testers",
                "id": 1,
                "initialBudgetPerUser": 0,
                "isOwner": false,
                "ownerEmail": "admin@test.example",
                "ownerId": 1,
                "status": "open",
                "updatedAt": [time]
              },
              "groupId": 1,
              "held": 0,
              "id": 2,
              "status": "active",
              "user": {
                "email": "user@test.example",
                "id": 2,
                "isVerified": false,
                "name": null,
                "photoUrl": null,
                "role": "user"
              },
              "userId": 2
            },
            "id": 2,
            "reversedAt": null,
            "reverses": null,
            "simulationId": "[simulation]",
            "type": "MINES",
            "updatedAt": [time],
            "userId": 2
          }
        ]
        "#);
    })
    .await;
}
