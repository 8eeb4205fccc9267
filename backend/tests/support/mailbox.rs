//! Mails that became files.

use super::TestApp;

/// Returns all mails as text, oldest first, with soft line breaks undone.
pub fn read(app: &TestApp) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(app.data_dir.path().join("mail")) else { return Vec::new() };
    let mut files: Vec<_> = folder.map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    let read = |file| std::fs::read_to_string(file).expect("a mail is text");
    files.iter().map(|file| read(file).replace("\r\n", "\n").replace("=\n", "")).collect()
}
