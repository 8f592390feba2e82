//! The trees that a node has open. They are opened in the background, so that a question waits only as long as it wants to.

use crate::access::PublishedBranch;
use crate::branch_entries::read_entries;
use crate::contents::Hash;
use crate::database::Database;
use crate::error::TeamError;
use crate::indexes::{Indexes, OpenedRepository};
use orient_tools::OpenTree;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of trees that stay open.
const MAX_OPEN: usize = 256;
/// Number of trees that are opened at once for questions.
const OPENERS: usize = 2;
/// How often the branches are compared with what is prepared.
const POLL: Duration = Duration::from_secs(2);
/// How much the preparation of trees gives way to questions.
const NICENESS: i32 = 10;

const PUBLISHED: &str = "SELECT tree, artefact FROM branch WHERE id = $1 AND generation > 0";
const DEFAULT_BRANCHES: &str = "SELECT b.id, r.id, r.name, '', b.tree, b.artefact FROM branch b \
     JOIN repository r ON r.id = b.repository WHERE b.is_default AND b.generation > 0 ORDER BY b.published DESC, b.id";

/// A tree that is ready for a question.
pub(crate) struct ReadyTree {
    pub(crate) id: Hash,
    pub(crate) tree: OpenTree,
    /// Whether it is the published one; otherwise the one before it.
    pub(crate) is_current: bool,
}

/// The open trees. Dropping them ends the threads that open others.
pub(crate) struct OpenTrees {
    shared: Arc<SharedState>,
    requests: Sender<Request>,
}

/// A branch to open, and its place.
type Request = (PublishedBranch, Arc<BranchSlot>);

struct SharedState {
    database: Arc<Database>,
    indexes: Indexes,
    slots: Mutex<HashMap<i64, Arc<BranchSlot>>>,
    opened_count: AtomicU64,
}

/// The place of a branch among the open trees.
#[derive(Default)]
struct BranchSlot {
    state: Mutex<SlotState>,
    is_changed: Condvar,
}

