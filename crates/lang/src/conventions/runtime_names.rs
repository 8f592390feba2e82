//! Names that a runtime or framework uses although no source refers to them: magic methods, serialisation hooks, life-cycle
//! callbacks. Packs list them; they do not affect the facts of a file.

use crate::schema::error::PackError;
use crate::schema::resolution_rules::RuntimeSpec;
use crate::schema::vocabulary;
use orient_model::{SymbolKind, path_ends_with};
use regex::Regex;

/// Names with one kind of user.
pub(crate) struct RuntimeNames {
    names: Regex,
    kinds: Vec<SymbolKind>,
    files: Vec<String>,
    why: String,
}

impl RuntimeNames {
    /// Compiles an entry of `[[runtime]]`.
    pub(crate) fn compile(pack: &str, spec: &RuntimeSpec) -> Result<Self, PackError> {
        let names = Regex::new(&spec.names).map_err(|error| PackError::Pattern {
            pack: pack.to_owned(),
            place: "runtime.names".to_owned(),
            message: error.to_string(),
        })?;
        let kind = |word: &String| {
            vocabulary::symbol(word).map_err(|unknown| unknown.at(pack, "runtime.kinds", word))
        };
        let kinds = spec.kinds.iter().map(kind).collect::<Result<_, _>>()?;
        Ok(Self { names, kinds, files: spec.files.clone(), why: spec.why.clone() })
    }

    /// The user of a symbol with this path, name and kind, if it is one of these names.
    pub(crate) fn why(&self, path: &str, name: &str, kind: SymbolKind) -> Option<&str> {
        let kind_matches = self.kinds.is_empty() || self.kinds.contains(&kind);
        let is_there = self.files.is_empty() || self.files.iter().any(|file| path_ends_with(file, path));
        (kind_matches && is_there && self.names.is_match(name)).then_some(self.why.as_str())
    }
}
