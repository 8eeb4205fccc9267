//! Importer of Qualtrics' .qsf files.
//!
//! The questions of the blocks that the flow names are named first, because texts and conditions read them; then the
//! fields that the flow sets. Then the questions are made, and the flow over them.

mod arm_fields;
mod carried;
mod choices;
mod conditions;
mod drawn;
mod file;
mod flow;
mod loops;
pub(super) mod names;
mod orders;
mod questions;
mod shapes;
mod texts;
mod unsupported;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;
use survey::document::Document;
use survey::flow::{Design, Node, Table};
use survey::item::Item;
use survey::question::names::QuestionNames;

use self::choices::FileChoice;
use self::file::{QsfFile, children, listed, text_of};
use self::names::{LegalNames, UniqueLabels};
use self::shapes::{QuestionPart, QuestionShape};
use self::texts::TextPlace;
use super::{
    Counts, ImportRefusal, Imported, LossCode, LossReport, LossSeverity, ReportList, SurveyProgram, report_findings,
    title,
};

/// Elements that are not part of the questions or the flow, or that are reported elsewhere.
const SILENT_ELEMENTS: [&str; 13] =
    ["PL", "NT", "QC", "RS", "SCO", "SO", "STAT", "PROJ", "BR", "QG", "QGO", "DCO", "QO"];

pub fn import(value: &Value) -> Result<Imported, ImportRefusal> {
    let file = QsfFile::read(value)?;
    let mut importer = Importer::new(&file);
    importer.name_questions();
    importer.find_fields(&file.flow, 0);
    importer.build_questions();
    importer.apply_display_logic();
    let flow = importer.flow();
    importer.report_unsupported();
    Ok(importer.finish(flow))
}

struct Importer<'f> {
    file: &'f QsfFile,
    report: LossReport,
    /// The parts of each question, by its id.
    parts: HashMap<String, Vec<QuestionPart>>,
    /// Names of the fields that the flow sets.
    fields: LegalNames,
    /// Names of random nodes and tables.
    nodes: LegalNames,
    /// Options, or labels, by the id of the question.
    options: HashMap<String, Vec<FileChoice>>,
    rows: HashMap<String, Vec<FileChoice>>,
    items: Vec<Item>,
    tables: Vec<(String, Table)>,
    /// Names of blocks by their ids.
    labels: HashMap<String, String>,
    /// Names of blocks that are taken.
    taken: UniqueLabels,
    /// Number of patterns in conditions so far.
    patterns: Cell<usize>,
}

impl<'f> Importer<'f> {
    fn new(file: &'f QsfFile) -> Self {
        Self {
            file,
            report: LossReport::new(SurveyProgram::Qualtrics),
            parts: HashMap::new(),
            fields: LegalNames::default(),
            nodes: LegalNames::default(),
            options: HashMap::new(),
            rows: HashMap::new(),
            items: Vec::new(),
            tables: Vec::new(),
            labels: HashMap::new(),
            taken: UniqueLabels::default(),
            patterns: Cell::new(0),
        }
    }

    /// Returns the questions in the order of the flow, with the number of columns of the loop around them.
    fn live(&self) -> Vec<(String, usize)> {
        let mut seen = HashSet::new();
        let blocks = self.file.live_blocks().into_iter();
        let questions = blocks.flat_map(|block| {
            let columns = loops::width(block);
            block.questions().map(move |qid| (qid, columns)).collect::<Vec<_>>()
        });
        questions.filter(|(qid, _)| self.file.question(qid).is_some() && seen.insert(qid.clone())).collect()
    }

    fn name_questions(&mut self) {
        let mut names = QuestionNames::of_survey();
        let live = self.live();
        let mut kept = Counts { questions: self.file.questions.len(), live: live.len(), asked: 0 };
        for (qid, _) in live {
            let Some(payload) = self.file.question(&qid) else { continue };
            let tag = text_of(payload.get("DataExportTag"));
            let shape = QuestionShape::find(self.file, payload);
            kept.asked += usize::from(shape.is_asked() && self.file.constant_answer(&qid).is_none());
            let parts = shape.parts(self.file, payload, &names::legal(&tag, &qid), &mut names);
            if let [QuestionPart { name, .. }] = parts.as_slice()
                && name != tag.trim()
            {
                let place = TextPlace { qid: Some(&qid), name: Some(name), columns: 0 };
                let was = if tag.trim().is_empty() { "a question without a name" } else { &tag };
                self.note(&place, ReportList::Changed, LossCode::Name, LossSeverity::Note, was, name);
            } else if parts.len() > 1 {
                let all = parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
                let place = TextPlace { qid: Some(&qid), name: None, columns: 0 };
                self.note(&place, ReportList::Changed, LossCode::SeveralQuestions, LossSeverity::Note, &tag, &all);
            }
            self.parts.insert(qid, parts);
        }
        self.report.kept = kept;
    }

