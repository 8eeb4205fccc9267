//! Looking for twins: pages, text, attributes, chance.

use std::collections::BTreeMap;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{ContentType, HeaderName};
use actix_web::web::{Bytes, Data, Path};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::page::{Page, PageQuery};
use crate::models::persona_lists::{self, Persona, PersonaFilter, PersonaProfile, ValueCount};
use crate::models::personas;
use crate::results::single_flight::Freshness;

/// Twins that one random choice may name.
const MAX_CHOSEN: i32 = 10_000;
/// Values that an attribute is shown with.
pub(super) const MAX_VALUES: usize = 200;
/// Attributes that one call may filter by.
const MAX_FILTERED_ATTRIBUTES: usize = 100;
/// Values that one attribute may be filtered by.
const MAX_FILTERED_VALUES: usize = 100;
/// Parameters of the lists themselves; every other name in the query is an attribute's label.
const OWN: [&str; 4] = ["limit", "offset", "q", "seed"];
const SEED: HeaderName = HeaderName::from_static("x-seed");

/// `?q=` and the attributes of the query, as `?attributes[Gender]=Female` or `?Gender=Female`. If an attribute is given
/// several times, any of its values matches.
pub struct WantedPersonas(PersonaFilter);

impl FromRequest for WantedPersonas {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut filter = PersonaFilter::default();
        for (name, value) in form_urlencoded::parse(request.query_string().as_bytes()) {
            if name.contains('\0') || value.contains('\0') {
                return ready(Err(ApiError::invalid("Text must not hold the character U+0000")));
            }
            if name == "q" {
                filter.q = Some(value.trim().to_owned()).filter(|q| !q.is_empty());
            } else if !OWN.contains(&&*name) {
                let label = name.strip_prefix("attributes[").and_then(|rest| rest.strip_suffix(']'));
                if let Err(refused) = add(&mut filter.attributes, label.unwrap_or(&name), value.into_owned()) {
                    return ready(Err(refused));
                }
            }
        }
        ready(Ok(Self(filter)))
    }
}

/// Adds a wanted value of an attribute. Fails if it is one too many.
fn add(attributes: &mut BTreeMap<String, Vec<String>>, label: &str, value: String) -> Result<()> {
    if attributes.len() == MAX_FILTERED_ATTRIBUTES && !attributes.contains_key(label) {
        return Err(ApiError::Invalid(format!("at most {MAX_FILTERED_ATTRIBUTES} attributes may be given")));
    }
    let values = attributes.entry(label.to_owned()).or_default();
    if values.len() == MAX_FILTERED_VALUES {
        return Err(ApiError::Invalid(format!("{label} may be given at most {MAX_FILTERED_VALUES} times")));
    }
    values.push(value);
    Ok(())
}

impl WantedPersonas {
    /// The filter, if twins of the set have each of its labels.
    async fn in_set(self, conn: &mut AsyncPgConnection, set_id: i32) -> Result<PersonaFilter> {
        let labels: Vec<&str> = self.0.attributes.keys().map(String::as_str).collect();
        match persona_lists::first_unknown_label(conn, set_id, &labels).await? {
            Some(label) => {
                Err(ApiError::Invalid(format!("{label:?} is neither a parameter nor an attribute of the twins")))
            }
            None => Ok(self.0),
        }
    }
}

/// The twins, by id
///
/// An attribute can also stand in the query by its bare name, as in `?Gender=Female&Age=30-49`; see
/// `GET /personas/attributes`. A name that is no attribute of the twins is an error.
#[utoipa::path(
    get, path = "", operation_id = "list_personas",
    params(
        ("q" = Option<String>, Query, description = "As in `GET /personas/search`", example = "nurse"),
        (
            "attributes" = Option<BTreeMap<String, String>>,
            Query,
            style = DeepObject,
            explode = true,
            description = "Values by label",
            example = json!({"Gender": "Female", "Age": "30-49"})
        ),
        PageQuery
    ),
    responses((status = 200, description = "A page of them", body = Vec<Persona>))
)]
pub async fn list(app: Data<App>, _: Caller, wanted: WantedPersonas, page: PageQuery) -> Result<Page<Persona>> {
    listed(&app, wanted, page).await
}

/// The twins with a text in their name, description, id of the dataset or attributes, by id
#[utoipa::path(
    get, path = "", operation_id = "search_personas",
    params(
        ("q" = Option<String>, Query, description = "The text, in letters of either case", example = "nurse"),
        (
            "attributes" = Option<BTreeMap<String, String>>,
            Query,
            style = DeepObject,
            explode = true,
            description = "Values by label",
            example = json!({"Gender": "Female"})
        ),
        PageQuery
    ),
    responses((status = 200, description = "A page of them", body = Vec<Persona>))
)]
pub async fn search(app: Data<App>, _: Caller, wanted: WantedPersonas, page: PageQuery) -> Result<Page<Persona>> {
    listed(&app, wanted, page).await
}

