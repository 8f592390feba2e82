//! Views for people and audits: facts, syntax trees and highlighted source as text, call sites, the reference page of languages.

pub(crate) mod call_sites;
pub(crate) mod highlight;
pub(crate) mod languages_page;
pub(crate) mod render_facts;
pub(crate) mod syntax_dump;
