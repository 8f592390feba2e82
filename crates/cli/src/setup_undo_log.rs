//! What set-ups did to which file, kept so that each can be taken back to the byte. Losing it costs exactness, nothing else.

use orient_safefs::{Directory, resolve_trusted_links};
use orient_setup::TextEdit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The file in the folder of all stores.
const FILE: &str = "setup.json";
/// A line or two for each client; whatever is larger is something else.
const LARGEST: u64 = 16 << 20;

/// What was done to one file.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct UndoRecord {
    /// The edit.
    pub(crate) edit: TextEdit,
    /// Whether there was no such file.
    pub(crate) created: bool,
    /// The folders that were made for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// All that was done.
pub(crate) struct UndoLog {
    store: Option<PathBuf>,
    before: Option<Vec<u8>>,
    kept: BTreeMap<PathBuf, UndoRecord>,
}

impl UndoLog {
    /// Those kept beside the indexes, for whoever works in the tree with this root.
    pub(crate) fn beside(store: Option<PathBuf>, root: &Path) -> Self {
        let store = store.and_then(|store| resolve_trusted_links(&store, root).ok());
        let before = store.as_deref().and_then(|store| read(store).ok().flatten());
        let kept = before.as_deref().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default();
        Self { store, before, kept }
    }

    pub(crate) fn get(&self, file: &Path) -> Option<&UndoRecord> {
        self.kept.get(file)
    }

    pub(crate) fn put(&mut self, file: &Path, kept: UndoRecord) {
        self.kept.insert(file.to_owned(), kept);
    }

    pub(crate) fn remove(&mut self, file: &Path) -> Option<UndoRecord> {
        self.kept.remove(file)
    }

    /// Keeps what there is now.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        let text = serde_json::to_vec_pretty(&self.kept).map_err(io::Error::other)?;
        let folder = Directory::shared(store)?;
        if folder.read(FILE, LARGEST).ok().flatten() != self.before {
            return Err(io::Error::other("it was changed by somebody else meanwhile; try again"));
        }
        folder.replace(FILE, &text)?;
        self.before = Some(text);
        Ok(())
    }
}

fn read(store: &Path) -> io::Result<Option<Vec<u8>>> {
    Directory::existing(store)?.read(FILE, LARGEST)
}
