//! The review of a finished change: what the diff contains that the plan and the record do not explain.

use crate::guard::DependentUse;
use crate::intent::words;
use crate::record::Record;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// Added or changed lines, with their numbers and text.
    pub added: Vec<(u32, String)>,
    /// Number of removed lines.
    pub removed: usize,
    /// Whether it is new.
    pub is_new: bool,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// Whether it holds tests or documentation.
    pub is_support: bool,
}

/// A public symbol that the change adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSymbol {
    /// Its handle.
    pub handle: String,
    /// Its file.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// Whether a test reaches it.
    pub tested: bool,
    /// Whether it is documented.
    pub documented: bool,
}

/// What is reviewed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewInput {
    /// The changed files, by path.
    pub files: Vec<ChangedFile>,
    /// Files that the understanding and the plan name.
    pub expected: BTreeSet<String>,
    /// Uses of the changed symbols in other files.
    pub must: Vec<DependentUse>,
    /// New public symbols.
    pub new_symbols: Vec<NewSymbol>,
}

words! {
    /// What the review found.
    FindingKind {
        /// A use of a changed symbol was neither read nor changed.
        Unverified = "unverified_use",
        /// A file was changed that was never explored.
        Unexplored = "unexplored_file",
        /// An added line prints for debugging.
        DebugOutput = "debug_output",
        /// Added lines are code in a comment.
        CommentedOutCode = "commented_out_code",
        /// A file was changed that neither the understanding nor the plan names.
        UnrelatedChange = "unrelated_change",
        /// A new public symbol that no test reaches.
        Untested = "untested_symbol",
        /// A new public symbol without documentation.
        Undocumented = "undocumented_symbol",
    }
}

impl FindingKind {
    /// Whether it must be dealt with before the task can succeed; the others should be.
    pub fn is_required(self) -> bool {
        matches!(self, Self::Unverified | Self::Unexplored | Self::DebugOutput)
    }
}

/// Something that the review found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Where.
    pub path: String,
    /// The line; 0 for a whole file.
    pub line: u32,
    /// The symbol or the line of code.
    pub text: String,
}

/// Reviews a change, required findings first, then by kind, path and line.
pub fn review(input: &ReviewInput, record: &Record) -> Vec<Finding> {
    let mut found = Vec::new();
    let changed: BTreeSet<&str> = input.files.iter().map(|file| file.path.as_str()).collect();
    for one in &input.must {
        if !changed.contains(one.at.path.as_str()) && !one.is_verified(record) {
            found.push(Finding {
                kind: FindingKind::Unverified,
                path: one.at.path.clone(),
                line: one.at.line.unwrap_or_default(),
                text: one.symbol.clone(),
            });
        }
    }
    for file in &input.files {
        review_file(file, input, record, &mut found);
    }
    for symbol in &input.new_symbols {
        let missing =
            [(!symbol.tested, FindingKind::Untested), (!symbol.documented, FindingKind::Undocumented)];
        for (_, kind) in missing.into_iter().filter(|(is_missing, _)| *is_missing) {
            let (path, text) = (symbol.path.clone(), symbol.handle.clone());
            found.push(Finding { kind, path, line: symbol.line, text });
        }
    }
    found.sort_by(|a, b| (a.kind, &a.path, a.line, &a.text).cmp(&(b.kind, &b.path, b.line, &b.text)));
    found.sort_by_key(|finding| !finding.kind.is_required());
    found
}

fn review_file(file: &ChangedFile, input: &ReviewInput, record: &Record, found: &mut Vec<Finding>) {
    let at =
        |kind, line: u32, text: &str| Finding { kind, path: file.path.clone(), line, text: text.to_owned() };
    let explored = record.files.contains_key(&file.path) || record.written.contains(&file.path);
    if !explored && !file.is_new && !file.is_deleted {
        found.push(at(FindingKind::Unexplored, 0, ""));
    } else if !file.is_support && !file.is_new && !input.expected.contains(&file.path) {
        found.push(at(FindingKind::UnrelatedChange, 0, ""));
    }
    let mut comment_run: Vec<&(u32, String)> = Vec::new();
    for line in &file.added {
        if !file.is_support && is_debug_output(&line.1) {
            found.push(at(FindingKind::DebugOutput, line.0, line.1.trim()));
        }
        let continues = comment_run.last().is_some_and(|last| last.0 + 1 == line.0);
        if !continues {
            report_comments(&comment_run, &at, found);
            comment_run.clear();
        }
        if commented_code(&line.1) {
            comment_run.push(line);
        }
    }
    report_comments(&comment_run, &at, found);
}

