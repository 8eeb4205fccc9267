//! Sends mails over SMTP, or writes them to `DATA_DIR/mail` if no mail server is configured.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::Duration;

use lettre::message::{Mailbox, MultiPart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Letter;
use crate::config::Config;
use crate::error::{Error, Result};

/// Time limit for one reply of the mail server.
const SMTP_TIMEOUT: Duration = Duration::from_secs(15);
/// The sender if none is configured, in which case mails only become files.
const LOCAL_SENDER: &str = "Digital Twin Lab <twinlab@localhost>";

enum Transport {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Folder(PathBuf),
}

/// Sends mails, and wakes the loop that takes them from the queue.
pub struct Mailer {
    transport: Transport,
    sender: Mailbox,
    /// The start of links in mails, without a slash at its end.
    pub(super) public_url: String,
    new_mails: Notify,
}

impl Mailer {
    /// Builds the mailer. Fails with bad input if `SMTP_URL` or `MAIL_FROM` cannot be used.
    pub fn new(config: &Config) -> Result<Self> {
        let sender = config.mail_from.as_deref().unwrap_or(LOCAL_SENDER);
        let sender =
            sender.parse().map_err(|reason| Error::bad_input(format!("MAIL_FROM is not a sender: {reason}")))?;
        let transport = match &config.smtp_url {
            Some(url) => Transport::Smtp(
                AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
                    .map_err(|_| Error::bad_input("SMTP_URL is not the address of a mail server"))?
                    .timeout(Some(SMTP_TIMEOUT))
                    .build(),
            ),
            None => Transport::Folder(config.data_dir.join("mail")),
        };
        let Config { public_url, host, port, .. } = config;
        let public_url = public_url.clone().unwrap_or_else(|| format!("http://{host}:{port}"));
        Ok(Self { transport, sender, public_url, new_mails: Notify::new() })
    }

    /// Announces new mails, so that they are sent at once.
    pub fn notify(&self) {
        self.new_mails.notify_one();
    }

    /// Waits for [`notify`](Self::notify).
    pub async fn notified(&self) {
        self.new_mails.notified().await;
    }

    /// Whether mails become files on this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.transport, Transport::Folder(_))
    }

    /// Sends a letter. Returns once the mail server has accepted it, or the file is written.
    pub async fn send(&self, recipient: &str, letter: &Letter) -> Result<()> {
        let failed = |reason: &dyn std::fmt::Display| Error::internal(format!("the mail was not sent: {reason}"));
        let message = Message::builder()
            .from(self.sender.clone())
            .to(recipient.parse().map_err(|reason| failed(&reason))?)
            .subject(&letter.subject)
            .message_id(None)
            .multipart(MultiPart::alternative_plain_html(letter.text(), letter.html()))
            .map_err(|reason| failed(&reason))?;
        match &self.transport {
            Transport::Smtp(server) => server.send(message).await.map(drop).map_err(|reason| failed(&reason)),
            Transport::Folder(folder) => {
                write(folder.clone(), message.formatted()).await.map_err(|reason| failed(&reason))
            }
        }
    }
}

/// Writes the mail under a name that sorts by time. It has another name until it is complete.
async fn write(folder: PathBuf, mail: Vec<u8>) -> std::io::Result<()> {
    let written = tokio::task::spawn_blocking(move || {
        // Mails hold sign-in codes, so only the owner may read them.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let now = chrono::Utc::now().format("%Y%m%dT%H%M%S%6fZ");
        let name = format!("{now}-{}", Uuid::new_v4().simple());
        let draft = folder.join(format!(".{name}"));
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(&mail)?;
        std::fs::rename(draft, folder.join(format!("{name}.eml")))
    });
    written.await.map_err(std::io::Error::other)?
}
