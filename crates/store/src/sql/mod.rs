//! Every statement, in the file of its table: bound values in, typed rows out.

pub(crate) mod asks;
pub(crate) mod bundles;
pub(crate) mod chunks;
pub(crate) mod edges;
pub(crate) mod files;
pub(crate) mod grams;
pub(crate) mod graphs;
pub(crate) mod meta;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod sheets;
pub(crate) mod symbols;
pub(crate) mod tags;
pub(crate) mod terms;
