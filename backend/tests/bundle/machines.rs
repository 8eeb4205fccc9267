//! A rebuilt bundle has the same bytes on every machine.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use model_server::{Fault, Faults};

use super::{bundled, designed};
use crate::support::Outcome;

const PROGRAM: &str = env!("CARGO_BIN_EXE_twinlab");

/// Descriptions of machines, as words before the program.
const MACHINES: [&[&str]; 6] = [
    &["env", "-i"],
    &["env", "-i", "TZ=Pacific/Apia", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"],
    &["env", "-i", "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8", "LC_NUMERIC=de_DE.UTF-8", "HOME=/nowhere"],
    &["env", "-i", "TZ=America/St_Johns", "LC_ALL=C", "RAYON_NUM_THREADS=7", "TOKIO_WORKER_THREADS=1"],
    &["env", "-i", "taskset", "--cpu-list", "0"],
    // The C library then computes logarithms and exponentials by other instructions.
    &["env", "-i", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"],
];

#[actix_web::test]
async fn a_bundle_is_equal_on_other_machines() {
    let faults = Faults { attempts_struck: 3, ..Faults::default() }.with(Fault::Refusal, 0.2);
    let (_fixture, _, folder, path) = bundled(&designed(), faults).await;
    // Read only, and named by a path from elsewhere.
    let place = folder.path().join("read only");
    fs::create_dir(&place).expect("a folder");
    fs::copy(&path, place.join("run.zip")).expect("a copy");
    fs::set_permissions(&place, Permissions::from_mode(0o555)).expect("it is made read only");
    for machine in MACHINES {
        let mut command = Command::new(machine[0]);
        command.args(&machine[1..]).args([PROGRAM, "replay", "run.zip", "--check"]).current_dir(&place);
        let output = Outcome::of(&mut command);
        assert_eq!(output.code, Some(0), "{machine:?}: {output:#?}");
        assert!(!output.stdout.contains("DIFFERS"), "{machine:?}: {output:#?}");
    }
    let left: Vec<_> = fs::read_dir(&place).expect("the folder").collect();
    assert_eq!(left.len(), 1, "nothing is written beside a bundle");
    fs::set_permissions(&place, Permissions::from_mode(0o755)).expect("it can be removed");
}
