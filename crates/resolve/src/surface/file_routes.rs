//! Routes of files whose place in the tree is the path that they serve.

use super::extract::Extraction;
use super::routers::{join_path, node};
use super::routes::registers;
use crate::types::target::Target;
use crate::types::ty::{Module, SymbolId};
use orient_model::{Confidence, FileRouteRule, Node, Resolved, Route};

/// The name that a rule gives to the default export.
const DEFAULT: &str = "default";

/// Adds the routes that a file serves by its place.
pub(super) fn routes(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    let unit = extraction.unit;
    for framework in extraction.frameworks {
        for rule in &framework.file_routes {
            let Some(path) = served_path(&unit.path().display(), rule) else { continue };
            for (export, method) in &rule.exports {
                let Some(handler) = exported(extraction, export) else { continue };
                let line = unit.line(handler.at);
                let from = Node { file: unit.file, symbol: None };
                resolved.edges.push(registers(from, handler, line, Confidence::Exact));
                extraction.out.borrow_mut().routes.push(Route {
                    place: None,
                    framework: framework.name.clone(),
                    method: method.clone(),
                    path: path.clone(),
                    handler: Some(node(handler)),
                    text: String::new(),
                    middleware: Vec::new(),
                    from,
                    line,
                    proven: true,
                });
            }
        }
    }
}

/// The symbol of this file that is exported under a name.
fn exported(extraction: &Extraction<'_, '_>, name: &str) -> Option<SymbolId> {
    let unit = extraction.unit;
    if name == DEFAULT {
        let found = extraction.session.module_member(&Module::File(unit.file), DEFAULT, unit);
        return found.iter().find_map(Target::sym).filter(|sym| sym.file == unit.file);
    }
    unit.children(None).iter().find(|&&at| unit.name(at) == name).map(|&at| unit.sym(at))
}

/// The path that a file serves: `/users/:id` for `app/users/[id]/route.ts`.
fn served_path(file: &str, rule: &FileRouteRule) -> Option<String> {
    let below = rule.roots.iter().find_map(|root| {
        let inside = file.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'));
        inside.or_else(|| file.split_once(&format!("/{root}/")).map(|(_, rest)| rest))
    })?;
    let (directories, name) = below.rsplit_once('/').unwrap_or(("", below));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut parts: Vec<&str> = directories.split('/').filter(|part| !part.is_empty()).collect();
    if rule.files.is_empty() {
        if rule.dotted { parts.extend(stem.split('.')) } else { parts.push(stem) }
    } else if !rule.files.iter().any(|file| file == stem) {
        return None;
    }
    let mut path = rule.prefix.clone();
    for part in parts {
        let is_left_out = part.starts_with(['(', '@', '_']) || matches!(part, "index" | "route");
        if !is_left_out {
            path = join_path(&path, &parameter(part));
        }
    }
    Some(if path.is_empty() { "/".to_owned() } else { path })
}

/// A part of a path, with parameters as most routers write them: `:id` for `[id]` and `$id`, `*rest` for `[...rest]`.
fn parameter(part: &str) -> String {
    let inside = part.strip_prefix('[').and_then(|part| part.strip_suffix(']'));
    match inside.map(|name| name.trim_matches(['[', ']'])) {
        Some(name) => match name.strip_prefix("...") {
            Some(rest) => format!("*{rest}"),
            None => format!(":{name}"),
        },
        None => match part.strip_prefix('$') {
            Some("") => "*".to_owned(),
            Some(name) => format!(":{name}"),
            None => part.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_is_the_path() {
        let rule = |files: &[&str], dotted| FileRouteRule {
            roots: vec!["app".to_owned()],
            files: files.iter().map(|&file| file.to_owned()).collect(),
            prefix: String::new(),
            exports: Vec::new(),
            dotted,
        };
        let route = rule(&["route"], false);
        assert_eq!(served_path("web/app/(site)/users/[id]/route.ts", &route).as_deref(), Some("/users/:id"));
        assert_eq!(served_path("app/route.ts", &route).as_deref(), Some("/"));
        assert_eq!(served_path("app/[...rest]/route.ts", &route).as_deref(), Some("/*rest"));
        assert_eq!(served_path("app/users/page.tsx", &route), None);
        assert_eq!(served_path("lib/users/route.ts", &route), None);
        let flat = rule(&[], true);
        assert_eq!(served_path("app/users.$id.tsx", &flat).as_deref(), Some("/users/:id"));
        assert_eq!(served_path("app/users/index.tsx", &flat).as_deref(), Some("/users"));
    }
}
