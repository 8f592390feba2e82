//! Session eviction: which HTTP session ends when a new one begins at the limit.
//!
//! The SDK owns the sessions; this module records their use. The victim is a session without a tool call, otherwise the least
//! recently used one. A session with an open request or stream is never evicted. A client whose session was evicted gets 404 for
//! its next request and begins a new session.
//!
//! Example: a limit of three sessions, and a fourth one begins.
//!
//! ```text
//! session   called a tool   last used   open streams
//! A         yes             10:00       0
//! B         yes             10:05       0
//! C         no              10:07       0             victim: it never called a tool
//!
//! without C: the victim is A, the least recently used; with an open stream in A: the victim is B
//! ```

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Maximum number of open sessions.
const MAX_SESSIONS: usize = 256;

/// The use of all sessions.
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    uses: Mutex<HashMap<String, SessionUse>>,
    /// Number of sessions that are about to begin.
    reserved: AtomicUsize,
}

/// The use of one session.
#[derive(Clone, Copy)]
struct SessionUse {
    has_called: bool,
    last_used: Instant,
    /// Number of open requests and streams.
    open: usize,
}

impl SessionUse {
    fn new() -> Self {
        Self { has_called: false, last_used: Instant::now(), open: 0 }
    }
}

impl Sessions {
    pub(crate) fn new(manager: Arc<LocalSessionManager>) -> Arc<Self> {
        Arc::new(Self { manager, uses: Mutex::default(), reserved: AtomicUsize::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SessionUse>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a slot for a new session and evicts another one if needed; returns none if all are in use.
    pub(crate) async fn reserve(self: &Arc<Self>) -> Option<SessionSlot> {
        let slot = SessionSlot::new(self);
        loop {
            let open: Vec<String> =
                self.manager.sessions.read().await.keys().map(|id| id.as_ref().to_owned()).collect();
            if open.len() + self.reserved.load(Ordering::Acquire) <= MAX_SESSIONS {
                return Some(slot);
            }
            let victim = self.choose_victim(&open)?;
            // An error means that the session is gone already.
            let _ = self.manager.close_session(&victim.into()).await;
        }
    }

    /// The open session to evict. Forgets the use of sessions that have ended.
    fn choose_victim(&self, open: &[String]) -> Option<String> {
        let mut uses = self.lock();
        uses.retain(|id, _| open.contains(id));
        let idle = open.iter().filter_map(|id| {
            let used = *uses.entry(id.clone()).or_insert_with(SessionUse::new);
            (used.open == 0).then_some(((used.has_called, used.last_used), id))
        });
        let victim = idle.min_by_key(|(order, _)| *order)?.1.clone();
        uses.remove(&victim);
        Some(victim)
    }

    /// Records a new session.
    pub(crate) fn insert(&self, id: &str) {
        self.lock().insert(id.to_owned(), SessionUse::new());
    }

    /// Marks a session as in use until the guard is dropped; returns none for an unknown session.
    pub(crate) fn begin_use(self: &Arc<Self>, id: &str) -> Option<SessionGuard> {
        self.lock().get_mut(id)?.open += 1;
        Some(SessionGuard { sessions: self.clone(), id: id.to_owned(), has_called: false })
    }
}

/// A slot for a session that is about to begin.
pub(crate) struct SessionSlot(Arc<Sessions>);

impl SessionSlot {
    fn new(sessions: &Arc<Sessions>) -> Self {
        sessions.reserved.fetch_add(1, Ordering::AcqRel);
        Self(sessions.clone())
    }
}

impl Drop for SessionSlot {
    fn drop(&mut self) {
        self.0.reserved.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Prevents the eviction of a session.
pub(crate) struct SessionGuard {
    sessions: Arc<Sessions>,
    id: String,
    /// Whether this use is a tool call.
    pub(crate) has_called: bool,
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(used) = self.sessions.lock().get_mut(&self.id) {
            used.open = used.open.saturating_sub(1);
            used.has_called |= self.has_called;
            used.last_used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(sessions: &Arc<Sessions>, ids: &[&str]) -> Vec<String> {
        for id in ids {
            sessions.insert(id);
        }
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn call(sessions: &Arc<Sessions>, id: &str) {
        sessions.begin_use(id).expect("it has begun").has_called = true;
    }

    #[test]
    fn sessions_without_a_call_are_evicted_first_then_the_least_recently_used() {
        let sessions = Sessions::new(Arc::default());
        let mut open = open(&sessions, &["first", "second", "never"]);
        for id in ["second", "first"] {
            call(&sessions, id);
        }
        for expected in ["never", "second", "first"] {
            assert_eq!(sessions.choose_victim(&open).as_deref(), Some(expected));
            open.retain(|id| id != expected);
        }
        assert_eq!(sessions.choose_victim(&open), None);
    }

    #[test]
    fn a_session_with_an_open_request_or_stream_is_not_evicted() {
        let sessions = Sessions::new(Arc::default());
        let open = open(&sessions, &["streams", "called"]);
        call(&sessions, "called");
        let stream = sessions.begin_use("streams");
        assert_eq!(sessions.choose_victim(&open).as_deref(), Some("called"));
        assert_eq!(sessions.choose_victim(&open[..1]), None);
        drop(stream);
        assert_eq!(sessions.choose_victim(&open[..1]).as_deref(), Some("streams"));
        assert!(sessions.begin_use("unknown").is_none(), "unknown sessions are not recorded");
    }
}
