//! Collects the answers of a run's twins for the statistics.

use std::collections::BTreeMap;
use std::sync::Arc;

use evidence::compare::{self, GivenDistribution, ItemKind};
use evidence::metrics::smoothed;
use evidence::options::ComparisonOptions;
use evidence::quantiles::QuantileCorners;
use evidence::upload::{self, Mapping, Reading, ReservedColumns, Table};
use export::table::{Cell, Column};
use survey::distribution::{Distribution, PartDistribution};
use survey::item::Item;

use crate::answers::RequestOutcome;
use crate::columns::{Columns, RunColumn};
use crate::drawn_rows::DrawnLoop;
use crate::items::questions;
use crate::nodes::Nodes;
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

/// Collects the answers of twins page by page, with the chosen columns: their arm, weight and attributes. Leaves out a
/// twin without an id of the dataset, as from a file.
pub struct TwinAnswers {
    columns: Columns,
    items: Vec<CollectedItem>,
    /// The items of loops whose rows are drawn, row by row.
    rows: Vec<RowItem>,
    reserved: ReservedColumns,
    /// Positions of the columns to keep: the chosen ones and the twins' ids.
    kept: Vec<usize>,
    table: Table,
    /// The random nodes with arms, and the arm of each twin in them.
    nodes: Nodes,
    experiments: BTreeMap<String, Vec<String>>,
}

/// An item with the positions of its columns: one, or one for each option if several can be chosen.
struct CollectedItem {
    item: compare::Item,
    places: Vec<usize>,
    answers: compare::Column,
    /// Positions of the question, and of the row in a matrix.
    question: usize,
    row: usize,
    /// The distributions that the twins gave, in a run that asks for them.
    forecasts: Vec<Option<GivenDistribution>>,
}

/// An item of a loop in one row, whose turn is another for each twin.
struct RowItem {
    /// The table of the loop.
    table: String,
    /// The row, 1-based.
    row: u32,
    /// The item with its columns in each turn.
    turns: Vec<Vec<usize>>,
    of: CollectedItem,
}

/// Returns the columns of the twins that a comparison needs.
pub fn twin_columns(run: &Run, options: &ComparisonOptions) -> ReservedColumns {
    let of_run = Columns::of(run);
    let has = |name: &str| of_run.0.iter().any(|of| of.column.name == name && of.question().is_none());
    options.twin_columns(arm_node(run, options.arm.as_deref()), has)
}

/// Returns the random node with the twins' arms: the one with the name of people's column, or the only one. It deals one
/// arm: the arms of other nodes are found by the columns of people's file.
pub fn arm_node(run: &Run, arm: Option<&str>) -> Option<String> {
    let mut nodes = run.plan.as_ref().map(|plan| plan.random_nodes()).unwrap_or_default();
    nodes.retain(|(_, is_ordered)| !is_ordered);
    let node = nodes.iter().find(|(name, _)| arm == Some(*name));
    let node = node.or(nodes.first().filter(|_| nodes.len() == 1));
    arm.and(node).map(|(name, _)| (*name).to_owned())
}

impl TwinAnswers {
    pub fn new(run: &Run, reserved: &ReservedColumns) -> Self {
        let mut answers = Self::without_answers(run, reserved);
        for (place, question) in run.questions.iter().enumerate() {
            let columns = answers.columns.0.iter().enumerate();
            let places: Vec<usize> =
                columns.filter(|(_, column)| column.question() == Some(place)).map(|(at, _)| at).collect();
            let items = upload::items(&questions(&[Item::from(question.clone())]));
            match items.as_slice() {
                [item] if matches!(item.kind, ItemKind::Multiple { .. }) => {
                    answers.items.push(CollectedItem::new(item.clone(), places, place, 0));
                }
                _ => answers.items.extend(
                    (items.into_iter().zip(places).enumerate())
                        .map(|(row, (item, at))| CollectedItem::new(item, vec![at], place, row)),
                ),
            }
        }
        answers.rows = row_items(run, &answers.columns);
        // Questions of the oldest runs have no names, by which items are identified.
        answers.items.retain(|collected| !collected.item.name.is_empty());
        answers
    }

