//! Converts logic of the file to conditions. Logic that cannot be decided here becomes constant and is reported.

use serde_json::{Value, json};
use survey::answer::{Parts, ValueKind};
use survey::condition::{Condition, Leaf, Left, Operator, Pattern, with_whole_numbers};
use survey::question::QuestionType;

use super::Importer;
use super::choices::FileChoice;
use super::file::{entries, listed, located, number_of, text_of};
use super::shapes::{QuestionPart, QuestionShape};
use super::texts::TextPlace;
use crate::text::plain;
use crate::{LossCode, LossSeverity, ReportList};

/// Maximum depth of nested expressions in a file.
const MAX_DEPTH: usize = 8;
/// Maximum number of patterns that are converted; as many as a design may have.
const MAX_PATTERNS: usize = 500;

impl Importer<'_> {
    /// Adds the conditions that show and hide questions, options and rows.
    pub fn apply_display_logic(&mut self) {
        for (qid, columns) in self.live() {
            let Some(payload) = self.file.question(&qid) else { continue };
            let parts = self.parts.get(&qid).cloned().unwrap_or_default();
            let name = parts.first().map(|part| part.name.as_str());
            let place = TextPlace { qid: Some(&qid), name, columns };
            // Logic about a question of the same page is in a field of its own.
            let logic = ["DisplayLogic", "InPageDisplayLogic"].map(|field| self.optional(payload.get(field), &place));
            let logic: Vec<Condition> = logic.into_iter().flatten().collect();
            let shown = (!logic.is_empty()).then(|| joined(logic, Condition::All));
            let carried = self.carried_where(payload, &place);
            let mut hidden_choices = self.choice_logic(payload, &qid, &place);
            for (text, of_carried) in self.named(&qid, &carried) {
                let own = hidden_choices.iter_mut().find(|(known, _)| *known == text);
                match own {
                    Some((_, own)) => *own = joined(vec![own.clone(), of_carried], Condition::All),
                    None => hidden_choices.push((text, of_carried)),
                }
            }
            let mut of_parts = carried;
            let list = match QuestionShape::find(self.file, payload) {
                QuestionShape::Each(_) => Some("Choices"),
                QuestionShape::SideBySide => Some("AdditionalQuestions"),
                _ => None,
            };
            if let Some(list) = list {
                for id in parts.iter().filter_map(|part| part.choice.as_deref()) {
                    let choice = listed(payload.get(list)).into_iter().find(|(known, _)| known == id);
                    let shown = self.optional(choice.and_then(|(_, choice)| choice.get("DisplayLogic")), &place);
                    of_parts.extend(shown.map(|shown| (id.to_owned(), shown)));
                }
            }
            for part in &parts {
                let Some(item) = self.items.iter_mut().find(|item| item.name() == part.name) else { continue };
                item.logic.show_if = part_where(shown.clone(), part, &of_parts);
                if item.kind().is_matrix() || item.kind().has_options() {
                    item.logic.option_if =
                        (!hidden_choices.is_empty()).then(|| hidden_choices.iter().cloned().collect());
                }
            }
        }
    }

    fn choice_logic(&mut self, payload: &Value, qid: &str, place: &TextPlace<'_>) -> Vec<(String, Condition)> {
        let mut logic = Vec::new();
        for (field, known) in [("Choices", [&self.rows, &self.options]), ("Answers", [&self.options, &self.options])] {
            for (id, choice) in listed(payload.get(field)) {
                let of_choice = choice.get("DisplayLogic").filter(|logic| logic.is_object());
                let text = known
                    .iter()
                    .find_map(|known| Some(known.get(qid)?.iter().find(|known| known.id == id)?.text.clone()));
                if let (Some(of_choice), Some(text)) = (of_choice, text) {
                    logic.push((text, of_choice.clone()));
                }
            }
        }
        logic.into_iter().filter_map(|(text, logic)| Some((text, self.optional(Some(&logic), place)?))).collect()
    }

    /// Returns the conditions of choices by their texts.
    fn named(&self, qid: &str, of_ids: &[(String, Condition)]) -> Vec<(String, Condition)> {
        let known = [&self.rows, &self.options].into_iter().filter_map(|known| known.get(qid)).flatten();
        let known: Vec<&FileChoice> = known.collect();
        let text = |id: &String| Some(known.iter().find(|known| known.id == *id)?.text.clone());
        of_ids.iter().filter_map(|(id, condition)| Some((text(id)?, condition.clone()))).collect()
    }

    fn optional(&mut self, logic: Option<&Value>, place: &TextPlace<'_>) -> Option<Condition> {
        let logic = logic.filter(|logic| !entries(logic).is_empty())?;
        Some(self.condition(logic, place, 0))
    }

    /// Converts a BooleanExpression: groups of expressions. `And` binds closer than `Or`.
    pub fn condition(&mut self, logic: &Value, place: &TextPlace<'_>, depth: usize) -> Condition {
        let mut any: Vec<Vec<Condition>> = Vec::new();
        let parts = entries(logic).into_iter().filter(|(key, part)| key.parse::<u64>().is_ok() && part.is_object());
        for (_, part) in parts.collect::<Vec<_>>() {
            let is_expression = text_of(part.get("Type")) == "Expression" || part.get("LogicType").is_some();
            let condition = match () {
                () if is_expression => self.leaf(part, place),
                () if depth < MAX_DEPTH => self.condition(part, place, depth + 1),
                () => self.unknown(part, place),
            };
            // Real files have this spelling.
            let joint = ["Conjuction", "Conjunction"]
                .into_iter()
                .map(|key| text_of(part.get(key)))
                .find(|word| !word.is_empty());
            let joint = joint.unwrap_or_else(|| if is_expression { "And".into() } else { text_of(part.get("Type")) });
            match any.last_mut() {
                Some(all) if !matches!(joint.as_str(), "Or" | "OrIf" | "ElseIf") => all.push(condition),
                _ => any.push(vec![condition]),
            }
        }
        if any.is_empty() {
            return self.unknown(logic, place);
        }
        joined(any.into_iter().map(|all| joined(all, Condition::All)).collect(), Condition::Any)
    }

    /// Converts a rule that skips questions: the choice that it refers to, and whether it must be chosen.
    pub fn skip(&mut self, rule: &Value, place: &TextPlace<'_>) -> Condition {
        let expression = json!({
            "LogicType": "Question",
            "LeftOperand": rule.get("ChoiceLocator").or_else(|| rule.get("Locator")),
            "Operator": rule.get("Condition"),
            "RightOperand": rule.get("RightOperand").or_else(|| rule.get("Value")),
        });
        self.leaf(&expression, place)
    }

    fn leaf(&mut self, expression: &Value, place: &TextPlace<'_>) -> Condition {
        let made = match text_of(expression.get("LogicType")).as_str() {
            "EmbeddedField" => self.field_leaf(expression, place),
            "Question" => self.question_leaf(expression),
            _ => None,
        };
        made.unwrap_or_else(|| self.unknown(expression, place))
    }

    fn unknown(&mut self, expression: &Value, place: &TextPlace<'_>) -> Condition {
        let described = plain(expression.get("Description").and_then(Value::as_str).unwrap_or_default()).text;
        let words = ["LogicType", "LeftOperand", "ChoiceLocator", "Operator", "RightOperand"];
        let was = if described.is_empty() {
            let words = words.into_iter().map(|key| text_of(expression.get(key))).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        } else {
            described
        };
        let holds = holds_for_nothing(&text_of(expression.get("Operator")));
        let now = if holds { "always holds" } else { "never holds" };
        self.note(place, ReportList::Lost, LossCode::Logic, LossSeverity::Warning, &was, now);
        constant(holds)
    }

    fn field_leaf(&mut self, expression: &Value, place: &TextPlace<'_>) -> Option<Condition> {
        let field = text_of(expression.get("LeftOperand"));
        let operator = text_of(expression.get("Operator"));
        let Some(name) = self.fields.get(field.trim()).map(str::to_owned) else {
            let now = if holds_for_nothing(&operator) { "always holds" } else { "never holds" };
            let was = format!("a condition on {field:?}, which no node of the flow sets");
            self.note(
                place,
                ReportList::Lost,
                LossCode::UnsetField,
                LossSeverity::Warning,
                &was,
                &format!("{now}: give a table or a set"),
            );
            return Some(constant(holds_for_nothing(&operator)));
        };
        self.compared(&Left::Field(name), &operator, &text_of(expression.get("RightOperand")))
    }

    /// Converts a comparison with an answer. `None` if it has no counterpart.
    fn question_leaf(&self, expression: &Value) -> Option<Condition> {
        let of = |key: &str| Some(text_of(expression.get(key))).filter(|text| text.starts_with("q://"));
        let locator = of("LeftOperand").or_else(|| of("ChoiceLocator"))?;
        let mut path = locator.strip_prefix("q://")?.split('/');
        let question = path.next()?;
        let qid = located(question);
        let qid = qid.as_str();
        let rest: Vec<&str> = path.collect();
        let parts = self.parts.get(qid)?;
        let first = parts.first().filter(|part| part.kind != QuestionType::Info)?;
        let operator = text_of(expression.get("Operator"));
        let right = text_of(expression.get("RightOperand"));
        match rest.as_slice() {
            ["SelectableChoice" | "SelectableAnswer", row, choice] => {
                let row = self.rows.get(qid)?.iter().position(|known| known.id == *row)?;
                self.selected(qid, first, Some(row + 1), choice, &operator)
            }
            ["SelectableChoice", choice] if !first.kind.is_matrix() => {
                self.selected(qid, first, None, choice, &operator)
            }
            ["SelectableAnswer", choice] if first.kind.is_matrix() => {
                let rows = 1..=self.rows.get(qid)?.len().max(1);
                let all: Option<Vec<_>> =
                    rows.map(|row| self.selected(qid, first, Some(row), choice, "Selected")).collect();
                negated(joined(all?, Condition::Any), &operator)
            }
            ["QuestionDisplayed"] | ["ChoiceDisplayed"] => {
                let shown = leaf(Left::Answer { question: first.name.clone(), row: None }, Operator::Answered);
                match operator.as_str() {
                    "Displayed" => Some(shown),
                    "NotDisplayed" => Some(Condition::Not(Box::new(shown))),
                    _ => None,
                }
            }
            ["SelectedChoicesCount"] => {
                let answered = leaf(Left::Answer { question: first.name.clone(), row: None }, Operator::Answered);
                // Every asked twin selects at least one option; higher counts are not supported.
                match (operator.as_str(), right.trim()) {
                    ("GreaterThan" | "NotEqualTo", "0") | ("GreaterThanOrEqual" | "GreaterThanOrEqualTo", "1") => {
                        Some(answered)
                    }
                    ("EqualTo" | "LessThanOrEqual" | "LessThanOrEqualTo", "0") | ("LessThan", "1") => {
                        Some(Condition::Not(Box::new(answered)))
                    }
                    _ => None,
                }
            }
            ["ChoiceTextEntryValue" | "ChoiceNumericEntryValue" | "EntryValue", choice @ ..] => {
                let part = match choice {
                    [] => first,
                    [choice, ..] => parts.iter().find(|part| part.choice.as_deref() == Some(choice)).unwrap_or(first),
                };
                let row = match (part.kind, choice) {
                    (QuestionType::ConstantSum | QuestionType::Rank, [choice, ..]) => {
                        Some(self.options.get(qid)?.iter().position(|known| known.id == *choice)? + 1)
                    }
                    // The text field beside an option is not supported.
                    (kind, _)
                        if kind.is_text()
                            || matches!(kind, QuestionType::Number | QuestionType::Slider | QuestionType::Range) =>
                    {
                        None
                    }
                    _ => return None,
                };
                let left = Left::Answer { question: part.name.clone(), row: row.and_then(|row| row.try_into().ok()) };
                self.compared(&left, &operator, &right)
            }
            _ => None,
        }
    }

    pub(super) fn selected(
        &self,
        qid: &str,
        part: &QuestionPart,
        row: Option<usize>,
        choice: &str,
        operator: &str,
    ) -> Option<Condition> {
        let row = match row {
            Some(row) => Some(row.try_into().ok()?),
            None => None,
        };
        let left = Left::Answer { question: part.name.clone(), row };
        let option = self.options.get(qid)?.iter().find(|known| known.id == choice)?;
        let text = Value::from(option.text.as_str());
        let is_selected = match part.kind.layout()? {
            (_, ValueKind::YesNo) => Operator::Is(Value::Bool(true)),
            (_, ValueKind::Choices) => Operator::Has(text),
            (Parts::Whole | Parts::Rows, ValueKind::Choice) => Operator::Is(text),
            _ => return None,
        };
        match (operator, is_selected) {
            ("Selected", selected) => Some(leaf(left, selected)),
            ("NotSelected", Operator::Is(value)) => Some(leaf(left, Operator::IsNot(value))),
            ("NotSelected", Operator::Has(value)) => Some(leaf(left, Operator::HasNot(value))),
            _ => None,
        }
    }

    fn compared(&self, left: &Left, operator: &str, right: &str) -> Option<Condition> {
        if right.contains("${") {
            // A piped value differs between people.
            return None;
        }
        let text = || Value::from(right.trim());
        let number = || number_of(Some(&text())).map(|number| with_whole_numbers(number.into()));
        let leaf = |operator| leaf(left.clone(), operator);
        let not = |condition| Condition::Not(Box::new(condition));
        let contains = || (!right.is_empty()).then(|| leaf(Operator::Contains(right.to_owned())));
        let pattern = || {
            cancellation::check();
            let pattern = Pattern::new(regex(right));
            // Compiling patterns takes time, and a design with more of them is refused anyway.
            let is_looked_at = self.patterns.get() < MAX_PATTERNS;
            self.patterns.set(self.patterns.get() + 1);
            (!is_looked_at || pattern.is_expression()).then(|| leaf(Operator::Matches(pattern)))
        };
        let filled = || leaf(Operator::Matches(Pattern::new(".")));
        Some(match operator {
            "EqualTo" => leaf(Operator::Is(text())),
            "NotEqualTo" => leaf(Operator::IsNot(text())),
            "LessThan" => leaf(Operator::Lt(number()?)),
            "LessThanOrEqual" | "LessThanOrEqualTo" => leaf(Operator::Le(number()?)),
            "GreaterThan" => leaf(Operator::Gt(number()?)),
            "GreaterThanOrEqual" | "GreaterThanOrEqualTo" => leaf(Operator::Ge(number()?)),
            "Contains" => contains()?,
            "DoesNotContain" => not(contains()?),
            "MatchesRegex" => pattern()?,
            "DoesNotMatchRegex" => not(pattern()?),
            "Empty" => not(filled()),
            "NotEmpty" => filled(),
            _ => return None,
        })
    }
}

