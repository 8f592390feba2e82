//! `xtask bench`: what the product costs, as a ratio to a floor measured in the same run.
//!
//! The product is the real `orient` binary in a process of its own; so is each floor. Only ratios and differences are
//! worth keeping: machines differ.

mod floor;
mod fresh;
mod graph;
mod grep;
mod live;
mod load;
mod mcp;
mod memory;
mod process;
mod search;

pub(crate) use floor::index_command;
pub(crate) use fresh::copy;
pub(crate) use live::open;
pub(crate) use process::{Cost, Scratch, cost as process_cost, mebibytes, product};

use anyhow::{Result, bail};
use clap::Subcommand;
use std::path::PathBuf;

/// What to measure.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// A full index against reading and parsing the same files with the same threads
    Floor {
        /// The directory to index
        directory: PathBuf,
        /// How many threads both may use
        #[arg(long)]
        threads: Option<usize>,
        /// How often to measure, the two in turns; the best of each counts
        #[arg(long, default_value_t = 1)]
        rounds: usize,
        /// Fails if the ratio is above this
        #[arg(long)]
        at_most: Option<f64>,
    },
    /// `orient status` against a bare walk: with nothing changed, and with one file changed
    Fresh {
        /// The directory to index; it is copied first
        directory: PathBuf,
        /// How often to measure; the median counts
        #[arg(long, default_value_t = 15)]
        rounds: usize,
    },
    /// Callers to depth three against the look-up of a name, in one warm process
    Graph {
        /// The directory to index
        directory: PathBuf,
        /// How many symbols to ask about, spread evenly
        #[arg(long, default_value_t = 1000)]
        symbols: usize,
    },
    /// A watched tree: from a save, and from a switch of thousands of files, to the right answer, beside a sweep
    Live {
        /// The directory to watch; it is copied first
        directory: PathBuf,
        /// How often to measure
        #[arg(long, default_value_t = 21)]
        rounds: usize,
        /// How many files a switch rewrites
        #[arg(long, default_value_t = 2000)]
        switched: usize,
    },
    /// `orient serve` with many clients while files change: errors, wrong answers, times and memory
    Load {
        /// The directory to serve; it is copied first
        directory: PathBuf,
        /// For how long
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// How many clients ask at once, each one question after the other
        #[arg(long, default_value_t = 32)]
        clients: usize,
        /// Milliseconds between two changes
        #[arg(long, default_value_t = 500)]
        every: u64,
        /// Milliseconds a client thinks about an answer
        #[arg(long, default_value_t = 0)]
        think: u64,
        /// Fails if 95 of 100 answers about symbols and callers take more milliseconds
        #[arg(long)]
        at_most: Option<u64>,
    },
    /// The peak memory of a full index and of a question
    Memory {
        /// The directories to index
        #[arg(required = true)]
        directories: Vec<PathBuf>,
        /// How many threads to use
        #[arg(long)]
        threads: Option<usize>,
    },
    /// `orient grep` against ripgrep, which must be installed: forty patterns, the same bytes
    Grep {
        /// The directory to search
        directory: PathBuf,
        /// Keep the index here, for another run
        #[arg(long)]
        store: Option<PathBuf>,
        /// How often to measure, in turns; the median counts
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Answer from the index as it is: what the look at the files costs is the difference
        #[arg(long)]
        no_refresh: bool,
        /// Fails if selective patterns are not so many times faster at the median
        #[arg(long)]
        at_least: Option<f64>,
    },
    /// `orient mcp` from its start to the first answer, against a process that prints its version; memory while idle
    Mcp {
        /// The directory to serve
        directory: PathBuf,
        /// How often to measure; the median counts
        #[arg(long, default_value_t = 15)]
        rounds: usize,
        /// Fails if the first answer takes more milliseconds
        #[arg(long)]
        at_most: Option<u64>,
    },
    /// Questions in words, in a process of their own and in one that has answered before
    Search {
        /// The directory to index
        directory: PathBuf,
        /// Keep the index here, for another run
        #[arg(long)]
        store: Option<PathBuf>,
        /// How many questions to ask
        #[arg(long, default_value_t = 400)]
        questions: usize,
        /// How often to change a file, of a copy of the directory, and ask
        #[arg(long, default_value_t = 0, conflicts_with = "store")]
        changes: usize,
        /// Fails if the median of a warm answer takes more milliseconds
        #[arg(long)]
        at_most: Option<f64>,
    },
    /// The floor itself, in the process that is measured
    #[command(hide = true)]
    FloorStep { directory: PathBuf, threads: usize },
    /// A bare walk, in the process that is measured
    #[command(hide = true)]
    WalkStep { directory: PathBuf },
}

/// Measures.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    if cfg!(debug_assertions) {
        bail!("a debug build measures nothing: `cargo run --release --package xtask -- bench …`");
    }
    match bench {
        Bench::Floor { directory, threads, rounds, at_most } => {
            floor::run(directory, *threads, *rounds, *at_most)
        }
        Bench::Fresh { directory, rounds } => fresh::run(directory, *rounds),
        Bench::Graph { directory, symbols } => graph::run(directory, *symbols),
        Bench::Live { directory, rounds, switched } => live::run(directory, *rounds, *switched),
        Bench::Load { directory, seconds, clients, every, think, at_most } => {
            let (seconds, clients, every) = (*seconds, *clients, *every);
            load::run(directory, &load::Options { seconds, clients, every, think: *think, at_most: *at_most })
        }
        Bench::Memory { directories, threads } => memory::run(directories, *threads),
        Bench::Grep { directory, store, rounds, no_refresh, at_least } => {
            grep::run(directory, store.as_deref(), *rounds, !no_refresh, *at_least)
        }
        Bench::Mcp { directory, rounds, at_most } => mcp::run(directory, *rounds, *at_most),
        Bench::Search { directory, store, questions, changes, at_most } => {
            search::run(directory, store.as_deref(), *questions, *changes, *at_most)
        }
        Bench::FloorStep { directory, threads } => floor::step(directory, *threads),
        Bench::WalkStep { directory } => fresh::walk(directory),
    }
}
