//! The write guard: whether the client's task may write a file now, and the call that clears a refusal.

use crate::error::ToolError;
use crate::session::Session;
use crate::task::dependents::{self, Dependents, UseOf};
use crate::task::record;
use orient_engine::{Engine, EngineError, Snapshot, TaskRow, TaskStore, to_native};
use orient_model::RepoPath;
use orient_safefs::UntrustedDirectory;
use orient_task::{Phase, Refusal, Status, Task, WriteTarget, check_write};
use std::path::{Path, PathBuf};

/// Maximum size of a file that a client's own tool has shown.
const MAX_SHOWN: u64 = 64 << 20;

/// A decision about a write.
#[derive(Clone, Debug, Default)]
pub struct GuardDecision {
    /// Whether the file may be written.
    pub allowed: bool,
    /// The file, from the root of the tree.
    pub path: String,
    /// The task that was asked; `None` without one, or if it could not be read.
    pub task: Option<u64>,
    /// Why not, or a remark.
    pub reason: String,
    /// The command that clears a refusal; empty if it is allowed.
    pub clears: String,
    pub(crate) dependents: Dependents,
}

impl GuardDecision {
    fn allow(path: String) -> Self {
        Self { allowed: true, path, ..Self::default() }
    }

    /// The reason and what clears it, in one line for an agent: commands are spelled as calls of tools.
    pub fn message(&self) -> String {
        let text = match (self.allowed, self.clears.as_str()) {
            (true, _) => self.reason.clone(),
            (false, "") => format!("Orient task: {}", self.reason),
            (false, clears) => format!("Orient task: {}; clear it with `{clears}`", self.reason),
        };
        crate::agent::command_hints::for_programs(&text, false)
    }

    /// Uses in other files that a change must not break.
    pub fn must_verify(&self) -> Vec<String> {
        self.dependents.must.iter().map(UseOf::anchor).collect()
    }
}

/// The current task of a client, and the store it is in.
pub(crate) fn active_task(
    engine: &Engine,
    clients: &[&str],
) -> Result<Option<(TaskStore, TaskRow)>, EngineError> {
    let Some(store) = engine.tasks(false)? else { return Ok(None) };
    for client in clients {
        if let Some(row) = store.active(client)? {
            return Ok(Some((store, row)));
        }
    }
    Ok(None)
}

/// The path of a file from the root, with links resolved; `None` outside the tree.
fn in_tree(root: &Path, path: &Path) -> Option<String> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let real = path.canonicalize().ok().or_else(|| {
        // A new file, perhaps in a new directory.
        let (mut known, mut rest) = (path.to_owned(), PathBuf::new());
        loop {
            let name = known.file_name()?.to_owned();
            rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(&name).join(rest) };
            known.pop();
            if let Ok(real) = known.canonicalize() {
                return Some(real.join(rest));
            }
        }
    })?;
    let inside = real.strip_prefix(&root).ok()?.to_str()?;
    Some(if cfg!(windows) { inside.replace('\\', "/") } else { inside.to_owned() })
}

/// Checks a write of one of the clients; the first that has a task decides. Without a task, everything is allowed. The index is
/// not refreshed: a hook must answer at once. If the store cannot be read, the setting decides.
pub fn check_write_target(
    session: &Session<'_>,
    clients: &[&str],
    path: &Path,
    with_tests: bool,
) -> GuardDecision {
    match try_check(session, clients, path, with_tests) {
        Ok(decision) => decision,
        Err(error) => {
            let closed = session.loaded().settings.task.fail_closed;
            let reason = format!(
                "the task could not be read ({error}), so the write is {}",
                if closed { "refused (task.fail_closed)" } else { "allowed" }
            );
            let clears = if closed { "orient task status".to_owned() } else { String::new() };
            GuardDecision {
                allowed: !closed,
                path: path.display().to_string(),
                reason,
                clears,
                ..GuardDecision::default()
            }
        }
    }
}

fn try_check(
    session: &Session<'_>,
    clients: &[&str],
    path: &Path,
    with_tests: bool,
) -> Result<GuardDecision, ToolError> {
    let shown = path.display().to_string();
    let engine = session.engine()?;
    let Some((store, row)) = active_task(engine, clients)? else { return Ok(GuardDecision::allow(shown)) };
    let Some(inside) = in_tree(session.root(), path) else { return Ok(GuardDecision::allow(shown)) };
    let task = read_task(&row)?;
    if task.status != Status::Open {
        return Ok(GuardDecision::allow(shown));
    }
    let repo_path = RepoPath::from(inside.as_str());
    let now = engine.content_hash(&repo_path);
    let snapshot = engine.snapshot().ok();
    let rows = store.served(row.id)?;
    // A permitted write that was not reported: what the file holds now is its result.
    let permitted = rows.written.iter().any(|file| file.path == inside && file.content.is_none());
    let record = record::load(rows, |path| {
        if path == inside {
            return now;
        }
        let row = snapshot.as_ref()?.file(&RepoPath::from(path)).ok().flatten()?;
        row.hash
    });
    let dependents = match (&snapshot, task.phase) {
        (Some(snapshot), Phase::Ready) => dependents_of(snapshot, &task, &inside, with_tests)?,
        _ => Dependents::default(),
    };
    let exists =
        to_native(&repo_path).is_some_and(|native| session.root().join(native).symlink_metadata().is_ok());
    let must = dependents.must.iter().map(UseOf::dependent).collect();
    let target = WriteTarget { path: Some(inside.clone()), exists, must };
    let decided = check_write(&task, &record, &target);
    let mut decision =
        GuardDecision { task: Some(row.id), dependents, ..GuardDecision::allow(inside.clone()) };
    match decided {
        Ok(()) => {
            if permitted && now.is_some() {
                store.record_write(row.id, &inside, now)?;
            }
            store.record_write(row.id, &inside, None)?;
        }
        Err(refusal) => {
            decision.allowed = false;
            (decision.reason, decision.clears) = explained(&refusal, &task);
        }
    }
    Ok(decision)
}

