use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::normal_forms::normal_within;
use super::questions::Choice;
use super::table::ValueLabels;

/// Maximum length of the normal form of an option or a cell, in bytes. Longer texts are compared for equality only.
const MAX_FORM_BYTES: usize = 65_536;

/// A cell, whose normal form is computed once.
pub(super) struct Cell<'a> {
    text: &'a str,
    form: OnceCell<Option<String>>,
}

impl<'a> Cell<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, form: OnceCell::new() }
    }

    fn form(&self) -> Option<&str> {
        self.form.get_or_init(|| normal_within(self.text, MAX_FORM_BYTES)).as_deref()
    }
}

/// The options of a question by every name that a cell can give them.
pub(super) struct Labels<'a> {
    count: usize,
    /// The first option with this label or code.
    exact: HashMap<&'a str, usize>,
    codes: HashMap<u64, usize>,
    in_order: Texts,
    /// Options by normal form. `None` if several options share it.
    similar: HashMap<String, Option<usize>>,
    similar_in_order: Texts,
}

impl<'a> Labels<'a> {
    pub fn new(choices: &'a [Choice]) -> Self {
        let (mut exact, mut codes) = (HashMap::new(), HashMap::new());
        let mut similar: HashMap<String, Option<usize>> = HashMap::new();
        for (place, choice) in choices.iter().enumerate() {
            exact.entry(choice.label.as_str()).or_insert(place);
            codes.entry(bits(choice.code as f64)).or_insert(place);
            if let Some(form) = normal_within(&choice.label, MAX_FORM_BYTES).filter(|form| !form.is_empty()) {
                similar.entry(form).and_modify(|of| *of = None).or_insert(Some(place));
            }
        }
        let in_order = Texts::new(exact.iter().map(|(label, place)| ((*label).to_owned(), *place)));
        let alone = similar.iter().filter_map(|(form, place)| Some((form.clone(), (*place)?)));
        let similar_in_order = Texts::new(alone);
        Self { count: choices.len(), exact, codes, in_order, similar, similar_in_order }
    }

    /// Whether the question has no options, but numbers.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn by_label(&self, label: &Cell) -> Option<usize> {
        self.exact.get(label.text).copied().or_else(|| self.similar(label))
    }

    fn by_code(&self, cell: &str) -> Option<usize> {
        self.codes.get(&bits(cell.parse().ok()?)).copied()
    }

    /// Returns the only option whose label has the same normal form.
    fn similar(&self, label: &Cell) -> Option<usize> {
        *self.similar.get(label.form()?)?
    }
}

/// Returns the bits of a number, which are the same for equal numbers.
fn bits(number: f64) -> u64 {
    // Adding zero turns the negative zero into the plain one.
    (number + 0.0).to_bits()
}

/// The options of a question as a column encodes them.
pub(super) struct Options<'a> {
    labels: &'a Labels<'a>,
    value_labels: Option<&'a ValueLabels>,
    /// Whether the column's values are the question's codes, as far as the labels of its values show.
    has_codes: bool,
    /// Whether a cell that is both a label and the code of another option is the code.
    prefers_codes: bool,
    /// The values that have an option's label.
    values_in_order: OnceCell<Texts>,
}

impl<'a> Options<'a> {
    pub fn new(labels: &'a Labels<'a>, value_labels: Option<&'a ValueLabels>) -> Self {
        // A file may have codes of its own: its 1 is not the survey's 1 if its labels differ.
        let agrees = |(value, label): (&String, &String)| {
            let of_code = labels.by_code(value);
            of_code.is_some() && labels.by_label(&Cell::new(label)).is_none_or(|of_label| of_code == Some(of_label))
        };
        let labelled = |of: &ValueLabels| of.labels.iter().filter(|(value, _)| !of.missing.holds(value)).all(agrees);
        let has_codes = value_labels.is_none_or(labelled);
        Self { labels, value_labels, has_codes, prefers_codes: false, values_in_order: OnceCell::new() }
    }

