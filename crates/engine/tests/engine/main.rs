//! Tests of the engine through its public surface. One program: each links everything below the engine.

mod cache_transparency;
mod compiler_layer;
mod crash_recovery;
mod cross_root_uses;
mod incremental;
mod portable_index;
mod queries;
mod refresh;
mod support;
mod text_candidates;
mod timings;
mod vector_renewal;
