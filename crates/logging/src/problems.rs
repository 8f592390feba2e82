//! Reads the last warnings and errors from a log, for `orient doctor --log`.

use crate::path;
use crate::rotation::{KEPT, name};
use orient_safefs::Directory;
use std::io;
use std::path::{Path, PathBuf};

/// No file of a log is larger, unless somebody else wrote it.
const LARGEST: u64 = 16 << 20;

/// What there is of a log.
#[derive(Debug)]
pub struct Problems {
    /// The file that is written now.
    pub file: PathBuf,
    /// How many bytes all its files have together.
    pub bytes: u64,
    /// The last lines with a warning or an error, the oldest first, each a JSON object.
    pub lines: Vec<String>,
}

/// Reads the newest warnings and errors from the log of a store, up to `most` of them.
pub fn problems(store: &Path, most: usize) -> io::Result<Problems> {
    let mut found = Problems { file: path(store), bytes: 0, lines: Vec::new() };
    let directory = match Directory::open(found.file.parent().unwrap_or(store)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        directory => directory?,
    };
    for age in 0..KEPT {
        let name = name(age);
        found.bytes += directory.entry(&name).map_or(0, |entry| entry.bytes);
        if found.lines.len() < most
            && let Some(bytes) = directory.read(&name, LARGEST)?
        {
            let text = String::from_utf8_lossy(&bytes);
            let left = most - found.lines.len();
            let newest = text.lines().rev().filter(|line| is_problem(line)).take(left);
            found.lines.extend(newest.map(str::to_owned));
        }
    }
    found.lines.reverse();
    Ok(found)
}

/// Whether a whole line says warning or error. The level is second, after a timestamp of fixed length.
fn is_problem(line: &str) -> bool {
    let level = line.strip_prefix("{\"ts\":\"").and_then(|rest| rest.get(24..));
    let level = level.and_then(|rest| rest.strip_prefix("\",\"level\":\""));
    let severe = |level: &str| level.starts_with("warn\"") || level.starts_with("error\"");
    level.is_some_and(severe) && line.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn line(level: &str, number: usize) -> String {
        format!("{{\"ts\":\"2026-03-01T09:30:00.125Z\",\"level\":\"{level}\",\"n\":{number}}}\n")
    }

    #[test]
    fn the_newest_problems_of_all_files_come_in_their_order() {
        let store = tempfile::tempdir().expect("a directory");
        let directory = store.path().join("log");
        let none = problems(store.path(), 3).expect("no log is no error");
        assert_eq!((none.file, none.bytes, none.lines.len()), (path(store.path()), 0, 0));
        fs::create_dir(&directory).expect("made");
        fs::write(directory.join(name(1)), [line("warn", 1), line("error", 2), line("info", 3)].concat())
            .expect("written");
        let torn = "{\"ts\":\"2026-03-01T09:30:00.125Z\",\"level\":\"warn\",\"n\n";
        let said = "{\"ts\":\"2026-03-01T09:30:00.125Z\",\"level\":\"info\",\"message\":\"\\\"level\\\":\\\"warn\\\"\"}\n";
        fs::write(directory.join(name(0)), [&line("warn", 4), torn, said, &line("error", 5)].concat())
            .expect("written");
        let numbers = |most| -> Vec<String> { problems(store.path(), most).expect("readable").lines };
        let expected = |of: &[(&str, usize)]| -> Vec<String> {
            of.iter().map(|(level, number)| line(level, *number).trim_end().to_owned()).collect()
        };
        assert_eq!(numbers(3), expected(&[("error", 2), ("warn", 4), ("error", 5)]));
        assert_eq!(numbers(1), expected(&[("error", 5)]));
        assert_eq!(numbers(9).len(), 4);
    }
}
