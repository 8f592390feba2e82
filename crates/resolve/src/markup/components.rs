//! Components that an element names without an import: by the name of a file, by the selector of a type, or by the path of a template.

use super::{pascal, shared_directories};
use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::session::{Namesake, Session, Site};
use crate::types::target::Target;
use orient_model::{Confidence, Rule, SymbolKind};

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMESAKES: usize = 64;

impl Session<'_> {
    /// The component that an element stands for, if no name in scope is it.
    pub(crate) fn component(&self, site: &Site, element: &str) -> Vec<Target> {
        let unit = &site.unit;
        let markup = &unit.rules.markup;
        let spelled = pascal(element);
        if spelled != element {
            let bound = self.lookup(site, &spelled);
            if bound.iter().any(|one| one.sym().is_some()) {
                return bound;
            }
        }
        if markup.components_by_name
            && let Some(found) = self.component_file(unit, &spelled)
        {
            return vec![found];
        }
        if !markup.component_types.is_empty()
            && let Some(found) = self.component_type(unit, element)
        {
            return vec![found];
        }
        let name = element.strip_prefix(markup.component_prefix.as_str());
        let Some(name) = name.filter(|_| !markup.component_templates.is_empty()) else { return Vec::new() };
        let found = self.template(unit, name, &markup.component_templates);
        let target = found.and_then(|(node, confidence)| {
            let sym = crate::types::ty::SymbolId { file: node.file, at: node.symbol? };
            Some(Target::symbol(sym, Rule::Component).at_most(confidence))
        });
        target.into_iter().collect()
    }

    /// The file that is a component of this name; of several the nearest, which is a guess.
    fn component_file(&self, unit: &FileRef, name: &str) -> Option<Target> {
        let namesakes = self.symbols_within(&unit.rules, name, Reach::Markup);
        let files = namesakes.iter().filter(|one| one.kind == SymbolKind::Component);
        let found: Vec<&Namesake> = files.take(MAX_NAMESAKES).collect();
        let own = unit.path().display().into_owned();
        let shared =
            |one: &&&Namesake| self.path_of(one.sym.file).map_or(0, |path| shared_directories(&own, &path));
        // The first of those that share most: the list is sorted by path.
        let best = found.iter().rev().max_by_key(shared)?;
        let confidence = if found.len() > 1 { Confidence::Approximate } else { Confidence::Probable };
        Some(Target::symbol(best.sym, Rule::Component).at_most(confidence))
    }

    /// The type whose annotation says the name of the element: `CartComponent` with `selector: 'app-cart'`.
    fn component_type(&self, unit: &FileRef, element: &str) -> Option<Target> {
        let rest = element.split_once('-').map_or("", |(_, rest)| rest);
        let names = [pascal(element), pascal(rest)];
        let patterns = unit.rules.markup.component_types.iter();
        for name in patterns.flat_map(|pattern| names.iter().map(|name| pattern.replace("{}", name))) {
            for one in self.symbols_within(&unit.rules, &name, Reach::Types).iter().take(MAX_NAMESAKES) {
                let Some(home) = self.unit_of(one.sym).filter(|_| one.kind.is_type()) else { continue };
                let attributes = home.symbol(one.sym.at).map(|symbol| symbol.attributes);
                let says = |text: &str| text.split(['\'', '"', '`', ',', ' ']).any(|word| word == element);
                if attributes.unwrap_or_default().iter().any(|&text| says(home.outline_text(text))) {
                    return Some(Target::symbol(one.sym, Rule::Component));
                }
            }
        }
        None
    }
}
