//! Free-text answers: equal ones are counted together, and grouped by shared words.

use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::summaries::figures::Count;
use simulation::summaries::numbers::share;
use simulation::summaries::variables::Variable;
use utoipa::ToSchema;

use super::places::PlacedQuestions;
use super::themes;
use super::twins::Groups;
use super::{SummaryRequest, Twins, TwinsOf};

/// Theme of answers that share no words with others.
const NOT_GROUPED: &str = "Not grouped";

/// Query for free-text answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextQuery {
    pub question_id: i64,
    /// Text that an answer must contain, ignoring case; empty: all answers.
    pub words: String,
    /// Theme that an answer must be in.
    pub theme: Option<String>,
    /// Group that a twin must be in.
    pub group: Option<String>,
    pub limit: i64,
    pub offset: i64,
}

/// Answers to a question, equal ones counted together.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Texts {
    /// Number of different answers that match.
    #[schema(example = 412)]
    pub total: i64,
    /// Number of twins who gave one of them.
    #[schema(example = 498)]
    pub n: i64,
    /// Number of twins in each group whose answer matches, regardless of `group`; empty without `by`.
    pub groups: Vec<TwinsOf>,
    /// A page of them, by descending frequency, then alphabetically.
    pub texts: Vec<GivenText>,
    /// Themes of all answers, regardless of the query, by descending frequency, and last `Not grouped`. A twin is in
    /// one of them.
    pub themes: Vec<Theme>,
}

/// An answer with its frequency.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GivenText {
    #[schema(example = "I take the bus because it is cheap.")]
    pub text: String,
    #[schema(example = 3)]
    pub count: i64,
    /// Number of twins in each group, without empty groups; empty without `by`.
    pub groups: Vec<TwinsOf>,
}

/// Answers that share a word or a pair of words.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TextTheme)]
pub struct Theme {
    /// The shared words, in lower case.
    #[schema(example = "bus")]
    pub name: String,
    /// Number of twins.
    #[schema(example = 120)]
    pub n: i64,
    /// n / all who answered.
    #[schema(example = 0.25)]
    pub share: f64,
    /// Number of twins in each group, and their share of the group's twins who answered; empty without `by`.
    pub groups: Vec<Count>,
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Integer)]
    persona_id: i32,
    #[diesel(sql_type = Text)]
    answer: String,
}

/// Returns the matching answers of a run's personas to a question.
pub async fn of_question(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    twins: &Twins,
    SummaryRequest { by, filter, blocks, .. }: &SummaryRequest,
    query: &TextQuery,
) -> QueryResult<Texts> {
    let mut answers: Vec<Answer> = sql_query(
        "SELECT persona_id, answer FROM responses WHERE simulation_id = $1 AND question_id = $2 ORDER BY persona_id",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<BigInt, _>(query.question_id)
    .load(conn)
    .await?;
    let passing = twins.passing(filter);
    if !filter.is_empty() {
        let passing: HashSet<i32> = passing.iter().copied().collect();
        answers.retain(|answer| passing.contains(&answer.persona_id));
    }
    let groups = match by {
        None => Groups::default(),
        Some(Variable::Position) => {
            PlacedQuestions::load(conn, simulation_id, blocks, &passing).await?.groups_of(query.question_id)
        }
        Some(by) => twins.grouped(&passing, by),
    };
    Ok(found(&answers, &Membership::new(&groups, &answers), query))
}

/// Groups of the personas who gave some answers.
struct Membership<'a> {
    groups: &'a [TwinsOf],
    /// Indices of the groups, by the index of the answer.
    of: Vec<Vec<usize>>,
}

impl<'a> Membership<'a> {
    fn new(groups: &'a Groups, answers: &[Answer]) -> Self {
        let mut places: HashMap<i32, Vec<usize>> = HashMap::new();
        for (twin, place) in &groups.members {
            places.entry(*twin).or_default().push(*place as usize);
        }
        let of = answers.iter().map(|answer| places.remove(&answer.persona_id).unwrap_or_default()).collect();
        Self { groups: &groups.groups, of }
    }

    /// Counts these answers in each group.
    fn count(&self, answers: impl Iterator<Item = usize>) -> Vec<i64> {
        let mut counts = vec![0; self.groups.len()];
        answers.flat_map(|answer| &self.of[answer]).for_each(|place| counts[*place] += 1);
        counts
    }

    /// The counts with the groups' names.
    fn named(&self, counts: Vec<i64>) -> impl Iterator<Item = TwinsOf> {
        self.groups.iter().zip(counts).map(|(group, n)| TwinsOf { value: group.value.clone(), n })
    }
}

fn found(answers: &[Answer], groups: &Membership<'_>, query: &TextQuery) -> Texts {
    let themes = grouped(answers);
    let words = query.words.to_lowercase();
    let matches = |place: &usize| words.is_empty() || answers[*place].answer.to_lowercase().contains(&words);
    let found: Vec<usize> = match &query.theme {
        None => (0..answers.len()).filter(matches).collect(),
        Some(wanted) => {
            let theme = themes.iter().find(|theme| theme.name == *wanted);
            theme.map(|theme| theme.answers.iter().copied().filter(matches).collect()).unwrap_or_default()
        }
    };
    let in_group = |place: &usize| match &query.group {
        None => true,
        Some(wanted) => groups.of[*place].iter().any(|group| groups.groups[*group].value == *wanted),
    };
    let mut equal: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for place in found.iter().copied().filter(in_group) {
        equal.entry(&answers[place].answer).or_default().push(place);
    }
    let (total, n) = (equal.len() as i64, equal.values().map(Vec::len).sum::<usize>() as i64);
    let mut texts: Vec<(&str, Vec<usize>)> = equal.into_iter().collect();
    // The sort is stable, so that equal frequencies stay in alphabetical order.
    texts.sort_by_key(|(_, twins)| std::cmp::Reverse(twins.len()));
    let (offset, limit) = [query.offset, query.limit].map(|rows| usize::try_from(rows).unwrap_or_default()).into();
    let text = |(text, twins): (&str, Vec<usize>)| GivenText {
        text: text.to_owned(),
        count: twins.len() as i64,
        groups: groups.named(groups.count(twins.into_iter())).filter(|group| group.n > 0).collect(),
    };
    let answered = groups.count(0..answers.len());
    let theme = |themes::SharedTerm { name, answers: places }: themes::SharedTerm| {
        let n = places.len() as i64;
        let in_groups = groups.named(groups.count(places.into_iter())).zip(&answered);
        let groups = in_groups.map(|(TwinsOf { value, n }, all)| Count::new(&value, n, *all));
        Theme { name, n, share: share(n, answers.len() as i64), groups: groups.collect() }
    };
    Texts {
        total,
        n,
        groups: groups.named(groups.count(found.into_iter())).collect(),
        texts: texts.into_iter().skip(offset).take(limit).map(text).collect(),
        themes: themes.into_iter().map(theme).collect(),
    }
}

/// The themes, followed by the answers that are in none.
fn grouped(answers: &[Answer]) -> Vec<themes::SharedTerm> {
    let mut themes = themes::group(answers.iter().map(|answer| answer.answer.as_str()));
    let grouped: HashSet<usize> = themes.iter().flat_map(|theme| theme.answers.iter().copied()).collect();
    let others: Vec<usize> = (0..answers.len()).filter(|place| !grouped.contains(place)).collect();
    if !others.is_empty() {
        themes.push(themes::SharedTerm { name: NOT_GROUPED.to_owned(), answers: others });
    }
    themes
}
