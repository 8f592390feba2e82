//! The surface of a program: what it exposes through frameworks, such as the endpoints of a web server.
//!
//! The first half runs with the resolution of each file and is part of its result: [`extract`] applies the framework rules of
//! the language to the calls and annotations of the file. It looks at no other file, except through lookups that record
//! dependencies; so a file is extracted again exactly when it is resolved again. What has a name that is text (a command, a
//! topic, a table) is complete then: [`entries`]; so is what one language defines and others implement: [`contracts`].
//!
//! The second half, [`join`], connects the results of all files: full paths, through groups, mounts, parameters and results.
//! It is cheap (a program has few routers), so it runs when it is asked for and is never stored.

mod annotations;
mod arguments;
mod contracts;
mod descriptions;
mod entries;
mod entry_names;
mod extract;
mod file_routes;
mod filter_chains;
mod handlers;
mod includes;
mod injection;
pub(crate) mod join;
mod lexical;
mod list_loops;
mod loaded_modules;
mod plugin_directories;
mod renderings;
pub(crate) mod requests;
mod resources;
mod route_definitions;
mod routers;
mod routes;
mod text_handlers;

pub(crate) use extract::add;
