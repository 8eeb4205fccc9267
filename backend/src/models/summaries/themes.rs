//! Groups free-text answers by shared words.
//!
//! An answer is reduced to its terms: its words in lower case without punctuation and stop words, and pairs of adjacent
//! words among these. An answer of stop words alone is one term. Themes are then formed greedily: the term that most
//! answers share names a theme and takes these answers; the others are counted again, until no two share a term. A term
//! of nearly all answers does not separate them: it names a theme of those that remain at the end. Ties are broken
//! first in favour of pairs of words, then alphabetically, so the same answers always make the same themes. Takes O(n
//! log n) for n terms.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Lower limit of answers in a theme.
const MIN_ANSWERS: usize = 2;
/// Upper limit of themes for a question; answers of smaller ones count as not grouped.
const MAX_THEMES: usize = 50;
/// A term that more than this percentage of the answers share is the topic of all of them.
const MAX_PERCENT: usize = 90;

/// Words without meaning for a theme, without their apostrophes.
const STOP_WORDS: &str = "a about after again all also always am an and any are as at be because been before being both \
    but by can cant could did didnt do does doesnt doing dont even every feel for from get had has have having he her here \
    him his how i id if ill im in into is isnt it its ive just lot lots make makes many may me might more most much my no \
    not now of often on one only or other our out over own quite rather really she should since so some something than that \
    thats the their them then there these they theyre thing things think this those though through to too up us usually \
    very was way we well were what when where which while who why will with wont would wouldnt you your";

/// Answers that share a term.
#[derive(Debug, PartialEq)]
pub(super) struct SharedTerm {
    pub name: String,
    /// Indices of the answers.
    pub answers: Vec<usize>,
}

/// Returns the themes of some answers, by descending frequency. An answer is in one theme at most.
pub(super) fn group<'a>(answers: impl Iterator<Item = &'a str>) -> Vec<SharedTerm> {
    let stop_words: HashSet<&str> = STOP_WORDS.split_whitespace().collect();
    let mut terms: Vec<Term> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut terms_of: Vec<Vec<usize>> = Vec::new();
    for (place, answer) in answers.enumerate() {
        let mut own: Vec<usize> = Vec::new();
        for name in terms_in(answer, &stop_words) {
            let id = *ids.entry(name).or_insert_with_key(|name| {
                terms.push(Term { name: name.clone(), answers: Vec::new(), count: 0, general: false });
                terms.len() - 1
            });
            // An answer that repeats a word counts once.
            if terms[id].answers.last() != Some(&place) {
                terms[id].answers.push(place);
                terms[id].count += 1;
                own.push(id);
            }
        }
        terms_of.push(own);
    }
    let total = terms_of.iter().filter(|own| !own.is_empty()).count();
    for term in &mut terms {
        term.general = 100 * term.count > MAX_PERCENT * total;
    }
    let mut order: BinaryHeap<_> = terms.iter().enumerate().map(|(id, term)| term.rank(id)).collect();
    let mut grouped = vec![false; terms_of.len()];
    let mut themes = Vec::new();
    while themes.len() < MAX_THEMES
        && let Some(Rank { count, id, .. }) = order.pop()
    {
        if terms[id].count < MIN_ANSWERS {
            continue;
        }
        // Other themes have taken some of its answers since it was ranked.
        if terms[id].count < count {
            order.push(terms[id].rank(id));
            continue;
        }
        let answers: Vec<usize> = terms[id].answers.iter().copied().filter(|place| !grouped[*place]).collect();
        for place in &answers {
            grouped[*place] = true;
            terms_of[*place].iter().for_each(|term| terms[*term].count -= 1);
        }
        themes.push(SharedTerm { name: terms[id].name.clone(), answers });
    }
    themes.sort_by_key(|theme| Reverse(theme.answers.len()));
    themes
}

/// A word, a pair of words or a short answer.
struct Term {
    name: String,
    /// Indices of all answers with it, ascending.
    answers: Vec<usize>,
    /// Number of those answers that are in no theme yet.
    count: usize,
    /// Whether nearly all answers have it.
    general: bool,
}

/// Rank of a term: the greatest becomes the next theme.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    tells: bool,
    count: usize,
    pair: bool,
    name: Reverse<String>,
    id: usize,
}

