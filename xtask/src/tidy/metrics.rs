//! Code metrics: sizes, documentation, visibility and packages; printed, and at most a warning.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::Repository;
use super::crate_dependencies::Locked;
use super::rust_source::Source;
use crate::report::{Findings, table};

/// Prints the figures.
pub(super) fn print(repository: &Repository, locked: &Locked, findings: &mut Findings) {
    let production: Vec<&Source> = repository.sources.iter().filter(|source| !source.is_test).collect();
    let files = Distribution::of(production.iter().map(|source| source.lines));
    let functions = Distribution::of(
        production.iter().flat_map(|source| &source.functions).map(|function| function.size),
    );
    let budget = repository.policy.budgets.file_median;
    if files.median > budget {
        findings.warn(
            "crates",
            0,
            format!("the median file has {} lines; the goal is {budget}", files.median),
        );
    }
    let sum = |count: fn(&Source) -> usize| production.iter().map(|source| count(source)).sum::<usize>();
    let all: usize = sum(|source| source.lines);
    let row = |name: &str, spread: &Distribution| {
        vec![
            name.to_owned(),
            spread.count.to_string(),
            spread.median.to_string(),
            spread.ninth.to_string(),
            spread.max.to_string(),
        ]
    };
    table(
        &["lines of", "count", "median", "p90", "longest"],
        &[row("files", &files), row("functions", &functions)],
    );
    println!("production lines: {all}; files for tests: {}", repository.sources.len() - production.len());
    let pair = |what: &str, aim: &str, left: usize, right: usize| {
        println!("{what}: {left} to {right} ({aim})");
    };
    pair("documentation to plain comments", "aim 2 to 1", sum(|it| it.docs), sum(|it| it.comments));
    pair("restricted to public items", "aim 1 to 1", sum(|it| it.restricted), sum(|it| it.public));
    println!(
        "locked packages: {} in the default build (at most {}), {} with tests and xtask; language packs: {}",
        locked.product,
        repository.policy.budgets.locked_packages,
        locked.all,
        repository.packs.len()
    );
    for exempt in &repository.policy.long {
        println!("over budget by decision: {}: {}", exempt.file, exempt.reason);
    }
}

/// The distribution of sizes.
struct Distribution {
    count: usize,
    median: usize,
    ninth: usize,
    max: usize,
}

impl Distribution {
    fn of(sizes: impl Iterator<Item = usize>) -> Self {
        let mut sizes: Vec<usize> = sizes.collect();
        sizes.sort_unstable();
        let at = |tenths: usize| sizes.get(sizes.len().saturating_sub(1) * tenths / 10).copied().unwrap_or(0);
        Self { count: sizes.len(), median: at(5), ninth: at(9), max: at(10) }
    }
}
