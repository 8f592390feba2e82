//! Settings: one table that defines every setting, and a loader that merges files, environment and flags.
//!
//! All settings are optional. The table ([`keys`]) generates the struct that the program reads, the names in files and
//! in the environment, and the reference page. This crate reads two small files and the environment; it does not depend
//! on indexing.

mod error;
mod key;
mod load;
mod paths;
mod reference;
mod repository;
mod table;
mod value;

pub use error::{Problem, ProblemKind, SettingsError};
pub use key::{Key, RepositoryPermission};
pub use load::{Effective, Loaded, MAX_REPOSITORY_FILE, Origin, Override, Source, Sources, load};
pub use paths::{REPOSITORY_FILE, store_root, user_file};
pub use reference::reference;
pub use repository::{IgnoredEntry, Validator};
pub use table::{Embed, Enrich, Explain, Index, Limits, Settings, Store, keys};
pub use value::{Commands, Size};
