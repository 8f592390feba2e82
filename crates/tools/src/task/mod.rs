//! Guided tasks on the index: the record of what was served, the impact of a file, the subjects of a plan, the review of a diff.

pub(crate) mod agreements;
pub(crate) mod dependents;
pub(crate) mod finish_review;
pub(crate) mod guard;
pub(crate) mod plan_subjects;
pub(crate) mod record;
pub(crate) mod served_marks;
pub(crate) mod symbol_relevance;
