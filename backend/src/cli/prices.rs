//! `twinlab prices`: prints the list of prices that ships with the program.

use std::process::ExitCode;

use chrono::{NaiveDate, Utc};
use simulation::money::Price;

use super::worked_prices::WorkedSurvey;
use crate::config::prices::{self, ModelPrices, PriceFile};
use crate::error::{Error, Result};

const MAX_TWINS: usize = 1_000_000;
const MAX_QUESTIONS: usize = 500;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the list in the format of LLM_PRICES, to be changed or used for a gateway that charges these prices
    #[arg(long)]
    json: bool,
    /// Print what a survey of so many single-choice questions costs on six models, as a table in Markdown
    #[arg(long, value_name = "TWINSxQUESTIONS", value_parser = worked_survey, conflicts_with = "json")]
    worked: Option<WorkedSurvey>,
}

fn worked_survey(text: &str) -> std::result::Result<WorkedSurvey, String> {
    let parse = || {
        let (twins, questions) = text.split_once('x')?;
        let (twins, questions): (usize, usize) = (twins.parse().ok()?, questions.parse().ok()?);
        let fits = (1..=MAX_TWINS).contains(&twins) && (1..=MAX_QUESTIONS).contains(&questions);
        fits.then_some(WorkedSurvey { twins, questions })
    };
    parse()
        .ok_or_else(|| format!("expected twins and questions such as 2058x20, at most {MAX_TWINS} and {MAX_QUESTIONS}"))
}

pub fn run(args: Args) -> Result<ExitCode> {
    let list = prices::listed();
    if let Some(worked) = args.worked {
        say!("{}", worked.table()?);
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        let json = serde_json::to_string_pretty(list);
        say!("{}", json.map_err(|reason| Error::internal(format!("the list of prices: {reason}")))?);
        return Ok(ExitCode::SUCCESS);
    }
    say!("{} per million tokens.", list.currency);
    for line in lines(list, Utc::now().date_naive()) {
        say!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows of the table: a model, or one of its tiers, each.
fn lines(list: &PriceFile, today: NaiveDate) -> Vec<String> {
    let head = ["model", "read", "cached", "written", "1 h", "answer", "as of"];
    let mut lines = vec![line(&head.map(str::to_owned))];
    for (name, model) in &list.models {
        let tiers = [("batch", &model.batch), ("flex", &model.flex), ("priority", &model.priority)];
        let tiers = tiers.into_iter().filter_map(|(tier, prices)| Some((format!("  {tier}"), prices.as_deref()?)));
        let as_of = model.read.map(|read| age(read, today)).unwrap_or_default();
        lines.push(line(&cells(name, model, as_of)));
        lines.extend(tiers.map(|(tier, prices)| line(&cells(&tier, prices, String::new()))));
        lines.extend(model.note.iter().map(|note| format!("  {note}")));
        lines.extend(model.sources.iter().map(|source| format!("  {source}")));
    }
    lines
}

fn cells(name: &str, prices: &ModelPrices, as_of: String) -> [String; 7] {
    let Price { prompt, cached, completion, cache_write, .. } = prices.price("", None);
    let written = cache_write.map(decimal).unwrap_or_default();
    let for_an_hour = prices.cache_write_1h().map(decimal).unwrap_or_default();
    [name.to_owned(), decimal(prompt), decimal(cached), written, for_an_hour, decimal(completion), as_of]
}

fn line([name, prompt, cached, written, hour, completion, as_of]: &[String; 7]) -> String {
    let line = format!("{name:24}{prompt:>9}{cached:>9}{written:>9}{hour:>9}{completion:>9}  {as_of}");
    line.trim_end().to_owned()
}

/// The day on which a price was read, and its age.
fn age(read: NaiveDate, today: NaiveDate) -> String {
    let days = (today - read).num_days().max(0);
    let stale = if prices::is_stale(read, today) { ", may have changed since" } else { "" };
    let noun = if days == 1 { "day" } else { "days" };
    format!("{read}, {days} {noun} ago{stale}")
}

/// Micro-units as a number without needless zeros.
fn decimal(micro_units: i64) -> String {
    let text = format!("{}.{:06}", micro_units / 1_000_000, micro_units % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_has_a_row_with_its_age_its_tiers_and_its_sources() {
        let list = r#"{"currency": "USD", "models": {"m": {"prompt": 2, "cached": 0.1, "cache_write": 2.5, "completion": 10,
            "batch": {"prompt": 1, "completion": 5}, "read": "2026-01-01", "sources": ["https://example.org"]}}}"#;
        let list = PriceFile::parse(list).expect("a list");
        let day = |text: &str| text.parse::<NaiveDate>().expect("a date");
        insta::assert_snapshot!(lines(&list, day("2026-01-02")).join("\n"));
        assert!(lines(&list, day("2026-05-01"))[1].ends_with("2026-01-01, 120 days ago, may have changed since"));
    }
}
