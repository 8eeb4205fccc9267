//! The files that `npm run build` wrote to `frontend/dist`.
//!
//! A release carries them; a build for development reads them where they stand, so that new pages need no new binary.
//! Which of the two it is, is decided by this crate's debug assertions: the reason why it is one of its own.

use rust_embed::RustEmbed;

/// `Pages::get` finds a file by its path, e.g. `assets/app-C4OJYk92.js`.
#[derive(RustEmbed)]
#[folder = "../../frontend/dist"]
pub struct Pages;
