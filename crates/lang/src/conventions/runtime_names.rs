//! Names that a runtime or framework uses although no source refers to them: magic methods, serialisation hooks, life-cycle
//! callbacks. Packs list them; they do not affect the facts of a file.

use crate::schema::error::PackError;
use crate::schema::manifest::RuntimeSpec;
use crate::schema::vocabulary;
use orient_model::SymbolKind;
use regex::Regex;

/// Names with one kind of user.
pub(crate) struct RuntimeNames {
    names: Regex,
    kinds: Vec<SymbolKind>,
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
        Ok(Self { names, kinds, why: spec.why.clone() })
    }

    /// The user of a symbol with this name and kind, if it is one of these names.
    pub(crate) fn why(&self, name: &str, kind: SymbolKind) -> Option<&str> {
        let kind_matches = self.kinds.is_empty() || self.kinds.contains(&kind);
        (kind_matches && self.names.is_match(name)).then_some(self.why.as_str())
    }
}
