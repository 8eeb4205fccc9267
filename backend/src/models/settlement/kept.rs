//! The statements of a settlement are query fragments, neither `sql_query` nor what the query builder makes of an
//! update: a fragment's plan stays with the connection, and a settlement runs many times a second.

/// The plan of such a statement is kept by its text.
macro_rules! kept_by_text {
    ($statement:ident) => {
        impl QueryId for $statement<'_> {
            type QueryId = ();

            const HAS_STATIC_QUERY_ID: bool = false;
        }

        impl RunQueryDsl<PgConnection> for &$statement<'_> {}
    };
}
