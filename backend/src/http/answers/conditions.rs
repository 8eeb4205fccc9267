//! The conditions `where` of calls about a run's answers.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use diesel_async::AsyncPgConnection;
use simulation::run::Run;
use simulation::summaries::variables::{TwinFilter, Variable};
use survey::question::Question;

use crate::http::error::{ApiError, Result};
use crate::models::summaries::{AttributeValues, SummaryRequest, Twins};

/// Longest part of a refused value that an error repeats, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// Conditions on the twins that count.
#[derive(Clone, Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Conditions {
    /// Only twins with this value of an attribute (`Gender:Female`), in this arm (`fee_arm:resort`), or with this answer to a question
    /// (`question:31:By bicycle`, `question:32:Yes`, `question:33:20 to 30` of a number by the intervals of its `bins`, and
    /// `question:34:row:2:Agree` of the second row of a matrix). May be given several times: values of one name are
    /// alternatives, and every name must hold. `(not stated)` is the value of twins that have none.
    #[param(rename = "where", required = false, example = json!(["Gender:Female"]))]
    pub conditions: Vec<String>,
}

impl FromRequest for Conditions {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let pairs = form_urlencoded::parse(request.query_string().as_bytes());
        let given = pairs.filter(|(name, value)| name == "where" && !value.is_empty());
        ready(Ok(Self { conditions: given.map(|(_, value)| value.into_owned()).collect() }))
    }
}

impl Conditions {
    pub fn filter(&self, questions: &[Question]) -> Result<TwinFilter> {
        TwinFilter::parse(&self.conditions, questions).map_err(ApiError::Invalid)
    }
}

/// The run's twins, which of them count and how they are grouped, and their attributes by which they can be. Errors name
/// `by` or `where`.
pub async fn wanted(
    conn: &mut AsyncPgConnection,
    run: &Run,
    by: Option<&str>,
    conditions: &Conditions,
) -> Result<(Twins, SummaryRequest, Vec<AttributeValues>)> {
    let questions = &run.questions;
    let by = by.map(|by| Variable::parse(by, questions)).transpose();
    let by = by.map_err(|reason| ApiError::Invalid(format!("by: {reason}")))?;
    let filter = conditions.filter(questions)?;
    let twins = Twins::load(conn, run.facts.id, &run.questions, filter.variables(by.as_ref())).await?;
    let attributes = twins.attribute_values();
    if let Some(Variable::Attribute(name)) = &by
        && !attributes.iter().any(|attribute| attribute.name == *name)
    {
        let known: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        let known = known.join(", ");
        return Err(ApiError::Invalid(format!("by must be an attribute with at most 100 values: {known}")));
    }
    check(&filter, &twins)?;
    let blocks = run.shuffled_blocks();
    if by == Some(Variable::Position) && blocks.is_empty() {
        return Err(ApiError::invalid("by: no block of the survey has a drawn order"));
    }
    let distributions = run.parameters.has_distributions();
    Ok((twins, SummaryRequest { by, filter, blocks, distributions }, attributes))
}

/// Refuses names that no twin has as an attribute, and values that no twin has.
pub fn check(filter: &TwinFilter, twins: &Twins) -> Result<()> {
    if let Some(Variable::Attribute(name)) = filter.variables(None).find(|variable| !twins.has(variable)) {
        return Err(ApiError::Invalid(format!("where: no twin has the attribute {name}")));
    }
    match twins.unknown_value(filter) {
        None => Ok(()),
        Some((variable, value)) => {
            let value: String = value.chars().take(MAX_SHOWN_CHARS).collect();
            Err(ApiError::Invalid(format!("where: no twin of the run has the value \"{value}\" for {variable}")))
        }
    }
}
