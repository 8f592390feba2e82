//! The commits of a real history, one after the other: each is checked out over its neighbour.

use super::Churn;
use super::compare::{equals_full_build, refresh};
use crate::bench::{Scratch, open};
use crate::random::Random;
use crate::report::count;
use crate::workspace::{output, passes};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// Goes from commit to commit and compares the indexes.
pub(super) fn run(directory: &Path, commits: usize, options: &Churn) -> Result<()> {
    let scratch = Scratch::new("churn")?;
    let root = scratch.path().canonicalize()?.join("tree");
    let from = directory.canonicalize()?;
    passes(git().args(["clone", "-q", "--shared", "--no-checkout"]).arg(&from).arg(&root))?;
    let in_tree = || {
        let mut git = git();
        git.arg("-C").arg(&root);
        git
    };
    let log = output(in_tree().args(["log", "--first-parent", "--no-merges", "--format=%H"]))?;
    let log = String::from_utf8_lossy(&log);
    let log: Vec<&str> = log.lines().collect();
    if log.len() < 2 {
        bail!("{} has too few commits", directory.display());
    }
    // A run of neighbours, oldest first, from a random place in the history.
    let last = log.len().saturating_sub(commits + 1);
    let begin = Random(options.seed).below(last + 1);
    let run: Vec<&str> = log[begin..].iter().take(commits + 1).rev().copied().collect();
    passes(in_tree().args(["checkout", "-q", "--force", run[0]]))?;
    let engine = open(&root, &scratch.path().join("store"))?;
    refresh(&engine)?;
    let (mut resolved, mut differ) = (0, 0);
    for pair in run.windows(2) {
        passes(in_tree().args(["checkout", "-q", "--force", pair[1]]))?;
        resolved += refresh(&engine)?;
        let change = format!("{}..{}", &pair[0][..12], &pair[1][..12]);
        if !equals_full_build(&engine, &root, scratch.path(), &[change])? {
            differ += 1;
            if !options.keep_going {
                break;
            }
        }
    }
    if differ > 0 {
        bail!(
            "{}: {differ} commits after which the index differs from one built from scratch",
            directory.display()
        );
    }
    println!(
        "{}: {} pairs of neighbouring commits, {} files resolved again: the index always equals one built from scratch",
        directory.display(),
        count(run.len() as u64 - 1),
        count(resolved as u64)
    );
    Ok(())
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"]);
    git
}
