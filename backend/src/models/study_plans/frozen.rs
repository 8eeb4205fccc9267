//! Frozen plans: canonical JSON with its hash and the time of the freeze.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::plans::content::FrozenPlan;

use crate::schema::frozen_plans;

/// Version of the frozen JSON's format. A program reads its own and older ones.
pub(super) const FORMAT: u32 = 1;

/// Returns the frozen plan. `None`: it is a draft.
pub async fn of_plan(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<Option<FrozenPlan>> {
    frozen_plans::table
        .find(plan_id)
        .select((frozen_plans::frozen_at, frozen_plans::canonical, frozen_plans::sha256))
        .first(conn)
        .await
        .optional()
}
