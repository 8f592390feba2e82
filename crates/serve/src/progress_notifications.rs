//! From the engine's progress to the client's notifications. The engine tells from the thread that works; a task of the
//! session sends, so that a slow client never holds up the work.

use crate::served_tree::Moment;
use orient_engine::{Phase, Progress};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::cell::RefCell;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Sender, channel, error::TrySendError};

/// How often a client is told at most.
const EVERY: Duration = Duration::from_millis(100);

/// What the thread that works tells.
pub(crate) struct ProgressNotifier {
    sender: Option<Sender<(f64, Option<f64>, String)>>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    phase: Option<Phase>,
    files: u64,
    total: u64,
    /// What was told: it must grow, whatever phase begins.
    told: f64,
    last: Option<Instant>,
}

impl ProgressNotifier {
    /// A bridge to a client that wants to know; one that leads nowhere if it does not.
    pub(crate) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        let sender = token.map(|token| {
            let (sender, mut told) = channel::<(f64, Option<f64>, String)>(32);
            tokio::spawn(async move {
                while let Some((progress, total, message)) = told.recv().await {
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

    /// Tells of work that goes on elsewhere.
    pub(crate) fn tell(&self, moment: &Moment) {
        self.send(moment.files, moment.total, &moment.words, false);
    }

    fn send(&self, files: u64, total: u64, words: &str, at_once: bool) {
        let Some(sender) = &self.sender else { return };
        let mut state = self.state.borrow_mut();
        if !at_once && state.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        state.last = Some(Instant::now());
        #[expect(clippy::cast_precision_loss, reason = "a number of files")]
        let (files, total) = (files as f64, total as f64);
        // Several phases follow each other, and the number must not fall: what was told before stays below.
        let progress = if files > state.told { files } else { state.told + 0.001 };
        state.told = progress;
        let total = Some(total).filter(|total| *total >= progress);
        match sender.try_send((progress, total, words.to_owned())) {
            // A client that does not read is not waited for.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {}
        }
    }

    fn now(&self, at_once: bool) {
        let (phase, files, total) = {
            let state = self.state.borrow();
            (state.phase, state.files, state.total)
        };
        if let Some(phase) = phase {
            self.send(files, total, phase.as_str(), at_once);
        }
    }
}

impl Progress for ProgressNotifier {
    fn phase(&self, phase: Phase, files: u64, _bytes: u64) {
        {
            let mut state = self.state.borrow_mut();
            (state.phase, state.files, state.total) = (Some(phase), 0, files);
        }
        self.now(true);
    }

    fn tick(&self, files: u64, _bytes: u64) {
        self.state.borrow_mut().files += files;
        self.now(false);
    }

    fn waiting(&self, _holder: Option<u32>, _waited: Duration) {
        self.send(0, 0, "waiting for another process that is indexing", false);
    }

    fn done(&self) {}
}
