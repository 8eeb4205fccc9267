//! Names and notes that people give to runs.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::simulation_names;

/// Changes of a run's name and note: `None` keeps, `Some(None)` removes.
#[derive(Clone, Debug, Default, PartialEq, Eq, AsChangeset, Insertable)]
#[diesel(table_name = simulation_names)]
pub struct NameChanges {
    pub name: Option<Option<String>>,
    pub note: Option<Option<String>>,
}

impl NameChanges {
    pub async fn give(&self, conn: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
        if *self == Self::default() {
            return Ok(());
        }
        diesel::insert_into(simulation_names::table)
            .values((simulation_names::simulation_id.eq(id), self))
            .on_conflict(simulation_names::simulation_id)
            .do_update()
            .set(self)
            .execute(conn)
            .await?;
        Ok(())
    }
}