    /// Collects the chosen columns alone.
    pub fn without_answers(run: &Run, reserved: &ReservedColumns) -> Self {
        let columns = Columns::of(run);
        let named = [&reserved.weight, &reserved.probability, &reserved.arm].into_iter().flatten();
        let named: Vec<&String> = named.chain(&reserved.attributes).collect();
        let is_kept = |of: &RunColumn| of.is_person_id() || named.contains(&&of.column.name);
        let kept: Vec<usize> =
            columns.0.iter().enumerate().filter(|(_, column)| is_kept(column)).map(|(place, _)| place).collect();
        let names = kept.iter().map(|place| columns.0[*place].column.name.clone()).collect();
        let table = Table { names, ..Table::default() };
        let nodes = run.survey.design.as_ref().map(Nodes::of).unwrap_or_default();
        let experiments = nodes.with_arms.iter().map(|node| (node.name.clone(), Vec::new())).collect();
        let (items, rows) = (Vec::new(), Vec::new());
        Self { columns, items, rows, reserved: reserved.clone(), kept, table, nodes, experiments }
    }

    /// Adds the next interviews.
    pub fn add(&mut self, run: &Run, page: &[InterviewOutcomes]) {
        for interview in page.iter().filter(|interview| !interview.persona.pid.trim().is_empty()) {
            let row = self.columns.row(run, interview);
            let text = |place: &usize| text(&self.columns.0[*place].column, &row[*place]);
            self.table.rows.push(self.kept.iter().map(text).collect());
            let mut arms =
                interview.dealt.as_ref().map(|dealt| self.nodes.arms_of(&dealt.assignment)).unwrap_or_default();
            for (node, of_twins) in &mut self.experiments {
                of_twins.push(arms.remove(node).unwrap_or_default());
            }
            for of in &mut self.items {
                of.add(&self.columns, &row);
                if run.parameters.has_distributions() {
                    of.forecasts.push(of.forecast(run, interview));
                }
            }
            let dealt = interview.dealt.as_ref().map(|dealt| &dealt.assignment.rows);
            for RowItem { table, row: number, turns, of } in &mut self.rows {
                let rows = dealt.and_then(|rows| rows.get(table));
                let turn = rows.and_then(|rows| rows.iter().position(|row| row == number));
                of.places = turn.and_then(|turn| turns.get(turn)).cloned().unwrap_or_default();
                of.add(&self.columns, &row);
            }
        }
    }

    /// Returns what was collected since the last call.
    pub fn take(&mut self) -> Reading {
        let mut reading = upload::respondents(&[], &self.table, &Mapping::default(), &self.reserved);
        self.table.rows.clear();
        for (node, arms) in &mut self.experiments {
            reading.respondents.experiments.insert(node.clone(), std::mem::take(arms));
        }
        for of in self.items.iter_mut().chain(self.rows.iter_mut().map(|row| &mut row.of)) {
            let none = CollectedItem::nothing(&of.item);
            let forecasts = std::mem::take(&mut of.forecasts);
            if forecasts.iter().any(Option::is_some) {
                reading.respondents.forecasts.insert(of.item.name.clone(), forecasts);
            }
            reading.respondents.answers.insert(of.item.name.clone(), std::mem::replace(&mut of.answers, none));
        }
        reading
    }
}

/// Returns the items of loops whose rows are drawn.
fn row_items(run: &Run, columns: &Columns) -> Vec<RowItem> {
    let Some(design) = &run.survey.design else { return Vec::new() };
    let mut found = Vec::new();
    for drawn in DrawnLoop::find(design) {
        for name in &drawn.questions {
            let slots: Vec<usize> = (0..drawn.turns)
                .filter_map(|turn| {
                    let slot = DrawnLoop::slot(name, turn);
                    run.questions.iter().position(|question| question.name == slot)
                })
                .collect();
            // A turn without a question would shift the others.
            let Some(first) = slots.first().filter(|_| slots.len() == drawn.turns) else { continue };
            for (row, number) in (0..drawn.row_ids.len()).zip(1..) {
                let mut question = run.questions[*first].clone();
                question.name = drawn.name(name, row);
                let items = upload::items(&questions(&[Item::from(question)]));
                let places = |slot: &usize| {
                    let own = columns.0.iter().enumerate().filter(|(_, column)| column.question() == Some(*slot));
                    own.map(|(place, _)| place).collect::<Vec<_>>()
                };
                let turns: Vec<Vec<usize>> = slots.iter().map(places).collect();
                let is_multiple = matches!(items.as_slice(), [item] if matches!(item.kind, ItemKind::Multiple { .. }));
                for (part, item) in items.into_iter().enumerate() {
                    let of_part = |places: &Vec<usize>| match is_multiple {
                        true => places.clone(),
                        false => places.get(part).copied().into_iter().collect(),
                    };
                    found.push(RowItem {
                        table: drawn.table.to_owned(),
                        row: number,
                        turns: turns.iter().map(of_part).collect(),
                        // Forecasts are of questions, and not of drawn rows.
                        of: CollectedItem::new(item, Vec::new(), *first, 0),
                    });
                }
            }
        }
    }
    found
}

