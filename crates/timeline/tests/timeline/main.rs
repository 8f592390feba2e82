//! Tests of the history index on generated repositories.

mod fixture;
mod index;
mod questions;
