//! Findings of checks, and tables on the terminal.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use anyhow::{Result, bail};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// A warning.
    Warn,
    /// An error, which fails the check.
    Fail,
}

/// A finding at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    level: Level,
    path: String,
    line: usize,
    what: String,
}

/// The findings of all checks so far.
#[derive(Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    /// Adds an error. Line 0 means the whole file.
    pub(crate) fn fail(&mut self, path: &str, line: usize, what: impl Into<String>) {
        self.0.push(Finding { level: Level::Fail, path: path.to_owned(), line, what: what.into() });
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, path: &str, line: usize, what: impl Into<String>) {
        self.0.push(Finding { level: Level::Warn, path: path.to_owned(), line, what: what.into() });
    }

    /// The messages, for tests.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.0.iter().map(|finding| finding.what.as_str()).collect()
    }

    /// Prints all findings, warnings first. Fails if there is an error.
    pub(crate) fn conclude(mut self, check: &str) -> Result<()> {
        self.0.sort();
        self.0.dedup();
        for Finding { level, path, line, what } in &self.0 {
            let level = if *level == Level::Fail { "error" } else { "warning" };
            let line = if *line == 0 { String::new() } else { format!(":{line}") };
            println!("{level}: {path}{line}: {what}");
        }
        let failures = self.0.iter().filter(|finding| finding.level == Level::Fail).count();
        if failures > 0 {
            bail!("{check}: {failures} errors");
        }
        println!("{check}: ok, {} warnings", self.0.len());
        Ok(())
    }
}

/// Prints a table: the first column is aligned left, the others right.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) {
    let mut widths: Vec<usize> = heading.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let heading: Vec<String> = heading.iter().map(|&cell| cell.to_owned()).collect();
    for row in std::iter::once(&heading).chain(rows) {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
            if column == 0 {
                line.extend([cell.as_str(), &pad]);
            } else {
                line.extend(["  ", &pad, cell]);
            }
        }
        println!("{}", line.trim_end());
    }
}

/// A number with separated thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0, 999, 1_000, 1_234_567].map(count).into();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }
}
