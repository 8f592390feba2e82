//! Server-sent events: tells browsers the generation of the index and the number of pending files whenever they change.

use crate::server::ServerState;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use orient_engine::{Cancel, NoProgress};
use orient_tools::Session;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

/// How often the index is compared with the files while somebody listens.
const INTERVAL: Duration = Duration::from_secs(1);
/// A comment is sent after this time without an event, so that a vanished listener is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Maximum number of listeners.
const MAX_LISTENERS: usize = 64;

/// What an event says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct IndexState {
    generation: u64,
    pending: usize,
}

/// Observes the index for all listeners.
pub(crate) struct IndexEvents {
    latest: watch::Sender<Option<IndexState>>,
    listeners: Arc<Semaphore>,
}

impl IndexEvents {
    /// Starts to observe. The index is read only while somebody listens.
    pub(crate) fn start(state: Arc<ServerState>, stop: CancellationToken) -> Self {
        let latest = watch::Sender::new(None);
        let sender = latest.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(INTERVAL) => {}
                }
                if sender.receiver_count() > 0
                    && let Some(now) = observe(&state).await
                {
                    sender.send_if_modified(|known| known.replace(now) != Some(now));
                }
            }
        });
        Self { latest, listeners: Arc::new(Semaphore::new(MAX_LISTENERS)) }
    }

    /// The body of a response to a new listener; `None` if there are too many.
    pub(crate) fn listen(&self, stop: CancellationToken) -> Option<Body> {
        let slot = self.listeners.clone().try_acquire_owned().ok()?;
        let (sender, receiver) = mpsc::channel(4);
        let mut latest = self.latest.subscribe();
        latest.mark_changed();
        tokio::spawn(async move {
            loop {
                let text = tokio::select! {
                    changed = latest.changed() => match changed {
                        Ok(()) => latest.borrow_and_update().map_or_else(String::new, event),
                        Err(_) => return,
                    },
                    () = tokio::time::sleep(KEEP_ALIVE) => ":\n\n".to_owned(),
                    () = stop.cancelled() => return,
                };
                if !text.is_empty() && sender.send(Bytes::from(text)).await.is_err() {
                    return;
                }
            }
        });
        Some(Body::new(EventBody { receiver, _slot: slot }))
    }
}

fn event(state: IndexState) -> String {
    format!("event: index\ndata: generation={}&pending={}\n\n", state.generation, state.pending)
}

/// Compares the index with the files; `None` without an index.
async fn observe(state: &Arc<ServerState>) -> Option<IndexState> {
    let tree = state.opened()?;
    let observed = tokio::task::spawn_blocking(move || {
        let cancel = Cancel::default();
        let session = Session::for_tree(&tree.host, &NoProgress, &cancel);
        let generation = session.generation().ok()?;
        Some(IndexState { generation, pending: session.pending_count() })
    });
    observed.await.ok().flatten()
}

/// A body that ends when its sender does.
struct EventBody {
    receiver: mpsc::Receiver<Bytes>,
    _slot: OwnedSemaphorePermit,
}

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.receiver.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_two_lines_and_an_empty_one() {
        let text = event(IndexState { generation: 7, pending: 2 });
        assert_eq!(text, "event: index\ndata: generation=7&pending=2\n\n");
    }
}
