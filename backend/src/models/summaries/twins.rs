//! The twins of a run: their attributes and choices, which of them a filter lets through, and in which groups they are.

use std::collections::{BTreeMap, HashMap};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Jsonb};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::order;
use crate::models::questions::{Question, QuestionType};

/// Values of an attribute. One with more is not offered for a crosstab.
const MAX_VALUES: usize = 100;
const NOT_STATED: &str = "(not stated)";
/// The conditions of a filter.
const MAX_CONDITIONS: usize = 100;
const QUESTION: &str = "question:";

/// What twins are grouped and filtered by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// By its name.
    Attribute(String),
    /// A question whose answers are chosen from a list, by its id.
    Question(i64),
}

impl Variable {
    /// Reads `Gender` or `question:31`. Errors name what is wrong.
    pub fn parse(text: &str, questions: &[Question]) -> Result<Self, String> {
        let Some(id) = text.strip_prefix(QUESTION) else { return Ok(Self::Attribute(text.to_owned())) };
        let asked = questions.iter().find(|question| id.parse() == Ok(question.id));
        let Some(question) = asked else { return Err(format!("the run has no question {id}")) };
        match is_chosen(question) {
            true => Ok(Self::Question(question.id)),
            false => Err(format!("question {id} is neither a choice nor a yes/no question")),
        }
    }

    fn question(&self) -> Option<i64> {
        match self {
            Self::Attribute(_) => None,
            Self::Question(id) => Some(*id),
        }
    }
}

fn is_chosen(question: &Question) -> bool {
    question.question_type.is_choice() || question.question_type == QuestionType::Boolean
}

/// Which twins count: those that have one of the values of every variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Vec<(Variable, Vec<String>)>);

impl Filter {
    /// Reads conditions `Gender:Female` or `question:31:By bicycle`. Errors name the condition.
    pub fn parse(conditions: &[String], questions: &[Question]) -> Result<Self, String> {
        if conditions.len() > MAX_CONDITIONS {
            return Err(format!("where may be given at most {MAX_CONDITIONS} times"));
        }
        let mut filter = Self::default();
        for condition in conditions {
            let name = condition.strip_prefix(QUESTION).map_or(0, |_| QUESTION.len());
            let Some(colon) = condition[name..].find(':') else {
                return Err(format!("where must be name:value or question:id:option, not {condition}"));
            };
            let (variable, value) = (&condition[..name + colon], condition[name + colon + 1..].to_owned());
            let variable = Variable::parse(variable, questions).map_err(|reason| format!("where: {reason}"))?;
            match filter.0.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, values)) => values.push(value),
                None => filter.0.push((variable, vec![value])),
            }
        }
        Ok(filter)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What it and the grouping look at.
    pub fn variables<'a>(&'a self, by: Option<&'a Variable>) -> impl Iterator<Item = &'a Variable> {
        self.0.iter().map(|(variable, _)| variable).chain(by)
    }
}

/// The twins of a run.
pub struct Twins {
    attributes: Vec<(i32, BTreeMap<String, Value>)>,
    /// What each twin chose, by question.
    choices: HashMap<i64, HashMap<i32, Vec<String>>>,
}

/// An attribute of the twins.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AttributeValues {
    #[schema(example = "Gender")]
    pub name: String,
    /// In the order of the codebook where it has one, else by the numbers that values begin with and by the alphabet.
    pub values: Vec<TwinsOf>,
}

/// How many twins have a value.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TwinsOf {
    #[schema(example = "Female")]
    pub value: String,
    /// Twins, whether they answered or not.
    #[schema(example = 1040)]
    pub n: i64,
}

/// Twins in groups: a twin that chose several options is in several.
pub(super) struct Groups {
    pub groups: Vec<TwinsOf>,
    /// Twins, with the place of one of their groups each.
    pub members: Vec<(i32, i32)>,
}

