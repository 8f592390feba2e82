//! A record of the files of repositories that were opened, for tests that swap each of them for something hostile.
//!
//! Exists in debug builds only, so that a test's list of files is complete by construction, and a release has no such switch.

use std::path::Path;

/// The variable that names the file to which opened paths are appended, one a line.
#[cfg(debug_assertions)]
const VARIABLE: &str = "TEST_OPENED_FILES";

#[cfg(debug_assertions)]
pub(crate) fn record(path: &Path) {
    use std::fs::File;
    use std::io::Write;
    use std::sync::OnceLock;
    static RECORD: OnceLock<Option<File>> = OnceLock::new();
    let record = RECORD.get_or_init(|| {
        let file = std::env::var_os(VARIABLE)?;
        File::options().append(true).create(true).open(file).ok()
    });
    if let Some(mut file) = record.as_ref() {
        // One write, so that the lines of threads and processes do not mix.
        let _ = file.write_all(format!("{}\n", path.display()).as_bytes());
    }
}

#[cfg(not(debug_assertions))]
pub(crate) fn record(_path: &Path) {}
