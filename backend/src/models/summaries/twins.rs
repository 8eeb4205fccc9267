//! The personas of a run: their attributes and choices, the filter that they pass, and their groups.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Jsonb, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use simulation::json::JsonText;
use simulation::summaries::numbers::Numbers;
use simulation::summaries::order;
use simulation::summaries::variables::{Domain, NOT_STATED, TwinFilter, Variable};
use survey::answer::{Answer, AnswerValue};
use survey::question::Question;
use utoipa::ToSchema;

use super::attributes::{TwinAttributes, TwinRow};

/// Upper limit of an attribute's values. One with more is not offered for a crosstab.
const MAX_VALUES: usize = 100;
/// Suffix of a random node's name if an attribute has the same name.
pub const NAMED_AS_ARM: &str = " (arm)";

/// The personas of a run.
pub struct Twins {
    /// Attributes, including the assigned arms by random node.
    attributes: TwinAttributes,
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
            attributes: JsonText,
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
        let mut attributes = TwinAttributes::default();
        for twin in &twins {
            attributes.add(twin.persona_id, &twin.attributes);
        }
        let dealt = twins.iter().enumerate().flat_map(|(place, twin)| {
            twin.arms.iter().filter_map(Value::as_object).flatten().map(move |(node, dealt)| (place, node, dealt))
        });
        // Before any arm is set, the table has the personas' own attributes alone.
        let names: HashMap<&String, String> = dealt
            .clone()
            .map(|(_, node, _)| node)
            .collect::<HashSet<_>>()
            .into_iter()
            .map(|node| (node, if attributes.has(node) { format!("{node}{NAMED_AS_ARM}") } else { node.clone() }))
            .collect();
        for (place, node, dealt) in dealt {
            let dealt: Vec<&str> = dealt.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            attributes.set(place, &names[node], &dealt.join(">"));
        }
        let arms: BTreeSet<String> = names.into_values().collect();
        let wanted: HashSet<Variable> = variables.filter(|variable| variable.question().is_some()).cloned().collect();
        let choices =
            if wanted.is_empty() { HashMap::new() } else { choices(conn, simulation_id, questions, wanted).await? };
        Ok(Self { attributes, arms, choices })
    }

    /// Names of the attributes that are arms of the survey's random nodes.
    pub fn arms(&self) -> &BTreeSet<String> {
        &self.arms
    }

    /// The attributes with few enough values for a crosstab, by name.
    pub fn attribute_values(&self) -> Vec<AttributeValues> {
        let in_order = |(name, values): (&str, BTreeMap<&str, i64>)| {
            let mut values: Vec<TwinsOf> =
                values.into_iter().map(|(value, n)| TwinsOf { value: value.to_owned(), n }).collect();
            values.sort_by(|a, b| order::compare_values(name, &a.value, &b.value));
            AttributeValues { name: name.to_owned(), values }
        };
        self.attributes.counts(MAX_VALUES).into_iter().map(in_order).collect()
    }

    /// Whether any persona has the attribute; always true for a question.
    pub fn has(&self, variable: &Variable) -> bool {
        match variable {
            Variable::Attribute(name) => self.attributes.has(name),
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
            for persona in self.attributes.personas() {
                if unknown.is_empty() {
                    return None;
                }
                for value in self.values(persona, variable) {
                    unknown.remove(&*value);
                }
            }
            wanted.iter().find(|value| unknown.contains(value.as_str())).map(|value| (variable, value.as_str()))
        })
    }

    /// The ids of the personas that pass the filter, unordered.
    pub fn passing(&self, filter: &TwinFilter) -> Vec<i32> {
        let passes = |persona: &TwinRow<'_>| filter.passes(|variable| self.values(*persona, variable));
        self.attributes.personas().filter(passes).map(|persona| persona.id).collect()
    }

    /// The non-empty groups of these personas, in the order of the codebook or of the question's answers.
    pub(super) fn grouped(&self, twins: &[i32], by: &Variable) -> Groups {
        let wanted: HashSet<i32> = twins.iter().copied().collect();
        let mut by_value: HashMap<String, Vec<i32>> = HashMap::new();
        for persona in self.attributes.personas().filter(|persona| wanted.contains(&persona.id)) {
            for value in self.values(persona, by) {
                by_value.entry(value).or_default().push(persona.id);
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

    fn values(&self, persona: TwinRow<'_>, variable: &Variable) -> Vec<String> {
        let values = match variable {
            Variable::Attribute(name) => persona.value(name).map(str::to_owned).into_iter().collect(),
            Variable::Question(_) | Variable::Row(..) | Variable::Position => {
                self.choices.get(variable).and_then(|choices| choices.of.get(&persona.id)).cloned().unwrap_or_default()
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
