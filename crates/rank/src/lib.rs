//! From a question and candidates to an order, with reasons.
//!
//! [`analyse`] says what kind of question it is and which terms it asks for; [`Lexical`] scores units by their terms;
//! [`rank`] fuses what the channels say and applies the rules, one file each in `rules/`. All weights stand in one
//! table, [`Weights`]; every rule can be switched off; every hit says what it owes to which rule.
//!
//! Pure: no files, no SQL, no index. Candidates come from whoever has them.

mod also;
mod analyse;
mod candidate;
mod confidence;
mod explain;
mod lexical;
mod number;
mod order;
mod rules;
mod stop;
mod weights;

pub use analyse::{Analysis, Asked, Form, Scope, Term, analyse};
pub use candidate::{Candidate, FileInfo, Pool};
pub use explain::{Part, Ranked};
pub use lexical::{Evidence, Extent, FileEvidence, Held, Lexical, Room};
pub use order::{Most, rank};
pub use rules::Rule;
pub use weights::{Switches, Weights};