impl Twins {
    /// The run's twins with what these variables need to know of them.
    pub async fn load<'a>(
        conn: &mut AsyncPgConnection,
        simulation_id: i64,
        variables: impl Iterator<Item = &'a Variable>,
    ) -> QueryResult<Self> {
        #[derive(QueryableByName)]
        struct Twin {
            #[diesel(sql_type = Integer)]
            persona_id: i32,
            #[diesel(sql_type = Jsonb)]
            attributes: Value,
        }
        let twins: Vec<Twin> = sql_query(
            "SELECT twin.persona_id, personas.attributes FROM simulation_personas AS twin
             JOIN personas ON (personas.set_id, personas.id) = (twin.persona_set_id, twin.persona_id)
             WHERE twin.simulation_id = $1",
        )
        .bind::<BigInt, _>(simulation_id)
        .load(conn)
        .await?;
        let attributes = |twin: Twin| match twin.attributes {
            Value::Object(attributes) => (twin.persona_id, attributes.into_iter().collect()),
            _ => (twin.persona_id, BTreeMap::new()),
        };
        let questions: Vec<i64> = variables.filter_map(Variable::question).collect();
        let choices =
            if questions.is_empty() { HashMap::new() } else { choices(conn, simulation_id, questions).await? };
        Ok(Self { attributes: twins.into_iter().map(attributes).collect(), choices })
    }

    /// The attributes with few enough values for a crosstab, by name.
    pub fn attribute_values(&self) -> Vec<AttributeValues> {
        let mut known: BTreeMap<&str, BTreeMap<String, i64>> = BTreeMap::new();
        for (name, value) in self.attributes.iter().flat_map(|(_, attributes)| attributes) {
            let values = known.entry(name).or_default();
            // One above the limit tells that there are too many.
            if values.len() <= MAX_VALUES
                && let Some(value) = text(value)
            {
                *values.entry(value).or_default() += 1;
            }
        }
        let few = known.into_iter().filter(|(_, values)| values.len() <= MAX_VALUES);
        let in_order = |(name, values): (&str, BTreeMap<String, i64>)| {
            let mut values: Vec<TwinsOf> = values.into_iter().map(|(value, n)| TwinsOf { value, n }).collect();
            values.sort_by(|a, b| order::compare(name, &a.value, &b.value));
            AttributeValues { name: name.to_owned(), values }
        };
        few.map(in_order).collect()
    }

    /// Whether any twin has the attribute; of a question always.
    pub fn know(&self, variable: &Variable) -> bool {
        match variable {
            Variable::Attribute(name) => self.attributes.iter().any(|(_, attributes)| attributes.contains_key(name)),
            Variable::Question(_) => true,
        }
    }

    /// The ids of the twins that the filter lets through, in no order.
    pub fn passing(&self, filter: &Filter) -> Vec<i32> {
        let passes = |(id, attributes): &&(i32, BTreeMap<String, Value>)| {
            filter.0.iter().all(|(variable, wanted)| {
                let values = self.values(*id, attributes, variable);
                values.iter().any(|value| wanted.contains(value))
            })
        };
        self.attributes.iter().filter(passes).map(|(id, _)| *id).collect()
    }

    /// The groups of these twins, in the order of the codebook or of the question's options, those of nobody left out.
    pub(super) fn grouped(&self, twins: &[i32], by: &Variable, questions: &[Question]) -> Groups {
        let wanted: std::collections::HashSet<i32> = twins.iter().copied().collect();
        let mut by_value: HashMap<String, Vec<i32>> = HashMap::new();
        for (id, attributes) in self.attributes.iter().filter(|(id, _)| wanted.contains(id)) {
            for value in self.values(*id, attributes, by) {
                by_value.entry(value).or_default().push(*id);
            }
        }
        let mut values: Vec<(String, Vec<i32>)> = by_value.into_iter().collect();
        let asked = by.question().and_then(|id| questions.iter().find(|question| question.id == id));
        values.sort_by(|(a, _), (b, _)| {
            let not_stated = (a == NOT_STATED).cmp(&(b == NOT_STATED));
            not_stated.then_with(|| match (by, asked) {
                (Variable::Attribute(name), _) => order::compare(name, a, b),
                (_, Some(question)) if question.question_type == QuestionType::Boolean => b.cmp(a),
                (_, Some(question)) => {
                    let place = |value: &String| question.options.iter().position(|option| option == value);
                    place(a).cmp(&place(b))
                }
                _ => a.cmp(b),
            })
        });
        let mut members = Vec::with_capacity(twins.len());
        for (place, (_, ids)) in (0..).zip(&values) {
            members.extend(ids.iter().map(|id| (*id, place)));
        }
        let groups = values.into_iter().map(|(value, ids)| TwinsOf { value, n: ids.len() as i64 }).collect();
        Groups { groups, members }
    }

    fn values(&self, id: i32, attributes: &BTreeMap<String, Value>, variable: &Variable) -> Vec<String> {
        let values = match variable {
            Variable::Attribute(name) => attributes.get(name).and_then(text).into_iter().collect(),
            Variable::Question(question) => {
                self.choices.get(question).and_then(|chosen| chosen.get(&id)).cloned().unwrap_or_default()
            }
        };
        if values.is_empty() { vec![NOT_STATED.to_owned()] } else { values }
    }
}

async fn choices(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: Vec<i64>,
) -> QueryResult<HashMap<i64, HashMap<i32, Vec<String>>>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Integer)]
        persona_id: i32,
        #[diesel(sql_type = Jsonb)]
        answer_value: Value,
    }
    let rows: Vec<Row> = sql_query(
        "SELECT question_id, persona_id, answer_value FROM responses
         WHERE simulation_id = $1 AND question_id = ANY($2)",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(questions)
    .load(conn)
    .await?;
    let mut choices: HashMap<i64, HashMap<i32, Vec<String>>> = HashMap::new();
    for Row { question_id, persona_id, answer_value } in rows {
        let chosen = match answer_value {
            Value::Array(chosen) => chosen.iter().filter_map(text).collect(),
            Value::Bool(yes) => vec![if yes { "Yes" } else { "No" }.to_owned()],
            one => text(&one).into_iter().collect(),
        };
        choices.entry(question_id).or_default().insert(persona_id, chosen);
    }
    Ok(choices)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}
