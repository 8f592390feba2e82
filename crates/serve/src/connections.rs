//! The open connections, and which of them is evicted for a new one.
//!
//! At the limit, a new connection evicts an idle one: first those that never sent a request, then those whose last response is
//! the oldest. If all have a request in progress, a few reserved connections are accepted for the health check only.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Maximum number of open connections.
const MAX_CONNECTIONS: usize = 512;
/// Number of reserved connections beyond that.
const MAX_RESERVED: usize = 64;

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<OpenConnections>,
    closed: Notify,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    /// By number, which grows with every connection.
    all: BTreeMap<u64, Arc<Connection>>,
}

/// One connection.
pub(crate) struct Connection {
    number: u64,
    /// Whether it is for the health check only.
    pub(crate) is_reserved: bool,
    /// Number of requests in progress.
    in_progress: AtomicUsize,
    last_use: Mutex<LastUse>,
    /// Cancelled when it is evicted.
    pub(crate) evicted: CancellationToken,
}

/// When a connection last got a response, or was opened. Connections without a response order first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LastUse {
    was_answered: bool,
    at: Instant,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection and evicts another one at the limit; returns none if every connection has a request in progress.
    pub(crate) fn admit(&self) -> Option<Arc<Connection>> {
        let mut open = self.lock();
        let reserved = open.all.values().filter(|one| one.is_reserved).count();
        let is_reserved = if open.all.len() - reserved < MAX_CONNECTIONS || open.evict(|one| !one.is_reserved)
        {
            false
        } else if reserved < MAX_RESERVED || open.evict(|one| one.is_reserved) {
            true
        } else {
            return None;
        };
        let number = open.next;
        open.next += 1;
        let connection = Arc::new(Connection {
            number,
            is_reserved,
            in_progress: AtomicUsize::new(0),
            last_use: Mutex::new(LastUse { was_answered: false, at: Instant::now() }),
            evicted: CancellationToken::new(),
        });
        open.all.insert(number, connection.clone());
        Some(connection)
    }

    /// Evicts an idle connection, if there is one.
    pub(crate) fn evict(&self) {
        self.lock().evict(|_| true);
    }

    /// Removes a closed connection.
    pub(crate) fn remove(&self, connection: &Connection) {
        self.lock().all.remove(&connection.number);
        self.closed.notify_waiters();
    }

    /// Waits until all are closed.
    pub(crate) async fn all_closed(&self) {
        loop {
            let closed = self.closed.notified();
            if self.lock().all.is_empty() {
                return;
            }
            closed.await;
        }
    }
}

impl OpenConnections {
    /// Evicts one idle connection among the eligible; returns whether there was one.
    fn evict(&mut self, is_eligible: impl Fn(&Connection) -> bool) -> bool {
        let is_idle = |one: &Connection| one.in_progress.load(Ordering::Acquire) == 0;
        let idle = self.all.values().filter(|one| is_eligible(one) && is_idle(one));
        let Some(number) = idle.min_by_key(|one| (one.last_use(), one.number)).map(|one| one.number) else {
            return false;
        };
        if let Some(evicted) = self.all.remove(&number) {
            evicted.evicted.cancel();
        }
        true
    }
}

impl Connection {
    fn last_use(&self) -> LastUse {
        *self.last_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request in progress until the guard is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>) -> RequestGuard {
        self.in_progress.fetch_add(1, Ordering::AcqRel);
        RequestGuard(self.clone())
    }
}

/// A request in progress; prevents the eviction of its connection.
pub(crate) struct RequestGuard(Arc<Connection>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let now = LastUse { was_answered: true, at: Instant::now() };
        *self.0.last_use.lock().unwrap_or_else(PoisonError::into_inner) = now;
        self.0.in_progress.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A response body that keeps a guard alive until it was sent or the client is gone.
pub(crate) struct GuardedBody<T> {
    body: Body,
    guard: Option<T>,
}

impl<T: Send + Unpin + 'static> GuardedBody<T> {
    /// Attaches a guard to a body.
    pub(crate) fn wrap(body: Body, guard: T) -> Body {
        Body::new(Self { body, guard: Some(guard) })
    }
}

impl<T: Unpin> HttpBody for GuardedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.guard = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_connection_without_a_request_is_evicted_first() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MAX_CONNECTIONS).map(|_| connections.admit().expect("there is room")).collect();
        drop(all[0].begin_request());
        let answering = all[1].begin_request();
        let next = connections.admit().expect("one is evicted");
        assert!(!next.is_reserved);
        assert!(all[2].evicted.is_cancelled(), "the oldest without a request");
        assert!(!all[0].evicted.is_cancelled() && !all[1].evicted.is_cancelled());
        for _ in 3..=MAX_CONNECTIONS {
            connections.admit();
        }
        assert!(!all[0].evicted.is_cancelled(), "all others are evicted first");
        assert!(!all[1].evicted.is_cancelled());
        drop(answering);
    }

    #[test]
    fn reserved_connections_are_accepted_while_all_others_are_busy() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MAX_CONNECTIONS)
            .map(|_| connections.admit().expect("there is room").begin_request())
            .collect();
        let reserved: Vec<_> = (0..MAX_RESERVED).map(|_| connections.admit().expect("reserved")).collect();
        assert!(reserved.iter().all(|one| one.is_reserved && !one.evicted.is_cancelled()));
        assert!(connections.admit().expect("the oldest of them is evicted").is_reserved);
        assert!(reserved[0].evicted.is_cancelled() && !reserved[1].evicted.is_cancelled());
        drop(all);
        assert!(!connections.admit().expect("an idle one is evicted").is_reserved);
    }
}
