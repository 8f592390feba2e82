//! `xtask bench`: the cost of the product, relative to a baseline measured in the same run.
//!
//! The product is the real `orient` binary in a separate process; so is each baseline. Only ratios and differences are
//! comparable between machines.

mod build;
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
mod surface;
mod team;

pub(crate) use floor::index_command;
pub(crate) use fresh::copy;
pub(crate) use live::open;
pub(crate) use process::{Cost, Scratch, cost as process_cost, cpu_time, mebibytes, product};

use anyhow::{Result, bail};
use clap::Subcommand;
use std::path::PathBuf;

/// The benchmarks.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Installing the product, from an empty registry: processor time, downloads, binary, slowest units
    Build {
        /// Fails if it takes more seconds of processor time
        #[arg(long, value_name = "SECONDS")]
        at_most: Option<u64>,
    },
    /// A full index, compared with reading and parsing the same files on the same number of threads
    Floor {
        /// The directory to index
        directory: PathBuf,
        /// Number of threads of both
        #[arg(long)]
        threads: Option<usize>,
        /// Number of measurements, alternating; the best of each counts
        #[arg(long, default_value_t = 1)]
        rounds: usize,
        /// Fails if the ratio is above this
        #[arg(long)]
        at_most: Option<f64>,
    },
    /// `orient status`, compared with a bare walk: with no change, and with one changed file
    Fresh {
        /// The directory to index; it is copied first
        directory: PathBuf,
        /// Number of measurements; the median counts
        #[arg(long, default_value_t = 15)]
        rounds: usize,
    },
    /// Callers to depth three, compared with a symbol lookup, in one warm process
    Graph {
        /// The directory to index
        directory: PathBuf,
        /// Number of symbols to query, spread evenly
        #[arg(long, default_value_t = 1000)]
        symbols: usize,
    },
    /// A watched tree: from a save, and from a branch switch of thousands of files, to a correct answer, compared with a full scan
    Live {
        /// The directory to watch; it is copied first
        directory: PathBuf,
        /// Number of measurements
        #[arg(long, default_value_t = 21)]
        rounds: usize,
        /// Number of files that a switch rewrites
        #[arg(long, default_value_t = 2000)]
        switched: usize,
    },
    /// `orient serve` with many clients while files change: errors, wrong answers, latencies and memory
    Load {
        /// The directory to serve; it is copied first
        directory: PathBuf,
        /// Duration in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Number of concurrent clients
        #[arg(long, default_value_t = 32)]
        clients: usize,
        /// Milliseconds between two changes
        #[arg(long, default_value_t = 500)]
        every: u64,
        /// Think time of a client between two queries, in milliseconds
        #[arg(long, default_value_t = 0)]
        think: u64,
        /// Fails if the 95th percentile of symbol and caller queries takes more milliseconds
        #[arg(long)]
        at_most: Option<u64>,
    },
    /// Peak memory of a full index and of a query
    Memory {
        /// The directories to index
        #[arg(required = true)]
        directories: Vec<PathBuf>,
        /// Number of threads
        #[arg(long)]
        threads: Option<usize>,
    },
    /// `orient grep`, compared with ripgrep, which must be installed: forty patterns, the same output
    Grep {
        /// The directory to search
        directory: PathBuf,
        /// Keeps the index here, for another run
        #[arg(long)]
        store: Option<PathBuf>,
        /// Number of measurements, alternating; the median counts
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Answers from the index as it is: the difference is the cost of checking the files
        #[arg(long)]
        no_refresh: bool,
        /// Fails if selective patterns are not this many times faster at the median
        #[arg(long)]
        at_least: Option<f64>,
    },
    /// `orient mcp` from its start to the first answer, compared with a process that prints its version; memory while idle
    Mcp {
        /// The directory to serve
        directory: PathBuf,
        /// Number of measurements; the median counts
        #[arg(long, default_value_t = 15)]
        rounds: usize,
        /// Fails if the first answer takes more milliseconds
        #[arg(long)]
        at_most: Option<u64>,
    },
    /// Search queries, each in a new process, and in a warm one
    Search {
        /// The directory to index
        directory: PathBuf,
        /// Keeps the index here, for another run
        #[arg(long)]
        store: Option<PathBuf>,
        /// Number of queries
        #[arg(long, default_value_t = 400)]
        questions: usize,
        /// Number of times to change a file in a copy of the directory, and query
        #[arg(long, default_value_t = 0, conflicts_with = "store")]
        changes: usize,
        /// Fails if the median of a warm query takes more milliseconds
        #[arg(long)]
        at_most: Option<f64>,
    },
    /// What the rules of frameworks add to a full index, in processor time
    Surface {
        /// The directory to index
        directory: PathBuf,
        /// Number of measurements, alternating; the median counts
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Fails if they add more percent
        #[arg(long)]
        at_most: Option<f64>,
    },
    /// A running team server with many clients: latencies by kind of question
    Team {
        /// The address of a node: http://HOST:PORT
        url: String,
        /// The text of a token; its rate must allow the questions
        #[arg(long, env = "ORIENT_TEAM_TOKEN", hide_env_values = true)]
        token: String,
        /// Number of concurrent clients
        #[arg(long, default_value_t = 32)]
        clients: usize,
        /// Duration for each kind of question, in seconds
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Seconds before them that do not count
        #[arg(long, default_value_t = 5)]
        warm_up: u64,
        /// Mean think time of a client between two questions, in milliseconds
        #[arg(long, default_value_t = 0)]
        think: u64,
        /// Asks only kinds of questions whose name contains one of these
        #[arg(long)]
        only: Vec<String>,
        /// Prints the processor time that an answer takes in this process and those below it
        #[arg(long = "process")]
        processes: Vec<u32>,
    },
    /// The baseline itself, in the measured process
    #[command(hide = true)]
    FloorStep { directory: PathBuf, threads: usize },
    /// A bare walk, in the measured process
    #[command(hide = true)]
    WalkStep { directory: PathBuf },
    /// Parsing and resolution, in the measured process
    #[command(hide = true)]
    SurfaceStep { directory: PathBuf, rules: String },
}

/// Runs a benchmark.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    // What Cargo installs is optimised, whatever started it.
    if cfg!(debug_assertions) && !matches!(bench, Bench::Build { .. }) {
        bail!(
            "a debug build yields no useful measurements; run `cargo run --release --package xtask -- bench …`"
        );
    }
    match bench {
        Bench::Build { at_most } => build::run(*at_most),
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
        Bench::Surface { directory, rounds, at_most } => surface::run(directory, *rounds, *at_most),
        Bench::Team { url, token, clients, seconds, warm_up, think, only, processes } => {
            let (url, token) = (url.trim_end_matches('/').to_owned(), token.clone());
            let (clients, seconds, warm_up, think) = (*clients, *seconds, *warm_up, *think);
            let (only, processes) = (only.clone(), processes.clone());
            team::run(&team::Options { url, token, clients, seconds, warm_up, think, only, processes })
        }
        Bench::SurfaceStep { directory, rules } => surface::step(directory, rules),
        Bench::FloorStep { directory, threads } => floor::step(directory, *threads),
        Bench::WalkStep { directory } => fresh::walk(directory),
    }
}
