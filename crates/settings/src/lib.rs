//! Every setting: its name, type, default and documentation, and where its value comes from.
//!
//! None is needed. One table ([`keys`]) is the source of the struct the program reads, of the names in files and in
//! the environment, and of the reference page. This crate reads two small files and the environment, and knows
//! nothing of indexing.

mod error;
mod key;
mod load;
mod places;
mod reference;
mod repository;
mod table;
mod value;

pub use error::{Fault, Problem, SettingsError};
pub use key::{Key, Scope};
pub use load::{Effective, Loaded, Origin, Override, Source, Sources, load};
pub use places::{REPOSITORY_FILE, store_root, user_file};
pub use reference::reference;
pub use repository::{Check, Ignored};
pub use table::{Embed, Index, Limits, Settings, Store, keys};
pub use value::Size;
