//! The undo log of `orient setup`: which edit was made to which file, so that `--undo` restores it byte for byte. Without the log,
//! `--undo` still removes our entry.

use orient_safefs::{Directory, resolve_trusted_links};
use orient_setup::TextEdit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the log file in the store.
const FILE: &str = "setup.json";
/// Maximum size of the log in bytes; a larger file is not ours.
const MAX_BYTES: u64 = 16 << 20;

/// The edit of one file.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct UndoRecord {
    /// The change of the text.
    pub(crate) edit: TextEdit,
    /// Whether the file was created.
    pub(crate) created: bool,
    /// The directories that were created for it, outermost first.
    #[serde(alias = "folders")] // written by earlier builds
    pub(crate) directories: Vec<PathBuf>,
}

/// All edits that can be undone.
pub(crate) struct UndoLog {
    store: Option<PathBuf>,
    before: Option<Vec<u8>>,
    records: BTreeMap<PathBuf, UndoRecord>,
}

impl UndoLog {
    /// Reads the log of a store, for a process that works in the tree with this root.
    pub(crate) fn open(store: Option<PathBuf>, root: &Path) -> Self {
        let store = store.and_then(|store| resolve_trusted_links(&store, root).ok());
        let before = store.as_deref().and_then(|store| read(store).ok().flatten());
        let records =
            before.as_deref().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default();
        Self { store, before, records }
    }

    pub(crate) fn get(&self, file: &Path) -> Option<&UndoRecord> {
        self.records.get(file)
    }

    pub(crate) fn put(&mut self, file: &Path, record: UndoRecord) {
        self.records.insert(file.to_owned(), record);
    }

    pub(crate) fn remove(&mut self, file: &Path) -> Option<UndoRecord> {
        self.records.remove(file)
    }

    /// Writes the log.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        let text = serde_json::to_vec_pretty(&self.records).map_err(io::Error::other)?;
        let directory = Directory::shared(store)?;
        if directory.read(FILE, MAX_BYTES).ok().flatten() != self.before {
            return Err(io::Error::other("another process changed it in the meantime; try again"));
        }
        directory.replace(FILE, &text)?;
        self.before = Some(text);
        Ok(())
    }
}

fn read(store: &Path) -> io::Result<Option<Vec<u8>>> {
    Directory::existing(store)?.read(FILE, MAX_BYTES)
}
