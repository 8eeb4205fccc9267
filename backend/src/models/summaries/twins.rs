//! The personas of a run: their attributes and choices, the filter that they pass, and their groups.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Jsonb, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use simulation::summaries::numbers::Numbers;
use simulation::summaries::order;
use simulation::summaries::variables::{Domain, NOT_STATED, TwinFilter, Variable};
use survey::answer::{Answer, AnswerValue};
use survey::question::Question;
use utoipa::ToSchema;

/// Upper limit of an attribute's values. One with more is not offered for a crosstab.
const MAX_VALUES: usize = 100;
/// Suffix of a random node's name if an attribute has the same name.
pub const NAMED_AS_ARM: &str = " (arm)";

/// The personas of a run.
pub struct Twins {
    /// Attributes, including the assigned arms by random node.
    attributes: Vec<(i32, BTreeMap<String, Value>)>,
    /// Names of the attributes that are arms.
    arms: BTreeSet<String>,
    /// Values of the variables that are answers to questions.
    choices: HashMap<Variable, Choices>,
}

/// The values of a variable.
struct Choices {
    /// All possible values, in their order.
    domain: Vec<String>,
    /// Values of each persona.
    of: HashMap<i32, Vec<String>>,
}

/// An attribute of the twins.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AttributeValues {
    #[schema(example = "Gender")]
    pub name: String,
    /// Values in the codebook's order if there is one, else by the numbers at their beginning and then alphabetically.
    pub values: Vec<TwinsOf>,
}

/// A value with its number of twins.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TwinsOf {
    #[schema(example = "Female")]
    pub value: String,
    /// Number of twins, whether they answered or not.
    #[schema(example = 1040)]
    pub n: i64,
}

/// Personas in groups; a persona that chose several options is in several.
#[derive(Default)]
pub(super) struct Groups {
    pub groups: Vec<TwinsOf>,
    /// Personas, each with the index of one of their groups.
    pub members: Vec<(i32, i32)>,
}

