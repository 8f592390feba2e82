//! The sessions that are open over HTTP, and which of them makes room for the next.
//!
//! The SDK keeps the sessions; here it is noted what each was used for. Where there are too many, the one ends that has made no
//! call, else the one that was not used for the longest time. A session with a request or a stream that is open does not end.
//! A client whose session ended is told so by the next answer (404), and begins another.

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How many sessions are open at once.
const MOST: usize = 256;

/// All sessions.
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    used: Mutex<HashMap<String, Used>>,
    /// Sessions that are about to begin.
    beginning: AtomicUsize,
}

/// What a session was used for.
#[derive(Clone, Copy)]
struct Used {
    has_called: bool,
    last: Instant,
    /// Requests and streams that are open.
    open: usize,
}

impl Used {
    fn new() -> Self {
        Self { has_called: false, last: Instant::now(), open: 0 }
    }
}

impl Sessions {
    pub(crate) fn new(manager: Arc<LocalSessionManager>) -> Arc<Self> {
        Arc::new(Self { manager, used: Mutex::default(), beginning: AtomicUsize::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a session that begins while what is given is held; none where all that are open are in use.
    pub(crate) async fn make_room(self: &Arc<Self>) -> Option<Beginning> {
        let beginning = Beginning::new(self);
        loop {
            let open: Vec<String> =
                self.manager.sessions.read().await.keys().map(|id| id.as_ref().to_owned()).collect();
            if open.len() + self.beginning.load(Ordering::Acquire) <= MOST {
                return Some(beginning);
            }
            let idle = self.longest_idle(&open)?;
            // One that cannot be closed is gone all the same.
            let _ = self.manager.close_session(&idle.into()).await;
        }
    }

    /// The session that has the least to lose of those that are open. What is noted of others is forgotten.
    fn longest_idle(&self, open: &[String]) -> Option<String> {
        let mut used = self.lock();
        used.retain(|id, _| open.contains(id));
        let idle = open.iter().filter_map(|id| {
            let used = *used.entry(id.clone()).or_insert_with(Used::new);
            (used.open == 0).then_some(((used.has_called, used.last), id))
        });
        let least = idle.min_by_key(|(order, _)| *order)?.1.clone();
        used.remove(&least);
        Some(least)
    }

    /// Notes that a session has begun.
    pub(crate) fn begun(&self, id: &str) {
        self.lock().insert(id.to_owned(), Used::new());
    }

    /// Notes that a session is in use until what is given is dropped; nothing is noted of a session that nobody began.
    pub(crate) fn enter(self: &Arc<Self>, id: &str) -> Option<InUse> {
        self.lock().get_mut(id)?.open += 1;
        Some(InUse { sessions: self.clone(), id: id.to_owned(), has_called: false })
    }
}

/// A session that is about to begin.
pub(crate) struct Beginning(Arc<Sessions>);

impl Beginning {
    fn new(sessions: &Arc<Sessions>) -> Self {
        sessions.beginning.fetch_add(1, Ordering::AcqRel);
        Self(sessions.clone())
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        self.0.beginning.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A session that is in use.
pub(crate) struct InUse {
    sessions: Arc<Sessions>,
    id: String,
    /// Whether it was used for a call.
    pub(crate) has_called: bool,
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(used) = self.sessions.lock().get_mut(&self.id) {
            used.open = used.open.saturating_sub(1);
            used.has_called |= self.has_called;
            used.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(sessions: &Arc<Sessions>, ids: &[&str]) -> Vec<String> {
        for id in ids {
            sessions.begun(id);
        }
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn call(sessions: &Arc<Sessions>, id: &str) {
        sessions.enter(id).expect("it has begun").has_called = true;
    }

    #[test]
    fn who_never_called_goes_first_then_who_was_silent_longest() {
        let sessions = Sessions::new(Arc::default());
        let mut open = open(&sessions, &["first", "second", "never"]);
        for id in ["second", "first"] {
            call(&sessions, id);
        }
        for expected in ["never", "second", "first"] {
            assert_eq!(sessions.longest_idle(&open).as_deref(), Some(expected));
            open.retain(|id| id != expected);
        }
        assert_eq!(sessions.longest_idle(&open), None);
    }

    #[test]
    fn a_session_with_an_open_request_or_stream_does_not_end() {
        let sessions = Sessions::new(Arc::default());
        let open = open(&sessions, &["streams", "called"]);
        call(&sessions, "called");
        let stream = sessions.enter("streams");
        assert_eq!(sessions.longest_idle(&open).as_deref(), Some("called"));
        assert_eq!(sessions.longest_idle(&open[..1]), None);
        drop(stream);
        assert_eq!(sessions.longest_idle(&open[..1]).as_deref(), Some("streams"));
        assert!(sessions.enter("unknown").is_none(), "nothing is noted of what nobody began");
    }
}
