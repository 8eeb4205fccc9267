//! Whether two questions ask the same.

use std::collections::HashMap;

use survey::question::Question;

/// Letters that two texts must share to be one question in other words, as a part of the longer one's.
const MIN_SHARED: f64 = 0.5;

/// Normal forms of a question's texts. They are computed once a question, because each is compared with many.
pub struct QuestionWords<'a> {
    question: &'a Question,
    /// The question's text without case and superfluous spaces.
    text: String,
    /// Options, scale labels and sub-questions, likewise.
    answers: [Vec<String>; 3],
    /// The words of the text, with how often each is in it.
    words: HashMap<String, usize>,
}

impl<'a> QuestionWords<'a> {
    pub fn new(question: &'a Question) -> Self {
        cancellation::check();
        let all = |texts: &[String]| texts.iter().map(|text| normalised(text)).collect();
        let mut words = HashMap::new();
        for word in question.text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *words.entry(word.to_lowercase()).or_default() += 1;
        }
        Self {
            text: normalised(&question.text),
            answers: [all(&question.options), all(&question.scale_labels), all(&question.sub_questions)],
            words,
            question,
        }
    }

    /// Whether both have the same type, options and words; case and spaces do not count.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_answered_alike(other) && self.text == other.text
    }

    /// The question that is answered alike and whose words are most like these, by its place. `None`: no words are like
    /// them.
    pub fn most_alike<'b>(&self, others: impl Iterator<Item = (usize, &'b Self)>) -> Option<usize>
    where
        'a: 'b,
    {
        let mut best: Option<(usize, f64)> = None;
        for (place, other) in others.filter(|(_, other)| self.is_answered_alike(other)) {
            cancellation::check();
            let share = self.shared_letters(other);
            if share >= MIN_SHARED && best.is_none_or(|(_, most)| share > most) {
                best = Some((place, share));
            }
        }
        best.map(|(place, _)| place)
    }

    /// Answers to other options cannot be compared.
    fn is_answered_alike(&self, other: &Self) -> bool {
        self.question.question_type == other.question.question_type && self.answers == other.answers
    }

    /// The letters of the words that both texts have, 0 to 1 of those of the longer text.
    fn shared_letters(&self, other: &Self) -> f64 {
        let both = self
            .words
            .iter()
            .map(|(word, times)| word.chars().count() * other.words.get(word).copied().unwrap_or_default().min(*times));
        both.sum::<usize>() as f64 / self.letters().max(other.letters()).max(1) as f64
    }

    fn letters(&self) -> usize {
        self.words.iter().map(|(word, times)| word.chars().count() * times).sum()
    }
}

fn normalised(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use survey::question::QuestionType;

    use super::*;

    fn choice(text: &str, options: [&str; 2]) -> Question {
        Question {
            text: text.to_owned(),
            question_type: QuestionType::SingleChoice,
            options: options.map(str::to_owned).to_vec(),
            ..Question::default()
        }
    }

    #[test]
    fn questions_are_the_same_by_type_options_and_text_or_by_texts_that_are_alike() {
        let travel = ["Bus", "Car"];
        let is_same = |one: &Question, other: &Question| QuestionWords::new(one).is_same(&QuestionWords::new(other));
        let most_alike = |question: &Question, others: &[Question]| {
            let others: Vec<QuestionWords<'_>> = others.iter().map(QuestionWords::new).collect();
            QuestionWords::new(question).most_alike(others.iter().enumerate())
        };
        let today = choice("How did you get to work today?", travel);
        assert!(is_same(&choice("how do you  get to work?", travel), &choice("How do you get to work?", travel)));
        assert!(!is_same(&today, &choice("How did you get to work today?", ["Bus", "Train"])));
        let others = [
            choice("What do you drink?", travel),
            choice("How did you get to work yesterday?", travel),
            choice("How did you get to work today?", ["Bus", "Train"]),
        ];
        assert_eq!(most_alike(&today, &others), Some(1));
        assert_eq!(most_alike(&choice("What do you drink?", travel), &others[1..]), None);
    }
}
