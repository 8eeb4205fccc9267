//! `twinlab serve`, and users who sign in to it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use model_server::client::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::bench::{Bench, Failure, Result};
use crate::process::{family_cpu, peak_resident};

/// A running server, which is killed when dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
    mails: PathBuf,
}

impl Server {
    /// Starts it on a database; `change` may extend the command.
    pub fn start(bench: &Bench, database: &str, change: impl FnOnce(&mut Command)) -> Result<Self> {
        let mut command = bench.twinlab(database).command("serve")?;
        command.args(["serve", "--port=0"]).env("RUST_LOG", "warn").stdout(Stdio::piped());
        change(&mut command);
        let mut process = command.spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let address = line.trim().rsplit_once("http://").and_then(|(_, address)| address.parse().ok());
        let mails = bench.directory.join("data").join("mail");
        match address {
            Some(address) => Ok(Self { process, address, mails }),
            None => {
                process.kill().and_then(|()| process.wait()).ok();
                Err(bench.twinlab(database).failed("serve", "it did not start"))
            }
        }
    }

    /// Signs in with the code of the mail, which is a file, and returns a token.
    pub async fn sign_in(&self, email: &str) -> Result<String> {
        let mut client = Client::connect(self.address).await?;
        fs::remove_dir_all(&self.mails).ok();
        client.post("/api/auth/request-login", None, json!({ "email": email }).to_string().as_bytes()).await?;
        for _ in 0..100 {
            if let Some(code) = self.code() {
                let body = json!({ "email": email, "code": code }).to_string();
                let answer = client.post("/api/auth/verify-login", None, body.as_bytes()).await?;
                let answer: Value = serde_json::from_slice(&answer.body)?;
                let token = answer["access_token"].as_str().map(str::to_owned);
                return token.ok_or_else(|| Failure(format!("{email} could not sign in: {answer}")));
            }
            sleep(Duration::from_millis(100)).await;
        }
        Err(Failure(format!("{email} got no mail")))
    }

    /// CPU time since its start.
    pub fn cpu(&self) -> Result<Duration> {
        Ok(family_cpu(self.process.id())?)
    }

    /// Its peak memory so far, in bytes.
    pub fn peak_bytes(&self) -> u64 {
        peak_resident(self.process.id()).unwrap_or(0)
    }

    /// Reads the six digits from the mail with the code.
    fn code(&self) -> Option<String> {
        let mails = fs::read_dir(&self.mails).ok()?;
        let texts = mails.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
        texts.into_iter().find_map(|text| {
            let (before, _) = text.split_once(" is your verification code")?;
            before.get(before.len().checked_sub(6)?..).map(str::to_owned)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).ok();
    }
}
