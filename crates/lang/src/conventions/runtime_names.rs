//! Names a runtime or framework uses without the source naming them at a use: magic methods, hooks of serialisation,
//! callbacks of a life cycle. Packs list them; they say nothing about the facts of a file.

use crate::schema::error::PackError;
use crate::schema::vocabulary;
use orient_model::SymbolKind;
use regex::Regex;
use serde::Deserialize;

/// One entry of `[[runtime]]` in a pack. The entries stand behind `[resolve]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RuntimeSpec {
    /// The names.
    names: String,
    /// Only symbols of these kinds; any without it.
    kinds: Vec<String>,
    /// Who uses them: completes "by its name, …".
    why: String,
}

/// Names of one kind of use.
pub(crate) struct RuntimeNames {
    names: Regex,
    kinds: Vec<SymbolKind>,
    why: String,
}

impl RuntimeSpec {
    pub(crate) fn compile(&self, pack: &str) -> Result<RuntimeNames, PackError> {
        let names = Regex::new(&self.names).map_err(|error| PackError::Pattern {
            pack: pack.to_owned(),
            place: "runtime.names".to_owned(),
            message: error.to_string(),
        })?;
        let kind = |word: &String| {
            vocabulary::symbol(word).map_err(|unknown| unknown.at(pack, "runtime.kinds", word))
        };
        let kinds = self.kinds.iter().map(kind).collect::<Result<_, _>>()?;
        Ok(RuntimeNames { names, kinds, why: self.why.clone() })
    }
}

impl RuntimeNames {
    /// Who uses a symbol of this name and kind, if it is one of these.
    pub(crate) fn why(&self, name: &str, kind: SymbolKind) -> Option<&str> {
        let meant = self.kinds.is_empty() || self.kinds.contains(&kind);
        (meant && self.names.is_match(name)).then_some(self.why.as_str())
    }
}
