//! Mails. [`models::mails`](crate::models::mails) queues them in the transaction of their cause, [`outbox`] takes them
//! from there, `letters` holds their texts, and [`Mailer`] sends them.

mod letters;
pub mod outbox;
mod sender;

pub use letters::Letter;
pub use sender::Mailer;
