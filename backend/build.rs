//! Rebuilds a release when the built pages change, since it contains them. Other builds read them from the folder, which
//! must exist when the program is compiled.

use std::{env, fs, io};

/// Folder that `npm run build` writes to.
const PAGES: &str = "../frontend/dist";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../migrations");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed={PAGES}");
    }
    fs::create_dir_all(PAGES)
}
