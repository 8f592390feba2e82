//! The write path: bulk load of a new index, change sets on an existing one.

pub(crate) mod bulk_load;
pub(crate) mod change_set;
pub(crate) mod copy_index;
pub(crate) mod prepared_file;
pub(crate) mod stable_ids;
pub(crate) mod vectors;
