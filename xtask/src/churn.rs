//! `xtask churn`: the property everything rests on, held against real code. Files of a copied tree are edited, copied,
//! renamed, deleted and exchanged, some at a time; after each round the index that caught up must equal one built from
//! nothing.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use crate::bench::{Scratch, copy, open};
use crate::draw::Draw;
use crate::report::count;
use anyhow::{Context, Result, bail};
use orient_engine::{Engine, NoProgress, RefreshDepth, RefreshOptions};
use std::path::{Path, PathBuf};

/// Files larger than this are left alone: rounds should be many.
const MOST_BYTES: u64 = 60_000;
/// Lines around the first difference that are shown.
const SHOWN: usize = 3;

/// What to churn.
#[derive(clap::Args)]
pub(crate) struct Churn {
    /// The directory whose copy is changed
    directory: PathBuf,
    /// How often to change files and compare
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How many changes a round makes, each followed by a refresh or not
    #[arg(long, default_value_t = 6)]
    changes: usize,
    /// Where the sequence of changes starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Changes files and compares, round by round.
pub(crate) fn run(options: &Churn) -> Result<()> {
    let scratch = Scratch::new("churn")?;
    let root = scratch.path().join("tree");
    std::fs::create_dir(&root)?;
    let root = root.canonicalize()?;
    let files = copy(&options.directory, &root)?;
    let small = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.len() < MOST_BYTES);
    let files: Vec<PathBuf> = files.into_iter().filter(small).collect();
    if files.len() < 2 {
        bail!("{} has too few files to change", options.directory.display());
    }
    let engine = open(&root, &scratch.path().join("store"))?;
    engine.refresh(&RefreshOptions::default(), &NoProgress)?;
    let mut churning = Churning { files, draw: Draw(options.seed) };
    let (mut changed, mut resolved) = (0, 0);
    for round in 1..=options.rounds {
        let mut done = Vec::new();
        for _ in 0..options.changes {
            done.push(churning.change()?);
            match churning.draw.below(4) {
                0 => {}
                // Facts alone: what uses mean is found out later, together with what changes until then.
                1 => {
                    let facts = RefreshOptions {
                        depth: RefreshDepth::Facts,
                        max_resolved_with_change: Some(0),
                        ..RefreshOptions::default()
                    };
                    engine.refresh(&facts, &NoProgress)?;
                }
                _ => resolved += engine.refresh(&RefreshOptions::default(), &NoProgress)?.resolved,
            }
        }
        resolved += engine.refresh(&RefreshOptions::default(), &NoProgress)?.resolved;
        changed += done.len();
        let anew = open(&root, &scratch.path().join(format!("anew-{round}")))?;
        anew.refresh(&RefreshOptions::default(), &NoProgress)?;
        let (ours, theirs) = (dump(&engine)?, dump(&anew)?);
        std::fs::remove_dir_all(scratch.path().join(format!("anew-{round}")))?;
        if ours != theirs {
            show(&ours, &theirs, &done);
            bail!("round {round}: the index that caught up differs from one built from nothing");
        }
    }
    println!(
        "{}: {} rounds, {} changes, {} files resolved again: the index always equals one built from nothing",
        options.directory.display(),
        options.rounds,
        count(changed as u64),
        count(resolved as u64)
    );
    Ok(())
}

fn dump(engine: &Engine) -> Result<String> {
    let mut bytes = Vec::new();
    engine.snapshot()?.dump(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Prints what was done, and the first lines that differ.
fn show(ours: &str, theirs: &str, done: &[String]) {
    for what in done {
        println!("{what}");
    }
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.lines().collect(), theirs.lines().collect());
    let at = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    for (name, lines) in [("caught up", ours), ("from nothing", theirs)] {
        println!("{name}, from line {}:", at + 1);
        for line in lines.iter().skip(at.saturating_sub(1)).take(SHOWN) {
            println!("  {line}");
        }
    }
}

struct Churning {
    files: Vec<PathBuf>,
    draw: Draw,
}

impl Churning {
    /// Changes something, and says what.
    fn change(&mut self) -> Result<String> {
        let at = self.draw.below(self.files.len());
        let file = self.files[at].clone();
        let other = self.kin(&file);
        let text = std::fs::read(&file).with_context(|| file.display().to_string())?;
        let lines = text.split_inclusive(|&byte| byte == b'\n').collect::<Vec<_>>();
        let (cut, length) = (self.draw.below(lines.len().max(1)), 1 + self.draw.below(20));
        let what = match self.draw.below(8) {
            0 => {
                std::fs::write(&file, [text.as_slice(), b"\n", &std::fs::read(&other)?].concat())?;
                "doubled"
            }
            1 | 2 => {
                let kept = lines.iter().take(cut).chain(lines.iter().skip(cut + length));
                std::fs::write(&file, kept.copied().collect::<Vec<_>>().concat())?;
                "lost lines"
            }
            3 => {
                let again = lines.iter().take(cut + length).chain(lines.iter().skip(cut));
                std::fs::write(&file, again.copied().collect::<Vec<_>>().concat())?;
                "has lines twice"
            }
            4 => {
                let to = other.with_file_name(format!("n{}_{}", self.draw.below(1000), name(&file)));
                std::fs::rename(&file, &to)?;
                self.files[at] = to;
                "renamed"
            }
            5 => {
                let to = other.with_file_name(format!("c{}_{}", self.draw.below(1000), name(&file)));
                std::fs::write(&to, &text)?;
                self.files.push(to);
                "copied"
            }
            6 if self.files.len() > 2 => {
                std::fs::remove_file(&file)?;
                self.files.retain(|one| *one != file);
                "deleted"
            }
            _ => {
                std::fs::write(&file, std::fs::read(&other)?)?;
                std::fs::write(&other, &text)?;
                "exchanged"
            }
        };
        Ok(format!("{what}: {} (with {})", file.display(), other.display()))
    }

    /// Another file of the same kind, if there is one.
    fn kin(&mut self, file: &Path) -> PathBuf {
        let same = |one: &&PathBuf| one.extension() == file.extension() && one.as_path() != file;
        let kin: Vec<&PathBuf> = self.files.iter().filter(same).collect();
        let at = self.draw.below(kin.len());
        kin.get(at).map_or_else(|| file.to_owned(), |&other| other.clone())
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