impl Term {
    fn rank(&self, id: usize) -> Rank {
        let pair = self.name.contains(' ');
        Rank { tells: !self.general, count: self.count, pair, name: Reverse(self.name.clone()), id }
    }
}

fn terms_in(answer: &str, stop_words: &HashSet<&str>) -> Vec<String> {
    let words = words(answer);
    let tells = |word: &String| !stop_words.contains(word.as_str());
    let pairs = words.windows(2).filter(|pair| pair.iter().all(tells)).map(|pair| pair.join(" "));
    let terms: Vec<String> = words.iter().filter(|word| tells(word)).cloned().chain(pairs).collect();
    match words.is_empty() || !terms.is_empty() {
        true => terms,
        false => vec![words.join(" ")],
    }
}

/// The words in lower case, without punctuation; `don't` is one word.
fn words(answer: &str) -> Vec<String> {
    let plain: String = answer.to_lowercase().chars().filter(|letter| !matches!(letter, '\'' | '’')).collect();
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn themes(answers: &[&str]) -> Vec<(String, Vec<usize>)> {
        group(answers.iter().copied()).into_iter().map(|theme| (theme.name, theme.answers)).collect()
    }

    #[test]
    fn case_punctuation_white_space_and_stop_words_keep_no_answers_apart() {
        let answers = ["It's CHEAP.", "cheap!", "  Because it is\n cheap ", "Don't know", "dont know"];
        assert_eq!(themes(&answers), [("cheap".to_owned(), vec![0, 1, 2]), ("know".to_owned(), vec![3, 4])]);
    }

    #[test]
    fn the_commonest_term_takes_its_answers_and_the_others_are_counted_anew() {
        // Three answers contain `fast`, but only one is left once the answers about the bus are taken.
        let answers = ["fast bus", "bus, fast", "a bus", "the bus", "fast car", "my car", "walking"];
        assert_eq!(themes(&answers), [("bus".to_owned(), vec![0, 1, 2, 3]), ("car".to_owned(), vec![4, 5])]);
    }

    #[test]
    fn what_all_answers_share_leaves_the_other_themes_theirs() {
        let answers =
            ["the bus is cheap", "a cheap bus", "the bus is fast", "fast, the bus", "bus", "the bus", "a bus!"];
        let expected = [("bus", vec![4, 5, 6]), ("cheap", vec![0, 1]), ("fast", vec![2, 3])];
        assert_eq!(themes(&answers), expected.map(|(name, places)| (name.to_owned(), places)));
        // One answer among many does not change that.
        let mut many: Vec<&str> = answers.repeat(2);
        many.push("walking");
        assert_eq!(themes(&many).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["bus", "cheap", "fast"]);
        // If nothing else is shared, it is the theme.
        assert_eq!(themes(&["my bus", "this bus"]), [("bus".to_owned(), vec![0, 1])]);
    }

    #[test]
    fn a_pair_of_words_comes_before_one_word_where_both_are_as_common() {
        assert_eq!(themes(&["Public transport.", "I use public transport"]), [("public transport".into(), vec![0, 1])]);
        // Stop words are between these.
        assert_eq!(themes(&["transport for the public", "transport of the public"])[0].0, "public");
    }

    #[test]
    fn an_answer_of_stop_words_alone_is_grouped_as_a_whole_and_an_empty_one_is_not() {
        assert_eq!(themes(&["No", "no!", "Not at all", "I do not", "...", "..."]), [("no".to_owned(), vec![0, 1])]);
        assert_eq!(themes(&[]), []);
    }

    #[test]
    fn a_word_said_twice_in_one_answer_is_shared_with_nobody() {
        assert_eq!(themes(&["bus, bus and bus", "car"]), []);
    }

    #[test]
    fn the_same_answers_make_the_same_themes_and_no_more_than_are_shown() {
        let answers: Vec<String> = (0..400).map(|n| format!("word{} other{}", n % 100, n % 70)).collect();
        let all = || group(answers.iter().map(String::as_str));
        assert_eq!(all(), all());
        assert_eq!(all().len(), MAX_THEMES);
        assert!(all().windows(2).all(|pair| pair[0].answers.len() >= pair[1].answers.len()));
    }
}
