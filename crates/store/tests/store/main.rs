//! Tests of the store through its public surface, in one program.

mod cache;
mod catalogue;
mod change_sets;
mod damage_and_locks;
mod graph;
mod provider_vectors;
mod raw_queries;
mod support;
mod symbol_queries;
mod tasks;
mod term_postings;
mod trigram_postings;
