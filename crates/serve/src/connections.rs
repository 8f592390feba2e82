//! The connections that are open, and which of them makes room for the next.
//!
//! A new connection is always taken in. Where there are too many, the one goes that has nothing to lose: it has not asked
//! anything yet, or has its answer; the longest first. Where all are being answered, a few more are taken in for the health
//! check alone.

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

/// How many connections are open at once.
const MOST: usize = 512;
/// How many more are taken in for the health check while all of those are being answered.
const RESERVED: usize = 64;

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<Open>,
    left: Notify,
}

#[derive(Default)]
struct Open {
    next: u64,
    /// By number, which is by age.
    all: BTreeMap<u64, Arc<Connection>>,
}

/// One connection.
pub(crate) struct Connection {
    number: u64,
    /// Whether it may ask for the health check alone.
    pub(crate) is_reserved: bool,
    /// Requests that are being answered.
    answering: AtomicUsize,
    last: Mutex<Last>,
    /// Cancelled when it has to make room.
    pub(crate) evicted: CancellationToken,
}

/// When a connection last had an answer, or was opened; those without any go first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Last {
    was_answered: bool,
    at: Instant,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a connection, at the cost of another where there are too many; none where every single one is being
    /// answered.
    pub(crate) fn admit(&self) -> Option<Arc<Connection>> {
        let mut open = self.lock();
        let reserved = open.all.values().filter(|one| one.is_reserved).count();
        let is_reserved = if open.all.len() - reserved < MOST || open.evict(|one| !one.is_reserved) {
            false
        } else if reserved < RESERVED || open.evict(|one| one.is_reserved) {
            true
        } else {
            return None;
        };
        let number = open.next;
        open.next += 1;
        let connection = Arc::new(Connection {
            number,
            is_reserved,
            answering: AtomicUsize::new(0),
            last: Mutex::new(Last { was_answered: false, at: Instant::now() }),
            evicted: CancellationToken::new(),
        });
        open.all.insert(number, connection.clone());
        Some(connection)
    }

    /// Closes the connection that has the least to lose, if there is one.
    pub(crate) fn evict(&self) {
        self.lock().evict(|_| true);
    }

    /// Notes that a connection was closed.
    pub(crate) fn leave(&self, connection: &Connection) {
        self.lock().all.remove(&connection.number);
        self.left.notify_waiters();
    }

    /// Waits until all are closed.
    pub(crate) async fn emptied(&self) {
        loop {
            let left = self.left.notified();
            if self.lock().all.is_empty() {
                return;
            }
            left.await;
        }
    }
}

impl Open {
    /// Evicts one of those that may be; says whether there was one.
    fn evict(&mut self, may_be: impl Fn(&Connection) -> bool) -> bool {
        let is_idle = |one: &Connection| one.answering.load(Ordering::Acquire) == 0;
        let idle = self.all.values().filter(|one| may_be(one) && is_idle(one));
        let Some(number) = idle.min_by_key(|one| (one.last(), one.number)).map(|one| one.number) else {
            return false;
        };
        if let Some(gone) = self.all.remove(&number) {
            gone.evicted.cancel();
        }
        true
    }
}

impl Connection {
    fn last(&self) -> Last {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request is being answered until what is given is dropped.
    pub(crate) fn answer(self: &Arc<Self>) -> Answering {
        self.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self.clone())
    }
}

/// A request of a connection that is being answered.
pub(crate) struct Answering(Arc<Connection>);

impl Drop for Answering {
    fn drop(&mut self) {
        let now = Last { was_answered: true, at: Instant::now() };
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = now;
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A body that holds something until all of it was sent, or nobody wants the rest.
pub(crate) struct Holding<T> {
    body: Body,
    held: Option<T>,
}

impl<T: Send + Unpin + 'static> Holding<T> {
    /// The body, with what it holds.
    pub(crate) fn body(body: Body, held: T) -> Body {
        Body::new(Self { body, held: Some(held) })
    }
}

impl<T: Unpin> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.held = None;
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
    fn who_has_asked_nothing_makes_room_first_and_the_oldest_of_them() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST).map(|_| connections.admit().expect("there is room")).collect();
        drop(all[0].answer());
        let answering = all[1].answer();
        let next = connections.admit().expect("one makes room");
        assert!(!next.is_reserved);
        assert!(all[2].evicted.is_cancelled(), "the oldest that has asked nothing");
        assert!(!all[0].evicted.is_cancelled() && !all[1].evicted.is_cancelled());
        for _ in 3..=MOST {
            connections.admit();
        }
        assert!(!all[0].evicted.is_cancelled(), "all others go first");
        assert!(!all[1].evicted.is_cancelled());
        drop(answering);
    }

    #[test]
    fn while_all_are_being_answered_a_few_may_ask_for_the_health_check() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST).map(|_| connections.admit().expect("there is room").answer()).collect();
        let reserved: Vec<_> = (0..RESERVED).map(|_| connections.admit().expect("reserved")).collect();
        assert!(reserved.iter().all(|one| one.is_reserved && !one.evicted.is_cancelled()));
        assert!(connections.admit().expect("the oldest of them makes room").is_reserved);
        assert!(reserved[0].evicted.is_cancelled() && !reserved[1].evicted.is_cancelled());
        drop(all);
        assert!(!connections.admit().expect("an answered one makes room").is_reserved);
    }
}
