//! A workload's calls with nothing around them: no engine, no database, no answers kept. What it takes is what the
//! machine and the stub take; the rest is twinlab's.

use std::cell::Cell;
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Parser;
use model_server::client::{Client, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep_until;
use twinlab_bench::process::Cost;
use twinlab_bench::{inputs, process};

/// Makes a workload's calls to the model stub and prints what that cost as one line of JSON.
#[derive(Parser)]
struct Arguments {
    /// The stub's address, e.g. 127.0.0.1:9000.
    address: SocketAddr,
    #[arg(long)]
    personas: usize,
    #[arg(long)]
    questions: usize,
    /// Questions a call.
    #[arg(long, default_value_t = 1)]
    per_call: usize,
    /// Personas asked at once; the calls of one persona follow each other.
    #[arg(long)]
    concurrency: usize,
    /// Calls a minute, evenly spaced. Default: as fast as it goes.
    #[arg(long)]
    rpm: Option<u32>,
}

/// The part of a call that is the same for every persona.
struct Question {
    prompt: String,
    format: String,
}

struct Workload {
    address: SocketAddr,
    personas: usize,
    questions: Vec<Question>,
    /// The next persona to ask.
    next: Cell<usize>,
    /// Nobody calls before this: pacing, or a Retry-After.
    not_before: Cell<Instant>,
    spacing: Duration,
    answers: Cell<usize>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare-client: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let started = Instant::now();
    let workload = Rc::new(Workload {
        address: arguments.address,
        personas: arguments.personas,
        questions: questions(arguments.questions, arguments.per_call.max(1)),
        next: Cell::new(1),
        not_before: Cell::new(started),
        spacing: arguments.rpm.map_or(Duration::ZERO, |rpm| Duration::from_secs(60) / rpm.max(1)),
        answers: Cell::new(0),
    });
    let workers = arguments.concurrency.clamp(1, arguments.personas.max(1));
    LocalSet::new().block_on(&runtime, async {
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            tasks.spawn_local(work(workload.clone()));
        }
        tasks.join_all().await.into_iter().collect::<Result<(), _>>()
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let pid = std::process::id();
    let cost = Cost {
        seconds,
        cpu_seconds: process::stat(pid)?.own_cpu.as_secs_f64(),
        peak_bytes: process::peak_resident(pid).unwrap_or_default(),
        answers: workload.answers.get() as u64,
    };
    println!("{}", serde_json::to_string(&cost)?);
    Ok(())
}

fn questions(questions: usize, per_call: usize) -> Vec<Question> {
    let calls = (1..=questions).step_by(per_call);
    calls
        .map(|first| {
            let count = per_call.min(questions + 1 - first);
            let schema = json!({"name": "answers", "strict": true, "schema": inputs::schema(first, count)});
            Question {
                prompt: Value::from(inputs::prompt(first, count)).to_string(),
                format: json!({"type": "json_schema", "json_schema": schema}).to_string(),
            }
        })
        .collect()
}

async fn work(workload: Rc<Workload>) -> std::io::Result<()> {
    let mut client = Client::connect(workload.address).await?;
    loop {
        let persona = workload.next.get();
        if persona > workload.personas {
            return Ok(());
        }
        workload.next.set(persona + 1);
        let profile = Value::from(inputs::profile(persona)).to_string();
        for question in &workload.questions {
            let answered = ask(&workload, &mut client, &profile, question).await?;
            workload.answers.update(|answers| answers + answered);
        }
    }
}

/// Asks until there is a valid answer; returns how many questions it answers.
async fn ask(workload: &Workload, client: &mut Client, profile: &str, question: &Question) -> std::io::Result<usize> {
    loop {
        workload.turn().await;
        let Question { prompt, format } = question;
        let body = format!(
            r#"{{"messages":[{{"role":"system","content":{profile}}},{{"role":"user","content":{prompt}}}],"model":"stub","response_format":{format}}}"#
        );
        let response = match client.complete(body.as_bytes()).await {
            Ok(response) => response,
            Err(_) => {
                *client = Client::connect(workload.address).await?;
                continue;
            }
        };
        if let Some(wait) = response.retry_after() {
            let until = Instant::now() + wait;
            workload.not_before.update(|before| before.max(until));
        }
        if let Some(answers) = answers(&response) {
            return Ok(answers);
        }
    }
}

impl Workload {
    /// Waits for its slot of the pace, and for whatever a 429 asked.
    async fn turn(&self) {
        let slot = self.not_before.get().max(Instant::now());
        if !self.spacing.is_zero() {
            self.not_before.set(slot + self.spacing);
        }
        sleep_until(slot.into()).await;
    }
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

/// How many questions a valid answer answers.
fn answers(response: &Response) -> Option<usize> {
    if response.status != 200 {
        return None;
    }
    let completion: Completion = serde_json::from_slice(&response.body).ok()?;
    let content = completion.choices.into_iter().next()?.message.content?;
    let answers: Value = serde_json::from_str(&content).ok()?;
    Some(answers.as_object()?.len())
}
