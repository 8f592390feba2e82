//! Files that describe endpoints, such as `OpenAPI` documents: keys are paths, and keys of paths are methods.

use super::extract::Extraction;
use super::routers::{join_path, node};
use orient_model::{DescriptionRule, SurfaceEntry, SurfaceKind, SurfaceRole};

/// Adds the endpoints that a file describes.
pub(super) fn endpoints(extraction: &Extraction<'_, '_>) {
    for framework in extraction.frameworks {
        for rule in &framework.descriptions {
            describe(extraction, &framework.name, rule);
        }
    }
}

fn describe(extraction: &Extraction<'_, '_>, framework: &str, rule: &DescriptionRule) {
    let unit = extraction.unit;
    let top = unit.children(None);
    if !top.iter().any(|&key| rule.marks.iter().any(|mark| mark == unit.name(key))) {
        return;
    }
    // The header of a key with a plain value has the value.
    let prefix = top.iter().find(|&&key| unit.name(key) == rule.prefix).and_then(|&key| {
        let header = unit.outline_text(unit.symbol(key)?.signature);
        Some(header.split_once(':')?.1.trim().trim_matches(['"', '\'', ',']).to_owned())
    });
    let prefix = prefix.filter(|prefix| prefix.starts_with('/')).unwrap_or_default();
    let roots = top.iter().filter(|&&key| unit.name(key) == rule.root);
    for &path in roots.flat_map(|&root| unit.children(Some(root))) {
        for &method in unit.children(Some(path)) {
            let name = unit.name(method).to_ascii_lowercase();
            if !rule.methods.contains(&name) || !unit.name(path).starts_with('/') {
                continue;
            }
            let own = node(unit.sym(method));
            extraction.out.borrow_mut().entries.push(SurfaceEntry {
                kind: SurfaceKind::Endpoint,
                name: format!("{} {}", name.to_ascii_uppercase(), join_path(&prefix, unit.name(path))),
                role: SurfaceRole::Defines,
                framework: framework.to_owned(),
                symbol: Some(own),
                text: String::new(),
                from: own,
                line: unit.symbol(method).map_or(0, |symbol| symbol.name_span.first_line),
                proven: true,
            });
        }
    }
}
