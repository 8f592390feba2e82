//! `bench surface`: what the rules of frameworks add to a full index.
//!
//! All files are parsed and resolved in memory, with the rules and without them, in alternating processes; the difference in
//! processor time is compared with that of a full index by the product. Storing the few results is not part of the difference.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::process::{self, Scratch};
use crate::graph;
use anyhow::{Context, Result, bail};
use orient_resolve::{MemoryRepository, Resolver};
use std::path::Path;
use std::time::Duration;

/// Measures and prints the share.
pub(super) fn run(directory: &Path, rounds: usize, at_most: Option<f64>) -> Result<()> {
    let product = process::product()?;
    let (mut with, mut without, mut index) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        for (costs, rules) in [(&mut without, "without"), (&mut with, "with")] {
            let mut step = process::step("surface-step")?;
            costs.push(process::cost(step.arg(directory).arg(rules), true)?.cpu);
        }
        let scratch = Scratch::new("surface")?;
        let mut command = super::index_command(&product, directory, scratch.path(), 1);
        index.push(process::cost(&mut command, true)?.cpu);
    }
    let [with, without, index] = [with, without, index].map(median);
    let added = with.saturating_sub(without);
    let rest =
        index.checked_sub(added).filter(|rest| !rest.is_zero()).context("an index takes longer than that")?;
    let share = added.as_secs_f64() / rest.as_secs_f64();
    println!(
        "{}: resolution with frameworks {:.2} s, without {:.2} s; full index {:.2} s; added {:.1} %",
        directory.display(),
        with.as_secs_f64(),
        without.as_secs_f64(),
        index.as_secs_f64(),
        share * 100.0
    );
    match at_most {
        Some(limit) if share * 100.0 > limit => bail!("{:.1} % is above {limit} %", share * 100.0),
        _ => Ok(()),
    }
}

fn median(mut costs: Vec<Duration>) -> Duration {
    costs.sort_unstable();
    costs.get(costs.len() / 2).copied().unwrap_or_default()
}

/// Parses and resolves every file, in the measured process.
pub(super) fn step(directory: &Path, rules: &str) -> Result<()> {
    let has_frameworks = match rules {
        "with" => true,
        "without" => false,
        other => bail!("`{other}` is neither `with` nor `without`"),
    };
    graph::on_deep_stack(|| {
        let files = graph::facts(directory, orient_lang::Registry::builtin())?;
        let packs = orient_lang::Registry::builtin().packs().iter();
        let rules = packs.filter_map(|pack| {
            let mut rules = pack.rules()?.clone();
            if !has_frameworks {
                rules.frameworks.clear();
            }
            Some((pack.name().to_owned(), rules))
        });
        let repository = MemoryRepository::new(files, rules);
        let resolver = Resolver::new(&repository);
        let edges: usize =
            (0..repository.files().len()).map(|file| resolver.resolve(file as u32).edges.len()).sum();
        println!("{edges}");
        Ok(())
    })
}