/// Adds the condition of the choices that a part of a question is about.
fn part_where(shown: Option<Condition>, part: &QuestionPart, of_choices: &[(String, Condition)]) -> Option<Condition> {
    let of_part = of_choices.iter().filter(|(id, _)| part.choice.as_ref() == Some(id)).map(|(_, shown)| shown.clone());
    let all: Vec<Condition> = shown.into_iter().chain(of_part).collect();
    (!all.is_empty()).then(|| joined(all, Condition::All))
}

/// Converts `/pattern/i` to the syntax of this product.
fn regex(source: &str) -> String {
    let source = source.trim();
    match source.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
        Some((pattern, flags)) if flags.contains('i') => format!("(?i){pattern}"),
        Some((pattern, _)) => pattern.to_owned(),
        None => source.to_owned(),
    }
}

/// Whether Qualtrics takes the comparison as true for a value that was not answered or not set.
fn holds_for_nothing(operator: &str) -> bool {
    let negated = ["NotSelected", "NotEqualTo", "DoesNotContain", "DoesNotMatchRegex", "Empty", "NotDisplayed"];
    // Quota and device conditions are false for twins, so their negations are true.
    negated.contains(&operator) || ["QuotaNotMet", "IsNot"].contains(&operator)
}

fn negated(condition: Condition, operator: &str) -> Option<Condition> {
    match operator {
        "Selected" => Some(condition),
        "NotSelected" => Some(Condition::Not(Box::new(condition))),
        _ => None,
    }
}

/// A constant condition: `all` of nothing is true, and its negation false.
fn constant(holds: bool) -> Condition {
    if holds { Condition::All(Vec::new()) } else { Condition::Any(Vec::new()) }
}

pub(super) fn leaf(left: Left, operator: Operator) -> Condition {
    Condition::Leaf(Leaf { left, operator })
}

/// Joins conditions. A list of one becomes the condition itself.
pub(super) fn joined(mut conditions: Vec<Condition>, join: impl Fn(Vec<Condition>) -> Condition) -> Condition {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            conditions.push(last);
            join(conditions)
        }
        (None, _) => join(conditions),
    }
}
