//! A tree of files in a temporary directory, and operations on it.

use orient_engine::{Cancel, NoProgress};
use orient_settings::Override;
use orient_tools::{Exit, OPERATIONS, Session, SessionOptions, TextWriter, ToolError};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// A tree and its store.
pub(crate) struct Tree {
    directory: TempDir,
}

impl Tree {
    /// A tree with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let tree = Self { directory: TempDir::new().expect("a temporary directory") };
        for (path, bytes) in files {
            tree.write(path, bytes);
        }
        tree
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("it is in the tree")).expect("a new directory");
        std::fs::write(path, bytes).expect("a new file");
    }

    /// The path of a file.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join("tree").join(path)
    }

    /// The text form, the JSON form and the exit code of an operation.
    pub(crate) fn ask(&self, name: &str, arguments: Value) -> Result<(String, Value, Exit), ToolError> {
        let root = self.directory.path().join("tree");
        let store = self.directory.path().join("store").display().to_string();
        let options = SessionOptions {
            start: root.clone(),
            directory: root,
            overrides: vec![Override { key: "store.dir".into(), value: store, flag: "test".into() }],
            force: 0,
            refresh: true,
        };
        let cancel = Cancel::default();
        let session = Session::open(options, &NoProgress, &cancel)?;
        let operation = OPERATIONS.iter().find(|operation| operation.name == name).expect("in the table");
        let reply = operation.call(&session, arguments)?;
        let (mut text, mut bytes) = (String::new(), Vec::new());
        reply.text(&mut TextWriter::new(&mut text)).expect("a string takes everything");
        reply.json(&mut bytes).expect("memory takes everything");
        Ok((text, serde_json::from_slice(&bytes).expect("JSON"), reply.exit()))
    }
}
