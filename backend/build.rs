//! A release carries the built pages, so it is built again when they change. Other builds read them from the folder,
//! which has to be there when the program is compiled.

use std::{env, fs, io};

/// What `npm run build` writes to.
const PAGES: &str = "../frontend/dist";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../migrations");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed={PAGES}");
    }
    fs::create_dir_all(PAGES)
}
