//! A session for the tree of another revision: the same questions, answered from the index of a commit.

use crate::error::ToolError;
use crate::history::calendar::date;
use crate::history::{history_error, open as open_history};
use crate::session::provisional_answer::ProvisionalState;
use crate::session::{Session, open_tree};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Engine, FullScan, Tree as _};
use orient_history::{Commit, CommitTree};
use orient_model::RepoPath;
use orient_settings::{Loaded, REPOSITORY_FILE};
use serde::Serialize;
use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of commits whose engines a server keeps, with their caches.
const MAX_KEPT: usize = 3;

/// The revision that an answer describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnsweredRevision {
    /// The abbreviated id of the commit.
    pub commit: String,
    /// When it was written, in the author's time zone.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

impl AnsweredRevision {
    fn new(commit: &Commit) -> Self {
        Self {
            commit: commit.short_id(),
            date: date(commit.author.seconds, commit.author.offset),
            subject: commit.subject().to_owned(),
        }
    }

    /// Writes it as a line below the answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Dim, "at: ")?;
        writer.put(Style::Number, &self.commit)?;
        writer.put(Style::Dim, &format!(" {}  ", self.date))?;
        writer.line(Style::Plain, &self.subject)
    }
}

/// The engines of commits that calls share, the most recently used first.
#[derive(Default)]
pub(crate) struct RevisionEngines(Mutex<Vec<(Vec<u8>, RevisionEngine)>>);

/// The engine of a tree, and the settings that apply to it.
#[derive(Clone)]
struct RevisionEngine {
    engine: Arc<Engine>,
    loaded: Loaded,
}

impl RevisionEngines {
    /// The engine of a tree; calls `open` if it is not known.
    fn get(
        &self,
        id: &[u8],
        open: impl FnOnce() -> Result<RevisionEngine, ToolError>,
    ) -> Result<RevisionEngine, ToolError> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = {
            let mut kept = lock();
            let at = kept.iter().position(|(known, _)| known == id);
            at.map(|at| kept.remove(at).1)
        };
        let engine = known.map_or_else(open, Ok)?;
        let mut kept = lock();
        kept.retain(|(known, _)| known != id);
        kept.insert(0, (id.to_vec(), engine.clone()));
        kept.truncate(MAX_KEPT);
        Ok(engine)
    }
}

impl Session<'_> {
    /// The same session for the tree of a revision. Its index is made when it is first needed.
    pub fn at(&self, revision: &str) -> Result<Self, ToolError> {
        let failed = |error| history_error(&error);
        let mut history = open_history(self)?;
        let id = match history.revision(revision) {
            // What is missing may be what was not cloned.
            Err(error) if history.is_shallow() => {
                let hint = "the clone is shallow; `git fetch --unshallow` gets older commits";
                return Err(history_error(&error).hint(hint));
            }
            id => id.map_err(failed)?,
        };
        let commit = history.commit(&id).map_err(failed)?;
        let tree = history.commit_tree(&id).map_err(failed)?;
        let key = tree.id().unwrap_or_default().to_vec();
        let RevisionEngine { engine, loaded } =
            self.revisions.get(&key, || self.open_revision(Arc::new(tree)))?;
        let mut options = self.options.clone();
        // Whether the index of a commit is complete takes no time to see.
        options.refresh = true;
        Ok(Self {
            options,
            root: self.root.clone(),
            loaded: loaded.into(),
            progress: self.progress,
            cancel: self.cancel,
            engine: OnceCell::from(engine),
            freshness: Arc::new(FullScan),
            provider_state: Arc::clone(&self.provider_state),
            revisions: Arc::clone(&self.revisions),
            revision: Some(AnsweredRevision::new(&commit)),
            refreshed: RefCell::new(None),
            files_checked: Cell::default(),
            depth: Cell::default(),
            interactive: self.interactive,
            asked: None,
            client: self.client.clone(),
            client_model: self.client_model.clone(),
            root_name: None,
            peers: Vec::new(),
            only_own_symbols: false,
            left_out: self.left_out.clone(),
            provisional: ProvisionalState::default(),
        })
    }

    fn open_revision(&self, tree: Arc<CommitTree>) -> Result<RevisionEngine, ToolError> {
        let file = tree.content(&RepoPath::from(REPOSITORY_FILE), orient_settings::MAX_REPOSITORY_FILE + 1);
        let text = file.map_err(|error| history_error(&error))?.unwrap_or_default();
        let loaded = open_tree::load_settings_with(&self.options, Some(text))?;
        let engine = Arc::new(self.engine()?.at(tree, loaded.settings.clone())?);
        Ok(RevisionEngine { engine, loaded })
    }

    /// The revision that answers describe; `None` for the working tree.
    pub fn revision(&self) -> Option<&AnsweredRevision> {
        self.revision.as_ref()
    }
}
