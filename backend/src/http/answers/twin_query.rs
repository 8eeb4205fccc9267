//! The search and the order of the lists of a run's twins.

use serde::Deserialize;
use simulation::run::Run;

use crate::http::error::{ApiError, Result};
use crate::results::twin_order::{Column, Direction, TwinOrder};

/// Longest search, in characters.
const MAX_SEARCH_CHARS: usize = 200;

/// Search over the twins of a list, and their order.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TwinQuery {
    /// Words, each of which is in the twin's name, id in the dataset, attributes or answers, in letters of either case.
    /// `failed` also finds twins with a failed request.
    #[serde(default, alias = "search")]
    #[param(example = "tea", max_length = 200)]
    q: Option<String>,
    /// Column that decides the order: `persona`, `question:31`, or `question:32:row:2` for the second row of a matrix.
    /// Numbers are sorted by size, choices by the order of the options, texts by letters. By id without it.
    #[serde(default)]
    #[param(example = "persona")]
    sort: Option<String>,
    /// Ascending without it. Twins without an answer come last in both.
    #[serde(default)]
    #[param(inline)]
    order: Direction,
}

impl TwinQuery {
    pub(super) fn is_empty(&self) -> bool {
        [&self.q, &self.sort].into_iter().flatten().all(String::is_empty)
    }

    /// Checks the query against the questions of the run.
    pub(super) fn twin_order(&self, run: &Run) -> Result<TwinOrder> {
        let q = self.q.as_deref().unwrap_or_default();
        if q.chars().count() > MAX_SEARCH_CHARS {
            return Err(ApiError::Invalid(format!("q must have at most {MAX_SEARCH_CHARS} characters")));
        }
        let words = q.split_whitespace().map(str::to_owned).collect();
        let named = self.sort.as_deref().filter(|sort| !sort.is_empty());
        let column = named.map(|sort| Column::parse(sort, &run.questions)).transpose();
        let column = column.map_err(|reason| ApiError::Invalid(format!("sort: {reason}")))?;
        Ok(TwinOrder { words, sort: column.map(|column| (column, self.order)) })
    }
}
