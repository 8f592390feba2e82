//! A served tree: an engine that stays open, and its first index, which is built in the background.

use crate::first_index::{BackgroundIndexing, FirstIndexGate};
use crate::progress_notifications::ProgressNotifier;
use orient_engine::{Cancel, Engine, Freshness, RefreshOptions};
use orient_settings::Loaded;
use orient_tools::{BackgroundEmbedding, Code, OpenTree, Session, SessionOptions, ToolError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Creates the refresher of an engine.
pub type FreshnessFactory = Arc<dyn Fn(&Arc<Engine>, &Loaded) -> Arc<dyn Freshness> + Send + Sync>;

/// What to serve.
#[derive(Clone)]
pub struct Options {
    /// The directory and the settings.
    pub setup: SessionOptions,
    /// Whether the user chose the directory; otherwise the client's first root takes precedence.
    pub root_is_fixed: bool,
    /// The tools to offer: the groups if absent, `all`, or a comma-separated list of names.
    pub tools: Option<String>,
    /// Keeps the index up to date.
    pub freshness: FreshnessFactory,
    /// Called by a worker thread after each call: it may release cached memory.
    pub release_thread_memory: fn(),
}

/// How long a query waits for the first index before it fails with `Busy`.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(20);

/// Delay of the background refresh if there is an index: the first query goes first.
const STARTUP_DELAY: Duration = Duration::from_millis(300);

/// A served tree.
pub(crate) struct ServedTree {
    pub(crate) host: OpenTree,
    pub(crate) indexing: Arc<BackgroundIndexing>,
    cancel: Cancel,
    /// Embeds the code with the chosen provider, if there is one.
    embedding: Mutex<Option<BackgroundEmbedding>>,
}

impl ServedTree {
    /// Opens the tree and starts a refresh in the background.
    pub(crate) fn open(options: &Options, start: Option<PathBuf>) -> Result<Arc<Self>, ToolError> {
        let mut setup = options.setup.clone();
        if let Some(start) = start {
            setup.directory.clone_from(&start);
            setup.start = start;
        }
        let indexing = Arc::new(BackgroundIndexing::default());
        let mut freshness = None;
        let host = OpenTree::open(setup, |engine, loaded| {
            let inner = (options.freshness)(engine, loaded);
            freshness = Some(inner.clone());
            Arc::new(FirstIndexGate { inner, indexing: indexing.clone() })
        })?;
        let embedding = if options.setup.refresh { BackgroundEmbedding::start(&host) } else { None };
        let embedding = Mutex::new(embedding);
        let tree = Arc::new(Self { host, indexing, cancel: Cancel::default(), embedding });
        if let Some(freshness) = freshness.filter(|_| options.setup.refresh) {
            tree.start(freshness);
        }
        Ok(tree)
    }

    /// Runs a query that arrived at a moment. A query that needs the first index waits for it, and fails with its progress after
    /// [`FIRST_INDEX_WAIT`].
    pub(crate) fn ask<T>(
        &self,
        asked: Instant,
        client: &str,
        notifier: &ProgressNotifier,
        cancel: &Cancel,
        ask: impl Fn(&Session<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let once = || {
            let session = Session::for_tree(&self.host, notifier, cancel);
            ask(&session.asked_at(asked).for_client(client.to_owned()))
        };
        match once() {
            Err(error) if error.code() == Code::Busy && self.indexing.is_running() => {}
            asked => return asked,
        }
        if self.indexing.wait(FIRST_INDEX_WAIT, cancel, &|progress| notifier.report(progress)) {
            return match self.indexing.failure() {
                Some(failure) => Err(ToolError::new(Code::Io, format!("indexing failed: {failure}"))),
                None => once(),
            };
        }
        let message = format!("the first index is being built: {}", self.indexing.progress().description);
        Err(ToolError::new(Code::Busy, message).hint("try again in a moment; text search works already"))
    }

    /// Stops the work in the background.
    pub(crate) fn close(&self) {
        self.cancel.cancel();
        self.embedding.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Refreshes the index in the background: at once if there is none, otherwise after a delay for the first query.
    fn start(&self, freshness: Arc<dyn Freshness>) {
        let has_index = self.host.engine().snapshot().is_ok();
        if !has_index {
            self.indexing.begin();
        }
        let (engine, indexing, cancel) =
            (self.host.engine().clone(), self.indexing.clone(), self.cancel.clone());
        let begun = std::thread::Builder::new().name("first index".to_owned()).spawn(move || {
            if has_index {
                std::thread::sleep(STARTUP_DELAY);
                indexing.begin();
            }
            let options = RefreshOptions { cancel, ..RefreshOptions::default() };
            let caught = freshness.catch_up(&engine, &options, &*indexing);
            indexing.end(caught.err().map(ToolError::from));
        });
        if let Err(error) = begun {
            self.indexing
                .end(Some(ToolError::new(Code::Io, format!("cannot start the indexing thread: {error}"))));
        }
    }
}
