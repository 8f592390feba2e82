//! The operations as web pages: another interface to the operation table, next to the command line and the MCP server.
//!
//! A page asks operations through a [`Session`](orient_tools::Session) and renders their typed answers as HTML. This crate knows no
//! network, no SQL and no file: `orient-serve` owns connections, access control and compression, and passes a [`PageRequest`]. Every
//! page works without scripts; the modules in `assets/` only add convenience.
//!
//! Templates are `maud` macros: compiled with the crate, type-checked, and every text is escaped unless it is markup already. Text
//! templates such as `askama`'s would be a second language with files of their own for the same result.

mod ask;
mod assets;
mod change;
mod code;
mod graph;
mod home;
mod layout;
mod map;
mod page_cache;
mod repositories;
mod request;
mod response;
mod routes;
mod search;
mod status;
mod symbol_choice;
mod urls;

pub use layout::{LoginState, login_page};
pub use page_cache::PageCache;
pub use repositories::{
    ListedRepository, is_empty_search, repositories_page, repository_address, repository_base,
    search_question, shared_error_page, shared_help_page, split_repository,
};
pub use request::{PageRequest, form_field};
pub use response::{PageEnvironment, PagePlace, PageResponse, respond, starting_page};
pub use routes::{ROUTES, Route, reference};
pub use status::{RecentCall, ServerReport};
