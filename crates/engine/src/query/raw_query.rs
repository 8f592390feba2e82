//! Raw queries over the views of the store.

use crate::{Cancel, Snapshot};
use orient_store::{QueryError, QueryLimits, QueryRows, RankedHit};

impl Snapshot {
    /// Runs one statement of the user over the documented views, read-only and within limits.
    pub fn raw_query(
        &self,
        statement: &str,
        hits: &[RankedHit],
        limits: &QueryLimits,
        cancel: &Cancel,
    ) -> Result<QueryRows, QueryError> {
        let cancel = cancel.clone();
        self.store.query(statement, hits, limits, move || cancel.is_cancelled())
    }
}