/// Records that a client has written a file, as a hook reports it after the fact.
pub fn record_write(session: &Session<'_>, clients: &[&str], path: &Path) -> Result<(), ToolError> {
    let engine = session.engine()?;
    let Some((store, row)) = active_task(engine, clients)? else { return Ok(()) };
    let Some(inside) = in_tree(session.root(), path) else { return Ok(()) };
    let permitted = store.served(row.id)?.written.iter().any(|file| file.path == inside);
    if let Some(content) = engine.content_hash(&RepoPath::from(inside.as_str())).filter(|_| permitted) {
        store.record_write(row.id, &inside, Some(content))?;
    }
    Ok(())
}

/// Records that a client's own tool has shown it lines of a file, as a hook reports it after the fact. Only indexed content
/// counts: what the tool showed must be what the index knows.
pub fn record_native_read(
    session: &Session<'_>,
    clients: &[&str],
    path: &Path,
    lines: Option<(u32, u32)>,
) -> Result<(), ToolError> {
    use orient_engine::{ServedBatch, ServedRange};
    let engine = session.engine()?;
    let Some((store, row)) = active_task(engine, clients)? else { return Ok(()) };
    let Some(inside) = in_tree(session.root(), path) else { return Ok(()) };
    let content = engine.content_hash(&RepoPath::from(inside.as_str()));
    let text = UntrustedDirectory::open(session.root())
        .and_then(|root| root.read(&inside, MAX_SHOWN))
        .unwrap_or_default();
    let total = u32::try_from(text.split(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX);
    let (first, last) = lines.map_or((1, total), |(first, last)| (first.max(1), last.min(total)));
    if content.is_none() || first > last {
        return Ok(());
    }
    let range = ServedRange { path: inside.clone(), first, last, content, ..ServedRange::default() };
    let batch = ServedBatch {
        kinds: "read".to_owned(),
        operation: "read by the client".to_owned(),
        subject: inside,
        ranges: vec![range],
        ..ServedBatch::default()
    };
    Ok(store.record(row.id, &batch)?)
}

/// Parses the stored state.
pub(crate) fn read_task(row: &TaskRow) -> Result<Task, ToolError> {
    use crate::error::Code;
    Task::from_text(&row.state).map_err(|error| ToolError::new(Code::Damaged, error.to_string()))
}

/// What depends on a file, or on the symbols of it that the task is about.
pub(crate) fn dependents_of(
    snapshot: &Snapshot,
    task: &Task,
    path: &str,
    with_tests: bool,
) -> Result<Dependents, ToolError> {
    let view = snapshot.graph();
    let mut handles = task.understanding.symbols.clone();
    handles.extend(task.symbols.iter().map(|symbol| symbol.handle.clone()));
    let nodes = dependents::nodes_of_file(&view, snapshot, path, &handles)?;
    dependents::of_nodes(&view, &nodes, with_tests)
}

/// The reason of a refusal and the command that clears it.
fn explained(refusal: &Refusal, task: &Task) -> (String, String) {
    match refusal {
        Refusal::NotReady(phase) => {
            (format!("the task is in the phase {phase}, not ready to write"), "orient task status".to_owned())
        }
        Refusal::NotExplored(path) => {
            (format!("{path} was not read in this task"), format!("orient show {path}"))
        }
        Refusal::Stale(path) => {
            (format!("{path} has changed since it was read"), format!("orient show {path}"))
        }
        Refusal::NoNewFiles(path) => (
            format!("a task to {} creates no files, and {path} does not exist", task.intent),
            "orient task start --intent implement \"REQUEST\"".to_owned(),
        ),
        Refusal::DirectoryNotExplored(directory) => {
            let directory = if directory.is_empty() { "." } else { directory };
            (format!("nothing in {directory} was read in this task"), format!("orient outline {directory}"))
        }
        Refusal::Unverified { path, missing } => {
            let named: Vec<String> = task
                .understanding
                .symbols
                .iter()
                .chain(task.symbols.iter().map(|symbol| &symbol.handle))
                .filter(|handle| handle.starts_with(&format!("{path}#")))
                .take(3)
                .cloned()
                .collect();
            let subject = if named.is_empty() { path.clone() } else { named.join(" ") };
            let first: Vec<String> = missing
                .iter()
                .take(3)
                .map(|one| format!("{}:{}", one.at.path, one.at.line.unwrap_or(1)))
                .collect();
            (
                format!(
                    "{} of {path} were not read: {}",
                    crate::text::number_format::plural(missing.len() as u64, "use", "uses"),
                    first.join(", ")
                ),
                format!("orient impact {subject}"),
            )
        }
    }
}
