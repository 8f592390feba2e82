//! File conventions: the first line, the file name, marks of unfinished work, lint exceptions.

use super::Repository;
use super::rust_source::{Source, WordKind};
use crate::report::Findings;

/// Checks every Rust file.
pub(super) fn check(repository: &Repository, findings: &mut Findings) {
    for source in &repository.sources {
        opening(source, findings);
        name(source, &repository.policy.names.forbidden, findings);
        marks(source, findings);
        for &line in &source.loose_lints {
            findings.fail(
                &source.path,
                line,
                "write `#[expect(…, reason = \"…\")]`: an exception states its reason and fails when it is no longer needed",
            );
        }
        if source.path.ends_with("/src/lib.rs") {
            for &line in &source.open_modules {
                findings.fail(
                    &source.path,
                    line,
                    "a crate's modules are private; `pub use` lists what is public",
                );
            }
        }
    }
}

fn opening(source: &Source, findings: &mut Findings) {
    let first = source.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if first.strip_prefix("//!").is_none_or(|words| words.trim().is_empty()) {
        findings.fail(&source.path, 1, "a file starts with `//!` and says what it does");
    }
}

fn name(source: &Source, forbidden: &[String], findings: &mut Findings) {
    for part in source.path.trim_end_matches(".rs").split(['/', '_', '-']) {
        if forbidden.iter().any(|word| word == part) {
            findings.fail(&source.path, 0, format!("`{part}` is meaningless; name what the module contains"));
        }
    }
}

/// Marks of unfinished work: macros are rejected, comments need a reason.
fn marks(source: &Source, findings: &mut Findings) {
    for (at, line) in source.text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else { continue };
        for mark in ["TODO", "FIXME", "XXX", "HACK"] {
            let Some((before, after)) = comment.split_once(mark) else { continue };
            let stands_alone = before.trim_matches(['/', '!', ' ']).is_empty();
            if stands_alone && after.split_whitespace().count() < 4 {
                findings.fail(&source.path, at + 1, format!("{mark} without a reason"));
            }
        }
    }
    for word in &source.words {
        if word.kind == WordKind::Name && ["todo", "unimplemented"].contains(&word.text.as_str()) {
            findings.fail(&source.path, word.line, format!("`{}!` is unfinished work", word.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Findings {
        let source = Source::read(path, text.to_owned()).expect("the sample is Rust");
        let mut findings = Findings::default();
        opening(&source, &mut findings);
        name(&source, &["utils".to_owned()], &mut findings);
        marks(&source, &mut findings);
        findings
    }

    #[test]
    fn a_file_says_what_it_is_for() {
        assert_eq!(findings("a.rs", "fn a() {}\n").texts().len(), 1);
        assert_eq!(findings("a.rs", "//!\nfn a() {}\n").texts().len(), 1);
        assert!(findings("a.rs", "//! Purpose.\n").texts().is_empty());
    }

    #[test]
    fn names_and_marks_are_checked() {
        assert_eq!(findings("src/file_utils.rs", "//! Purpose.\n").texts().len(), 1);
        assert_eq!(findings("a.rs", "//! Purpose.\n// TODO later\n").texts().len(), 1);
        let reasoned = "//! Purpose.\n// FIXME: the grammar loses the second declarator here\n";
        assert!(findings("a.rs", reasoned).texts().is_empty());
    }
}
