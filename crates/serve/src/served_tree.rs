//! A served tree: an engine that stays open, and its first index, which is built in the background.

use crate::first_index::{BackgroundIndexing, FirstIndexGate};
use crate::progress_notifications::ProgressNotifier;
use crate::shared_trees::OpenedTrees;
use orient_engine::{Cancel, Engine, Freshness, RefreshOptions};
use orient_settings::Loaded;
use orient_tools::{
    BackgroundEmbedding, BackgroundLayers, ClientModel, Code, OpenTree, RemoteServer, Session,
    SessionOptions, ToolError, distinct_roots,
};
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
    /// The other roots of a workspace that the user chose.
    pub other_roots: Vec<PathBuf>,
    /// Whether the user chose the directory; otherwise the client's roots take precedence.
    pub root_is_fixed: bool,
    /// The tools to offer: the groups if absent, `all`, or a comma-separated list of names.
    pub tools: Option<String>,
    /// Keeps the index up to date.
    pub freshness: FreshnessFactory,
    /// Releases the free memory of the process. Called when no client has asked anything for a moment.
    pub release_memory: fn(),
}

/// How long a query waits for the first index before it is answered from the files that have its words.
const PROVISIONAL_WAIT: Duration = Duration::from_secs(3);

/// How long a query about all files waits for the first index before it fails with `Busy`.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(20);

/// Delay of the background refresh if there is an index: the first query goes first.
const STARTUP_DELAY: Duration = Duration::from_millis(300);

/// A served tree, and the other roots of its workspace.
pub(crate) struct ServedTree {
    pub(crate) host: OpenTree,
    peers: Vec<Self>,
    /// The name of the repository that paths are shown below, in a tree that is shared.
    label: Option<String>,
    only_own_symbols: bool,
    /// What no answer from these trees has.
    pub(crate) left_out: Vec<String>,
    /// The team server that answers for all other repositories.
    pub(crate) remote: Option<Arc<RemoteServer>>,
    pub(crate) indexing: Arc<BackgroundIndexing>,
    cancel: Cancel,
    /// Embeds the code with the chosen provider, if there is one.
    embedding: Mutex<Option<BackgroundEmbedding>>,
    /// Asks the language servers that the user allowed.
    layers: Mutex<Option<BackgroundLayers>>,
}

impl ServedTree {
    /// Opens the tree of the client's first root, or of the server's own one, with the other roots of the workspace, and starts to
    /// refresh them in the background.
    pub(crate) fn open(options: &Options, client_roots: Vec<PathBuf>) -> Result<Arc<Self>, ToolError> {
        let mut client_roots = distinct_roots(client_roots).into_iter();
        let first = client_roots.next();
        let others: Vec<PathBuf> =
            if first.is_some() { client_roots.collect() } else { options.other_roots.clone() };
        let mut tree = Self::open_one(options, first)?;
        let others = if others.is_empty() { tree.host.workspace() } else { others };
        tree.peers =
            others.into_iter().map(|root| Self::open_one(options, Some(root))).collect::<Result<_, _>>()?;
        let roots = tree.roots().map(|tree| tree.host.root().to_owned()).collect();
        tree.remote = RemoteServer::new(&tree.host.loaded().settings, roots);
        Ok(Arc::new(tree))
    }

    fn open_one(options: &Options, start: Option<PathBuf>) -> Result<Self, ToolError> {
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
        let layers = if options.setup.refresh { BackgroundLayers::start(&host) } else { None };
        let layers = Mutex::new(layers);
        let (label, only_own_symbols) = (None, false);
        let tree = Self {
            host,
            peers: Vec::new(),
            label,
            only_own_symbols,
            left_out: Vec::new(),
            remote: None,
            indexing,
            cancel: Cancel::default(),
            embedding,
            layers,
        };
        if let Some(freshness) = freshness.filter(|_| options.setup.refresh) {
            tree.start(freshness);
        }
        Ok(tree)
    }

    /// The trees of one question; their indexes are up to date. `None` if there are none.
    pub(crate) fn shared(opened: OpenedTrees) -> Option<Self> {
        let (is_labelled, only_own_symbols) = (opened.is_labelled, opened.only_own_symbols);
        let one = |(name, host): (String, OpenTree)| Self {
            host,
            peers: Vec::new(),
            label: is_labelled.then_some(name),
            only_own_symbols,
            left_out: Vec::new(),
            remote: None,
            indexing: Arc::default(),
            cancel: Cancel::default(),
            embedding: Mutex::default(),
            layers: Mutex::default(),
        };
        let mut trees = opened.trees.into_iter().map(one);
        let mut first = trees.next()?;
        first.peers = trees.collect();
        first.left_out = opened.left_out;
        Some(first)
    }

    /// The sessions of all roots as one.
    pub(crate) fn join<'s>(&self, session: &dyn Fn(&Self) -> Session<'s>) -> Result<Session<'s>, ToolError> {
        let own = session(self).leaving_out(self.left_out.clone());
        let Some(label) = &self.label else {
            return own.join(self.peers.iter().map(session).collect());
        };
        let peers = self.peers.iter().map(|peer| (peer.label.clone().unwrap_or_default(), session(peer)));
        Ok(own.join_named(label.clone(), peers.collect(), self.only_own_symbols))
    }

    /// Runs a query that arrived at a moment. A query that needs the first index waits for it; after [`PROVISIONAL_WAIT`] it is answered
    /// without it, if a part of the files can answer it, and fails with its progress after [`FIRST_INDEX_WAIT`] otherwise.
    pub(crate) fn ask<T>(
        &self,
        asked: Instant,
        (client, model): (&str, Option<&Arc<dyn ClientModel>>),
        notifier: &ProgressNotifier,
        cancel: &Cancel,
        ask: impl Fn(&Session<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let session = |tree: &Self| {
            Session::for_tree(&tree.host, notifier, cancel)
                .asked_at(asked)
                .for_client(client.to_owned())
                .with_client_model(model.cloned())
        };
        let once = || ask(&self.join(&session)?);
        match once() {
            Err(error)
                if error.code() == Code::Busy && self.roots().any(|tree| tree.indexing.is_running()) => {}
            asked => return asked,
        }
        let early = |tree: &Self| {
            let indexing = Some(&tree.indexing).filter(|indexing| indexing.is_running());
            match indexing.map(|indexing| indexing.progress().description) {
                Some(progress) => session(tree).without_waiting(progress),
                None => session(tree),
            }
        };
        for tree in self.roots() {
            let indexing = &tree.indexing;
            let ready = |timeout| indexing.wait(timeout, cancel, &|progress| notifier.report(progress));
            if !ready(PROVISIONAL_WAIT) {
                match ask(&self.join(&early)?) {
                    Err(error) if error.code() == Code::Busy => {}
                    answered => return answered,
                }
            }
            if !ready(FIRST_INDEX_WAIT.saturating_sub(PROVISIONAL_WAIT)) {
                let message = format!("the first index is being built: {}", indexing.progress().description);
                let error = ToolError::new(Code::Busy, message);
                return Err(error.hint("try again in a moment; text search works already"));
            }
            if let Some(failure) = indexing.failure() {
                return Err(ToolError::new(Code::Io, format!("indexing failed: {failure}")));
            }
        }
        once()
    }

    fn roots(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.peers)
    }

    /// Stops the work in the background.
    pub(crate) fn close(&self) {
        self.peers.iter().for_each(Self::close);
        self.cancel.cancel();
        self.embedding.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.layers.lock().unwrap_or_else(PoisonError::into_inner).take();
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
