//! The conditions `where` of calls about a run's answers.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::http::error::{ApiError, Result};
use crate::models::questions::Question;
use crate::models::summaries::{Filter, Twins, Variable};

/// Which twins count.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Conditions {
    /// Only twins with this value of an attribute (`Gender:Female`), or with this answer to a choice or yes/no question
    /// (`question:31:By bicycle`, `question:32:Yes`). May be given several times: values of one name are alternatives,
    /// and every name must hold. `(not stated)` is the value of twins that have none.
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
    pub fn filter(&self, questions: &[Question]) -> Result<Filter> {
        Filter::parse(&self.conditions, questions).map_err(ApiError::Invalid)
    }
}

/// Refuses names that no twin has as an attribute.
pub fn check(filter: &Filter, twins: &Twins) -> Result<()> {
    match filter.variables(None).find(|variable| !twins.know(variable)) {
        Some(Variable::Attribute(name)) => Err(ApiError::Invalid(format!("where: no twin has the attribute {name}"))),
        _ => Ok(()),
    }
}
