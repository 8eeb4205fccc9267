//! Whether groups of a run's twins answer alike: the tests of a summary, by the rule of the frozen plan where there is one.

use evidence::groups::{AnalysisKind, GroupAnswers, GroupPart, GroupTest, PartFigures};
use evidence::multiplicity::TestRule;
use evidence::sample::Mean;
use evidence::upload::part_name;
use survey::answer::AnswerShape;
use survey::question::Question;

use crate::plans::planned::PlannedAnalyses;
use crate::summaries::figures::Figures;
use crate::summaries::variables::{NOT_STATED, Variable};

/// The tests of a question's parts, p not yet adjusted. `planned`: the frozen plan, and whether it names the comparison of
/// these groups.
pub fn test(
    question: &Question,
    parts: &[PartFigures],
    rule: TestRule,
    planned: Option<(&PlannedAnalyses, bool)>,
) -> Vec<GroupTest> {
    let analysis = |part: &str| {
        planned.map(|(plan, is_planned)| AnalysisKind::classify(is_planned && plan.names(&item_name(question, part))))
    };
    parts.iter().map(|part| part.test(rule, analysis(&part.part))).collect()
}

/// The item of a part, as comparisons and plans name it: a matrix's row by its number.
pub fn item_name(question: &Question, part: &str) -> String {
    let is_in_rows = question.question_type.is_matrix();
    let place = question.sub_questions.iter().position(|row| is_in_rows && row == part);
    place.map_or_else(|| question.name.clone(), |place| part_name(&question.name, place + 1))
}

/// The parts of a question that are tested, with the answers of each group. Twins without a value are no group; what makes the
/// groups is not tested.
pub fn parts(question: &Question, groups: &[(&str, &Figures)], by: Option<&Variable>) -> Vec<PartFigures> {
    let groups: Vec<(&str, &Figures)> = groups.iter().filter(|(name, _)| *name != NOT_STATED).copied().collect();
    let Some((_, first)) = groups.first() else { return Vec::new() };
    let own_row = match by {
        Some(Variable::Question(id)) if *id == question.id => return Vec::new(),
        Some(Variable::Row(id, _)) if *id == question.id && question.rows().len() < 2 => return Vec::new(),
        Some(Variable::Row(id, place)) if *id == question.id => question.rows().get(place - 1).map(String::as_str),
        _ => None,
    };
    let part = |part: &str, options: Vec<String>, answers: &dyn Fn(&Figures) -> GroupAnswers| PartFigures {
        part: part.to_owned(),
        options,
        groups: groups.iter().map(|(name, of)| GroupPart { group: (*name).to_owned(), answers: answers(of) }).collect(),
    };
    let options = || first.counts.iter().map(|count| count.value.clone());
    match question.shape() {
        Some(AnswerShape::Number) => vec![part("", Vec::new(), &|of| mean(of.n, of.mean, of.sd))],
        Some(AnswerShape::Choice | AnswerShape::YesNo) if first.rows.is_empty() => {
            let counts = |of: &Figures| GroupAnswers::Counts {
                n: of.n as u64,
                counts: of.counts.iter().map(|count| count.count as u64).collect(),
            };
            vec![part("", options().collect(), &counts)]
        }
        Some(AnswerShape::Choices | AnswerShape::LabelSets) => {
            let option = |(place, option): (usize, String)| {
                let count = |of: &Figures| of.counts.get(place).map_or(0, |count| count.count as u64);
                let counts = |of: &Figures| GroupAnswers::Counts { n: of.n as u64, counts: vec![count(of)] };
                part(&option, vec![option.clone()], &counts)
            };
            options().enumerate().map(option).collect()
        }
        Some(AnswerShape::Text) | None => Vec::new(),
        Some(_) => {
            let row = |(place, row): (usize, &str)| {
                let rating =
                    |of: &Figures| of.rows.get(place).map_or(mean(0, None, None), |of| mean(of.n, of.mean, of.sd));
                part(row, Vec::new(), &rating)
            };
            let rows = first.rows.iter().map(|of| of.row.as_str()).enumerate();
            rows.filter(|(_, row)| own_row != Some(*row)).map(row).collect()
        }
    }
}

fn mean(n: i64, mean: Option<f64>, sd: Option<f64>) -> GroupAnswers {
    let moments = mean.zip(sd).and_then(|(mean, sd)| Mean::of_moments(n as usize, mean, sd));
    GroupAnswers::Mean { n: n as u64, mean: moments }
}