/// Lines of commented-out code in a row from which they are reported: one alone is often prose.
const MIN_COMMENTED_LINES: usize = 2;

fn report_comments(
    run: &[&(u32, String)],
    at: &dyn Fn(FindingKind, u32, &str) -> Finding,
    found: &mut Vec<Finding>,
) {
    if let (Some((line, text)), true) = (run.first(), run.len() >= MIN_COMMENTED_LINES) {
        found.push(at(FindingKind::CommentedOutCode, *line, text.trim()));
    }
}

/// Calls and statements that print for debugging, in any language. Ordinary printing of a program is not among them, except
/// with a text that marks it.
const DEBUG_CALLS: &[&str] = &[
    "console.log(",
    "console.debug(",
    "console.trace(",
    "debugger;",
    "dbg!(",
    "var_dump(",
    "print_r(",
    "dd(",
    "pdb.set_trace(",
    "breakpoint()",
    "binding.pry",
    "byebug",
    "System.err.println(\"DEBUG",
    "pprint(",
    "fmt.Printf(\"DEBUG",
    "fmt.Println(\"DEBUG",
    "print(\"DEBUG",
    "print('DEBUG",
    "print(f\"DEBUG",
    "println!(\"DEBUG",
    "eprintln!(\"DEBUG",
    "puts \"DEBUG",
    "printStackTrace()",
    "console.dir(",
    "spew.Dump(",
    "NSLog(@\"DEBUG",
];

/// Whether a line prints for debugging.
fn is_debug_output(line: &str) -> bool {
    let code = line.trim_start();
    if comment_text(code).is_some() {
        return false;
    }
    DEBUG_CALLS.iter().any(|call| {
        code.match_indices(call).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.')
        })
    })
}

/// The text of a line comment.
fn comment_text(code: &str) -> Option<&str> {
    let marks = ["//", "#", "--", ";;", "%"];
    let text = marks.iter().find_map(|mark| code.strip_prefix(mark))?;
    // `#include`, `#[test]`, `--flag` and documentation are no comments with code.
    let is_directive =
        code.starts_with('#') && !text.starts_with([' ', '\t']) || text.starts_with(['!', '[', '/']);
    (!is_directive || code.starts_with("//")).then_some(text)
}

/// Whether a line is a comment that reads as code: it ends as a statement does, or is a call or an assignment.
fn commented_code(line: &str) -> bool {
    let Some(text) = comment_text(line.trim_start()) else { return false };
    let text = text.trim();
    if text.len() < 4 || text.starts_with(['/', '!', '*', '@']) {
        return false;
    }
    let ends = [";", "{", "}", "):", "){", ");", "];"].iter().any(|end| text.ends_with(end));
    let words = text.split_whitespace().count();
    let starts =
        ["if ", "for ", "while ", "return ", "def ", "let ", "const ", "var ", "import ", "fn ", "func "]
            .iter()
            .any(|start| text.starts_with(start));
    let assigns = text.contains(" = ") && !text.ends_with('.');
    let calls = text.ends_with(')') && text.contains('(') && words <= 4 && !text.starts_with('(');
    (ends && words <= 12)
        || (starts && (ends || calls || assigns || text.contains('(')))
        || (assigns && words <= 6)
        || calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_is_told_from_printing() {
        for line in
            ["  console.log(user)", "dbg!(x);", "    import pdb; pdb.set_trace()", "print(\"DEBUG\", x)"]
        {
            assert!(is_debug_output(line), "{line}");
        }
        for line in ["print(result)", "logger.info(x)", "// console.log(user)", "add(1)", "my_console.log(x)"]
        {
            assert!(!is_debug_output(line), "{line}");
        }
    }

    #[test]
    fn code_in_comments_is_told_from_prose() {
        for line in [
            "// let x = compute(y);",
            "# return value(1)",
            "  # total = total + 1",
            "// foo(bar);",
            "# if x > 3:  # call(x)",
        ] {
            assert!(commented_code(line), "{line}");
        }
        for line in [
            "// The total is computed from all rows.",
            "# See the design document for details",
            "/// Returns the value;",
            "#include <stdio.h>",
            "#[derive(Debug)]",
            "# for every row of the table",
        ] {
            assert!(!commented_code(line), "{line}");
        }
    }
}
