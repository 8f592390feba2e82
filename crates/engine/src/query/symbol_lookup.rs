//! From what a user calls a symbol to the symbol, or to the candidates: never a silent guess.

use crate::{Definition, EngineError, Snapshot};
use orient_model::{Handle, RepoPath};
use orient_store::{NameMatch, SymbolQuery};

/// How many candidates are described; the rest is counted.
const MOST: usize = 50;
/// How many bearers of a last name are looked at for a qualified one.
const BEARERS: usize = 10_000;
/// How many names are offered in place of one that is not there.
const OFFERED: usize = 5;

/// What a name led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// One symbol.
    One(Box<Definition>),
    /// Several; each has a handle that means it alone.
    Many {
        /// The first of them, by path and place in the file.
        candidates: Vec<Definition>,
        /// How many there are.
        total: usize,
    },
    /// None; these names are near.
    Nothing {
        /// Names that were perhaps meant, nearest first.
        similar: Vec<String>,
    },
}

impl Snapshot {
    /// The symbol a user means by a handle (`src/a.c#Type.name~2`), by a handle with the end of a path (`a.c#name`), by
    /// a qualified name (`Type.name`, `Type::name`) or by a plain one.
    pub fn symbol(&self, text: &str) -> Result<Lookup, EngineError> {
        if let Ok(handle) = text.parse::<Handle>() {
            if let Some(one) = self.bearer(&handle)? {
                return Ok(Lookup::One(Box::new(one)));
            }
            let bearers = self.bearers(&handle.names)?;
            let is_there = |definition: &&Definition| definition.handle.path == handle.path;
            let mut matching: Vec<Definition> = bearers.iter().filter(is_there).cloned().collect();
            if matching.is_empty() {
                let ends = |definition: &&Definition| ends_with(&definition.handle.path, &handle.path);
                matching = bearers.iter().filter(ends).cloned().collect();
            }
            let of_ordinal = |definition: &Definition| definition.handle.ordinal == handle.ordinal;
            if text.contains('~') {
                matching.retain(of_ordinal);
            }
            return self.conclude(matching, &handle.names);
        }
        let names = Handle::split(text);
        let bearers = self.bearers(&names)?;
        self.conclude(bearers, &names)
    }

    fn conclude(&self, mut found: Vec<Definition>, names: &[String]) -> Result<Lookup, EngineError> {
        let total = found.len();
        if total == 1 {
            return Ok(Lookup::One(Box::new(found.remove(0))));
        }
        if total > 1 {
            found.truncate(MOST);
            return Ok(Lookup::Many { candidates: found, total });
        }
        let similar = match names.last() {
            Some(name) => self.similar_names(name, OFFERED)?,
            None => Vec::new(),
        };
        Ok(Lookup::Nothing { similar })
    }

    /// The symbol a handle means to the letter: a look at its file alone, however many elsewhere bear the name.
    fn bearer(&self, handle: &Handle) -> Result<Option<Definition>, EngineError> {
        let Some(own) = handle.names.last() else { return Ok(None) };
        let there = |path: &RepoPath| path.display() == handle.path;
        let name = NameMatch::Exact(own.clone());
        let query = SymbolQuery { name, path: Some(&there), ..SymbolQuery::default() };
        let rows = self.store.symbols(&query, 0, BEARERS)?.rows;
        let found = self.define(rows.into_iter().map(|found| found.symbol))?;
        Ok(found.into_iter().find(|definition| definition.handle == *handle))
    }

    /// The symbols whose qualified name ends with these names. One inside a name that is written as a whole, as in
    /// `func (s *Server) Run`, counts by its parts.
    fn bearers(&self, names: &[String]) -> Result<Vec<Definition>, EngineError> {
        let Some(last) = names.last() else { return Ok(Vec::new()) };
        let query = SymbolQuery { name: NameMatch::Exact(last.clone()), ..SymbolQuery::default() };
        let page = self.store.symbols(&query, 0, BEARERS)?;
        let mut found = self.define(page.rows.into_iter().map(|found| found.symbol))?;
        found.retain(|definition| definition.handle.names.ends_with(names));
        Ok(found)
    }
}

/// Whether a path ends with another, at the boundary of a part.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
