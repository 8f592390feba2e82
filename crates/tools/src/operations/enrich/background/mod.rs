//! Compiler layers in the background of a server: asks the language servers that the user allowed about what is not proved, and imports new
//! SCIP indexes if that is allowed.
//!
//! One process does so for a tree, with one language server at a time. It begins once nothing has changed for a while and ends the server when
//! something does: a server that is started again cannot have old files in its memory. Answers are held until the tree is quiet, then published
//! together with the graph that is resolved with them, so that no question waits for that.

mod schedule;
mod state;

pub(crate) use state::BackgroundState;

use super::server_states::KnownServers;
use crate::error::{Code, ToolError};
use crate::operations::scip;
use crate::session::Session;
use crate::session::open_tree::OpenTree;
use crate::text::number_format::{count, plural};
use orient_engine::{Cancel, LayerPublication, NoProgress, PARSER_STACK_BYTES, ServerAnswers, Snapshot};
use orient_enrich::{FileOutcome, Limits, Permission, RunObserver, ServerRun, allowed, ask_files};
use orient_model::{FileAnswers, FileQuestions};
use schedule::{NextStep, Schedule};
use state::{BackgroundActivity, take_turn};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks whether there is something to do.
const POLL: Duration = Duration::from_secs(1);
/// How often a sleeping thread checks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(50);
/// How often it is checked while a server is asked whether it still may be, and whether something changed.
const CHANGE_POLL: Duration = Duration::from_millis(250);
/// Maximum number of questions before answers are published.
const MAX_QUESTIONS: usize = 20_000;
/// Looking for indexes takes at most one part in this many of the time.
const SEARCH_SHARE: u32 = 50;

/// Keeps the compiler layers of a tree up to date while it is open. Dropping it ends the language server, and keeps its answers.
pub struct BackgroundLayers {
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundLayers {
    /// Starts the thread; `None` if the settings turn it off. Nothing is started or imported before the user allows it.
    pub fn start(tree: &OpenTree) -> Option<Self> {
        let settings = &tree.loaded().settings.enrich;
        if !settings.background || !settings.layer {
            return None;
        }
        let (tree, cancel) = (tree.clone(), Cancel::default());
        let shared = cancel.clone();
        let thread = std::thread::Builder::new().name("layers".to_owned()).stack_size(PARSER_STACK_BYTES);
        let work = move || {
            orient_live::lower_priority();
            let directory = Session::for_tree(&tree, &NoProgress, &shared).private_directory(false);
            if let Ok(directory) = directory {
                LayerUpdater::new(&tree, directory, &shared).work();
            }
        };
        let thread = thread.spawn(work).ok()?;
        Some(Self { cancel, thread: Some(thread) })
    }
}

impl Drop for BackgroundLayers {
    fn drop(&mut self) {
        self.cancel.cancel();
        // A language server must not outlive us.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What a pass over the servers came to.
enum Pass {
    /// Everything was asked, or as much as is asked at once.
    Done { questions: u64, answered: u64, is_all: bool },
    /// Files changed, or the consent was revoked.
    Interrupted,
    /// No server answered.
    Failed(String),
}

struct LayerUpdater<'t> {
    tree: &'t OpenTree,
    directory: PathBuf,
    cancel: &'t Cancel,
    schedule: Schedule,
    /// Answers that are not in the layer yet.
    held: Vec<ServerAnswers>,
    /// The stamps of new indexes when they were last seen: one that changes is still being written.
    written: BTreeMap<PathBuf, String>,
    search_after: Instant,
    shown: Option<BackgroundState>,
    turn: Option<File>,
}

impl<'t> LayerUpdater<'t> {
    fn new(tree: &'t OpenTree, directory: PathBuf, cancel: &'t Cancel) -> Self {
        Self {
            tree,
            directory,
            cancel,
            schedule: Schedule::default(),
            held: Vec::new(),
            written: BTreeMap::new(),
            search_after: Instant::now(),
            shown: None,
            turn: None,
        }
    }

