//! Finds the columns of one random node.

use std::collections::BTreeMap;

use super::nearest::{form, nearest};
use super::{
    AgreeingColumn, ArmValue, ArmsFoundBy, ChosenArms, Deals, FileColumns, KnownArm, MAX_VALUES, MatchedNode,
    RandomNode, cells,
};
use crate::upload::table::Table;

/// Separators of several arms in one cell, in the order shown.
const SEPARATORS: [char; 2] = ['>', '|'];
/// Separator of the values of several fields, as values are reported.
const TOGETHER: &str = " / ";

impl RandomNode {
    /// Finds the columns that say the arms: the node's own, else those of the fields that its arms set.
    pub(super) fn find(&self, table: &Table, columns: &FileColumns<'_>) -> Option<MatchedNode> {
        let by_id = [self.import_id.as_deref(), Some(self.name.as_str())].into_iter().flatten();
        let own = by_id.map(|id| format!("{id}_DO")).find_map(|name| columns.find(&name));
        let of_node = own.and_then(|place| self.read(table, &[place], ArmsFoundBy::NodeId, &|cell| self.shown(cell)));
        let named = || {
            let place = columns.find(&self.name)?;
            self.read(table, &[place], ArmsFoundBy::Name, &|cell| self.named(cell))
        };
        let mut found = of_node.or_else(named).or_else(|| self.by_fields(table, columns))?;
        found.agreeing = self.agreeing(table, columns, &found);
        Some(found)
    }

    /// Reads the column that somebody chose. `None` if they chose none.
    pub(super) fn chosen(
        &self,
        chosen: &ChosenArms,
        table: &Table,
        columns: &FileColumns<'_>,
    ) -> Result<Option<MatchedNode>, String> {
        let unknown = |arm: &&String| !self.arms.iter().any(|known| known.name == **arm);
        if let Some(arm) = chosen.values.values().flatten().find(unknown) {
            return Err(format!("there is no arm {arm}"));
        }
        let Some(column) = &chosen.column else { return Ok(None) };
        let place = columns.find(column).ok_or_else(|| format!("there is no column {column}"))?;
        let arm = |cell: &str| match chosen.values.get(cell) {
            Some(arm) => self.arms.iter().position(|known| Some(&known.name) == arm.as_ref()),
            None => self.shown(cell).or_else(|| self.named(cell)),
        };
        let values = table.rows.iter().map(|row| row[place].to_string());
        Ok(Some(self.matched(vec![table.names[place].clone()], ArmsFoundBy::Chosen, values, &arm)))
    }

    /// Reads the arms from those of the nodes of which it is made. `None` unless all of them are matched.
    pub(super) fn of_parts(&self, nodes: &[RandomNode], matched: &[MatchedNode]) -> Option<MatchedNode> {
        let parts: Option<Vec<&MatchedNode>> =
            self.parts.iter().map(|part| matched.iter().find(|node| node.node == *part)).collect();
        let parts = parts?;
        let arm = |row: usize| {
            let (part, name) = parts.iter().zip(&self.parts).find_map(|(matched, part)| {
                let name = matched.of_rows.get(row).filter(|name| !name.is_empty())?;
                Some((part, name))
            })?;
            self.arm_of_part(nodes, part, name)
        };
        let rows = parts.first()?.of_rows.len();
        let values = (0..rows).map(|row| self.name_of(arm(row)));
        let columns = parts.iter().flat_map(|part| part.columns.iter().cloned()).collect();
        Some(self.matched(columns, ArmsFoundBy::Parts, values, &|cell| self.arm_called(cell)))
    }

    /// The arm that stands for an arm of one of its parts: the one with the same fields.
    pub fn arm_of_part(&self, nodes: &[RandomNode], part: &str, arm: &str) -> Option<usize> {
        let part = nodes.iter().find(|node| node.name == part)?;
        let fields = &part.arms.iter().find(|known| known.name == arm)?.fields;
        self.arms.iter().position(|known| known.fields.iter().all(|(name, value)| fields.get(name) == Some(value)))
    }

    /// The arm of a cell that lists the arms in the order shown.
    fn shown(&self, cell: &str) -> Option<usize> {
        let one = |text: &str| self.arm_called(text.trim()).or_else(|| self.arm_setting(None, text.trim()));
        if let Some(arm) = one(cell) {
            return self.arm_of_shown(&[arm]);
        }
        let separator = SEPARATORS.into_iter().find(|separator| cell.contains(*separator))?;
        let shown: Option<Vec<usize>> = cell.split(separator).map(one).collect();
        self.arm_of_shown(&shown?)
    }

    /// The arm of a cell that names it, or the value that it sets a field to.
    fn named(&self, cell: &str) -> Option<usize> {
        self.arm_called(cell).or_else(|| self.arm_setting(None, cell))
    }

    /// Finds a field that all arms set to different values, or several that tell them apart together.
    fn by_fields(&self, table: &Table, columns: &FileColumns<'_>) -> Option<MatchedNode> {
        let known: Vec<(&str, usize)> =
            self.common_fields().into_iter().filter_map(|field| Some((field, columns.find(field)?))).collect();
        let alone = known.iter().filter(|(field, _)| self.tells_apart(&[field]));
        let mut found: Vec<MatchedNode> =
            alone.filter_map(|(field, place)| self.by_field(table, field, *place)).collect();
        // The field that says the arm of most people, because a later node may set it again.
        found.sort_by_key(|node| std::cmp::Reverse(node.people));
        let best = found.into_iter().next();
        best.or_else(|| {
            let fields: Vec<&str> = known.iter().map(|(field, _)| *field).collect();
            let places: Vec<usize> = known.iter().map(|(_, place)| *place).collect();
            (fields.len() > 1 && self.tells_apart(&fields)).then(|| self.together(table, &fields, &places)).flatten()
        })
    }

