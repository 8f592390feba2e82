//! Names in markup that are members of the component: of an object in the same file, or of the type in a file beside it.

use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::resolver::PathKey;
use crate::session::Session;
use crate::types::target::Target;
use crate::types::ty::SymbolId;
use orient_model::{Confidence, Rule, SymbolKind, name_fits};

/// Maximum number of members of one name that are looked at.
const MAX_NAMESAKES: usize = 64;

impl Session<'_> {
    /// The member of the component that a name in its markup means.
    pub(crate) fn markup_member(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let own = named_members(unit, name);
        let found = match own[..] {
            [] => self.companion_member(unit, name),
            [one] => Some(unit.sym(one)),
            _ => None,
        };
        let target = |sym| Target::symbol(sym, Rule::Component).at_most(Confidence::Probable);
        match found {
            Some(sym) => vec![target(sym)],
            None => self.helpers(unit, name),
        }
    }

    /// The functions of helper types that have this name.
    fn helpers(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let patterns = &unit.rules.markup.helper_types;
        if patterns.is_empty() {
            return Vec::new();
        }
        let named = self.symbols_within(&unit.rules, name, Reach::Anywhere);
        let is_helper = |sym: SymbolId| {
            let home = self.unit_of(sym)?;
            let parent = home.symbol(sym.at)?.parent?;
            Some(patterns.iter().any(|pattern| name_fits(pattern, home.name(parent))))
        };
        // A suite of tests is often named after the function it tests.
        let is_function = |kind: SymbolKind| kind.is_callable() && kind != SymbolKind::Test;
        let methods = named.iter().filter(|one| is_function(one.kind)).take(MAX_NAMESAKES);
        let found: Vec<SymbolId> =
            methods.map(|one| one.sym).filter(|&sym| is_helper(sym) == Some(true)).collect();
        let confidence = if found.len() > 1 { Confidence::Approximate } else { Confidence::Probable };
        found.into_iter().map(|sym| Target::symbol(sym, Rule::Component).at_most(confidence)).collect()
    }

    /// A member of a type in a file beside this one.
    fn companion_member(&self, unit: &FileRef, name: &str) -> Option<SymbolId> {
        let path = unit.path().display();
        let file = path.rsplit('/').next().unwrap_or(&path);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        for pattern in &unit.rules.markup.companions {
            let beside = pattern.replace("{.}", file).replace("{}", stem);
            let at = crate::types::eval::join(&unit.directory(), &beside);
            let found = self.first_file_at([at], PathKey::Name);
            let Some(home) = found.and_then(|at| self.unit(at)) else { continue };
            if let [one] = named_members(&home, name)[..] {
                return Some(home.sym(one));
            }
        }
        None
    }
}

/// The members of types and objects of a file that have this name.
fn named_members(unit: &FileRef, name: &str) -> Vec<u32> {
    let is_member = |kind: SymbolKind| {
        matches!(
            kind,
            SymbolKind::Method
                | SymbolKind::Function
                | SymbolKind::Property
                | SymbolKind::Field
                | SymbolKind::Variable
                | SymbolKind::Constant
        )
    };
    unit.symbols_called(name).filter(|&at| unit.kind(at).is_some_and(is_member)).collect()
}
