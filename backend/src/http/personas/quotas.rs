//! Proposes the numbers of a quota sample.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lists::MAX_VALUES;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::models::apportionment::apportion;
use crate::models::{persona_lists, personas};

/// Numbers of twins of the values of an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum QuotaShares {
    /// In proportion to the twins that have each value.
    #[default]
    Proportional,
    /// The same number for each value.
    Equal,
}

#[derive(Clone, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QuotaQuery {
    /// Label of the attribute.
    #[param(example = "Gender", max_length = 200)]
    attribute: String,
    /// Number of twins of all values together.
    #[param(example = 100, minimum = 1)]
    n: i32,
    /// In proportion without it.
    #[serde(default)]
    #[param(inline)]
    shares: QuotaShares,
}

/// Quota of a value.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ProposedQuota {
    #[schema(example = "Female")]
    value: String,
    /// Twins that have the value.
    #[schema(example = 1031)]
    available: i64,
    /// Proposed number of twins.
    #[schema(example = 50)]
    n: i64,
}

/// Proposed numbers of a quota sample.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct QuotaProposal {
    #[schema(example = "Gender")]
    attribute: String,
    shares: QuotaShares,
    /// The commonest value first, 200 at most.
    quotas: Vec<ProposedQuota>,
}

/// Numbers of twins of each value of an attribute, as `quotas` of a start may ask for
///
/// They add up to `n`, by largest remainders. A number may be above the `available` twins, which a start refuses.
#[utoipa::path(
    get, path = "", operation_id = "propose_quotas",
    params(QuotaQuery),
    responses((status = 200, description = "The quotas", body = QuotaProposal))
)]
pub async fn propose(app: Data<App>, _: Caller, Query(query): Query<QuotaQuery>) -> Result<HttpResponse> {
    let QuotaQuery { attribute, n, shares } = query;
    if n < 1 {
        return Err(ApiError::invalid("n must be at least 1"));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let values = match personas::current_set(&mut conn).await? {
        Some(set) => persona_lists::attribute_values(&mut conn, set.id, MAX_VALUES).await?.remove(&attribute),
        None => None,
    };
    let values = values.ok_or_else(|| ApiError::Invalid(format!("attribute: no twin has {attribute:?}")))?;
    let weight = |count: i64| match shares {
        QuotaShares::Proportional => count,
        QuotaShares::Equal => 1,
    };
    let weights: Vec<i64> = values.iter().map(|value| weight(value.count)).collect();
    let shared = values.into_iter().zip(apportion(&weights, n.into()));
    let quotas = shared.map(|(value, n)| ProposedQuota { value: value.value, available: value.count, n }).collect();
    Ok(HttpResponse::Ok().json(QuotaProposal { attribute, shares, quotas }))
}
