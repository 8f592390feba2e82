//! What the writer does: a few states of a tree, each a step away from the one before, walked up and down.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Files that change at once in the step that is like a switch to another branch.
const SWITCHED: usize = 20;

/// One change of a file, which can be taken back.
enum Change {
    /// The file has other content; none where it is not there.
    Write { path: PathBuf, before: Option<Vec<u8>>, after: Option<Vec<u8>> },
    /// The file is elsewhere.
    Rename { from: PathBuf, to: PathBuf },
}

/// The steps between states.
pub(super) struct Steps(Vec<Vec<Change>>);

impl Steps {
    /// Edits, creates, renames, deletes and rewrites some of these files, paths within the tree at `root`.
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

    /// How many states there are.
    pub(super) fn states(&self) -> usize {
        self.0.len() + 1
    }

    /// The state of a moment: up from the first to the last, and down again.
    pub(super) fn state_at(&self, moment: usize) -> usize {
        let last = self.0.len();
        let at = moment % (2 * last);
        at.min(2 * last - at)
    }

    /// Takes a tree from the state of a moment to the next. Files are put in place whole, or written where they are, in
    /// turns: programs do both. `aside` is a name outside the tree.
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

/// The path of a file of the same kind in the same directory.
fn beside(path: &Path, word: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(kind) => format!("{stem}_{word}.{}", kind.to_string_lossy()),
        None => format!("{stem}_{word}"),
    };
    path.with_file_name(name)
}
