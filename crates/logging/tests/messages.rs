//! Every message of the log is a literal and every value has a type of its own: nothing is formatted into a line.

use std::fs;
use std::path::{Path, PathBuf};

const CALLS: [&str; 8] =
    ["error!(", "warn!(", "info!(", "debug!(", "error_span!(", "warn_span!(", "info_span!(", "debug_span!("];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The text up to the bracket that closes the first one. No string of ours holds a lone bracket.
fn to_its_end(text: &str) -> &str {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return &text[..=at],
            b')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The arguments of every call of `tracing` in a text.
fn calls(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for call in CALLS {
        for (at, _) in text.match_indices(&format!("tracing::{call}")) {
            found.push(to_its_end(&text[at..]));
        }
    }
    found
}

#[test]
fn nothing_is_formatted_into_a_line() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of all crates");
    let mut count = 0;
    for krate in fs::read_dir(crates).expect("readable").flatten() {
        if krate.file_name() == "logging" {
            continue;
        }
        let mut files = Vec::new();
        sources(&krate.path().join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("text");
            assert!(!text.contains("use tracing::"), "{}: write `tracing::` in front", file.display());
            assert!(
                !text.contains("tracing::event!") && !text.contains("tracing::span!"),
                "{}",
                file.display()
            );
            for call in calls(&text) {
                let formats = call.contains('{') || call.contains('%') || call.contains('?');
                assert!(!formats, "{}: {call}", file.display());
                count += 1;
            }
        }
    }
    assert!(count >= 10, "the calls are found: {count}");
}

#[test]
fn a_call_is_found_with_its_arguments() {
    let text = "x; tracing::warn!(files = f(1), \"a {b}\"); tracing::info_span!(\"c\", d = %e).entered();";
    assert_eq!(
        calls(text),
        ["tracing::warn!(files = f(1), \"a {b}\")", "tracing::info_span!(\"c\", d = %e)"]
    );
}
