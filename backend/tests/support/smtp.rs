//! A mail server in the test: it supports as much SMTP as a client needs, accepts every mail, and can refuse at first.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub struct SmtpServer {
    pub url: String,
    mails: Arc<Mutex<Vec<String>>>,
    listening: JoinHandle<()>,
}

impl SmtpServer {
    /// Starts a server that refuses the first `refusals` mails with a temporary error.
    pub async fn start(refusals: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("smtp://{}", listener.local_addr().expect("it listens"));
        let mails = Arc::new(Mutex::new(Vec::new()));
        let left = Arc::new(Mutex::new(refusals));
        let listening = tokio::spawn({
            let mails = mails.clone();
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(converse(stream, mails.clone(), left.clone()));
                }
            }
        });
        Self { url, mails, listening }
    }

    /// The accepted mails, oldest first.
    pub fn mails(&self) -> Vec<String> {
        self.mails.lock().expect("no test panicked with it").clone()
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Serves one connection until the client leaves. `None`: it left.
async fn converse(stream: TcpStream, mails: Arc<Mutex<Vec<String>>>, refusals: Arc<Mutex<usize>>) -> Option<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 test\r\n").await.ok()?;
    loop {
        let line = lines.next_line().await.ok()??;
        let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let reply = match word.as_str() {
            "EHLO" | "HELO" => "250 test",
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await.ok()?;
                let mut mail = String::new();
                loop {
                    let line = lines.next_line().await.ok()??;
                    if line == "." {
                        break;
                    }
                    mail.push_str(&line);
                    mail.push('\n');
                }
                let refused = {
                    let mut left = refusals.lock().expect("no test panicked with it");
                    let refused = *left > 0;
                    *left = left.saturating_sub(1);
                    refused
                };
                if refused {
                    "451 come back later"
                } else {
                    mails.lock().expect("no test panicked with it").push(mail);
                    "250 taken"
                }
            }
            "QUIT" => return writer.write_all(b"221 bye\r\n").await.ok(),
            _ => "250 fine",
        };
        writer.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
    }
}
