//! `xtask revisions`: the index of a commit equals that of its checkout, on real repositories, and how long it takes.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::bench::Scratch;
use crate::random::Random;
use crate::workspace::{output, passes, product};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Options of `xtask revisions`.
#[derive(clap::Args)]
pub(crate) struct Revisions {
    /// A clone with history; it is cloned again, and not changed
    directory: PathBuf,
    /// Number of revisions to compare, drawn from the whole history of HEAD
    #[arg(long, default_value_t = 10)]
    count: usize,
    /// Instead of drawing revisions, measure this one
    #[arg(long, value_name = "REV")]
    only: Option<String>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The question that is timed at each revision, before the dump
    #[arg(long, default_value = "symbols main")]
    question: String,
}

/// Compares dumps and prints times, revision by revision.
pub(crate) fn run(options: &Revisions) -> Result<()> {
    let orient = product()?;
    let scratch = Scratch::new("revisions")?;
    let scratch_path = scratch.path().canonicalize()?;
    let trees = Trees {
        orient,
        repository: scratch_path.join("repository"),
        checkout: scratch_path.join("checkout"),
        store: scratch_path.join("store"),
        other_store: scratch_path.join("other-store"),
    };
    let from = options.directory.canonicalize()?;
    passes(git().args(["clone", "-q", "--shared", "--no-checkout"]).arg(&from).arg(&trees.repository))?;
    // The index of a commit has the bytes of its blobs, so the checkout must convert nothing.
    let attributes = trees.repository.join(".git/info/attributes");
    std::fs::create_dir_all(attributes.parent().unwrap_or(&trees.repository))?;
    std::fs::write(attributes, "* -text -ident -filter -working-tree-encoding\n")?;
    passes(trees.git().args(["checkout", "-q"]))?;
    passes(trees.git().args(["worktree", "add", "-q", "--detach"]).arg(&trees.checkout))?;
    passes(trees.command(&trees.repository, &trees.store).arg("index").arg("--quiet"))?;
    let (mut firsts, mut laters, mut differing) = (Vec::new(), Vec::new(), Vec::new());
    let revisions = match &options.only {
        Some(revision) => vec![revision.clone()],
        None => trees.draw(options)?,
    };
    for revision in &revisions {
        let ask = || trees.timed(&options.question, revision);
        let first = ask()?;
        let mut later = [ask()?, ask()?, ask()?];
        later.sort_unstable();
        let files = trees.git().args(["diff", "--name-only", "HEAD", revision]).output()?.stdout;
        let changed = files.split(|byte| *byte == b'\n').count().saturating_sub(1);
        let equal = trees.dumps_are_equal(revision)?;
        println!(
            "{revision:.12}  {changed:>6} files differ from HEAD  first {:>7.0} ms  later {:>5.0} ms  {}",
            milliseconds(first),
            milliseconds(later[1]),
            if equal { "equal" } else { "DIFFERENT" }
        );
        firsts.push(first);
        laters.push(later[1]);
        if !equal {
            differing.push(revision.clone());
        }
    }
    firsts.sort_unstable();
    laters.sort_unstable();
    println!(
        "{}: {} revisions, {} differ from their checkout; median {:.0} ms for the first answer, {:.0} ms for a later one",
        options.directory.display(),
        revisions.len(),
        differing.len(),
        milliseconds(firsts[firsts.len() / 2]),
        milliseconds(laters[laters.len() / 2]),
    );
    if !differing.is_empty() {
        bail!("the index of a commit differs from that of its checkout: {}", differing.join(", "));
    }
    Ok(())
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.autocrlf=false", "-c", "gc.auto=0"]);
    git
}

/// A clone, a checkout of it, and a store for each.
struct Trees {
    orient: PathBuf,
    repository: PathBuf,
    checkout: PathBuf,
    store: PathBuf,
    other_store: PathBuf,
}

impl Trees {
    fn git(&self) -> Command {
        let mut git = git();
        git.current_dir(&self.repository);
        git
    }

    fn command(&self, root: &Path, store: &Path) -> Command {
        let mut command = Command::new(&self.orient);
        command.arg("--root").arg(root).arg("--store").arg(store).args(["--set", "watch.min_files=0"]);
        command
    }

    /// Random commits of HEAD's history that have files.
    fn draw(&self, options: &Revisions) -> Result<Vec<String>> {
        let listed = output(self.git().args(["rev-list", "HEAD"]))?;
        let mut commits: Vec<String> = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        let mut random = Random(options.seed);
        let mut drawn = Vec::new();
        while drawn.len() < options.count && !commits.is_empty() {
            drawn.push(commits.swap_remove(random.below(commits.len())));
        }
        Ok(drawn)
    }

    /// The duration of a question at a revision.
    fn timed(&self, question: &str, revision: &str) -> Result<Duration> {
        let mut command = self.command(&self.repository, &self.store);
        command.args(question.split(' ')).args(["--at", revision, "--quiet"]);
        let begun = Instant::now();
        let answered = command.output()?;
        let elapsed = begun.elapsed();
        // Finding nothing is an answer.
        if !matches!(answered.status.code(), Some(0 | 1)) {
            bail!("{}", String::from_utf8_lossy(&answered.stderr));
        }
        Ok(elapsed)
    }

    fn dumps_are_equal(&self, revision: &str) -> Result<bool> {
        passes(git().current_dir(&self.checkout).args(["checkout", "-q", "--detach", "--force", revision]))?;
        passes(git().current_dir(&self.checkout).args(["clean", "-qffdx"]))?;
        let _ = std::fs::remove_dir_all(&self.other_store);
        let dump = |command: &mut Command| -> Result<Vec<u8>> {
            let done = command.arg("--quiet").output().context("orient starts")?;
            if !done.status.success() {
                bail!("{}", String::from_utf8_lossy(&done.stderr));
            }
            Ok(done.stdout)
        };
        let built = dump(self.command(&self.checkout, &self.other_store).arg("dump"))?;
        let at = dump(self.command(&self.repository, &self.store).args(["dump", "--at", revision]))?;
        if at != built {
            show(&at, &built);
        }
        Ok(at == built)
    }
}

/// Prints the first lines that differ.
fn show(at: &[u8], built: &[u8]) {
    let (at, built) = (String::from_utf8_lossy(at), String::from_utf8_lossy(built));
    let same = at.lines().zip(built.lines()).take_while(|(a, b)| a == b).count();
    for (name, lines) in [("of the commit", &at), ("of the checkout", &built)] {
        println!("{name}, from line {}:", same + 1);
        for line in lines.lines().skip(same).take(3) {
            println!("  {line}");
        }
    }
}
