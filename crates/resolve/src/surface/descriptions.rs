//! Files that describe endpoints, such as `OpenAPI` documents: keys are paths, and keys of paths are methods. What is at a path may be in
//! another file.

use super::extract::Extraction;
use super::routers::{join_path, node};
use crate::file::FileRef;
use crate::session::Session;
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
    let prefix = prefix(unit, rule);
    let roots = top.iter().filter(|&&key| unit.name(key) == rule.root);
    for &path in roots.flat_map(|&root| unit.children(Some(root))) {
        if !unit.name(path).starts_with('/') {
            continue;
        }
        let elsewhere = child(unit, path, &rule.reference).and_then(|key| value(unit, key));
        let elsewhere = elsewhere.and_then(|text| referenced(extraction.session, unit, &text));
        let (home, methods) = match &elsewhere {
            Some((home, keys)) => (home, keys.as_slice()),
            None => (unit, unit.children(Some(path))),
        };
        for &method in methods {
            let name = home.name(method).to_ascii_lowercase();
            if !rule.methods.contains(&name) {
                continue;
            }
            let own = node(home.sym(method));
            let operation = child(home, method, &rule.operation).and_then(|key| value(home, key));
            extraction.out.borrow_mut().entries.push(SurfaceEntry {
                kind: SurfaceKind::Endpoint,
                name: format!("{} {}", name.to_ascii_uppercase(), join_path(&prefix, unit.name(path))),
                role: SurfaceRole::Defines,
                framework: framework.to_owned(),
                symbol: Some(own),
                text: operation.unwrap_or_default(),
                from: own,
                line: home.line(method),
                proven: true,
            });
        }
    }
}

/// The prefix of all paths: the value of a key, or the path of the first server that has one.
fn prefix(unit: &FileRef, rule: &DescriptionRule) -> String {
    let of_key = |name: &str| {
        let key = unit.children(None).iter().find(|&&key| unit.name(key) == name)?;
        value(unit, *key).filter(|text| text.starts_with('/'))
    };
    let of_servers = || {
        let servers = unit.children(None).iter().find(|&&key| unit.name(key) == rule.servers)?;
        let mut urls = unit.children(Some(*servers)).iter().filter(|&&key| unit.name(key) == rule.server_url);
        urls.find_map(|&key| server_path(&value(unit, key)?))
    };
    of_key(&rule.prefix).or_else(of_servers).unwrap_or_default()
}

/// The path of a server's URL, if it has one: `/v1` of `https://api.example.com/v1`.
fn server_path(url: &str) -> Option<String> {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => url.strip_prefix('/')?,
    };
    let path = path.trim_end_matches('/');
    (!path.is_empty() && !path.contains('{')).then(|| format!("/{path}"))
}

fn child(unit: &FileRef, of: u32, name: &str) -> Option<u32> {
    unit.children(Some(of)).iter().copied().find(|&key| unit.name(key) == name)
}

/// The plain value of a key: its header has it.
fn value(unit: &FileRef, key: u32) -> Option<String> {
    let header = unit.outline_text(unit.symbol(key)?.signature);
    // The key may have quotes and a colon of its own.
    let rest = header.trim_start_matches(['"', '\'']).strip_prefix(unit.name(key))?;
    let rest = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    let text = rest.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    (!text.is_empty()).then(|| text.to_owned())
}

/// The keys of what a reference means: `./paths/pets.yaml`, `paths.yaml#/pets`.
fn referenced(session: &Session<'_>, unit: &FileRef, reference: &str) -> Option<(FileRef, Vec<u32>)> {
    let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    session.start_reference();
    let home = if path.is_empty() { unit.clone() } else { session.file_beside(unit, path)? };
    let mut keys = home.children(None).to_vec();
    for part in fragment.split('/').filter(|part| !part.is_empty()) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let key = keys.iter().copied().find(|&key| home.name(key) == name)?;
        keys = home.children(Some(key)).to_vec();
    }
    Some((home, keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_server_is_a_prefix() {
        assert_eq!(server_path("https://api.example.com/v1/").as_deref(), Some("/v1"));
        assert_eq!(server_path("/api").as_deref(), Some("/api"));
        assert_eq!(server_path("https://api.example.com"), None);
        assert_eq!(server_path("{scheme}://host/{base}"), None, "a variable is no path");
    }
}
