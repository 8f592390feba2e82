//! `xtask mutate DIR`: changes a real repository in ways whose meaning is known, and compares the graph before with the
//! graph after. Nothing is written: the changed texts live in memory.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

mod change;
mod sources;

use crate::draw::Draw;
use anyhow::{Context, Result};
use change::Outcome;
use serde::Deserialize;
use sources::{Given, Sources};
use std::collections::BTreeMap;
use std::path::Path;

/// How a language writes what is put into its files.
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

/// What to do.
pub(crate) struct Options {
    /// Where drawing begins.
    pub(crate) seed: u64,
    /// How many changes of each kind and language.
    pub(crate) count: usize,
    /// Only in this language.
    pub(crate) lang: Option<String>,
}

/// Resolution goes deep; so much room is never touched.
const STACK: usize = 256 << 20;

const KINDS: [&str; 3] = ["rename", "twin", "hide"];

/// Changes what is in a directory, in memory, and prints how often the graph changed as it should.
pub(crate) fn run(directory: &Path, options: &Options) -> Result<()> {
    let ways: BTreeMap<String, Ways> =
        toml::from_str(include_str!("../../mutations.toml")).context("xtask/mutations.toml")?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || all(directory, options, &ways))?;
        thread.join().unwrap_or_else(|_| anyhow::bail!("resolution failed; the message stands above"))
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
    let mut draw = Draw(options.seed);
    let mut places = match kind {
        "hide" => change::bare_calls(sources, before, language, ways),
        _ => change::functions(sources, before, language),
    };
    let (mut right, mut wrong) = (0, Vec::new());
    while right + wrong.len() < options.count && !places.is_empty() {
        let place = places.swap_remove(draw.below(places.len()));
        let outcome = match kind {
            "rename" => change::rename(sources, before, &place),
            "twin" => change::twin(sources, before, &place, ways),
            _ => change::hide(sources, before, &place, ways),
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
