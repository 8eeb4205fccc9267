//! A copy of a database's content within the database.

use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::sample;

/// All rows at one time. Restoring them takes a tenth of the time of copying the database again.
pub struct Kept {
    /// SQL statements that restore the rows.
    restore: String,
}

/// Tables of the product and of its queue, with the columns that are not computed from others.
const TABLES: &str =
    "SELECT c.oid, c.oid::regclass AS name, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
    FROM pg_class c WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'pgmq'::regnamespace)";

impl Kept {
    pub async fn of(connection: &mut AsyncPgConnection) -> Self {
        let copy = "SELECT string_agg(format('CREATE TABLE kept.t%s AS TABLE %s', oid, name), '; ') AS text";
        let copy = text(connection, &format!("{copy} FROM ({TABLES}) AS tables")).await;
        sample::run(connection, &format!("CREATE SCHEMA kept; {copy}")).await;
        let rows = "SELECT string_agg(format('DELETE FROM %1$s;
            INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM kept.t%3$s', name, columns, oid), '; ') AS text";
        let rows = text(connection, &format!("{rows} FROM ({TABLES}) AS tables")).await;
        let numbers = "SELECT string_agg(format('SELECT setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
            coalesce(last_value, start_value), last_value IS NOT NULL), '; ') AS text
            FROM pg_sequences WHERE schemaname IN ('public', 'pgmq')";
        let numbers = text(connection, numbers).await;
        // Neither triggers nor foreign keys act while rows are replaced.
        let restore =
            format!("SET session_replication_role = replica; {rows}; {numbers}; RESET session_replication_role");
        Self { restore }
    }

    pub async fn restore(&self, connection: &mut AsyncPgConnection) {
        connection.batch_execute(&self.restore).await.expect("the rows come back");
    }
}

/// Returns the text that a query selects as `text`.
async fn text(connection: &mut AsyncPgConnection, sql: &str) -> String {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        text: String,
    }
    let row: Row = diesel::sql_query(sql).get_result(connection).await.expect("the catalogue answers");
    row.text
}