#[derive(Default)]
struct SlotState {
    tree: Option<(Hash, OpenTree)>,
    is_opening: bool,
    /// Number of times that opening has ended.
    attempts: u64,
    /// Why the last attempt failed.
    failure: Option<TeamError>,
    used: Option<Instant>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenTrees {
    /// Starts the threads that open trees. With `prepare`, the default branch of every repository is prepared before anybody asks, and
    /// again when a generation is published.
    pub(crate) fn start(database: Arc<Database>, indexes: Indexes, prepare: bool) -> Result<Self, TeamError> {
        let (slots, opened_count) = (Mutex::default(), AtomicU64::new(0));
        let shared = Arc::new(SharedState { database, indexes, slots, opened_count });
        let (requests, received) = channel();
        let received = Arc::new(Mutex::new(received));
        for _ in 0..OPENERS {
            let (shared, received) = (shared.clone(), received.clone());
            start_thread("open trees", move || shared.open_requested(&received))?;
        }
        if prepare {
            let shared = Arc::downgrade(&shared);
            start_thread("prepare trees", move || {
                give_way();
                let mut prepared = HashMap::new();
                while let Some(shared) = shared.upgrade() {
                    if shared.prepare(&mut prepared).is_err() {
                        tracing::warn!("branches cannot be prepared");
                    }
                    drop(shared);
                    std::thread::sleep(POLL);
                }
            })?;
        }
        Ok(Self { shared, requests })
    }

    /// Number of open trees.
    pub(crate) fn count(&self) -> usize {
        lock(&self.shared.slots).values().filter(|slot| lock(&slot.state).tree.is_some()).count()
    }

    /// Number of trees opened since the start.
    pub(crate) fn opened_count(&self) -> u64 {
        self.shared.opened_count.load(Ordering::Relaxed)
    }

    /// Asks for a branch to be opened if its published tree is not open.
    pub(crate) fn request(&self, branch: &PublishedBranch) {
        let slot = self.shared.slot(branch.id);
        let mut state = lock(&slot.state);
        if !state.is_open(branch) && !state.is_opening {
            self.send(&slot, &mut state, branch);
        }
    }

    /// The published tree of a branch; the one before it if opening takes longer than until a moment, or `None` if there is none.
    pub(crate) fn wait(
        &self,
        branch: &PublishedBranch,
        until: Instant,
    ) -> Result<Option<ReadyTree>, TeamError> {
        let slot = self.shared.slot(branch.id);
        let mut state = lock(&slot.state);
        // The attempt that begins after the question was asked: what it opens counts, even if a newer generation was published meanwhile.
        let mut own_attempt = None;
        loop {
            let has_ended = own_attempt.is_some_and(|own| state.attempts >= own);
            if let (true, Some(failure)) = (has_ended, &state.failure) {
                return Err(failure.shared());
            }
            if state.is_open(branch) || has_ended {
                return Ok(state.ready(true));
            }
            if !state.is_opening {
                self.send(&slot, &mut state, branch);
                own_attempt = Some(state.attempts + 1);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(state.ready(false));
            }
            state = slot.is_changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn send(&self, slot: &Arc<BranchSlot>, state: &mut SlotState, branch: &PublishedBranch) {
        // The threads end only after the sender is dropped.
        state.is_opening = self.requests.send((branch.clone(), slot.clone())).is_ok();
    }
}

impl SlotState {
    fn is_open(&self, branch: &PublishedBranch) -> bool {
        self.tree.as_ref().is_some_and(|(id, _)| *id == branch.tree)
    }

    fn ready(&self, is_current: bool) -> Option<ReadyTree> {
        let (id, tree) = self.tree.clone()?;
        Some(ReadyTree { id, tree, is_current })
    }
}

impl SharedState {
    /// The place of a branch; the least recently used one makes room.
    fn slot(&self, branch: i64) -> Arc<BranchSlot> {
        let mut slots = lock(&self.slots);
        let slot = slots.entry(branch).or_default().clone();
        lock(&slot.state).used = Some(Instant::now());
        if slots.len() > MAX_OPEN {
            let used = |slot: &BranchSlot| {
                let state = lock(&slot.state);
                (state.is_opening, state.used)
            };
            let oldest = slots.iter().min_by_key(|(id, slot)| (used(slot), **id)).map(|(id, _)| *id);
            if let Some(oldest) = oldest {
                slots.remove(&oldest);
            }
        }
        slot
    }

    fn open_requested(&self, received: &Mutex<Receiver<Request>>) {
        loop {
            let Ok((branch, slot)) = lock(received).recv() else { return };
            self.attempt(&branch, &slot);
        }
    }

    /// Opens a branch for its place. After a panic the thread goes on: others wait for it.
    fn attempt(&self, branch: &PublishedBranch, slot: &BranchSlot) {
        let opened = catch_unwind(AssertUnwindSafe(|| self.open(branch)));
        slot.end_attempt(opened.unwrap_or_else(|_| {
            Err(TeamError::Index(format!("the index of {} cannot be opened", branch.label)))
        }));
    }

    /// Opens the tree of a branch as it is published now, and brings its index up to date.
    fn open(&self, branch: &PublishedBranch) -> Result<(Hash, OpenTree), TeamError> {
        let (id, artefact, entries) = self.database.read(|transaction| {
            let row = transaction.query_opt(PUBLISHED, &[&branch.id])?;
            let row = row.ok_or_else(|| TeamError::UnknownRepository(branch.label.clone()))?;
            let id = Hash::try_from(row.get::<_, &[u8]>(0))
                .map_err(|_| TeamError::Damaged(branch.label.clone()))?;
            Ok((id, row.get(1), read_entries(transaction, branch.id)?))
        })?;
        let repository = OpenedRepository { id: branch.repository, name: &branch.name, artefact };
        let open = self.indexes.open(&repository, &entries)?;
        self.opened_count.fetch_add(1, Ordering::Relaxed);
        Ok((id, open))
    }

    /// Opens every default branch whose published tree has not been prepared, and keeps it open while there is room.
    fn prepare(&self, prepared: &mut HashMap<i64, Hash>) -> Result<(), TeamError> {
        let branches: Vec<PublishedBranch> = self.database.with(|client| {
            Ok(client.query(DEFAULT_BRANCHES, &[])?.iter().filter_map(PublishedBranch::of).collect())
        })?;
        prepared.retain(|id, _| branches.iter().any(|branch| branch.id == *id));
        for branch in branches {
            if prepared.get(&branch.id) == Some(&branch.tree) {
                continue;
            }
            let slot = self.slot_if_room(branch.id);
            let mut state = lock(&slot.state);
            if state.is_open(&branch) {
                prepared.insert(branch.id, branch.tree);
            } else if !state.is_opening {
                state.is_opening = true;
                drop(state);
                // A failure is reported to the next question, which tries again.
                self.attempt(&branch, &slot);
                prepared.insert(branch.id, branch.tree);
            }
        }
        Ok(())
    }

    /// The place of a branch; one outside of the open trees if these leave no room.
    fn slot_if_room(&self, branch: i64) -> Arc<BranchSlot> {
        let mut slots = lock(&self.slots);
        match slots.get(&branch) {
            Some(slot) => slot.clone(),
            None if slots.len() < MAX_OPEN => slots.entry(branch).or_default().clone(),
            None => Arc::default(),
        }
    }
}

impl BranchSlot {
    fn end_attempt(&self, opened: Result<(Hash, OpenTree), TeamError>) {
        let mut state = lock(&self.state);
        state.is_opening = false;
        state.attempts += 1;
        match opened {
            Ok(opened) => (state.tree, state.failure) = (Some(opened), None),
            Err(error) => state.failure = Some(error),
        }
        drop(state);
        self.is_changed.notify_all();
    }
}

fn start_thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), TeamError> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(TeamError::io("cannot start a thread"))
}

/// Lets other threads go first. What this thread starts inherits that.
#[cfg(target_os = "linux")]
pub(crate) fn give_way() {
    // The calling thread: priorities are those of threads here. Without it, the work is done at the usual priority.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_way() {}
