//! `xtask churn`: incremental equals full. Changes a tree, and compares the index that caught up with one that is built from scratch.
//!
//! Three sources of changes find different faults: random edits of a copy of a real tree, edits of the small programs in the
//! documents of the packs, in which every line matters, and the commits of a real history.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod commits;
mod compare;
mod programs;
mod tree;

use anyhow::{Result, bail};
use std::path::PathBuf;

/// Batches in the sample.
const SAMPLE: usize = 200;

/// Options of `xtask churn`.
#[derive(clap::Args)]
pub(crate) struct Churn {
    /// The directory to copy and change; with `--history`, a clone
    directory: Option<PathBuf>,
    /// Number of rounds
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Number of changes per round, each followed by a refresh or not
    #[arg(long, default_value_t = 6)]
    changes: usize,
    /// Changes the programs in the documents of the packs instead: so many batches of edits
    #[arg(long, value_name = "BATCHES", conflicts_with = "directory")]
    programs: Option<usize>,
    /// Only the programs of these packs
    #[arg(long, value_name = "NAME", requires = "programs")]
    packs: Vec<String>,
    /// Goes through so many neighbouring commits of the clone instead
    #[arg(long, value_name = "COMMITS", requires = "directory")]
    history: Option<usize>,
    /// Goes on after a difference, and counts them
    #[arg(long)]
    keep_going: bool,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A few batches of edits of the programs of the packs, for every change of the code.
pub(crate) fn sample() -> Result<()> {
    let options = Churn {
        directory: None,
        rounds: 0,
        changes: 0,
        programs: Some(SAMPLE),
        packs: Vec::new(),
        history: None,
        keep_going: true,
        seed: 1,
    };
    run(&options)
}

/// Changes files and compares indexes.
pub(crate) fn run(options: &Churn) -> Result<()> {
    match (&options.directory, options.programs, options.history) {
        (_, Some(batches), _) => programs::run(batches, options),
        (Some(directory), None, Some(commits)) => commits::run(directory, commits, options),
        (Some(directory), None, None) => tree::run(directory, options),
        (None, None, _) => bail!("say which directory to change, or --programs BATCHES"),
    }
}
