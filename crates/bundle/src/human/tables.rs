//! The tables below `human/`, and the one that compares twins with them.

use std::collections::BTreeSet;
use std::path::Path;

use simulation::error::Result;
use simulation::items::items;
use simulation::run::Run;

use super::samples::samples;
use super::{aggregates, comparison, rows};
use crate::paths::{AGGREGATES, PEOPLE_TABLE, ROWS};

/// A table that is there: its path, its title and its columns, each with its name, its type of Data Package, and what it holds.
pub struct DescribedTable {
    pub path: &'static str,
    pub title: &'static str,
    pub columns: Vec<(String, &'static str, String)>,
}

pub fn tables(run: &Run, folder: &Path) -> Result<Vec<DescribedTable>> {
    let owned = |(name, kind, title): (&str, &'static str, &str)| (name.to_owned(), kind, title.to_owned());
    let attributes: BTreeSet<String> = samples(folder)?.into_iter().flat_map(|sample| sample.attributes).collect();
    let attributes: Vec<String> = attributes.into_iter().collect();
    let of_rows = rows::columns(&attributes, &items(&run.questions));
    let all = [
        (AGGREGATES, "How many people gave which answer", aggregates::COLUMNS.iter().copied().map(owned).collect()),
        (ROWS, "People's answers, a row a person", of_rows),
        (
            PEOPLE_TABLE,
            "Twins beside people, as far as it follows from what the bundle has",
            comparison::columns().map(owned).collect(),
        ),
    ];
    let all = all.into_iter().map(|(path, title, columns)| DescribedTable { path, title, columns });
    Ok(all.filter(|table| folder.join(table.path).is_file()).collect())
}
