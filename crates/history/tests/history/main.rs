//! Histories made by git itself, and what we read of them beside what git says.

mod bad;
mod branches;
mod forms;
mod revisions;
mod support;
