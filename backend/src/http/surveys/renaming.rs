//! Names of a survey that change everywhere at once.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use survey::question::Question;
use survey::rename::Rename;
use utoipa::ToSchema;

use super::design::DesignOfSurvey;
use super::for_owner;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::surveys::renaming;

/// Kind of thing that gets another name.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NamedKind {
    Question,
    /// A field that is set, or a random node: conditions and texts read both as fields.
    Field,
    /// An arm of a random node.
    Arm,
    /// A block, at all places where it is asked.
    Block,
}

/// A renaming. The inverse has `from` and `to` exchanged.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewName {
    kind: NamedKind,
    #[schema(example = "commute")]
    from: String,
    /// Missing or null, which only a question allows: made from the question's text.
    #[schema(example = "way_to_work")]
    to: Option<String>,
    /// The name of the random node of an arm.
    random: Option<String>,
    /// The names of a block's questions, which tell it from another block of the same name.
    questions: Option<Vec<String>>,
    /// Hash of the design that the caller knows, against lost updates.
    #[serde(rename = "expectedHash", alias = "expected_hash")]
    expected_hash: Option<String>,
}

impl NewName {
    fn rename(self) -> Result<Rename> {
        let Self { kind, from, to, random, questions, .. } = self;
        let required = |to: Option<String>| to.ok_or_else(|| ApiError::invalid("to is required"));
        Ok(match kind {
            NamedKind::Question => Rename::Question { from, to },
            NamedKind::Field => Rename::Field { from, to: required(to)? },
            NamedKind::Arm => {
                let random = random.ok_or_else(|| ApiError::invalid("random is required for an arm"))?;
                Rename::Arm { random, from, to: required(to)? }
            }
            NamedKind::Block => {
                let questions = questions.ok_or_else(|| ApiError::invalid("questions is required for a block"))?;
                Rename::Block { questions, from, to: required(to)? }
            }
        })
    }
}

/// A survey after a renaming.
#[derive(Debug, Serialize, ToSchema)]
struct RenamedSurvey {
    /// All of them, in the survey's order.
    questions: Vec<Question>,
    design: DesignOfSurvey,
}

/// Renames a question, a field, an arm or a block wherever it is read
///
/// Changes texts, options, conditions and the flow, all or nothing. The same call with `from` and `to` exchanged takes it back.
#[utoipa::path(
    post, path = "",
    operation_id = "rename_in_survey",
    request_body = NewName,
    responses(
        (status = 200, description = "The survey as it is now", body = RenamedSurvey),
        (status = 400, description = "Nothing has the old name, or the new one is not allowed"),
        (status = 409, description = "The survey is locked, its design is not the expected one, or the name is taken")
    )
)]
pub async fn rename_in_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(mut new): Json<NewName>,
) -> Result<HttpResponse> {
    let expected = new.expected_hash.take();
    let rename = new.rename()?;
    let mut conn = for_owner(&app, &caller, *id).await?;
    let (questions, design) = renaming::rename(&mut conn, *id, &rename, expected.as_deref()).await?;
    let design = DesignOfSurvey::new(&design).map_err(ApiError::internal)?;
    Ok(HttpResponse::Ok().json(RenamedSurvey { questions, design }))
}