    fn work(&mut self) {
        while !self.is_cancelled_after(POLL) {
            let may_ask = !allowed(&self.directory, self.tree.root()).is_empty();
            let may_import = scip::is_import_allowed(&self.directory, self.tree.root());
            if !may_ask && !may_import {
                (self.turn, self.shown) = (None, None);
                continue;
            }
            if self.turn.is_none() {
                self.turn = take_turn(&self.directory);
            }
            if self.turn.is_some() {
                self.step(may_ask, may_import);
            }
        }
        self.keep_held_answers();
    }

    /// Sleeps; returns whether the thread must end.
    fn is_cancelled_after(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.cancel.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(CANCEL_POLL));
        }
        true
    }

    fn step(&mut self, may_ask: bool, may_import: bool) {
        let now = Instant::now();
        let next = self.schedule.next(self.tree.engine.generation(), now);
        if next == NextStep::Changing {
            self.show(BackgroundActivity::Waiting, "waits until no file has changed for a while");
            return;
        }
        if may_import && now >= self.search_after {
            let imported = self.import_new_indexes();
            self.search_after = Instant::now() + now.elapsed() * SEARCH_SHARE;
            if let Err(error) = imported {
                self.show(BackgroundActivity::Failed, error.message());
                return;
            }
        }
        if !may_ask {
            self.show(
                BackgroundActivity::UpToDate,
                "imports every new index.scip; no language server is allowed",
            );
        } else if next == NextStep::Ask {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let begun = Instant::now();
        let pass = self.pass().unwrap_or_else(|error| match error.code() {
            Code::Busy | Code::Interrupted => Pass::Interrupted,
            _ => Pass::Failed(error.message().to_owned()),
        });
        let (now, took) = (Instant::now(), begun.elapsed());
        match pass {
            Pass::Done { questions, answered, is_all } => {
                let generation = self.tree.engine.generation().filter(|_| is_all);
                self.schedule.completed(generation, if is_all { took } else { Duration::ZERO }, now);
                let reason = if questions == 0 {
                    "everything is proved, or was asked before".to_owned()
                } else {
                    format!("{} of {} answered", count(answered), plural(questions, "question", "questions"))
                };
                self.show(BackgroundActivity::UpToDate, &reason);
            }
            Pass::Interrupted => {
                self.schedule.interrupted(took, now);
                self.show(BackgroundActivity::Waiting, "stopped because files changed");
            }
            Pass::Failed(reason) => {
                self.schedule.failed(now);
                self.show(BackgroundActivity::Failed, &reason);
            }
        }
    }

    /// Asks every server that may be asked, and publishes the answers.
    fn pass(&mut self) -> Result<Pass, ToolError> {
        let session = Session::for_tree(self.tree, &NoProgress, self.cancel);
        let snapshot = session.snapshot()?;
        let known = KnownServers::of(&session, &snapshot, &[], &[])?;
        let permitted = known.permitted(&session, &self.directory)?;
        let memory = session.loaded().settings.enrich.memory.bytes();
        let limits = Limits { memory, ..Limits::default() };
        let (mut questions, mut answered, mut left) = (0, 0, MAX_QUESTIONS);
        let mut failure = None;
        for (permission, languages) in &permitted {
            let mut files = snapshot.compiler_questions(languages, false, 1, self.cancel)?;
            files.retain(|file| !self.holds(file));
            for file in &mut files {
                file.questions.truncate(left);
                left -= file.questions.len();
            }
            files.retain(|file| !file.questions.is_empty());
            if files.is_empty() {
                continue;
            }
            let asked: usize = files.iter().map(|file| file.questions.len()).sum();
            let asked = plural(asked as u64, "question", "questions");
            self.show(BackgroundActivity::Querying, &format!("{}: {asked}", permission.shown()));
            let run = self.ask_server(&snapshot, permission, &files, &limits);
            questions += run.files.iter().map(|file| file.asked).sum::<u64>();
            answered += run.files.iter().map(|file| file.answered).sum::<u64>();
            if run.is_cancelled {
                return Ok(Pass::Interrupted);
            }
            let reason =
                || run.files.iter().find(|file| !file.detail.is_empty()).map(|file| file.detail.clone());
            failure = failure.or_else(reason).map(|reason| format!("{}: {reason}", permission.shown()));
        }
        drop(snapshot);
        self.publish(&session)?;
        if questions > 0 && answered == 0 {
            return Ok(Pass::Failed(failure.unwrap_or_else(|| "no question was answered".to_owned())));
        }
        Ok(Pass::Done { questions, answered, is_all: left > 0 })
    }

    /// Whether the answers about a file are held already.
    fn holds(&self, file: &FileQuestions) -> bool {
        let mut held = self.held.iter().flat_map(|one| &one.files);
        held.any(|one| one.path == file.path && one.hash == file.hash)
    }

    fn ask_server(
        &mut self,
        snapshot: &Snapshot,
        permission: &Permission,
        files: &[FileQuestions],
        limits: &Limits,
    ) -> ServerRun {
        let generation = snapshot.generation();
        let checked = Cell::new(Instant::now());
        let (engine, cancel, directory) = (&self.tree.engine, self.cancel, &self.directory);
        let is_over = || {
            if cancel.is_cancelled() {
                return true;
            }
            if checked.get().elapsed() < CHANGE_POLL {
                return false;
            }
            checked.set(Instant::now());
            let is_allowed =
                allowed(directory, engine.root()).iter().any(|one| one.name == permission.name());
            !is_allowed || engine.generation() != Some(generation)
        };
        let mut answers = HeldAnswers { snapshot, files: Vec::new() };
        let run = ask_files(permission, files, limits, &is_over, &mut answers);
        self.held.push(ServerAnswers { server: permission.shown(), files: answers.files });
        run
    }

    /// Makes the held answers a part of the layer and of the graph.
    fn publish(&mut self, session: &Session<'_>) -> Result<(), ToolError> {
        let snapshot = session.snapshot()?;
        let publication = LayerPublication::Resolved(self.cancel);
        self.tree.engine.keep_answers(&snapshot, &self.held, publication)?;
        self.held.clear();
        Ok(())
    }

    /// Makes the held answers a part of the layer when the thread ends: the graph follows when it is asked next.
    fn keep_held_answers(&mut self) {
        let held = std::mem::take(&mut self.held);
        if let Some(snapshot) = self.tree.engine.snapshot().ok().filter(|_| !held.is_empty()) {
            let _ = self.tree.engine.keep_answers(&snapshot, &held, LayerPublication::NextRefresh);
        }
    }

    /// Imports indexes that are new, once they are written completely.
    fn import_new_indexes(&mut self) -> Result<(), ToolError> {
        let session = Session::for_tree(self.tree, &NoProgress, self.cancel);
        let snapshot = session.snapshot()?;
        let before = std::mem::take(&mut self.written);
        let new = scip::new_indexes(&self.tree.engine, &snapshot)?;
        for index in &new {
            self.written.insert(index.file.clone(), index.stamp.clone());
        }
        let complete =
            new.into_iter().filter(|index| before.get(&index.file) == Some(&index.stamp)).collect();
        let publication = LayerPublication::Resolved(self.cancel);
        if let Some(failure) =
            scip::import_indexes(&self.tree.engine, &snapshot, complete, publication)?.failure()
        {
            tracing::warn!("an index in the tree could not be imported");
            return Err(ToolError::new(Code::BadArgument, failure));
        }
        Ok(())
    }

    fn show(&mut self, activity: BackgroundActivity, reason: &str) {
        let state = BackgroundState::new(activity, reason);
        if self.shown.as_ref() != Some(&state) {
            state.store(&self.directory);
            self.shown = Some(state);
        }
    }
}

/// Collects answers.
struct HeldAnswers<'s> {
    snapshot: &'s Snapshot,
    files: Vec<FileAnswers>,
}

impl RunObserver for HeldAnswers<'_> {
    fn text(&mut self, file: &FileQuestions) -> Option<String> {
        self.snapshot.text_with_hash(&file.path, file.hash)
    }

    fn answered(&mut self, answers: FileAnswers, _: &FileOutcome) {
        self.files.push(answers);
    }
}
