//! Chores of this repository, run as `cargo xtask NAME`.
//!
//! Each chore is a file of its own. Nothing here is part of the product.
#![expect(clippy::print_stderr, reason = "a chore talks to the terminal")]

mod asking;
mod bench;
mod bombs;
mod churn;
mod ci;
mod clients;
mod corpus;
mod crosscheck;
mod damage;
mod docgen;
mod draw;
mod eval;
mod facts;
mod graph;
mod mutate;
mod package;
mod packs;
mod report;
mod serving;
mod sizes;
mod tidy;
mod workspace;

use anyhow::Result;
use bench::Bench;
use clap::{Parser, Subcommand};
use eval::Eval;
use package::Package;
use std::path::PathBuf;
use std::process::ExitCode;

/// What is measured here in this process is to cost what it costs in the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Chores of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version, disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Runs all tests, lints and checks
    Ci {
        /// Leaves nothing out: fails where a tool for a check is missing
        #[arg(long)]
        all: bool,
    },
    /// Checks conventions that no compiler checks: sizes, dependencies, words, links
    Tidy,
    /// Language packs
    #[command(subcommand)]
    Packs(Packs),
    /// Generates the reference pages, and the examples and figures in the other pages
    Docgen {
        /// Writes nothing, and fails if a page is out of date
        #[arg(long)]
        check: bool,
    },
    /// Prints the facts of a file, as the tests of packs compare them
    Facts {
        /// The file
        file: PathBuf,
        /// Packs to use in place of those compiled in: crates/lang/packs shows a change without a build
        #[arg(long, value_name = "DIR")]
        pack_dir: Option<PathBuf>,
        /// Prints the syntax tree instead
        #[arg(long)]
        tree: bool,
    },
    /// Prints the edges of a directory, one JSON object a line, without a store
    Graph {
        /// The directory of sources
        directory: PathBuf,
        /// Packs to use in place of those compiled in: crates/lang/packs shows a change without a build
        #[arg(long, value_name = "DIR")]
        pack_dir: Option<PathBuf>,
        /// Also prints what was not resolved, and what leads outside
        #[arg(long)]
        misses: bool,
        /// Only what files with this in their path give rise to
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Indexes generated files that are expensive to parse, under a hard limit on memory (in a release build)
    Bombs(bombs::Bombs),
    /// Changes files of a copied directory at random; the index that catches up must equal one built from nothing
    Churn(churn::Churn),
    /// Damages the files of a store at random; every answer must be that of an index built from nothing
    Damage(damage::Damage),
    /// Changes a directory in memory in ways whose meaning is known, and compares the graphs
    Mutate {
        /// The directory of sources
        directory: PathBuf,
        /// Where drawing begins
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// How many changes of each kind and language
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
        /// Prints every miss
        #[arg(long)]
        all: bool,
        /// Compares nothing, but prints so many of our symbols with the source at both ends, to be checked by eye
        #[arg(long, value_name = "NUMBER")]
        sample: Option<usize>,
        /// Draws the sample by this number instead of evenly
        #[arg(long, value_name = "NUMBER", requires = "sample")]
        seed: Option<u64>,
        /// Compares nothing, but prints where the parser gave up, with the source there
        #[arg(long, conflicts_with = "sample")]
        issues: bool,
    },
    /// Prints what each grammar adds to the program: parse tables, compressed tables, code
    Sizes(sizes::Sizes),
    /// Runs the official MCP clients against the servers, and counts what schemas and answers cost
    Clients,
    /// Builds the release archive, the Python wheel and the npm packages, and tries each in an empty environment
    Package(Package),
    /// Asks the search questions whose answers are known, and says how well it did
    Eval(Eval),
    /// Measures the product against a floor in the same run (in a release build)
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Subcommand)]
enum Packs {
    /// Compiles every pack against its grammar
    Check,
}

fn main() -> ExitCode {
    match run(&Args::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: &Chore) -> Result<()> {
    match chore {
        Chore::Ci { all } => ci::run(*all),
        Chore::Tidy => tidy::run(),
        Chore::Packs(Packs::Check) => packs::check(),
        Chore::Docgen { check } => docgen::run(*check),
        Chore::Facts { file, pack_dir, tree } => facts::run(file, pack_dir.as_deref(), *tree),
        Chore::Bombs(options) => bombs::run(options),
        Chore::Churn(options) => churn::run(options),
        Chore::Damage(options) => damage::run(options),
        Chore::Mutate { directory, seed, count, lang } => {
            let options = mutate::Options { seed: *seed, count: *count, lang: lang.clone() };
            mutate::run(graph::checked(directory)?, &options)
        }
        Chore::Graph { directory, pack_dir, misses, only } => {
            let options =
                graph::Options { pack_dir: pack_dir.as_deref(), misses: *misses, only: only.as_deref() };
            graph::run(graph::checked(directory)?, &options)
        }
        Chore::Crosscheck { directory, lang, all, sample, seed, issues } => match (sample, issues) {
            (Some(number), _) => crosscheck::sample(directory, lang, *number, *seed),
            (None, true) => crosscheck::issues(directory, lang),
            (None, false) => crosscheck::run(directory, lang, *all),
        },
        Chore::Sizes(options) => sizes::run(options),
        Chore::Clients => clients::run(),
        Chore::Package(options) => package::run(options),
        Chore::Eval(eval) => eval::run(eval),
        Chore::Bench(bench) => bench::run(bench),
    }
}
