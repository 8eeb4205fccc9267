//! Certificates of authorities that only the test knows.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Arguments for a key on a curve, which takes a hundredth of the time of one for RSA.
const NEW_KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1";

/// Writes `name.crt` and `name.key` of an authority.
pub fn authority(folder: &Path, name: &str) {
    let subject = format!("-subj /CN={name} -keyout {name}.key -out {name}.crt");
    openssl(folder, &format!("req -x509 {NEW_KEY} -nodes -days 2 {subject}"));
}

/// Writes `name.crt` and `name.key` of a server at 127.0.0.1, signed by this authority.
pub fn certificate(folder: &Path, name: &str, authority: &str) {
    openssl(folder, &format!("req {NEW_KEY} -nodes -subj /CN=server -keyout {name}.key -out {name}.csr"));
    fs::write(folder.join("names"), "subjectAltName = IP:127.0.0.1\n").expect("the folder can be written");
    let by = format!("-CA {authority}.crt -CAkey {authority}.key -CAcreateserial");
    openssl(folder, &format!("x509 -req -in {name}.csr {by} -days 2 -extfile names -out {name}.crt"));
}

fn openssl(folder: &Path, words: &str) {
    let done = Command::new("openssl").args(words.split(' ')).current_dir(folder).output().expect("openssl is there");
    assert!(done.status.success(), "{done:?}");
}
