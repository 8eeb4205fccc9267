//! A figure of a question: bars with their intervals, as SVG of a fixed width.

use export::number::rounded;
use export::xml::XmlWriter;
use simulation::group_tests::item_name;
use simulation::run::Run;
use survey::answer::AnswerShape;

use crate::analysis::estimates::{EstimatedMean, EstimatedShare, Estimates};

// All in pixels.
const WIDTH: usize = 840;
const MARGIN: usize = 16;
/// Width of the labels left of the bars.
const LABELS: usize = 240;
/// Length of the axis.
const BARS: f64 = 300.0;
const LINE: usize = 18;
const BAR: usize = 12;

/// Characters of a line of the title, of a label, and of the notice.
const TITLE_CHARACTERS: usize = 95;
const MOST_TITLE_LINES: usize = 4;
const LABEL_CHARACTERS: usize = 36;
const NOTICE_CHARACTERS: usize = 120;

struct Bar<'a> {
    /// The row of a matrix. Bars of a row are drawn together below it.
    row: &'a str,
    label: &'a str,
    /// Position along the axis from 0 to 1, like the ends of the interval.
    value: f64,
    ends: Option<(f64, f64)>,
    words: String,
}

/// The answers of all twins. `None`: they are free texts, or there are none.
pub fn of(run: &Run, of: &Estimates<'_>) -> Option<String> {
    let (bars, axis) = match of.question.shape() {
        Some(AnswerShape::Parts) => {
            let most = of.question.total();
            let means = of.means.iter().filter(|each| each.of.group.node.is_empty());
            (means.map(|each| mean(each, most)).collect(), format!("Mean, 0 to {most}, with 95 % intervals"))
        }
        _ => {
            let shares = of.shares.iter().filter(|each| each.of.group.node.is_empty());
            (shares.map(share).collect::<Vec<_>>(), "Share of the answers, 0 to 100 %, with 95 % intervals".to_owned())
        }
    };
    if bars.is_empty() {
        return None;
    }
    let title = lines(of.label, TITLE_CHARACTERS, MOST_TITLE_LINES);
    let rows = bars.chunk_by(|one, other| one.row == other.row).filter(|bars| !bars[0].row.is_empty()).count();
    let top = MARGIN + title.len() * LINE + LINE / 2;
    let bottom = top + (bars.len() + rows) * LINE;
    let mut notice = lines(&format!("n = {}; {}", of.outcomes.answered, run.notice), NOTICE_CHARACTERS, usize::MAX);
    if let Some(words) = planned(of) {
        notice.splice(0..0, lines(&words, NOTICE_CHARACTERS, usize::MAX));
    }
    let height = bottom + (notice.len() + 2) * LINE + MARGIN;
    let mut svg = XmlWriter::begin();
    let (wide, high) = (WIDTH.to_string(), height.to_string());
    svg.open(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("width", &wide),
            ("height", &high),
            ("viewBox", &format!("0 0 {WIDTH} {height}")),
            ("font-family", "Helvetica, Arial, sans-serif"),
            ("font-size", "12"),
            ("role", "img"),
        ],
    );
    svg.text("title", &[], of.label);
    svg.empty("rect", &[("width", &wide), ("height", &high), ("fill", "#ffffff")]);
    let mut y = MARGIN + BAR;
    for line in title {
        svg.text("text", &[("x", &MARGIN.to_string()), ("y", &y.to_string()), ("font-weight", "bold")], &line);
        y += LINE;
    }
    axis_lines(&mut svg, top, bottom);
    y = top;
    let mut row = "";
    for bar in &bars {
        if bar.row != row {
            row = bar.row;
            let words = cut(row, TITLE_CHARACTERS);
            let at = [("x", &*MARGIN.to_string()), ("y", &*(y + BAR).to_string()), ("font-style", "italic")];
            svg.text("text", &at, &words);
            y += LINE;
        }
        draw(&mut svg, bar, y);
        y += LINE;
    }
    svg.text("text", &[("x", &place(0.0)), ("y", &(bottom + LINE).to_string()), ("fill", "#555555")], &axis);
    y = bottom + 2 * LINE + LINE / 2;
    for line in notice {
        let at = [("x", &*MARGIN.to_string()), ("y", &*y.to_string()), ("fill", "#555555"), ("font-size", "11")];
        svg.text("text", &at, &line);
        y += LINE;
    }
    Some(svg.finish())
}

/// Whether the frozen plan names the question. `None`: there is no plan.
fn planned(of: &Estimates<'_>) -> Option<String> {
    let planned = of.planned?;
    let rows = of.question.rows().iter().map(|row| item_name(of.question, row));
    let (named, others): (Vec<String>, Vec<String>) = rows.partition(|item| planned.names(item));
    Some(match (named.is_empty(), others.is_empty()) {
        (true, _) => "Exploratory: the frozen plan does not name the question as primary.".to_owned(),
        (_, true) => "Preregistered: a primary question of the frozen plan.".to_owned(),
        _ => format!("Preregistered: {}; the other rows are exploratory.", named.join(", ")),
    })
}