    fn tells_apart(&self, fields: &[&str]) -> bool {
        let value = |place: usize| fields.iter().map(|field| self.arms[place].fields.get(*field)).collect::<Vec<_>>();
        (0..self.arms.len()).all(|place| (0..place).all(|other| value(other) != value(place)))
    }

    fn by_field(&self, table: &Table, field: &str, place: usize) -> Option<MatchedNode> {
        self.read(table, &[place], ArmsFoundBy::Fields, &|cell| self.arm_setting(Some(field), cell))
    }

    fn together(&self, table: &Table, fields: &[&str], places: &[usize]) -> Option<MatchedNode> {
        let own = |place: usize| {
            let values = fields.iter().filter_map(|field| self.arms[place].fields.get(*field));
            values.map(String::as_str).collect::<Vec<_>>().join(TOGETHER)
        };
        let own: Vec<String> = (0..self.arms.len()).map(own).collect();
        let arm = |cell: &str| own.iter().position(|value| form(value) == form(cell));
        self.read(table, places, ArmsFoundBy::Fields, &arm)
    }

    /// Reads columns. `None` if no cell says an arm.
    fn read(
        &self,
        table: &Table,
        places: &[usize],
        by: ArmsFoundBy,
        arm: &dyn Fn(&str) -> Option<usize>,
    ) -> Option<MatchedNode> {
        let value = |row: usize| {
            let cells: Vec<&str> = places.iter().map(|place| table.shown(&table.rows[row], *place)).collect();
            if cells.iter().all(|cell| cell.is_empty()) { String::new() } else { cells.join(TOGETHER) }
        };
        let columns = places.iter().map(|place| table.names[*place].clone()).collect();
        let found = self.matched(columns, by, (0..table.rows.len()).map(value), arm);
        (found.people > 0).then_some(found)
    }

    fn matched(
        &self,
        columns: Vec<String>,
        by: ArmsFoundBy,
        cells: impl Iterator<Item = String>,
        arm: &dyn Fn(&str) -> Option<usize>,
    ) -> MatchedNode {
        let mut known: BTreeMap<String, (Option<usize>, usize)> = BTreeMap::new();
        let mut of_rows = Vec::new();
        for cell in cells {
            let (arm, count) = known.entry(cell).or_insert_with_key(|cell| (arm(cell), 0));
            *count += 1;
            of_rows.push(self.name_of(*arm));
        }
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let people = of_rows.iter().filter(|arm| !arm.is_empty()).count();
        let mut counted: BTreeMap<String, (Option<usize>, usize)> = BTreeMap::new();
        for (cell, (arm, people)) in known.into_iter().filter(|(cell, _)| !cell.is_empty()) {
            // Orders are many, so those that say an arm are counted together.
            let value = if self.deals == Deals::OneArm || arm.is_none() { cell } else { self.name_of(arm) };
            counted.entry(value).or_insert((arm, 0)).1 += people;
        }
        let values = counted.into_iter().take(MAX_VALUES).map(|(value, (arm, people))| ArmValue {
            nearest: arm.is_none().then(|| self.nearest_arm(&value)).flatten(),
            arm: arm.map(|arm| names[arm].to_owned()),
            value,
            people,
        });
        MatchedNode {
            node: self.name.clone(),
            deals: self.deals,
            columns,
            by,
            values: values.collect(),
            arms: names.iter().map(|name| (*name).to_owned()).collect(),
            people,
            agreeing: Vec::new(),
            of_rows,
        }
    }

    /// The arm with the name, or the value of a field, that is most similar to a text.
    fn nearest_arm(&self, text: &str) -> Option<String> {
        let names = |arm: &KnownArm| {
            let also = arm.also.iter().chain(arm.fields.values());
            std::iter::once(&arm.name).chain(also).cloned().collect::<Vec<_>>()
        };
        let all: Vec<(String, &str)> =
            self.arms.iter().flat_map(|arm| names(arm).into_iter().map(|name| (name, arm.name.as_str()))).collect();
        let found = nearest(&[text], all.iter().map(|(name, _)| name.as_str()))?;
        all.iter().find(|(name, _)| name == found).map(|(_, arm)| (*arm).to_owned())
    }

    /// The columns of fields that say the arm, too.
    fn agreeing(&self, table: &Table, columns: &FileColumns<'_>, found: &MatchedNode) -> Vec<AgreeingColumn> {
        let fields = self.common_fields().into_iter().filter(|field| self.tells_apart(&[field]));
        let agreeing = fields.filter_map(|field| {
            let place = columns.find(field).filter(|place| !found.columns.contains(&table.names[*place]))?;
            let said = cells(table, place).map(|cell| self.name_of(self.arm_setting(Some(field), cell)));
            let agrees = said.zip(&found.of_rows).filter(|(said, arm)| !arm.is_empty() && said == *arm).count();
            Some(AgreeingColumn { column: table.names[place].clone(), agrees, of: found.people })
        });
        agreeing.collect()
    }
}
