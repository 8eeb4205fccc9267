//! The arms that a person was shown, from files in which Qualtrics has a column for each arm.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::table::{Table, ValueLabels};

/// Separator between a randomiser and one of its arms: `FL_4_DO_FL_28` holds the position of this arm, or nothing if it
/// was not shown.
const OF: &str = "_DO_";
/// Separator between arms, in the order shown.
const THEN: &str = ">";

/// Adds the column `FL_4_DO` with the arms of each person, unless the file has it, as newer files do.
pub(super) fn added(mut table: Table) -> Table {
    let mut by_node: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (place, name) in table.names.iter().enumerate() {
        if let Some((node, arm)) = name.split_once(OF).filter(|(node, _)| node.starts_with("FL_")) {
            by_node.entry(format!("{node}_DO")).or_default().push((place, arm.to_owned()));
        }
    }
    let names: HashSet<&String> = table.names.iter().collect();
    by_node.retain(|name, _| !names.contains(name));
    let mut texts: HashMap<String, Arc<str>> = HashMap::new();
    for (name, arms) in by_node {
        for row in &mut table.rows {
            let position = |place: usize| row[place].parse::<u32>().ok().filter(|position| *position > 0);
            let mut shown: Vec<(u32, &str)> =
                arms.iter().filter_map(|(place, arm)| Some((position(*place)?, arm.as_str()))).collect();
            shown.sort_unstable();
            let text = shown.into_iter().map(|(_, arm)| arm).collect::<Vec<_>>().join(THEN);
            let cell = texts.entry(text).or_insert_with_key(|text| text.as_str().into());
            row.push(Arc::clone(cell));
        }
        if !table.labels.is_empty() {
            table.labels.push(String::new());
        }
        if !table.import_ids.is_empty() {
            table.import_ids.push(name.clone());
        }
        if !table.value_labels.is_empty() {
            table.value_labels.push(ValueLabels::default());
        }
        table.names.push(name);
    }
    table
}

#[cfg(test)]
mod tests {
    use crate::upload::parse;

    fn column(csv: &str, name: &str) -> Option<Vec<String>> {
        let table = parse(csv.as_bytes(), |_| false).unwrap();
        let place = table.names.iter().position(|column| column == name)?;
        Some(table.rows.iter().map(|row| row[place].to_string()).collect())
    }

    #[test]
    fn arms_are_joined_in_the_order_shown() {
        let csv = "FL_4_DO_FL_28,Q1,FL_4_DO_FL_29,FL_7_DO_a,Q1_DO_1\n1,x,,2,1\n,y,1,,2\n2,z,1,,\n,w,,,\n";
        let arms = |name| column(csv, name).unwrap();
        assert_eq!(arms("FL_4_DO"), ["FL_28", "FL_29", "FL_29>FL_28", ""]);
        assert_eq!(arms("FL_7_DO"), ["a", "", "", ""]);
        assert_eq!(column(csv, "Q1_DO"), None, "the order of a question's options is nobody's arm");
    }

    #[test]
    fn a_column_that_the_file_has_is_left_as_it_is() {
        assert_eq!(column("FL_4_DO_FL_28,FL_4_DO\n1,own\n", "FL_4_DO").unwrap(), ["own"]);
        let csv = "FL_4_DO_FL_28,Q1\nOrder,Fair?\n\"{\"\"ImportId\"\":\"\"FL_4_DO\"\",\"\"choiceId\"\":\"\"FL_28\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\"\n1,x\n";
        let table = parse(csv.as_bytes(), |_| false).unwrap();
        let lengths = [table.names.len(), table.labels.len(), table.import_ids.len(), table.rows[0].len()];
        assert_eq!(lengths, [3; 4]);
    }
}