fn share(of: &EstimatedShare) -> Bar<'_> {
    let percent = |value: f64| format!("{:.1}", rounded(value) * 100.0);
    let (low, high) = (of.interval.low, of.interval.high);
    let words = format!("{} % ({} to {}), {} of {}", percent(of.share), percent(low), percent(high), of.count, of.n);
    Bar { row: &of.of.row, label: &of.option, value: of.share, ends: Some((low, high)), words }
}

fn mean(of: &EstimatedMean, most: f64) -> Bar<'_> {
    let number = |value: f64| format!("{:.2}", rounded(value));
    let ends = of.interval.map(|interval| (interval.low / most, interval.high / most));
    let interval = of.interval.map(|of| format!(" ({} to {})", number(of.low), number(of.high)));
    let words = format!("{}{}, n = {}", number(of.mean), interval.unwrap_or_default(), of.n);
    Bar { row: "", label: &of.of.row, value: of.mean / most, ends, words }
}

/// Lines at each quarter of the axis.
fn axis_lines(svg: &mut XmlWriter, top: usize, bottom: usize) {
    for quarter in 0..=4 {
        let x = place(f64::from(quarter) / 4.0);
        let stroke = if quarter == 0 { "#333333" } else { "#dddddd" };
        let (top, bottom) = (top.to_string(), bottom.to_string());
        svg.empty("line", &[("x1", &x), ("y1", &top), ("x2", &x), ("y2", &bottom), ("stroke", stroke)]);
    }
}

fn draw(svg: &mut XmlWriter, bar: &Bar<'_>, y: usize) {
    let (base, middle) = ((y + BAR).to_string(), (y + BAR / 2 + 2).to_string());
    let right = (MARGIN + LABELS - 8).to_string();
    svg.text("text", &[("x", &right), ("y", &base), ("text-anchor", "end")], &cut(bar.label, LABEL_CHARACTERS));
    let (from, width) = (place(0.0), pixels(BARS * inside(bar.value)));
    let (above, high) = ((y + 2).to_string(), BAR.to_string());
    svg.empty("rect", &[("x", &from), ("y", &above), ("width", &width), ("height", &high), ("fill", "#6f9bd1")]);
    if let Some((low, high)) = bar.ends {
        let ends = [place(low), place(high)];
        let line = [("x1", &*ends[0]), ("y1", &middle), ("x2", &ends[1]), ("y2", &middle), ("stroke", "#222222")];
        svg.empty("line", &line);
        let (up, down) = ((y + 5).to_string(), (y + 11).to_string());
        for end in &ends {
            svg.empty("line", &[("x1", end), ("y1", &up), ("x2", end), ("y2", &down), ("stroke", "#222222")]);
        }
    }
    svg.text("text", &[("x", &pixels((MARGIN + LABELS) as f64 + BARS + 8.0)), ("y", &base)], &bar.words);
}

/// The x of a place from 0 to 1 on the axis.
fn place(value: f64) -> String {
    pixels((MARGIN + LABELS) as f64 + BARS * inside(value))
}

/// An interval of a mean may reach beyond the axis.
fn inside(value: f64) -> f64 {
    rounded(value).clamp(0.0, 1.0)
}

fn pixels(value: f64) -> String {
    format!("{value:.1}")
}

/// The text on one line of at most so many characters.
fn cut(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= characters {
        return line;
    }
    line.chars().take(characters - 1).chain(['…']).collect()
}

/// The text in lines of at most so many characters, cut after `most` lines.
fn lines(text: &str, characters: usize, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > characters {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            let between = if line.is_empty() { "" } else { " " };
            line.push_str(between);
            line.push_str(&cut(word, characters));
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(line) = lines.last_mut() {
            line.push('…');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_wrapped_and_a_long_label_cut() {
        assert_eq!(lines("one two  three", 7, 9), ["one two", "three"]);
        assert_eq!(lines("one two three four", 5, 2), ["one", "two…"]);
        assert_eq!(lines("", 5, 2), [""]);
        assert_eq!((cut("ünïcode", 7), cut("ünïcode", 4)), ("ünïcode".to_owned(), "ünï…".to_owned()));
    }

    #[test]
    fn what_lies_beyond_the_axis_is_drawn_at_its_end() {
        assert_eq!((place(-0.2), place(0.5), place(1.7)), ("256.0".to_owned(), "406.0".to_owned(), "556.0".to_owned()));
    }
}
