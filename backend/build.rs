//! A release carries the built pages: it is built again when they change. Other builds read them from disk.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../frontend/dist");
    }
}
