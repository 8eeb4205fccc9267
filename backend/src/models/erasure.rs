//! Deleting an account: it is closed at once, and a daily job erases its data.
//!
//! The ledger keeps its rows and the counts that it is checked against; they do not identify the person.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::models::group_members::Member;
use crate::models::simulations::{self, control};
use crate::models::transactions::{Amount, BudgetGrant, GrantError};
use crate::schema::{group_members, simulations as runs, users};

/// Statements that close an account. Rows that refer to it by e-mail are deleted before the e-mail is replaced.
const END: [&str; 8] = [
    "DELETE FROM access_requests WHERE email = (SELECT email FROM users WHERE id = $1)",
    "DELETE FROM login_requests WHERE email = (SELECT email FROM users WHERE id = $1)",
    "DELETE FROM mails WHERE user_id = $1 OR recipient = (SELECT email FROM users WHERE id = $1)",
    "DELETE FROM login_tries WHERE email = (SELECT email FROM users WHERE id = $1)",
    "DELETE FROM login_codes WHERE user_id = $1",
    "DELETE FROM access_tokens WHERE user_id = $1",
    "DELETE FROM human_samples WHERE created_by = $1 OR survey_id IN (SELECT id FROM surveys WHERE user_id = $1)",
    "UPDATE users SET deleted_at = now(), token_version = token_version + 1, name = NULL,
        email = format('deleted-%s@deleted.invalid', id), updated_at = now() WHERE id = $1",
];

/// Closes the account: stops its active runs, returns its budgets, invalidates its tokens and codes, deletes people's
/// answers to its surveys and frees its e-mail.
pub async fn delete_account(conn: &mut AsyncPgConnection, user_id: i64) -> Result<(), GrantError> {
    let active: Vec<i64> = runs::table
        .filter(runs::user_id.eq(user_id))
        .filter(runs::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]))
        .select(runs::id)
        .load(conn)
        .await?;
    for run in active {
        match control::stop(conn, run).await {
            // The run may have ended meanwhile.
            Ok(_) | Err(simulations::SimulationRefusal::WrongState { .. }) => {}
            Err(simulations::SimulationRefusal::Database(error)) => return Err(error.into()),
            Err(_) => return Err(diesel::result::Error::NotFound.into()),
        }
    }
    conn.transaction(async |conn| {
        let memberships: Vec<Member> = group_members::table
            .filter(group_members::user_id.eq(user_id))
            .filter(group_members::removed_at.is_null())
            .select(Member::as_select())
            .load(conn)
            .await?;
        for Member { group_id, .. } in memberships {
            let description = "Account deleted";
            BudgetGrant { group_id, user_id, amount: Amount::Set(0), description, created_by: user_id }
                .book(conn)
                .await?;
        }
        diesel::update(group_members::table.filter(group_members::user_id.eq(user_id)))
            .set(group_members::removed_at.eq(diesel::dsl::now))
            .execute(conn)
            .await?;
        for statement in END {
            sql_query(statement).bind::<BigInt, _>(user_id).execute(conn).await?;
        }
        Ok(())
    })
    .await
}

/// Statements that erase an account's surveys and answers. A survey without runs is deleted. If it has runs, the texts
/// of its questions and answers are blanked and the rows stay, because the ledger's entries are checked against their
/// number.
const ERASE: [&str; 14] = [
    // Triggers refuse to delete frozen plans and deviations unless this is set.
    "SELECT set_config('twinlab.erasing', ($1::bigint)::text, true)",
    "DELETE FROM study_plans WHERE created_by = $1 OR survey_id IN (SELECT id FROM surveys WHERE user_id = $1)",
    "DELETE FROM surveys s WHERE s.user_id = $1 AND NOT EXISTS (SELECT FROM simulations r WHERE r.survey_id = s.id)",
    "UPDATE surveys SET title = 'Erased', description = '', design = '{}', visibility = 'PRIVATE',
        deleted_at = coalesce(deleted_at, now()) WHERE user_id = $1",
    "UPDATE questions SET text = 'Erased', name = 'erased_' || id, options = array_fill('Erased'::text, ARRAY[cardinality(options)]),
        scale_labels = array_fill('Erased'::text, ARRAY[cardinality(scale_labels)]), sub_questions = '{}',
        min_description = NULL, max_description = NULL, placeholder = NULL, logic = '{}'
     WHERE survey_id IN (SELECT id FROM surveys WHERE user_id = $1)",
    "UPDATE responses SET answer = '', answer_value = 'null', distribution = NULL
     WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "DELETE FROM simulation_names WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "UPDATE studies SET name = NULL, note = NULL WHERE id IN (
        SELECT y.study_id FROM study_runs y JOIN simulations r ON r.id = y.simulation_id WHERE r.user_id = $1)",
    "DELETE FROM share_links
     WHERE created_by = $1 OR simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "DELETE FROM prompts WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "DELETE FROM call_replies WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "UPDATE assignments SET fields = '{}' WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "UPDATE request_failures SET message = '', detail = NULL
     WHERE simulation_id IN (SELECT id FROM simulations WHERE user_id = $1)",
    "UPDATE simulations SET survey_snapshot = '{\"title\": \"Erased\", \"description\": \"\", \"questions\": []}'
     WHERE user_id = $1",
];

/// Erases the data of every deleted account, one transaction an account. Returns how many.
pub async fn erase_deleted(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    let deleted: Vec<i64> = users::table
        .filter(users::deleted_at.is_not_null())
        .filter(users::erased_at.is_null())
        .select(users::id)
        .load(conn)
        .await?;
    for id in &deleted {
        conn.transaction(async |conn| {
            for statement in ERASE {
                sql_query(statement).bind::<BigInt, _>(id).execute(conn).await?;
            }
            for table in ["user_photos", "user_settings", "idempotency_keys"] {
                let statement = format!("DELETE FROM {table} WHERE user_id = $1");
                sql_query(statement).bind::<BigInt, _>(id).execute(conn).await?;
            }
            diesel::update(users::table.find(id)).set(users::erased_at.eq(diesel::dsl::now)).execute(conn).await?;
            QueryResult::Ok(())
        })
        .await?;
    }
    Ok(deleted.len())
}

/// Deletes expired rows: idempotency keys, code requests, codes, sessions, tokens and mails.
pub async fn forget_old(conn: &mut AsyncPgConnection) -> QueryResult<()> {
    conn.batch_execute(
        "DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day';
         DELETE FROM login_requests WHERE created_at < now() - interval '1 day';
         DELETE FROM login_tries WHERE created_at < now() - interval '1 day';
         DELETE FROM login_codes WHERE expires_at < now() - interval '1 day';
         DELETE FROM ended_sessions WHERE expires_at < now();
         DELETE FROM access_tokens WHERE expires_at < now() - interval '30 days';
         DELETE FROM mails WHERE created_at < now() - interval '30 days'",
    )
    .await
}
