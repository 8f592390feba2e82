//! Development commands, run as `cargo xtask NAME`.
//!
//! Each subcommand is a file or a directory. Nothing here is part of the product.
#![expect(clippy::print_stderr, reason = "a subcommand prints to the terminal")]

mod bench;
mod bombs;
mod breaks;
mod churn;
mod ci;
mod clients;
mod corpus;
mod crosscheck;
mod damage;
mod docgen;
mod eval;
mod facts;
mod grammars;
mod graph;
mod history;
mod http_connection;
mod mcp_client;
mod mutate;
mod package;
mod packs;
mod random;
mod replay;
mod report;
mod revisions;
mod serve_process;
mod structural;
mod tidy;
mod web;
mod workspace;

use anyhow::Result;
use bench::Bench;
use clap::{Parser, Subcommand};
use eval::Eval;
use package::Package;
use std::path::PathBuf;
use std::process::ExitCode;

/// The allocator of the product, so that measurements in this process are comparable.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Development commands of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version, disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs all tests, lints and checks
    Ci {
        /// Fails if a tool that a check needs is missing
        #[arg(long)]
        all: bool,
    },
    /// Runs the tests: needs nothing but Rust, a C compiler and git
    Test,
    /// Checks conventions that no compiler checks: sizes, dependencies, words, links
    Tidy,
    /// Language packs
    #[command(subcommand)]
    Packs(Packs),
    /// Generates the reference pages, and the examples and figures in the other pages
    Docgen {
        /// Only checks: fails if a page is out of date
        #[arg(long)]
        check: bool,
    },
    /// Prints the facts of a file in the form that pack tests compare
    Facts {
        /// The file
        file: PathBuf,
        /// Prints the syntax tree instead
        #[arg(long)]
        tree: bool,
    },
    /// Prints the edges of a directory, one JSON object per line, without a store
    Graph {
        /// The directory of sources
        directory: PathBuf,
        /// Also prints external and unresolved references
        #[arg(long)]
        misses: bool,
        /// Only edges from files whose path contains this text
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Indexes generated files that are expensive to parse, under a hard limit on memory (in a release build)
    Bombs(bombs::Bombs),
    /// Changes files of a copied directory at random; the refreshed index must equal one built from scratch
    Churn(churn::Churn),
    /// Breaks definitions of a clone at random, and compares the uses that are told with those that are written
    Breaks(breaks::Breaks),
    /// Compares the indexes of commits with those of their checkouts, and measures them
    Revisions(revisions::Revisions),
    /// Replays real bug fixes as guided tasks: what plans reach, what they cost, how fast the guard is
    Replay(replay::Replay),
    /// Damages the files of a store at random; every answer must be that of an index built from scratch
    Damage(damage::Damage),
    /// Mutates a directory in memory in ways whose meaning is known, and compares the graphs
    Mutate {
        /// The directory of sources
        directory: PathBuf,
        /// Seed of the random numbers
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// Number of mutations per kind and language
        #[arg(long, value_name = "N", default_value_t = 20)]
        count: usize,
        /// Only in this language
        #[arg(long, value_name = "LANGUAGE")]
        lang: Option<String>,
    },
    /// Compares our symbols with those of Universal Ctags
    Crosscheck {
        /// The directory of sources
        directory: PathBuf,
        /// The language to compare
        #[arg(long)]
        lang: String,
        /// Prints every missing tag
        #[arg(long)]
        all: bool,
        /// Prints this many of our symbols with the source at both ends, for inspection, instead of comparing
        #[arg(long, value_name = "NUMBER")]
        sample: Option<usize>,
        /// Draws the sample at random with this seed instead of evenly
        #[arg(long, value_name = "NUMBER", requires = "sample")]
        seed: Option<u64>,
        /// Prints where the parser failed, with the source, instead of comparing
        #[arg(long, conflicts_with = "sample")]
        issues: bool,
    },
    /// Compares blame, logs, the pickaxe and the history index with git on a clone (in a release build)
    History(history::HistoryCheck),
    /// Compares the matches of structural patterns, drawn from the code itself, with those of ast-grep
    Structural(structural::Structural),
    /// Makes the stored grammars from their packages; alone, prints what each adds to the program
    Grammars(grammars::Grammars),
    /// Runs the official MCP clients against the servers, and counts the tokens of schemas and answers
    Clients,
    /// Runs the scenarios of the web pages in a real browser
    Web {
        /// Only scenarios whose name contains this text
        #[arg(value_name = "NAME")]
        only: Option<String>,
    },
    /// Builds the release archive, the Python wheel and the npm packages, and tests each in an empty environment
    Package(Package),
    /// Measures search quality on questions with known answers
    Eval(Eval),
    /// Measures the product relative to a baseline in the same run (in a release build)
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Subcommand)]
enum Packs {
    /// Compiles every pack against its grammar
    Check,
}

fn main() -> ExitCode {
    match run(&Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::Ci { all } => ci::run(*all),
        Command::Test => ci::test(),
        Command::Tidy => tidy::run(),
        Command::Packs(Packs::Check) => packs::check(),
        Command::Docgen { check } => docgen::run(*check),
        Command::Facts { file, tree } => facts::run(file, *tree),
        Command::Bombs(options) => bombs::run(options),
        Command::Churn(options) => churn::run(options),
        Command::Breaks(options) => breaks::run(options),
        Command::Revisions(options) => revisions::run(options),
        Command::Replay(options) => replay::run(options),
        Command::Damage(options) => damage::run(options),
        Command::Mutate { directory, seed, count, lang } => {
            let options = mutate::Options { seed: *seed, count: *count, lang: lang.clone() };
            mutate::run(graph::checked(directory)?, &options)
        }
        Command::Graph { directory, misses, only } => {
            let options = graph::Options { misses: *misses, only: only.as_deref() };
            graph::run(graph::checked(directory)?, &options)
        }
        Command::Crosscheck { directory, lang, all, sample, seed, issues } => match (sample, issues) {
            (Some(number), _) => crosscheck::sample(directory, lang, *number, *seed),
            (None, true) => crosscheck::issues(directory, lang),
            (None, false) => crosscheck::run(directory, lang, *all),
        },
        Command::History(options) => history::run(options),
        Command::Structural(options) => structural::run(options),
        Command::Grammars(options) => grammars::run(options),
        Command::Clients => clients::run(),
        Command::Web { only } => web::run(only.as_deref()),
        Command::Package(options) => package::run(options),
        Command::Eval(eval) => eval::run(eval),
        Command::Bench(bench) => bench::run(bench),
    }
}
