//! Progress notifications to a client. The working thread reports progress; a task of the session sends it, so that a slow client
//! never delays the work.

use crate::first_index::IndexingProgress;
use orient_engine::{Phase, Progress};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::cell::RefCell;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Sender, channel, error::TrySendError};

/// Minimum time between two notifications.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Sends progress to a client that asked for it.
pub(crate) struct ProgressNotifier {
    sender: Option<Sender<(f64, Option<f64>, String)>>,
    state: RefCell<NotifierState>,
}

#[derive(Default)]
struct NotifierState {
    phase: Option<Phase>,
    files: u64,
    total: u64,
    /// The last number sent: the protocol requires that it grows across phases.
    last_progress: f64,
    last_sent: Option<Instant>,
}

impl ProgressNotifier {
    /// Sends notifications if the client gave a token, and nothing otherwise.
    pub(crate) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        let sender = token.map(|token| {
            let (sender, mut updates) = channel::<(f64, Option<f64>, String)>(32);
            tokio::spawn(async move {
                while let Some((progress, total, message)) = updates.recv().await {
                    let mut note =
                        ProgressNotificationParam::new(token.clone(), progress).with_message(message);
                    note.total = total;
                    if peer.notify_progress(note).await.is_err() {
                        break;
                    }
                }
            });
            sender
        });
        Self { sender, state: RefCell::default() }
    }

    /// Reports the progress of the background.
    pub(crate) fn report(&self, progress: &IndexingProgress) {
        self.send(progress.files, progress.total, &progress.description, false);
    }

    fn send(&self, files: u64, total: u64, message: &str, is_urgent: bool) {
        let Some(sender) = &self.sender else { return };
        let mut state = self.state.borrow_mut();
        if !is_urgent && state.last_sent.is_some_and(|last| last.elapsed() < MIN_INTERVAL) {
            return;
        }
        state.last_sent = Some(Instant::now());
        #[expect(clippy::cast_precision_loss, reason = "a number of files")]
        let (files, total) = (files as f64, total as f64);
        // Each phase starts from zero, but the number sent must not fall.
        let progress = if files > state.last_progress { files } else { state.last_progress + 0.001 };
        state.last_progress = progress;
        let total = Some(total).filter(|total| *total >= progress);
        match sender.try_send((progress, total, message.to_owned())) {
            // Drop the update if the client does not read.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {}
        }
    }

    fn send_phase(&self, is_urgent: bool) {
        let (phase, files, total) = {
            let state = self.state.borrow();
            (state.phase, state.files, state.total)
        };
        if let Some(phase) = phase {
            self.send(files, total, phase.as_str(), is_urgent);
        }
    }
}

impl Progress for ProgressNotifier {
    fn phase(&self, phase: Phase, files: u64, _bytes: u64) {
        {
            let mut state = self.state.borrow_mut();
            (state.phase, state.files, state.total) = (Some(phase), 0, files);
        }
        self.send_phase(true);
    }

    fn tick(&self, files: u64, _bytes: u64) {
        self.state.borrow_mut().files += files;
        self.send_phase(false);
    }

    fn waiting(&self, _holder: Option<u32>, _waited: Duration) {
        self.send(0, 0, "waiting for another process that is indexing", false);
    }

    fn done(&self) {}
}
