//! A release carries the built pages: it is built again when they change. Other builds read them from disk, from the
//! folder as it is found now: it has to be there, or pages built later would never be seen.

use std::{env, fs, io};

/// What `npm run build` writes to.
const PAGES: &str = "../../frontend/dist";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed={PAGES}");
    }
    fs::create_dir_all(PAGES)
}
