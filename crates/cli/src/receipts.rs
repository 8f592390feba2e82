//! What set-ups did to which file, kept so that each can be taken back to the byte. Losing it costs exactness, nothing else.

use crate::replace;
use orient_setup::Receipt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What was done to one file.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The edit.
    pub(crate) receipt: Receipt,
    /// Whether there was no such file.
    pub(crate) created: bool,
    /// The folders that were made for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// All that was done.
pub(crate) struct Receipts {
    file: Option<PathBuf>,
    before: Option<String>,
    kept: BTreeMap<PathBuf, Kept>,
}

impl Receipts {
    /// Those kept beside the indexes.
    pub(crate) fn beside(store: Option<PathBuf>) -> Self {
        let file = store.map(|store| store.join("setup.json"));
        let before = file.as_deref().and_then(|file| replace::read(file).ok().flatten());
        let kept = before.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Self { file, before, kept }
    }

    pub(crate) fn get(&self, file: &Path) -> Option<&Kept> {
        self.kept.get(file)
    }

    pub(crate) fn put(&mut self, file: &Path, kept: Kept) {
        self.kept.insert(file.to_owned(), kept);
    }

    pub(crate) fn remove(&mut self, file: &Path) -> Option<Kept> {
        self.kept.remove(file)
    }

    /// Keeps what there is now.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_string_pretty(&self.kept).map_err(io::Error::other)?;
        replace::replace(file, self.before.as_deref(), &text)?;
        self.before = Some(text);
        Ok(())
    }
}
