//! A folder as a zip with a manifest and a seal, and back. Every change of a byte is found when it is opened.

mod folder;
mod manifest;
mod pack;
mod seal;
mod unpack;

pub use folder::{hash, list_files};
pub use manifest::{ArchiveOrigin, ListedFile, MANIFEST, Manifest};
pub use pack::pack;
pub use unpack::{Opened, is_safe, open};
