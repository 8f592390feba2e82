//! `bench memory`: peak memory of a first index and of a query.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::floor::index_command;
use super::process::{self, Scratch, mebibytes};
use crate::corpus::default_threads;
use crate::report::table;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Measures a first index and a query, directory by directory.
pub(super) fn run(directories: &[PathBuf], threads: Option<usize>) -> Result<()> {
    let threads = threads.unwrap_or_else(default_threads);
    let product = process::product()?;
    let mut rows = Vec::new();
    for directory in directories {
        let scratch = Scratch::new("memory")?;
        let index = process::cost(&mut index_command(&product, directory, scratch.path(), threads), true)?;
        let mut question = Command::new(&product);
        question.arg("status").arg("--root").arg(directory).arg("--store").arg(scratch.path()).arg("--quiet");
        let question = process::cost(&mut question, true)?;
        rows.push(vec![
            directory.display().to_string(),
            mebibytes(index.memory),
            format!("{:.2} s", index.time.as_secs_f64()),
            mebibytes(question.memory),
        ]);
    }
    println!("{threads} threads");
    table(&["directory", "peak of index", "time", "peak of status"], &rows);
    Ok(())
}