impl Twins {
    /// Loads the run's personas with the values of these variables.
    pub async fn load<'a>(
        conn: &mut AsyncPgConnection,
        simulation_id: i64,
        questions: &[Question],
        variables: impl Iterator<Item = &'a Variable>,
    ) -> QueryResult<Self> {
        #[derive(QueryableByName)]
        struct Twin {
            #[diesel(sql_type = Integer)]
            persona_id: i32,
            #[diesel(sql_type = Jsonb)]
            attributes: Value,
            #[diesel(sql_type = Nullable<Jsonb>)]
            arms: Option<Value>,
        }
        let twins: Vec<Twin> = sql_query(
            "SELECT twin.persona_id, personas.attributes, dealt.fields -> 'arms' AS arms
             FROM simulation_personas AS twin
                 JOIN personas ON (personas.set_id, personas.id) = (twin.persona_set_id, twin.persona_id)
                 LEFT JOIN assignments AS dealt USING (simulation_id, persona_id)
             WHERE twin.simulation_id = $1",
        )
        .bind::<BigInt, _>(simulation_id)
        .load(conn)
        .await?;
        let own: HashSet<String> =
            twins.iter().flat_map(|twin| fields(&twin.attributes)).map(|(name, _)| name.clone()).collect();
        let mut arms = BTreeSet::new();
        let mut attributes = |twin: Twin| {
            let mut attributes: BTreeMap<String, Value> =
                fields(&twin.attributes).map(|(name, value)| (name.clone(), value.clone())).collect();
            for (node, dealt) in twin.arms.as_ref().into_iter().flat_map(fields) {
                // An attribute of the personas may have the name of the node.
                let name = if own.contains(node) { format!("{node}{NAMED_AS_ARM}") } else { node.clone() };
                let dealt = dealt.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
                attributes.insert(name.clone(), dealt.join(">").into());
                arms.insert(name);
            }
            (twin.persona_id, attributes)
        };
        let wanted: HashSet<Variable> = variables.filter(|variable| variable.question().is_some()).cloned().collect();
        let choices =
            if wanted.is_empty() { HashMap::new() } else { choices(conn, simulation_id, questions, wanted).await? };
        let attributes = twins.into_iter().map(&mut attributes).collect();
        Ok(Self { attributes, arms, choices })
    }

    /// Names of the attributes that are arms of the survey's random nodes.
    pub fn arms(&self) -> &BTreeSet<String> {
        &self.arms
    }

    /// The attributes with few enough values for a crosstab, by name.
    pub fn attribute_values(&self) -> Vec<AttributeValues> {
        let mut known: BTreeMap<&str, BTreeMap<String, i64>> = BTreeMap::new();
        for (name, value) in self.attributes.iter().flat_map(|(_, attributes)| attributes) {
            let values = known.entry(name).or_default();
            // One value above the limit shows that there are too many.
            if values.len() <= MAX_VALUES
                && let Some(value) = text(value)
            {
                *values.entry(value).or_default() += 1;
            }
        }
        let few = known.into_iter().filter(|(_, values)| values.len() <= MAX_VALUES);
        let in_order = |(name, values): (&str, BTreeMap<String, i64>)| {
            let mut values: Vec<TwinsOf> = values.into_iter().map(|(value, n)| TwinsOf { value, n }).collect();
            values.sort_by(|a, b| order::compare_values(name, &a.value, &b.value));
            AttributeValues { name: name.to_owned(), values }
        };
        few.map(in_order).collect()
    }

    /// Whether any persona has the attribute; always true for a question.
    pub fn has(&self, variable: &Variable) -> bool {
        match variable {
            Variable::Attribute(name) => self.attributes.iter().any(|(_, attributes)| attributes.contains_key(name)),
            Variable::Question(_) | Variable::Row(..) | Variable::Position => true,
        }
    }

    /// The first value of the filter, with its variable, that no persona has and that is no possible answer.
    pub fn unknown_value<'a>(&self, filter: &'a TwinFilter) -> Option<(&'a Variable, &'a str)> {
        filter.wanted().find_map(|(variable, wanted)| {
            let possible = self.choices.get(variable).map(|choices| choices.domain.as_slice()).unwrap_or_default();
            let mut unknown: HashSet<&str> = wanted.iter().map(String::as_str).collect();
            unknown.remove(NOT_STATED);
            for value in possible {
                unknown.remove(value.as_str());
            }
            for (id, attributes) in &self.attributes {
                if unknown.is_empty() {
                    return None;
                }
                for value in self.values(*id, attributes, variable) {
                    unknown.remove(value.as_str());
                }
            }
            wanted.iter().find(|value| unknown.contains(value.as_str())).map(|value| (variable, value.as_str()))
        })
    }

    /// The ids of the personas that pass the filter, unordered.
    pub fn passing(&self, filter: &TwinFilter) -> Vec<i32> {
        let passes = |(id, attributes): &&(i32, BTreeMap<String, Value>)| {
            filter.passes(|variable| self.values(*id, attributes, variable))
        };
        self.attributes.iter().filter(passes).map(|(id, _)| *id).collect()
    }

    /// The non-empty groups of these personas, in the order of the codebook or of the question's answers.
    pub(super) fn grouped(&self, twins: &[i32], by: &Variable) -> Groups {
        let wanted: HashSet<i32> = twins.iter().copied().collect();
        let mut by_value: HashMap<String, Vec<i32>> = HashMap::new();
        for (id, attributes) in self.attributes.iter().filter(|(id, _)| wanted.contains(id)) {
            for value in self.values(*id, attributes, by) {
                by_value.entry(value).or_default().push(*id);
            }
        }
        let mut values: Vec<(String, Vec<i32>)> = by_value.into_iter().collect();
        let domain = self.choices.get(by).map(|choices| choices.domain.as_slice()).unwrap_or_default();
        let place = |value: &String| domain.iter().position(|known| known == value);
        values.sort_by(|(a, _), (b, _)| {
            let not_stated = (a == NOT_STATED).cmp(&(b == NOT_STATED));
            not_stated.then_with(|| match by {
                Variable::Attribute(name) => order::compare_values(name, a, b),
                Variable::Question(_) | Variable::Row(..) | Variable::Position => place(a).cmp(&place(b)),
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
            Variable::Question(_) | Variable::Row(..) | Variable::Position => {
                self.choices.get(variable).and_then(|choices| choices.of.get(&id)).cloned().unwrap_or_default()
            }
        };
        if values.is_empty() { vec![NOT_STATED.to_owned()] } else { values }
    }
}

/// Loads the choices of all personas, regardless of the filter: intervals of numbers are the same for every view of the
/// run.
async fn choices(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    variables: HashSet<Variable>,
) -> QueryResult<HashMap<Variable, Choices>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Integer)]
        persona_id: i32,
        #[diesel(sql_type = Jsonb)]
        answer_value: Value,
    }
    let asked: HashSet<i64> = variables.iter().filter_map(Variable::question).collect();
    let rows: Vec<Row> = sql_query(
        "SELECT question_id, persona_id, answer_value FROM responses
         WHERE simulation_id = $1 AND question_id = ANY($2)",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(asked.into_iter().collect::<Vec<_>>())
    .load(conn)
    .await?;
    let mut answers: HashMap<i64, Vec<(i32, Value)>> = HashMap::new();
    for Row { question_id, persona_id, answer_value } in rows {
        answers.entry(question_id).or_default().push((persona_id, answer_value));
    }
    let of = |variable: Variable| {
        let question = questions.iter().find(|question| variable.question() == Some(question.id))?;
        let stored = answers.get(&question.id).map(Vec::as_slice).unwrap_or_default();
        let decoded = stored.iter().filter_map(|(twin, stored)| Some((*twin, Answer::decode(question, stored).ok()?)));
        let answers: Vec<(i32, Answer)> = decoded.collect();
        let number = |(_, answer): &(i32, Answer)| match answer.part(None) {
            Some(AnswerValue::Number(number)) => Some((number, 1)),
            _ => None,
        };
        let numbers = answers.iter().filter_map(number).collect();
        let domain = Domain::from_question(question, &Numbers::new(numbers).extent());
        let row = match variable {
            Variable::Row(_, place) => question.rows().get(place - 1).map(String::as_str),
            _ => None,
        };
        let chosen = |(twin, answer): &(i32, Answer)| (*twin, chosen(answer, row, &domain));
        let of = answers.iter().map(chosen).collect();
        Some((variable, Choices { domain: domain.names().to_vec(), of }))
    };
    Ok(variables.into_iter().filter_map(of).collect())
}

/// The values of an answer; for a matrix, those in this row.
fn chosen(answer: &Answer, row: Option<&str>, domain: &Domain) -> Vec<String> {
    match answer.part(row) {
        Some(AnswerValue::Number(number)) => domain.name_of(number).into_iter().collect(),
        Some(value) => value.labels(),
        None => Vec::new(),
    }
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}
