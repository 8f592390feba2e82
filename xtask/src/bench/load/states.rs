//! The changes of a load test: a few states of a tree, visited forwards and backwards.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Number of files that change at once in the step that imitates a branch switch.
const SWITCHED: usize = 20;

/// A reversible change of a file.
enum Change {
    /// Its content is replaced; `None` if it does not exist.
    Write { path: PathBuf, before: Option<Vec<u8>>, after: Option<Vec<u8>> },
    /// It is renamed.
    Rename { from: PathBuf, to: PathBuf },
}

/// The steps between the states.
pub(super) struct Steps(Vec<Vec<Change>>);

impl Steps {
    /// Edits, creates, renames, deletes and rewrites some of these files; paths are relative to `root`.
    pub(super) fn new(root: &Path, files: &[PathBuf]) -> Result<Self> {
        let mut files = files.iter();
        let mut next = || files.next().cloned().context("the directory has too few files to change");
        let read = |path: &Path| std::fs::read(root.join(path)).with_context(|| path.display().to_string());
        let (edited, copied, renamed, deleted) = (next()?, next()?, next()?, next()?);
        let text = read(&edited)?;
        // Every line moves.
        let after = Some([b"\n", text.as_slice()].concat());
        let edit = Change::Write { path: edited, before: Some(text), after };
        let create =
            Change::Write { path: beside(&copied, "another"), before: None, after: Some(read(&copied)?) };
        let rename = Change::Rename { to: beside(&renamed, "renamed"), from: renamed };
        let delete = Change::Write { before: Some(read(&deleted)?), path: deleted, after: None };
        let mut switch = Vec::new();
        let mut last: Option<PathBuf> = None;
        for path in files.take(SWITCHED) {
            let before = read(path)?;
            let other = last.as_ref().filter(|other| other.extension() == path.extension());
            let other = other.map_or_else(|| Ok(before.clone()), |other| read(other))?;
            let after = Some([before.as_slice(), b"\n", &other].concat());
            switch.push(Change::Write { path: path.clone(), before: Some(before), after });
            last = Some(path.clone());
        }
        Ok(Self(vec![vec![edit], vec![create], vec![rename], vec![delete], switch]))
    }

    /// Number of states.
    pub(super) fn states(&self) -> usize {
        self.0.len() + 1
    }

    /// The state at a step: from the first to the last, and back.
    pub(super) fn state_at(&self, moment: usize) -> usize {
        let last = self.0.len();
        let at = moment % (2 * last);
        at.min(2 * last - at)
    }

    /// Moves a tree to the state of the next step. Files are replaced or written in place, alternately, because
    /// programs do both. `aside` is a name outside the tree.
    pub(super) fn go_on(&self, root: &Path, moment: usize, aside: &Path) -> Result<()> {
        let (from, to) = (self.state_at(moment), self.state_at(moment + 1));
        let whole = (moment / (2 * self.0.len())).is_multiple_of(2);
        let at_once = |path: &Path, text: &[u8]| {
            std::fs::write(aside, text)?;
            std::fs::rename(aside, root.join(path))
        };
        for change in &self.0[from.min(to)] {
            match change {
                Change::Rename { from: old, to: new } => {
                    let (old, new) = if from < to { (old, new) } else { (new, old) };
                    std::fs::rename(root.join(old), root.join(new))?;
                }
                Change::Write { path, before, after } => match if from < to { after } else { before } {
                    Some(text) if whole => at_once(path, text)?,
                    Some(text) => std::fs::write(root.join(path), text)?,
                    None => std::fs::remove_file(root.join(path))?,
                },
            }
        }
        Ok(())
    }
}

/// The path of a new file of the same kind in the same directory.
fn beside(path: &Path, word: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(kind) => format!("{stem}_{word}.{}", kind.to_string_lossy()),
        None => format!("{stem}_{word}"),
    };
    path.with_file_name(name)
}
