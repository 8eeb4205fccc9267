//! The calls of a workload with nothing around them: no engine, no database, no stored answers. Their CPU time is a
//! floor for twinlab's.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use model_server::client::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::bench::{Failure, Result};
use crate::workloads::Workload;
use crate::{inputs, process};

/// Makes all calls of the workload on a thread of their own, and returns its CPU time.
pub fn cpu(address: SocketAddr, workload: &Workload) -> Result<Duration> {
    let workload = *workload;
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(ask_all(address, workload))?;
        Ok(process::stat("thread-self")?.own_cpu)
    });
    thread.join().map_err(|_| Failure("the bare client panicked".into()))?
}

async fn ask_all(address: SocketAddr, workload: Workload) -> Result<()> {
    let questions: Arc<[_]> = (1..=workload.questions)
        .step_by(workload.per_call)
        .map(|first| {
            let count = workload.per_call.min(workload.questions + 1 - first);
            let schema = json!({"name": "answers", "strict": true, "schema": inputs::schema(first, count)});
            let format = json!({"type": "json_schema", "json_schema": schema});
            (Value::from(inputs::prompt(first, count)).to_string(), format.to_string())
        })
        .collect();
    let next = Arc::new(AtomicUsize::new(1));
    let mut tasks = JoinSet::new();
    for _ in 0..workload.side_by_side() {
        let (questions, next) = (questions.clone(), next.clone());
        tasks.spawn(async move {
            let mut client = Client::connect(address).await?;
            loop {
                let persona = next.fetch_add(1, Ordering::Relaxed);
                if persona > workload.personas {
                    return Ok(());
                }
                let profile = Value::from(inputs::profile(persona)).to_string();
                for (prompt, format) in questions.iter() {
                    let body = format!(
                        r#"{{"messages":[{{"role":"system","content":{profile}}},{{"role":"user","content":{prompt}}}],"model":"stub","response_format":{format}}}"#
                    );
                    let reply: Value = serde_json::from_slice(&client.complete(body.as_bytes()).await?.body)?;
                    let content = reply["choices"][0]["message"]["content"].as_str().unwrap_or_default();
                    serde_json::from_str::<Value>(content)?;
                }
            }
        });
    }
    tasks.join_all().await.into_iter().collect()
}