    /// Reads a column with these cells. If labels are numbers, as `2` between `1 = Low` and `3 = High`, and the codes are
    /// other numbers, the cells are codes if all of them are.
    pub fn of_cells<'c>(mut self, mut cells: impl Iterator<Item = &'c str>) -> Self {
        let is_code_of_another =
            |(label, place): (&&str, &usize)| self.labels.by_code(label).is_some_and(|code| code != *place);
        let are_codes = self.value_labels.is_none_or(|of| of.labels.is_empty())
            && self.labels.exact.iter().any(is_code_of_another)
            && cells.all(|cell| cell.is_empty() || self.labels.by_code(cell).is_some());
        self.prefers_codes = are_codes;
        self
    }

    /// Returns the option that a cell names: by the label of its value, otherwise by the cell itself.
    pub fn position(&self, cell: &Cell) -> Option<usize> {
        let label = self.value_labels.and_then(|of| of.labels.get(cell.text));
        match label {
            Some(label) => self.labels.by_label(&Cell::new(label)).or_else(|| self.by_code(cell.text)),
            // Labels take precedence over codes, and codes over labels that are only similar.
            None => {
                let code = || self.by_code(cell.text).filter(|_| self.prefers_codes);
                let exact = code().or_else(|| self.labels.exact.get(cell.text).copied());
                exact.or_else(|| self.by_code(cell.text)).or_else(|| self.labels.similar(cell))
            }
        }
    }

    /// Returns the options of one cell: labels or codes, joined by commas or semicolons. A label may contain commas.
    /// `None` if there are none, if something is no option, or if one is named twice.
    pub fn chosen_in(&self, cell: &str) -> Option<Vec<bool>> {
        if cell.is_empty() {
            return None;
        }
        let parts: Vec<&str> = cell.split([',', ';']).collect();
        let forms: Option<Vec<String>> = parts.iter().map(|part| normal_within(part, MAX_FORM_BYTES)).collect();
        let forms = forms?;
        let mut chosen = vec![false; self.labels.count];
        let mut from = 0;
        while from < parts.len() {
            let pieces = || std::iter::once(parts[from].trim_start()).chain(parts[from + 1..].iter().copied());
            // Of runs of the same length, a value takes precedence over a label, and a label over one that is only
            // similar.
            let runs = [
                self.labels.similar_in_order.longest_run(forms[from..].iter().map(String::as_str), ""),
                self.labels.in_order.longest_run(pieces(), ","),
                self.values_in_order().longest_run(pieces(), ","),
            ];
            let longest = runs.into_iter().flatten().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 1);
            let (count, option) = match longest {
                // "Tea, green" is one option.
                Some(run) => run,
                None => (1, self.position(&Cell::new(parts[from].trim()))?),
            };
            if std::mem::replace(&mut chosen[option], true) {
                return None;
            }
            from += count;
        }
        Some(chosen)
    }

    fn by_code(&self, cell: &str) -> Option<usize> {
        self.labels.by_code(cell).filter(|_| self.has_codes)
    }

    fn values_in_order(&self) -> &Texts {
        self.values_in_order.get_or_init(|| {
            let values = self.value_labels.map_or_else(BTreeMap::new, |of| (*of.labels).clone());
            let named = values.into_keys().filter_map(|value| Some((self.position(&Cell::new(&value))?, value)));
            Texts::new(named.map(|(option, value)| (value, option)))
        })
    }
}

/// Texts in ascending order, so that those with a common beginning are neighbours, each with its option.
struct Texts(Vec<(String, usize)>);

impl Texts {
    fn new(texts: impl Iterator<Item = (String, usize)>) -> Self {
        let mut texts: Vec<_> = texts.collect();
        texts.sort_unstable();
        Self(texts)
    }

    /// Finds the longest run of pieces, from the first on, that is one of the texts when joined. Returns the number of
    /// pieces and the option. Ignores spaces at the end of a run. Reads no more pieces than the longest text has.
    fn longest_run<'p>(&self, pieces: impl Iterator<Item = &'p str>, separator: &str) -> Option<(usize, usize)> {
        let mut longest = None;
        // The texts that begin with the pieces so far, and the length of these pieces in bytes.
        let (mut texts, mut known) = (self.0.as_slice(), 0);
        for (count, piece) in (1..).zip(pieces) {
            if count > 1 {
                (texts, known) = beginning_with(texts, known, separator);
            }
            if let Ok(place) = texts.binary_search_by(|(text, _)| text[known..].cmp(piece.trim_end())) {
                longest = Some((count, texts[place].1));
            }
            (texts, known) = beginning_with(texts, known, piece);
            if texts.is_empty() {
                break;
            }
        }
        longest
    }
}

/// Returns the texts that continue with `next` after the `known` bytes that all of them begin with, and the new length
/// of the common beginning.
fn beginning_with<'t>(texts: &'t [(String, usize)], known: usize, next: &str) -> (&'t [(String, usize)], usize) {
    let texts = &texts[texts.partition_point(|(text, _)| &text[known..] < next)..];
    let count = texts.partition_point(|(text, _)| text[known..].starts_with(next));
    (&texts[..count], known + next.len())
}
