//! Mails out of the house: over SMTP, or as files in `DATA_DIR/mail` where no server is configured.
//!
//! [`letters`] words them, [`delivery`] takes them from the table of mails and sends them, [`Mailer`] is the way out.

pub mod delivery;
mod letters;

use std::path::PathBuf;
use std::time::Duration;

use lettre::message::{Mailbox, MultiPart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::config::Config;
use crate::error::{Error, Result};

pub use letters::Letter;

/// Longest wait for one reply of the mail server.
const SMTP_TIMEOUT: Duration = Duration::from_secs(15);
/// The sender of mails that only become files.
const NOBODY: &str = "Digital Twin Lab <twinlab@localhost>";

enum Way {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Folder(PathBuf),
}

/// The way out, and the bell that tells of new mails.
pub struct Mailer {
    way: Way,
    sender: Mailbox,
    /// Where links in mails lead, without a slash at its end.
    public_url: String,
    bell: Notify,
}

impl Mailer {
    /// Fails with bad input where `SMTP_URL` or `MAIL_FROM` cannot be used.
    pub fn new(config: &Config) -> Result<Self> {
        let sender = config.mail_from.as_deref().unwrap_or(NOBODY);
        let sender =
            sender.parse().map_err(|reason| Error::bad_input(format!("MAIL_FROM is not a sender: {reason}")))?;
        let way = match &config.smtp_url {
            Some(url) => Way::Smtp(
                AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
                    .map_err(|_| Error::bad_input("SMTP_URL is not the address of a mail server"))?
                    .timeout(Some(SMTP_TIMEOUT))
                    .build(),
            ),
            None => Way::Folder(config.data_dir.join("mail")),
        };
        let Config { public_url, host, port, .. } = config;
        let public_url = public_url.clone().unwrap_or_else(|| format!("http://{host}:{port}"));
        Ok(Self { way, sender, public_url, bell: Notify::new() })
    }

    /// There are new mails: they are sent now instead of a little later.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// Until the bell rings.
    pub async fn rung(&self) {
        self.bell.notified().await;
    }

    /// Mails become files that only people at this machine read.
    pub fn is_local(&self) -> bool {
        matches!(self.way, Way::Folder(_))
    }

    /// Once the mail server has taken the letter, or the file is written.
    pub async fn send(&self, recipient: &str, letter: &Letter) -> Result<()> {
        let failed = |reason: &dyn std::fmt::Display| Error::internal(format!("the mail was not sent: {reason}"));
        let message = Message::builder()
            .from(self.sender.clone())
            .to(recipient.parse().map_err(|reason| failed(&reason))?)
            .subject(&letter.subject)
            .message_id(None)
            .multipart(MultiPart::alternative_plain_html(letter.text(), letter.html()))
            .map_err(|reason| failed(&reason))?;
        match &self.way {
            Way::Smtp(server) => server.send(message).await.map(drop).map_err(|reason| failed(&reason)),
            Way::Folder(folder) => write(folder.clone(), message.formatted()).await.map_err(|reason| failed(&reason)),
        }
    }
}

/// Under a name that sorts by time; under another until it is whole, so that nobody reads half a mail.
async fn write(folder: PathBuf, mail: Vec<u8>) -> std::io::Result<()> {
    let written = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        let now = chrono::Utc::now().format("%Y%m%dT%H%M%S%6fZ");
        let name = format!("{now}-{}", Uuid::new_v4().simple());
        let draft = folder.join(format!(".{name}"));
        std::fs::write(&draft, mail)?;
        std::fs::rename(draft, folder.join(format!("{name}.eml")))
    });
    written.await.map_err(std::io::Error::other)?
}
