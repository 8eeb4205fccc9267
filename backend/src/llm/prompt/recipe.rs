//! Builds a prompt again, byte for byte.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use survey::question::Question;

use super::chunks::calls;
use super::content::Prompt;
use super::dialect::Dialect;
use super::item::{PromptItem, max_tokens};
use super::omitted::reasoning_room;
use super::sheet::Sheet;
use super::system_message::SystemMessage;
use crate::llm::wire::{EncodedPrompt, ProviderApi};

/// Facts about one call that do not follow from the run and the persona.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipe {
    /// The ids of the questions.
    questions: Vec<i64>,
    /// Why the answers before were rejected, by question id.
    rejections: BTreeMap<i64, String>,
    /// Questions of a design that were shown before and had no answer then, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unanswered: Vec<i64>,
    max_tokens: u32,
    dialect: Dialect,
    /// How many answers were wanted, in a run that asks for several.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    draws: u16,
}

fn one() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(draws: &u16) -> bool {
    *draws == 1
}

impl Recipe {
    pub fn of(items: &[PromptItem<'_>], dialect: Dialect, max_tokens: u32) -> Self {
        let rejection = |item: &PromptItem<'_>| Some((item.question.id, item.rejection.clone()?));
        Self {
            questions: items.iter().map(|item| item.question.id).collect(),
            rejections: items.iter().filter_map(rejection).collect(),
            unanswered: Vec::new(),
            max_tokens,
            dialect,
            draws: items.iter().map(|item| item.draws).max().unwrap_or(1),
        }
    }

    /// The recipe of a call of a survey with a design.
    pub fn of_sheet(sheet: &Sheet, items: &[PromptItem<'_>], dialect: Dialect, max_tokens: u32) -> Self {
        Self { unanswered: sheet.unanswered().to_vec(), ..Self::of(items, dialect, max_tokens) }
    }

    /// The recipe of the call that asks the whole sheet for the first time, of a server that accepts every part of a request.
    pub fn standard_of_sheet(sheet: &Sheet, parameters: &Parameters) -> Self {
        let items = sheet.items();
        Self::of(&items, Dialect::of(parameters.wire).in_run(parameters), usual_tokens(&items, parameters))
    }

    /// The API through which the call went.
    pub fn wire(&self) -> Wire {
        self.dialect.wire
    }

    /// Questions that were shown before the call and had no answer then, by id.
    pub fn unanswered(&self) -> &[i64] {
        &self.unanswered
    }

    /// The items of a sheet that the call asked.
    pub fn items_of_sheet<'a>(&self, sheet: &'a Sheet) -> Vec<PromptItem<'a>> {
        let mut items = sheet.items();
        items.retain(|item| self.questions.contains(&item.question.id));
        for item in &mut items {
            item.rejection = self.rejections.get(&item.question.id).cloned();
            item.draws = item.draws.min(self.draws);
        }
        items
    }

    /// The prompt of this sheet that the persona with this text got.
    pub fn build_sheet(&self, text: &str, sheet: &Sheet, parameters: &Parameters) -> EncodedPrompt {
        self.encode(sheet.earlier(), text, &self.items_of_sheet(sheet), parameters)
    }

    /// The recipe of the first call that asks this question, while all questions are open and the server accepts every
    /// part of a request: nearly all calls have it. `None`: the question is not among these.
    pub fn standard(questions: &[Question], question_id: i64, parameters: &Parameters) -> Option<Self> {
        let all: Vec<i64> = questions.iter().map(|question| question.id).collect();
        let mut calls = calls(questions, &all, parameters.questions_per_call);
        let call = calls.find(|call| call.iter().any(|question| question.id == question_id))?;
        // The order of options changes neither ids nor lengths, so any persona does.
        let items: Vec<_> = call.into_iter().map(|question| PromptItem::new(question, parameters, 1)).collect();
        Some(Self::of(&items, Dialect::of(parameters.wire).in_run(parameters), usual_tokens(&items, parameters)))
    }

    /// The items that the call asked the persona.
    pub fn items<'a>(
        &self,
        persona_id: i32,
        questions: &'a [Question],
        parameters: &Parameters,
    ) -> Vec<PromptItem<'a>> {
        let of_id = |id: &i64| questions.iter().find(|question| question.id == *id);
        let item = |question| {
            let item = PromptItem::new(question, parameters, persona_id).after_texts_of(questions);
            let draws = item.draws.min(self.draws);
            PromptItem { rejection: self.rejections.get(&question.id).cloned(), draws, ..item }
        };
        self.questions.iter().filter_map(of_id).map(item).collect()
    }

    /// The prompt that the persona with this text got.
    pub fn build(&self, text: &str, persona_id: i32, questions: &[Question], parameters: &Parameters) -> EncodedPrompt {
        self.encode("", text, &self.items(persona_id, questions, parameters), parameters)
    }

    fn encode(&self, earlier: &str, text: &str, items: &[PromptItem<'_>], parameters: &Parameters) -> EncodedPrompt {
        let prompt = Prompt::new(earlier, parameters, items, self.dialect, self.max_tokens);
        let api = ProviderApi::from(self.dialect.wire);
        api.encode(&api.open(&SystemMessage::of_run(text, parameters)), &prompt)
    }
}

/// Length limit of the first reply to these items in a run whose model has not shown that it reasons.
fn usual_tokens(items: &[PromptItem<'_>], parameters: &Parameters) -> u32 {
    max_tokens(items).saturating_add(reasoning_room(parameters, false))
}
