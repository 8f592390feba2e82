//! Random changes of a copy of a real tree: edits, copies, renames, deletes and swaps of files.

use super::Churn;
use super::compare::{equals_full_build, refresh};
use crate::bench::{Scratch, copy, open};
use crate::random::Random;
use crate::report::count;
use anyhow::{Context, Result, bail};
use orient_engine::{NoProgress, RefreshDepth, RefreshOptions};
use std::path::{Path, PathBuf};

/// Larger files are not changed, to keep rounds short.
const MOST_BYTES: u64 = 60_000;
/// Changes files and compares the indexes, round by round.
pub(super) fn run(directory: &Path, options: &Churn) -> Result<()> {
    let scratch = Scratch::new("churn")?;
    let root = scratch.path().join("tree");
    std::fs::create_dir(&root)?;
    let root = root.canonicalize()?;
    let files = copy(directory, &root)?;
    let small = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.len() < MOST_BYTES);
    let files: Vec<PathBuf> = files.into_iter().filter(small).collect();
    if files.len() < 2 {
        bail!("{} has too few files to change", directory.display());
    }
    let engine = open(&root, &scratch.path().join("store"))?;
    refresh(&engine)?;
    let mut churning = Churning { files, random: Random(options.seed) };
    let (mut changed, mut resolved) = (0, 0);
    for round in 1..=options.rounds {
        let mut done = Vec::new();
        for _ in 0..options.changes {
            done.push(churning.change()?);
            match churning.random.below(4) {
                0 => {}
                // Facts only: resolution runs later, together with the next changes.
                1 => {
                    let facts = RefreshOptions {
                        depth: RefreshDepth::Facts,
                        max_resolved_with_change: Some(0),
                        ..RefreshOptions::default()
                    };
                    engine.refresh(&facts, &NoProgress)?;
                }
                _ => resolved += refresh(&engine)?,
            }
        }
        resolved += refresh(&engine)?;
        changed += done.len();
        if !equals_full_build(&engine, &root, scratch.path(), &done)? {
            bail!("round {round}: the index that caught up differs from one built from scratch");
        }
    }
    println!(
        "{}: {} rounds, {} changes, {} files resolved again: the index always equals one built from scratch",
        directory.display(),
        options.rounds,
        count(changed as u64),
        count(resolved as u64)
    );
    Ok(())
}

struct Churning {
    files: Vec<PathBuf>,
    random: Random,
}

impl Churning {
    /// Makes one random change and describes it.
    fn change(&mut self) -> Result<String> {
        let at = self.random.below(self.files.len());
        let file = self.files[at].clone();
        let other = self.kin(&file);
        let text = std::fs::read(&file).with_context(|| file.display().to_string())?;
        let lines = text.split_inclusive(|&byte| byte == b'\n').collect::<Vec<_>>();
        let (cut, length) = (self.random.below(lines.len().max(1)), 1 + self.random.below(20));
        let what = match self.random.below(8) {
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
                let to = other.with_file_name(format!("n{}_{}", self.random.below(1000), name(&file)));
                std::fs::rename(&file, &to)?;
                self.files[at] = to;
                "renamed"
            }
            5 => {
                let to = other.with_file_name(format!("c{}_{}", self.random.below(1000), name(&file)));
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
        let at = self.random.below(kin.len());
        kin.get(at).map_or_else(|| file.to_owned(), |&other| other.clone())
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
