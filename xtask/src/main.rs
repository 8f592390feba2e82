//! Chores of this repository, run as `cargo xtask NAME`.
//!
//! Each chore is a file of its own. Nothing here is part of the product.
#![expect(clippy::print_stderr, reason = "a chore talks to the terminal")]

mod report;
mod tidy;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Chores of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version, disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Checks what the house rules say and no compiler checks: sizes, arrows, words
    Tidy,
}

fn main() -> ExitCode {
    match run(Args::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    match chore {
        Chore::Tidy => tidy::run(),
    }
}
