//! All data that is stored about one user.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

#[derive(QueryableByName)]
struct Data {
    #[diesel(sql_type = Text)]
    data: String,
}

/// Selects one JSON object with everything that is stored.
const EVERYTHING: &str = "
    SELECT jsonb_pretty(jsonb_build_object(
        'profile', (SELECT to_jsonb(u) - 'token_version' FROM users u WHERE u.id = $1),
        'settings', (SELECT to_jsonb(s) - 'user_id' FROM user_settings s WHERE s.user_id = $1),
        'photo', (SELECT jsonb_build_object('mediaType', media_type, 'base64', translate(encode(bytes, 'base64'), E'\\n', ''))
            FROM user_photos WHERE user_id = $1),
        'accessTokens', (SELECT coalesce(jsonb_agg(to_jsonb(a) - 'token_hash' - 'user_id' ORDER BY a.id), '[]')
            FROM access_tokens a WHERE a.user_id = $1),
        'shareLinks', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'token_hash' - 'created_by' ORDER BY l.id), '[]')
            FROM share_links l WHERE l.created_by = $1),
        'accessRequests', (SELECT coalesce(jsonb_agg(to_jsonb(r) - 'decided_by' ORDER BY r.id), '[]')
            FROM access_requests r JOIN users u ON u.email = r.email WHERE u.id = $1),
        'groups', (SELECT coalesce(jsonb_agg(to_jsonb(g) ORDER BY g.id), '[]') FROM groups g WHERE g.owner_id = $1),
        'memberships', (SELECT coalesce(jsonb_agg(to_jsonb(m) || jsonb_build_object('group_name', g.group_name)), '[]')
            FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = $1),
        'surveys', (SELECT coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object('questions', (
                SELECT coalesce(jsonb_agg(to_jsonb(q) ORDER BY q.position), '[]') FROM questions q
                WHERE q.survey_id = s.id)) ORDER BY s.id), '[]')
            FROM surveys s WHERE s.user_id = $1),
        'simulations', (SELECT coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('responses', (
                SELECT coalesce(jsonb_agg(jsonb_build_object('personaId', a.persona_id, 'questionId', a.question_id,
                    'answer', a.answer, 'created_at', a.created_at)), '[]') FROM responses a
                WHERE a.simulation_id = r.id AND NOT EXISTS (SELECT FROM study_runs y JOIN study_plans p USING (study_id)
                    WHERE y.simulation_id = r.id AND p.blind AND p.looked_at IS NULL
                        AND NOT EXISTS (SELECT FROM frozen_plans f WHERE f.plan_id = p.id))), 'name', n.name, 'note', n.note) ORDER BY r.id), '[]')
            FROM simulations r LEFT JOIN simulation_names n ON n.simulation_id = r.id WHERE r.user_id = $1),
        'studies', (SELECT coalesce(jsonb_agg(to_jsonb(y) ORDER BY y.id), '[]') FROM studies y
            WHERE EXISTS (SELECT FROM study_runs s JOIN simulations r ON r.id = s.simulation_id
                WHERE s.study_id = y.id AND r.user_id = $1)),
        'studyPlans', (SELECT coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('frozen_at', f.frozen_at,
                'sha256', f.sha256, 'deviations', (SELECT coalesce(jsonb_agg(to_jsonb(d) - 'who' ORDER BY d.id), '[]')
                    FROM deviations d WHERE d.plan_id = p.id)) ORDER BY p.id), '[]')
            FROM study_plans p LEFT JOIN frozen_plans f ON f.plan_id = p.id WHERE p.created_by = $1),
        'humanSamples', (SELECT coalesce(jsonb_agg(to_jsonb(h) - 'content' - 'created_by' ORDER BY h.id), '[]')
            FROM human_samples h WHERE h.created_by = $1),
        'transactions', (SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t.id), '[]')
            FROM transactions t WHERE t.user_id = $1)
    )) AS data";

pub async fn export(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<String> {
    let found: Data = sql_query(EVERYTHING).bind::<BigInt, _>(user_id).get_result(conn).await?;
    Ok(found.data)
}
