//! The names of the index at a glance, kept from one mistyped question to the next.

use crate::EngineError;
use crate::change_log::Steps;
use orient_store::{NameTable, Snapshot};
use std::sync::{Arc, Mutex, PoisonError};

/// The names of the newest generation that was asked; shared by an engine and its snapshots.
#[derive(Clone, Default)]
pub(super) struct Names(Arc<Mutex<Kept>>);

/// The names, with their generation.
type Kept = Option<(u64, Arc<NameTable>)>;

impl Names {
    /// Forgets everything: the index is another one.
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The names of a snapshot; none where only those of a later one are kept.
    pub(super) fn of(
        &self,
        snapshot: &Snapshot,
        steps: &Steps,
    ) -> Result<Option<Arc<NameTable>>, EngineError> {
        let generation = snapshot.generation();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sheet = match kept.take() {
            Some((known, sheet)) if known >= generation => {
                let same = (known == generation).then(|| Arc::clone(&sheet));
                *kept = Some((known, sheet));
                return Ok(same);
            }
            Some((known, sheet)) if steps.between(known, generation).is_some() => sheet,
            _ => Arc::default(),
        };
        snapshot.follow_names(Arc::make_mut(&mut sheet))?;
        *kept = Some((generation, Arc::clone(&sheet)));
        Ok(Some(sheet))
    }
}
