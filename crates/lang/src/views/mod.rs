//! Text forms for people: facts, syntax trees, highlighted source, and the reference page of languages.

pub(crate) mod highlight;
pub(crate) mod languages_page;
pub(crate) mod render_facts;
pub(crate) mod syntax_dump;