    /// Finds the fields that are set anywhere.
    fn find_fields(&mut self, node: &Value, depth: usize) {
        if depth > file::MAX_DEPTH {
            return;
        }
        for (_, field) in listed(node.get("EmbeddedData")) {
            let (name, value) = (text_of(field.get("Field")), text_of(field.get("Value")));
            if !value.is_empty() {
                let legal = self.fields.name(&name, "field");
                if legal != name {
                    let place = TextPlace { name: Some(&legal), ..TextPlace::default() };
                    self.note(&place, ReportList::Changed, LossCode::Name, LossSeverity::Note, &name, &legal);
                }
            }
        }
        children(node).into_iter().for_each(|child| self.find_fields(child, depth + 1));
    }

    /// Reports what the file holds besides the questions and the flow.
    fn report_unsupported(&mut self) {
        self.page_scripts();
        let nowhere = TextPlace::default();
        if self.file.has_no_flow {
            let (was, now) = ("a file without a flow", "its blocks, one after the other");
            self.note(&nowhere, ReportList::Changed, LossCode::Flow, LossSeverity::Warning, was, now);
        }
        let live: HashSet<&str> = self.file.live_blocks().iter().map(|block| block.id.as_str()).collect();
        for block in self.file.blocks.iter().filter(|block| !live.contains(block.id.as_str())) {
            let questions = block.questions().count();
            if questions > 0 {
                let code = if block.is_trash { LossCode::Trash } else { LossCode::Unreferenced };
                let was = format!("block {:?} with {questions} questions", block.description);
                self.note(
                    &nowhere,
                    ReportList::Dropped,
                    code,
                    LossSeverity::Note,
                    &was,
                    "nothing: the flow does not name it",
                );
            }
        }
        for qid in self.file.blocks.iter().filter(|block| !block.is_trash).flat_map(|block| &block.undisplayed) {
            let place = TextPlace { qid: Some(qid), ..TextPlace::default() };
            let was = "a question that its block never shows";
            self.note(&place, ReportList::Dropped, LossCode::NeverShown, LossSeverity::Note, was, "nothing");
        }
        for qid in &self.file.doubled {
            let place = TextPlace { qid: Some(qid), ..TextPlace::default() };
            let was = "two questions of this id";
            self.note(&place, ReportList::Lost, LossCode::Element, LossSeverity::Warning, was, "the last one");
        }
        self.note_elements();
        self.translations();
        for (element, count) in &self.file.elements.clone() {
            if !SILENT_ELEMENTS.contains(&element.as_str()) {
                let was = format!("{count} elements {element:?}");
                self.note(&nowhere, ReportList::Dropped, LossCode::Element, LossSeverity::Note, &was, "nothing");
            }
        }
        if self.report.kept.asked > 0 {
            let was = "questions that people could leave out";
            let now = "every question that is shown is answered";
            self.note(&nowhere, ReportList::Changed, LossCode::ForceResponse, LossSeverity::Note, was, now);
        }
    }

    fn translations(&mut self) {
        let mut languages = BTreeSet::new();
        for (qid, _) in self.live() {
            let of_question = self.file.question(&qid).and_then(|payload| payload.get("Language"));
            languages
                .extend(of_question.and_then(Value::as_object).into_iter().flatten().map(|(language, _)| language));
        }
        languages.remove(&self.file.language);
        if !languages.is_empty() {
            let was = format!("texts in {}", languages.into_iter().cloned().collect::<Vec<_>>().join(", "));
            let now = "those of the survey's first language";
            self.note(&TextPlace::default(), ReportList::Lost, LossCode::Translation, LossSeverity::Note, &was, now);
        }
    }

    fn finish(mut self, flow: Vec<Node>) -> Imported {
        let design = Design { flow, tables: std::mem::take(&mut self.tables).into_iter().collect() };
        let items = std::mem::take(&mut self.items);
        let document = Document { title: title(&self.file.title), items, design, ..Document::default() };
        let names: Vec<_> = document.items.iter().map(|item| Some(item.name().to_owned())).collect();
        let checked = document.checked();
        report_findings(&checked, &names, &mut self.report);
        match checked {
            Ok(document) => Imported { document, report: self.report, misfit: None },
            Err(findings) => Imported { document, report: self.report, misfit: findings.into_iter().next() },
        }
    }
}
