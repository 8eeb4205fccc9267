//! Summaries of a run's answers by question, for all personas and for groups of them. The database counts; means,
//! deviations and intervals are computed from the counts.

mod attributes;
mod distributions;
mod given;
mod places;
pub mod texts;
mod themes;
mod twins;

use diesel::prelude::*;
use diesel::sql_query;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use evidence::groups::{GroupDifference, GroupTest};
use serde::Serialize;
use simulation::run::ShuffledBlocks;
use simulation::summaries::figures::Figures;
use simulation::summaries::given::GivenAnswers;
use simulation::summaries::numbers::Intervals;
use simulation::summaries::variables::{TwinFilter, Variable};
use utoipa::ToSchema;

use places::PlacedQuestions;
use survey::logic::Scale;
use survey::question::{Question, QuestionType};
pub use twins::{AttributeValues, NAMED_AS_ARM, Twins, TwinsOf};

/// Summary of one question's answers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionSummary {
    #[schema(example = 3)]
    pub question_id: i64,
    /// Position in the survey, from 1.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "What do you drink in the morning?")]
    pub text: String,
    pub question_type: QuestionType,
    /// Whether options or labels have an order: `nominal`, `ordinal` or `interval`. Missing where the survey does not
    /// state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "ordinal")]
    pub scale: Option<Scale>,
    /// Whether the options of a choice, or the labels of a matrix, are degrees of one scale: by the stated scale, or else by their
    /// words.
    #[schema(example = false)]
    pub has_degrees: bool,
    /// The options or labels that agree with a statement, as `Agree` and `Strongly agree`.
    #[schema(example = json!([]))]
    pub agreeing: Vec<String>,
    /// Figures of all twins.
    #[serde(flatten)]
    pub figures: Figures,
    /// Answers of the first twins to a free-text question.
    pub texts: Vec<String>,
    /// Figures of each group of twins, in the order of the groups; twins without a value come last.
    pub groups: Vec<GroupFigures>,
    /// Whether the groups differ: in the question, in each row of a matrix, in each option of several answers or with a mean.
    /// Empty without groups, and where a twin can be in several of them.
    pub tests: Vec<GroupTest>,
    /// How far each group lies from the first that answered, in means or in the shares of options.
    pub differences: Vec<GroupDifference>,
}

/// Figures of one group of twins.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = GroupFigures)]
pub struct GroupFigures {
    /// Value of the attribute, or an answer to the question (an interval of numbers as `20 to 30`), or `(not stated)`.
    #[schema(example = "Female")]
    pub value: String,
    #[serde(flatten)]
    pub figures: Figures,
}

/// Settings of a summary.
#[derive(Clone, Debug, Default)]
pub struct SummaryRequest {
    /// Variable that the twins are grouped by.
    pub by: Option<Variable>,
    /// Filter of the twins.
    pub filter: TwinFilter,
    /// Blocks that [`Variable::Position`] refers to.
    pub blocks: ShuffledBlocks,
    /// Whether the run asks for distributions, whose means are added.
    pub distributions: bool,
}

/// Figures of the run's answers.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Number of twins that pass the filter.
    pub n: i64,
    /// Groups of these twins by the requested variable.
    pub groups: Vec<TwinsOf>,
    /// Summaries in the order of the questions.
    pub questions: Vec<QuestionSummary>,
}

/// Computes the summaries of these questions of a run, in the given order.
pub async fn of_run(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    twins: &Twins,
    SummaryRequest { by, filter, blocks, distributions: with_distributions }: &SummaryRequest,
) -> QueryResult<Summary> {
    let passing = twins.passing(filter);
    let placed = match by {
        Some(Variable::Position) => Some(PlacedQuestions::load(conn, simulation_id, blocks, &passing).await?),
        _ => None,
    };
    let groups = by.as_ref().filter(|_| placed.is_none()).map(|by| twins.grouped(&passing, by));
    let everyone = if filter.is_empty() { None } else { Some(passing.as_slice()) };
    let (given, in_groups, mut texts, extents, probabilities) = conn
        .transaction(async |conn| {
            // The planner overestimates the number of different answers: without these settings it sorts on disk and
            // compiles the query for longer than it runs.
            let settings = "SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true)";
            sql_query(settings).execute(conn).await?;
            let in_groups = match (&groups, &placed) {
                (Some(groups), _) => Some(given::grouped(conn, simulation_id, questions, &groups.members).await?),
                (None, Some(placed)) => Some(given::placed(conn, simulation_id, questions, placed).await?),
                (None, None) => None,
            };
            // If each persona is in one group, the whole is the sum of the groups.
            let given = match (&groups, &in_groups) {
                (Some(groups), Some(given)) if groups.members.len() == passing.len() => given::together(given),
                _ => given::whole(conn, simulation_id, questions, everyone).await?,
            };
            let texts = given::texts(conn, simulation_id, questions, everyone).await?;
            let extents = match everyone {
                Some(_) => given::extents(conn, simulation_id, questions).await?,
                None => given.iter().map(|(id, given)| (*id, given.numbers().extent())).collect(),
            };
            let probabilities = match *with_distributions {
                true => distributions::means(conn, simulation_id, everyone).await?,
                false => distributions::Probabilities::new(),
            };
            QueryResult::Ok((given, in_groups, texts, extents, probabilities))
        })
        .await?;
    let groups = groups.map(|groups| groups.groups).or(placed.map(|placed| placed.groups())).unwrap_or_default();
    let none = GivenAnswers::default();
    let summary = |question: &Question| {
        let whole = given.get(&question.id).unwrap_or(&none);
        let bins = Intervals::from_question(question, &extents.get(&question.id).copied().unwrap_or_default());
        let of_group = |(place, group): (i32, &TwinsOf)| {
            let given = in_groups.as_ref().and_then(|given| given.get(&(question.id, place)));
            GroupFigures {
                value: group.value.clone(),
                figures: Figures::compute(question, given.unwrap_or(&none), &bins),
            }
        };
        let mut figures = Figures::compute(question, whole, &bins);
        figures.add_probabilities(&|row, label| {
            probabilities.get(&(question.id, row.to_owned(), label.to_owned())).cloned()
        });
        QuestionSummary {
            question_id: question.id,
            order: question.order,
            text: question.text.clone(),
            question_type: question.question_type,
            scale: question.logic.scale,
            has_degrees: question.has_degrees(),
            agreeing: question.agreeing(),
            figures,
            texts: texts.remove(&question.id).unwrap_or_default(),
            groups: (0..).zip(&groups).map(of_group).collect(),
            tests: Vec::new(),
            differences: Vec::new(),
        }
    };
    let questions = questions.iter().map(summary).collect();
    Ok(Summary { n: passing.len() as i64, groups, questions })
}
