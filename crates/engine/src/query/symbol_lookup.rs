//! Symbol lookup by handle or name: returns the symbol, or all candidates instead of a guess.

use crate::{Definition, EngineError, Snapshot};
use orient_model::{Handle, RepoPath};
use orient_store::{NameMatch, SymbolQuery};

/// Maximum number of candidates that are described; the rest are counted.
const MAX_CANDIDATES: usize = 50;
/// Maximum number of symbols considered for the last part of a qualified name.
const MAX_SYMBOLS_PER_NAME: usize = 10_000;
/// Maximum number of similar names to suggest.
const MAX_SUGGESTIONS: usize = 5;

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// One symbol.
    One(Box<Definition>),
    /// Several symbols, each with a unique handle.
    Many {
        /// The first of them, by path and position in the file.
        candidates: Vec<Definition>,
        /// How many there are.
        total: usize,
    },
    /// None.
    Nothing {
        /// Similar names, nearest first.
        similar: Vec<String>,
    },
}

impl Snapshot {
    /// Finds a symbol by handle (`src/a.c#Type.name~2`, `A.java#A.add(int)`), by a handle with the end of a path (`a.c#name`), by
    /// qualified name (`Type.name`, `Type::name`) or by plain name.
    pub fn symbol(&self, text: &str) -> Result<Lookup, EngineError> {
        if let Ok(handle) = text.parse::<Handle>() {
            if let Some(one) = self.by_handle(&handle)? {
                return Ok(Lookup::One(Box::new(one)));
            }
            let found = self.by_names(&handle.names)?;
            let is_there = |definition: &&Definition| definition.handle.path == handle.path;
            let mut matching: Vec<Definition> = found.iter().filter(is_there).cloned().collect();
            if matching.is_empty() {
                let ends = |definition: &&Definition| ends_with(&definition.handle.path, &handle.path);
                matching = found.iter().filter(ends).cloned().collect();
            }
            if handle.overload.is_some() {
                matching.retain(|definition| definition.handle.overload == handle.overload);
            } else if text.contains('~') {
                matching.retain(|definition| definition.handle.ordinal == handle.ordinal);
            }
            return self.conclude(matching, &handle.names);
        }
        let names = Handle::split(text);
        let found = self.by_names(&names)?;
        self.conclude(found, &names)
    }

    /// Whether a definition is inside of a function or test: code elsewhere cannot refer to it by its name.
    pub fn is_local(&self, definition: &Definition) -> Result<bool, EngineError> {
        let mut names = &definition.handle.names[..];
        while let Some((_, around)) = names.split_last().filter(|(_, around)| !around.is_empty()) {
            let path = definition.handle.path.clone();
            let outer = Handle { path, names: around.to_vec(), ordinal: 0, overload: None };
            if self.by_handle(&outer)?.is_some_and(|outer| outer.kind.is_callable()) {
                return Ok(true);
            }
            names = around;
        }
        Ok(false)
    }

    fn conclude(&self, mut found: Vec<Definition>, names: &[String]) -> Result<Lookup, EngineError> {
        let total = found.len();
        if total == 1 {
            return Ok(Lookup::One(Box::new(found.remove(0))));
        }
        if total > 1 {
            found.truncate(MAX_CANDIDATES);
            return Ok(Lookup::Many { candidates: found, total });
        }
        let similar = match names.last() {
            Some(name) => self.similar_names(name, MAX_SUGGESTIONS)?,
            None => Vec::new(),
        };
        Ok(Lookup::Nothing { similar })
    }

    /// The symbol with exactly this handle: reads only its file, however many symbols share the name.
    fn by_handle(&self, handle: &Handle) -> Result<Option<Definition>, EngineError> {
        let Some(own) = handle.names.last() else { return Ok(None) };
        let there = |path: &RepoPath| path.display() == handle.path;
        let name = NameMatch::Exact(own.clone());
        let query = SymbolQuery { name, path: Some(&there), ..SymbolQuery::default() };
        let rows = self.store.symbols(&query, 0, MAX_SYMBOLS_PER_NAME)?.rows;
        let found = self.define(rows.into_iter().map(|found| found.symbol))?;
        // An ordinal is accepted for an overload too: handles were written so before.
        let is_meant = |definition: &Definition| {
            let found = &definition.handle;
            found.names == handle.names
                && match &handle.overload {
                    None if handle.ordinal == 0 => found.ordinal == 0 && found.overload.is_none(),
                    None => found.ordinal == handle.ordinal,
                    types => found.overload == *types,
                }
        };
        Ok(found.into_iter().find(is_meant))
    }

    /// The symbols whose qualified name ends with these names. A compound name such as `func (s *Server) Run` counts
    /// by its parts.
    fn by_names(&self, names: &[String]) -> Result<Vec<Definition>, EngineError> {
        let Some(last) = names.last() else { return Ok(Vec::new()) };
        let query = SymbolQuery { name: NameMatch::Exact(last.clone()), ..SymbolQuery::default() };
        let page = self.store.symbols(&query, 0, MAX_SYMBOLS_PER_NAME)?;
        let mut found = self.define(page.rows.into_iter().map(|found| found.symbol))?;
        found.retain(|definition| definition.handle.names.ends_with(names));
        Ok(found)
    }
}

/// Whether a path ends with another, at a component boundary.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