async fn listed(app: &App, wanted: WantedPersonas, page: PageQuery) -> Result<Page<Persona>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (rows, total) = match personas::current_set(&mut conn).await? {
        Some(set) => {
            let filter = wanted.in_set(&mut conn, set.id).await?;
            persona_lists::list(&mut conn, set.id, &filter, page.limit, page.offset).await?
        }
        None => (Vec::new(), 0),
    };
    Ok(Page { rows, total })
}

/// How many twins there are, and where they come from.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
struct PersonaCount {
    #[schema(example = 2058)]
    count: i64,
    /// The file that they were imported from, or the seed that they were invented with; null where there are none.
    #[schema(example = "Twin-2K-500 full_persona (twins.csv)")]
    source: Option<String>,
    /// Invented profiles.
    synthetic: bool,
}

/// How many twins there are
#[utoipa::path(
    get, path = "", operation_id = "count_personas",
    params(
        (
            "attributes" = Option<BTreeMap<String, String>>,
            Query,
            style = DeepObject,
            explode = true,
            description = "Values by label",
            example = json!({"Gender": "Female"})
        )
    ),
    responses((status = 200, description = "The count", body = PersonaCount))
)]
pub async fn count(app: Data<App>, _: Caller, wanted: WantedPersonas) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let answer = match personas::current_set(&mut conn).await? {
        Some(set) => {
            let filter = wanted.in_set(&mut conn, set.id).await?;
            let count = persona_lists::count(&mut conn, set.id, &filter).await?;
            PersonaCount { count, source: Some(set.source), synthetic: set.synthetic }
        }
        None => PersonaCount::default(),
    };
    Ok(HttpResponse::Ok().json(answer))
}

/// A label that twins can be filtered by.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Attribute {
    #[schema(example = "Gender")]
    label: String,
    /// The commonest first, 200 at most.
    values: Vec<ValueCount>,
}

/// The attributes of the twins, with their values
#[utoipa::path(
    get, path = "", operation_id = "list_persona_attributes",
    responses((status = 200, description = "In the order of their labels", body = Vec<Attribute>))
)]
pub async fn attributes(app: Data<App>, _: Caller) -> Result<HttpResponse> {
    let read = async || {
        let mut conn = db::checkout(&app.pool).await?;
        let values = match personas::current_set(&mut conn).await? {
            Some(set) => persona_lists::attribute_values(&mut conn, set.id, MAX_VALUES).await?,
            None => BTreeMap::new(),
        };
        let attributes: Vec<_> = values.into_iter().map(|(label, values)| Attribute { label, values }).collect();
        let json = serde_json::to_vec(&attributes).map_err(ApiError::internal)?;
        Result::<_, ApiError>::Ok(Bytes::from(json))
    };
    let json = app.attributes.get((), Freshness::OWN_WRITES, read).await?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(json))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Chance {
    /// A seed chooses the same twins of a set each time.
    #[param(example = 42)]
    seed: Option<i64>,
}

/// Twins chosen at random, by id
///
/// The seed that names them again is in `X-Seed`.
#[utoipa::path(
    get, path = "", operation_id = "random_personas",
    params(
        ("n" = i32, Path, description = "How many; all of them if there are fewer", minimum = 1, maximum = 10000),
        Chance,
        (
            "attributes" = Option<BTreeMap<String, String>>,
            Query,
            style = DeepObject,
            explode = true,
            description = "Choose among those with these values by label",
            example = json!({"Gender": "Female"})
        )
    ),
    responses((status = 200, description = "The twins", body = Vec<Persona>))
)]
pub async fn random(
    app: Data<App>,
    _: Caller,
    n: Path<i32>,
    Query(chance): Query<Chance>,
    wanted: WantedPersonas,
) -> Result<HttpResponse> {
    let n = usize::try_from(*n).ok().filter(|_| (1..=MAX_CHOSEN).contains(&n));
    let n = n.ok_or_else(|| ApiError::Invalid(format!("n must be between 1 and {MAX_CHOSEN}")))?;
    // Small enough for JavaScript's numbers, so that pages can send it back.
    let seed = chance.seed.unwrap_or_else(|| i64::from(rand::random::<u32>()));
    let mut conn = db::checkout(&app.pool).await?;
    let chosen = match personas::current_set(&mut conn).await? {
        Some(set) => {
            let filter = wanted.in_set(&mut conn, set.id).await?;
            persona_lists::random(&mut conn, set.id, &filter, n, seed).await?
        }
        None => Vec::new(),
    };
    Ok(HttpResponse::Ok().insert_header((SEED, seed.to_string())).json(chosen))
}

/// A twin, with the texts that it is asked with
#[utoipa::path(
    get, path = "", operation_id = "show_persona",
    responses((status = 200, description = "The twin", body = PersonaProfile))
)]
pub async fn show(app: Data<App>, _: Caller, id: Path<i32>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let set = personas::current_set(&mut conn).await?.ok_or_else(|| ApiError::not_found("Persona"))?;
    let persona = persona_lists::find(&mut conn, set.id, *id).await?.ok_or_else(|| ApiError::not_found("Persona"))?;
    Ok(HttpResponse::Ok().json(persona))
}
