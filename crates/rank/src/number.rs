//! Counts as numbers with a point.

/// A count; those beyond sixteen million are rounded.
#[expect(clippy::cast_precision_loss, reason = "counts are compared and divided, never added up")]
pub(crate) fn float(count: usize) -> f32 {
    count as f32
}
