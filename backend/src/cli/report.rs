//! The closing summary of a run, for a terminal.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::summaries::figures::Count;
use survey::question::Question;

use crate::error::Result;
use crate::models::assignments;
use crate::models::summaries::{self, QuestionSummary, SummaryRequest, Twins};
use crate::schema::request_failures;

/// Upper limit of listed kinds of failure.
const MAX_CAUSES: i64 = 5;

/// Prints the counts, costs and duration of a run. `granted`: credits that the local operator got for it.
pub async fn print(conn: &mut AsyncPgConnection, run: &Simulation, granted: Option<i64>) -> Result<()> {
    let seconds = run.completed_at.map(|end| (end - run.created_at).num_milliseconds() as f64 / 1000.0);
    let seed = run.parameters().map(|parameters| parameters.seed.to_string()).unwrap_or_default();
    say!("Simulation {}: {}", run.simulation_id, run.status.as_str());
    say!(
        "  asked       {} ({} twins x {} questions), seed {seed}",
        run.total_requests,
        run.persona_count,
        run.question_count
    );
    let skipped = assignments::skipped(conn, run.id).await?;
    if skipped > 0 {
        say!("  skipped     {skipped} by the flow, free");
    }
    say!("  answered    {}", run.successful_requests);
    say!("  failed      {}", run.failed_requests);
    for (code, message, count) in causes(conn, run.id).await? {
        say!("              {count} x {code}, e.g. {message}");
    }
    let from = granted.map(|granted| format!(" (granted to the local operator for this run: {granted})"));
    say!("  credits     {}{}", run.successful_requests, from.unwrap_or_default());
    say!("  tokens      {}", run.tokens_in_words());
    say!("  calls       {}", run.calls);
    say!("  time        {:.1} s", seconds.unwrap_or_default());
    if run.demo_model {
        say!("  demo model: not from a language model");
    }
    Ok(())
}

/// Returns the most frequent causes of failure: code, example message, count.
async fn causes(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<(String, String, i64)>> {
    use diesel::dsl::{count_star, min};
    let counted: Vec<(String, Option<String>, i64)> = request_failures::table
        .filter(request_failures::simulation_id.eq(id))
        .group_by(request_failures::code)
        .order(count_star().desc())
        .limit(MAX_CAUSES)
        .select((request_failures::code, min(request_failures::message), count_star()))
        .load(conn)
        .await?;
    Ok(counted.into_iter().map(|(code, message, count)| (code, message.unwrap_or_default(), count)).collect())
}

/// Width of a full bar, in characters.
const BAR_CHARS: usize = 30;
const MAX_TEXT_CHARS: usize = 76;
/// Upper limit of shown free texts of a question.
const MAX_EXAMPLES: usize = 3;

/// Prints the answers, summarised by question.
pub async fn print_answers(conn: &mut AsyncPgConnection, run: &Simulation) -> Result<()> {
    let mut questions = run.snapshot().map(|snapshot| snapshot.questions).unwrap_or_default();
    questions.retain(Question::is_request);
    let twins = Twins::load(conn, run.id, &questions, std::iter::empty()).await?;
    let summary = summaries::of_run(conn, run.id, &questions, &twins, &SummaryRequest::default()).await?;
    for QuestionSummary { order, text, figures, texts, .. } in summary.questions {
        say!("\n{order}. {} (n = {})", shortened(&text, MAX_TEXT_CHARS), figures.n);
        if let (Some(mean), Some(min), Some(max)) = (figures.mean, figures.min, figures.max) {
            let sd = figures.sd.map(|sd| format!("{sd:.1}")).unwrap_or_else(|| "-".into());
            say!("   mean {mean:.1}, sd {sd}, from {min:.1} to {max:.1}");
        } else if figures.rows.is_empty() {
            figures.counts.iter().for_each(print_count);
        }
        for row in &figures.rows {
            let mean =
                row.mean.filter(|_| row.counts.is_empty()).map(|mean| format!("{mean:>8.1}  ")).unwrap_or_default();
            say!("   {mean}{}", shortened(&row.row, MAX_TEXT_CHARS));
            row.counts.iter().for_each(print_count);
        }
        for text in texts.iter().take(MAX_EXAMPLES) {
            say!("   \"{}\"", shortened(text, MAX_TEXT_CHARS));
        }
    }
    say!("");
    Ok(())
}

fn print_count(count: &Count) {
    let bar = "#".repeat((count.share * BAR_CHARS as f64).round() as usize);
    say!("   {:>4.0} %  {bar:<BAR_CHARS$}  {}", count.share * 100.0, shortened(&count.value, 40));
}

/// Shortens the text to one line of at most `length` characters.
fn shortened(text: &str, length: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(length) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