impl CollectedItem {
    fn new(item: compare::Item, places: Vec<usize>, question: usize, row: usize) -> Self {
        Self { answers: Self::nothing(&item), item, places, question, row, forecasts: Vec::new() }
    }

    /// The probabilities of its labels in their order, or of its numbers. `None`: the twin gave none, or of other labels.
    fn forecast(&self, run: &Run, interview: &InterviewOutcomes) -> Option<GivenDistribution> {
        let ItemKind::Single { labels, .. } = &self.item.kind else { return None };
        let RequestOutcome::Answered(given, _) = interview.outcomes.get(self.question)? else { return None };
        let distribution: Distribution = given.distribution.as_ref()?.parse().ok()?;
        let question = run.questions.get(self.question)?;
        let row = question.question_type.is_matrix().then(|| question.rows().get(self.row)).flatten();
        match distribution.part(row.map(String::as_str))? {
            PartDistribution::Options(options) => {
                let p: Vec<f64> = labels.iter().map(|label| options.get(label).copied().unwrap_or(0.0)).collect();
                // Labels of a design may be worded for the twin.
                let is_whole = (p.iter().sum::<f64>() - 1.0).abs() < 1e-6;
                let p = match run.parameters.draws {
                    // Shares of draws, like those of repeats.
                    Some(draws) => {
                        let counts: Vec<usize> =
                            p.iter().map(|share| (share * f64::from(draws)).round() as usize).collect();
                        smoothed(&counts)
                    }
                    None => p,
                };
                is_whole.then_some(GivenDistribution::Options(p))
            }
            PartDistribution::Quantiles(quantiles) => {
                let corners = quantiles.corners((question.min_value, question.max_value));
                Some(GivenDistribution::Numbers(QuantileCorners(corners)))
            }
        }
    }

    fn nothing(item: &compare::Item) -> compare::Column {
        match item.kind {
            ItemKind::Single { .. } => compare::Column::Numbers(Vec::new()),
            ItemKind::Multiple { .. } => compare::Column::Selections(Vec::new()),
        }
    }

    fn add(&mut self, columns: &Columns, row: &[Cell]) {
        match &mut self.answers {
            compare::Column::Numbers(values) => {
                let value =
                    self.places.first().and_then(|place| value(&self.item, &columns.0[*place].column, &row[*place]));
                values.push(value);
            }
            compare::Column::Selections(values) => {
                let chosen = |place: &usize| match &row[*place] {
                    Cell::Code(code) => Some(*code == 1),
                    _ => None,
                };
                // A row that was not drawn has no columns and no answer.
                let is_drawn = !self.places.is_empty();
                values.push(is_drawn.then(|| self.places.iter().map(chosen).collect()).flatten());
            }
        }
    }
}

/// Returns the number, or the 1-based position of the option. `None` if there is no answer.
fn value(item: &compare::Item, column: &Column, cell: &Cell) -> Option<f64> {
    let ItemKind::Single { scale, labels } = &item.kind else { return None };
    let value = match cell {
        Cell::Number(number) => *number,
        Cell::Code(code) => {
            let label = column.label_of(*code)?;
            // A label of a survey with a design may be written differently in files.
            let place = labels.iter().position(|known| known == label).or_else(|| column.place_of(*code))?;
            place as f64 + 1.0
        }
        Cell::Missing | Cell::Skipped | Cell::Failed | Cell::Text(_) => return None,
    };
    scale.holds(value).then_some(value)
}

/// Returns the cell as a file with labels has it.
fn text(column: &Column, cell: &Cell) -> Arc<str> {
    match cell {
        Cell::Missing | Cell::Skipped | Cell::Failed => "".into(),
        Cell::Text(text) => text.trim().into(),
        Cell::Number(number) => number.to_string().into(),
        Cell::Code(code) => {
            let label = column.label_of(*code).filter(|_| column.is_worded());
            label.map_or_else(|| code.to_string(), |label| label.trim().to_owned()).into()
        }
    }
}
