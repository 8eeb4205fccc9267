use super::normal;
use super::questions::Choice;
use super::table::ValueLabels;

/// The options of a question as a column has them.
pub(super) struct Options<'a> {
    choices: &'a [Choice],
    labels: Option<&'a ValueLabels>,
    /// Whether the column's values are the question's codes, as far as the labels of its values say.
    has_codes: bool,
}

impl<'a> Options<'a> {
    pub fn new(choices: &'a [Choice], labels: Option<&'a ValueLabels>) -> Self {
        // A file may have codes of its own: its 1 is not the survey's where its labels say something else.
        let agrees = |(value, label): (&String, &String)| {
            let of_code = by_code(choices, value);
            of_code.is_some() && by_label(choices, label).is_none_or(|of_label| of_code == Some(of_label))
        };
        let labelled =
            |labels: &ValueLabels| labels.labels.iter().filter(|(value, _)| !labels.missing.holds(value)).all(agrees);
        Self { choices, labels, has_codes: labels.is_none_or(labelled) }
    }

    /// The option that a cell names: by the label of its value, else as it stands.
    pub fn position(&self, cell: &str) -> Option<usize> {
        let label = self.labels.and_then(|of| of.labels.get(cell));
        match label {
            Some(label) => by_label(self.choices, label).or_else(|| self.by_code(cell)),
            // A label is taken before a code, and a code before a label that is only similar.
            None => exactly(self.choices, cell).or_else(|| self.by_code(cell)).or_else(|| similar(self.choices, cell)),
        }
    }

    /// The options of one cell: labels or codes, joined by commas or semicolons; a label may have commas itself. `None` if
    /// there are none, or something is no option.
    pub fn chosen_in(&self, cell: &str) -> Option<Vec<bool>> {
        if cell.is_empty() {
            return None;
        }
        let mut chosen = vec![false; self.choices.len()];
        let parts: Vec<&str> = cell.split([',', ';']).collect();
        // A label has no more parts than characters: what is longer is not tried, however many commas a cell has.
        let most = self.choices.iter().map(|choice| choice.label.len() + 1).max()?;
        let mut from = 0;
        while from < parts.len() {
            // The longest run of parts that is one label: "Tea, green" is one option.
            let whole = |to: usize| parts[from..to].join(",").trim().to_owned();
            let mut longest = (from + 1..=parts.len().min(from + most)).rev();
            let (to, option) = longest.find_map(|to| Some((to, self.position(&whole(to))?)))?;
            chosen[option] = true;
            from = to;
        }
        Some(chosen)
    }

    fn by_code(&self, cell: &str) -> Option<usize> {
        by_code(self.choices, cell).filter(|_| self.has_codes)
    }
}

fn by_label(choices: &[Choice], label: &str) -> Option<usize> {
    exactly(choices, label).or_else(|| similar(choices, label))
}

fn exactly(choices: &[Choice], label: &str) -> Option<usize> {
    choices.iter().position(|choice| choice.label == label)
}

fn by_code(choices: &[Choice], cell: &str) -> Option<usize> {
    let code: f64 = cell.parse().ok()?;
    choices.iter().position(|choice| code == choice.code as f64)
}

/// The only option whose label is the same in normal form.
fn similar(choices: &[Choice], label: &str) -> Option<usize> {
    let wanted = normal(label);
    let mut similar =
        (0..choices.len()).filter(|choice| !wanted.is_empty() && normal(&choices[*choice].label) == wanted);
    let first = similar.next()?;
    similar.next().is_none().then_some(first)
}
