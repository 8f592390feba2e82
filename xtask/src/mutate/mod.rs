//! `xtask mutate DIR`: mutates a real repository in ways whose meaning is known, and compares the graphs before and
//! after. Nothing is written: the mutated texts stay in memory.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod mutations;
mod sources;

use crate::random::Random;
use anyhow::{Context, Result};
use mutations::Outcome;
use serde::Deserialize;
use sources::Given;
pub(crate) use sources::Sources;
use std::collections::BTreeMap;
use std::path::Path;

/// The syntax of a language for inserted code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ways {
    file: String,
    twin: String,
    bind: String,
    #[serde(default)]
    braced: bool,
    #[serde(default)]
    not_before: Vec<String>,
    hides: bool,
}

/// Options of `xtask mutate`.
pub(crate) struct Options {
    /// Seed of the random numbers.
    pub(crate) seed: u64,
    /// Number of mutations per kind and language.
    pub(crate) count: usize,
    /// Only in this language.
    pub(crate) lang: Option<String>,
}

/// Stack size: resolution is deeply recursive. Unused stack costs no memory.
const STACK: usize = 256 << 20;

const KINDS: [&str; 3] = ["rename", "twin", "hide"];

/// Mutates a directory in memory, and prints how often the graph changed as expected.
pub(crate) fn run(directory: &Path, options: &Options) -> Result<()> {
    let ways: BTreeMap<String, Ways> =
        toml::from_str(include_str!("../../mutations.toml")).context("xtask/mutations.toml")?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || all(directory, options, &ways))?;
        thread.join().unwrap_or_else(|_| anyhow::bail!("resolution failed; see the message above"))
    })
}

fn all(directory: &Path, options: &Options, ways: &BTreeMap<String, Ways>) -> Result<()> {
    let sources = Sources::read(directory)?;
    let before = sources.graph(None);
    println!(
        "{} files, {} edges",
        before.len(),
        before.values().map(|given| given.edges.len()).sum::<usize>()
    );
    for (language, ways) in ways {
        if options.lang.as_ref().is_some_and(|lang| lang != language) {
            continue;
        }
        for kind in KINDS {
            tally(kind, language, ways, (&sources, &before), options);
        }
    }
    Ok(())
}

fn tally(
    kind: &str,
    language: &str,
    ways: &Ways,
    (sources, before): (&Sources, &BTreeMap<String, Given>),
    options: &Options,
) {
    let mut random = Random(options.seed);
    let mut places = match kind {
        "hide" => mutations::bare_calls(sources, before, language, ways),
        _ => mutations::functions(sources, before, language),
    };
    let (mut right, mut wrong) = (0, Vec::new());
    while right + wrong.len() < options.count && !places.is_empty() {
        let place = places.swap_remove(random.below(places.len()));
        let outcome = match kind {
            "rename" => mutations::rename(sources, before, &place),
            "twin" => mutations::twin(sources, before, &place, ways),
            _ => mutations::hide(sources, before, &place, ways),
        };
        match outcome {
            Outcome::Right => right += 1,
            Outcome::Wrong(lines) => wrong.push((place.describe(), lines)),
            Outcome::Unfit => {}
        }
    }
    if right + wrong.len() > 0 {
        println!("{language:12} {kind:7} right {right:4}  wrong {:3}", wrong.len());
    }
    for (what, lines) in wrong {
        println!("  {what}");
        for line in lines.iter().take(6) {
            println!("    {line}");
        }
    }
}
