//! `twinlab survey preview`: one twin's way through a survey, or the assignments of the first twins.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use survey::assign::{Assignment, assign};
use survey::check;
use survey::document::Document;
use survey::finding::Finding;
use survey::flow::Ending;
use survey::plan::Plan;
use survey::rehearsal::{invented, rehearse};
use survey::twin::Twin;
use survey::walk::{CallScope, OptionOrder, Reason, StageParameters, reachable};

use super::{read, refused};
use crate::error::{Error, Result};
use crate::personas;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A survey as JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of the invented twin
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    persona: u32,
    /// Seed of assignments and orders
    #[arg(long, default_value_t = 1)]
    seed: i64,
    /// Print the assignments of the first N twins instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    arms: Option<u32>,
    /// Upper limit of questions in a call
    #[arg(long, value_name = "N", default_value_t = 10)]
    questions_per_call: u16,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let document = read(&args.file)?;
    let twins = twins(args.arms.unwrap_or(args.persona));
    let plan = plan(args, &document, &twins)?;
    let dealt = assign(&plan, args.seed, &twins).map_err(|refusal| Error::bad_input(refusal.to_string()))?;
    match args.arms {
        Some(_) => table(&twins, &dealt),
        None => {
            if let (Some(twin), Some(assignment)) = (twins.last(), dealt.last()) {
                walk(args, &plan, twin, assignment);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The invented twins in their order, since an assignment depends on those before it.
fn twins(count: u32) -> Vec<Twin> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let invented = personas::synthesize(count, 1).zip(1..);
    invented.map(|(twin, id)| Twin { id, attributes: twin.attributes, ..Twin::default() }).collect()
}

fn plan(args: &Args, document: &Document, twins: &[Twin]) -> Result<Plan> {
    let attributes: BTreeSet<String> = twins.iter().flat_map(|twin| twin.attributes.keys().cloned()).collect();
    let findings = check::check(&document.design, &document.items, Some(&attributes)).findings;
    let errors: Vec<Finding> = findings.into_iter().filter(Finding::is_error).collect();
    if !errors.is_empty() {
        return Err(refused(&args.file, &errors));
    }
    let plan = Plan::new(&document.design, &document.items).map_err(|findings| refused(&args.file, &findings))?;
    Ok(plan.numbered())
}

/// Prints a table for statistics programs, with one line for each twin and one column for each node.
fn table(twins: &[Twin], dealt: &[Assignment]) {
    let columns: BTreeSet<&str> = dealt.iter().flat_map(|dealt| dealt.arms.keys().map(AsRef::as_ref)).collect();
    let orders: BTreeSet<&str> = dealt.iter().flat_map(|dealt| dealt.orders.keys().map(String::as_str)).collect();
    let rows: BTreeSet<&str> = dealt.iter().flat_map(|dealt| dealt.rows.keys().map(String::as_str)).collect();
    let names = columns.iter().chain(&orders).chain(&rows).map(|name| name.replace(['\t', '\n'], " "));
    say!("twin\t{}", names.collect::<Vec<_>>().join("\t"));
    for (twin, dealt) in twins.iter().zip(dealt) {
        let arms = columns.iter().map(|node| dealt.arms.get(*node).map(|arms| arms.join(">")).unwrap_or_default());
        let orders = orders.iter().map(|block| dealt.orders.get(*block).map(|order| joined(order)).unwrap_or_default());
        let rows = rows.iter().map(|node| dealt.rows.get(*node).map(|rows| joined(rows)).unwrap_or_default());
        say!("{}\t{}", twin.id, arms.chain(orders).chain(rows).collect::<Vec<_>>().join("\t"));
    }
}

fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(">")
}

fn walk(args: &Args, plan: &Plan, twin: &Twin, assignment: &Assignment) {
    let parameters = StageParameters {
        seed: args.seed,
        questions_per_call: args.questions_per_call,
        call_scope: CallScope::default(),
        option_order: OptionOrder::default(),
    };
    let reach = reachable(plan, twin, assignment).len();
    say!("Invented twin {}, seed {}: {reach} questions can be asked", twin.id, args.seed);
    for (node, arms) in &assignment.arms {
        say!("  {node} = {}", arms.join(" > "));
    }
    let rehearsal = rehearse(plan, twin, assignment, parameters, |item, shown| invented(item, shown, twin, args.seed));
    let mut call = 0;
    for answered in &rehearsal.asked {
        if answered.call != call {
            call = answered.call;
            say!("Call {call}");
        }
        let question = &answered.shown.question;
        say!("  {}: {}", question.name, question.text.replace('\n', "\n      "));
        if let Some(answer) = &answered.answer {
            say!("    -> {}", answer.to_value());
        }
    }
    let name = |id: i64| plan.items.iter().find(|item| item.question.id == id).map_or("", |item| item.name());
    for (reason, heading) in [(Reason::Logic, "Not shown by logic"), (Reason::ScreenedOut, "Not shown, screened out")] {
        let of = rehearsal.progress.skipped.iter().filter(|(_, why)| *why == reason).map(|(id, _)| name(*id));
        let of = of.collect::<Vec<_>>();
        if !of.is_empty() {
            say!("{heading}: {}", of.join(" "));
        }
    }
    for (field, value) in &rehearsal.progress.fields {
        say!("Field {field} = {value}");
    }
    say!(
        "{}",
        match rehearsal.progress.ended {
            Some(Ending::ScreenedOut) => "Screened out",
            Some(Ending::Complete) | None => "Complete",
        }
    );
}
