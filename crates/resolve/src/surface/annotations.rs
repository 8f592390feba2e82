//! Routes that annotations, attributes and decorators of types and members register.

use super::arguments::method_name;
use super::extract::Extraction;
use super::routers::{join_path, node};
use super::routes::registers;
use crate::file::Declaration;
use orient_model::{
    AnnotationRules, Argument, Confidence, Node, Place, Resolved, Route, Slot, SymbolKind, Visibility,
};

/// Adds the routes of all annotated members of a file.
pub(super) fn routes(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    for at in 0..extraction.frameworks.len() {
        if let (true, Some(rules)) = (extraction.is_imported[at], &extraction.frameworks[at].annotations) {
            Annotated { extraction, framework: at, rules }.follow(resolved);
        }
    }
}

struct Annotated<'e, 'a, 'r> {
    extraction: &'e Extraction<'a, 'r>,
    framework: usize,
    rules: &'e AnnotationRules,
}

impl Annotated<'_, '_, '_> {
    fn follow(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        for at in unit.symbols() {
            let Some(symbol) = unit.symbol(at) else { continue };
            if symbol.kind.is_callable() {
                self.member(at, &symbol, resolved);
            }
        }
    }

    fn member(&self, at: u32, symbol: &Declaration<'_>, resolved: &mut Resolved) {
        let annotations = self.annotations(symbol);
        let own_type = symbol
            .parent
            .filter(|&parent| self.extraction.unit.kind(parent).is_some_and(SymbolKind::is_type));
        let mut routes: Vec<(String, String)> = Vec::new();
        let paths: Vec<String> = annotations
            .iter()
            .filter(|one| self.rules.paths.iter().any(|name| name == one.name))
            .flat_map(|one| one.texts(&self.rules.path))
            .collect();
        for annotation in &annotations {
            let Some((_, methods)) = self.rules.methods.iter().find(|(name, _)| name == annotation.name)
            else {
                continue;
            };
            let mut own = annotation.texts(&self.rules.path);
            if own.is_empty() {
                own = if paths.is_empty() { vec![String::new()] } else { paths.clone() };
            }
            let mut said = annotation.words(&self.rules.method);
            if said.is_empty() || !methods.is_empty() {
                said.clone_from(methods);
            }
            if said.is_empty() {
                said.push("ANY".to_owned());
            }
            for path in own {
                routes.extend(said.iter().map(|method| (method_name(method), path.clone())));
            }
        }
        let mut by_convention = false;
        if routes.is_empty() {
            let Some(path) = self.conventional(at, symbol, own_type, &annotations) else { return };
            by_convention = true;
            let paths = if paths.is_empty() { vec![path] } else { paths };
            routes.extend(paths.into_iter().map(|path| ("ANY".to_owned(), path)));
        }
        if !by_convention && !self.is_within(own_type) {
            return;
        }
        self.push(at, own_type, &routes, by_convention, resolved);
    }

    fn push(
        &self,
        at: u32,
        own_type: Option<u32>,
        routes: &[(String, String)],
        by_convention: bool,
        resolved: &mut Resolved,
    ) {
        let mut prefixes = own_type.map(|ty| self.prefixes(ty)).unwrap_or_default();
        if prefixes.is_empty() {
            prefixes.push(String::new());
            // A conventional action of an annotated type still has its own name.
            let convention = self.rules.convention.as_ref();
            if let (Some(convention), true, false) =
                (convention, self.is_conventional(own_type), by_convention)
                && routes.iter().all(|(_, path)| path.is_empty())
            {
                prefixes[0].clone_from(&convention.path);
            }
        } else if by_convention {
            // The prefix of the type is the whole path.
            let routes: Vec<(String, String)> =
                routes.iter().map(|(method, _)| (method.clone(), String::new())).collect();
            return self.push_all(at, own_type, &routes, &prefixes, resolved);
        }
        self.push_all(at, own_type, routes, &prefixes, resolved);
    }

    fn push_all(
        &self,
        at: u32,
        own_type: Option<u32>,
        routes: &[(String, String)],
        prefixes: &[String],
        resolved: &mut Resolved,
    ) {
        let unit = self.extraction.unit;
        let sym = unit.sym(at);
        // The framework finds the type, which nothing names.
        let from = Node { file: unit.file, symbol: None };
        let line = unit.line(at);
        let framework = &self.extraction.frameworks[self.framework];
        // A function may be mounted like a router.
        let place = (!framework.mounts.is_empty()).then(|| Place { node: node(sym), slot: Slot::Value });
        resolved.edges.push(registers(from, sym, line, Confidence::Exact));
        for prefix in prefixes {
            for (method, path) in routes {
                // A path that starts at the root ignores the prefix, where prefixes have tokens.
                let absolute =
                    !self.rules.tokens.is_empty() && (path.starts_with('/') || path.starts_with("~/"));
                let path = path.strip_prefix('~').unwrap_or(path);
                // Parameters of the query are no part of the path: `/users?<page>`.
                let path = path.split("?<").next().unwrap_or(path);
                let full = if absolute { path.to_owned() } else { join_path(prefix, path) };
                self.extraction.out.borrow_mut().routes.push(Route {
                    place,
                    framework: self.extraction.frameworks[self.framework].name.clone(),
                    method: method.clone(),
                    path: self.with_names(&join_path("", &full), own_type, at),
                    handler: Some(node(sym)),
                    text: String::new(),
                    middleware: Vec::new(),
                    from,
                    line,
                    proven: true,
                });
            }
        }
    }

    /// Replaces the parts of a path that stand for names.
    fn with_names(&self, path: &str, own_type: Option<u32>, member: u32) -> String {
        let unit = self.extraction.unit;
        let mut path = path.to_owned();
        for token in &self.rules.tokens {
            let name =
                if token.is_type { own_type.map_or("", |ty| unit.name(ty)) } else { unit.name(member) };
            let name = name.strip_suffix(token.without_suffix.as_str()).unwrap_or(name);
            path = path.replace(&token.text, name);
        }
        path
    }

    fn annotations<'s>(&'s self, symbol: &'s Declaration<'s>) -> Vec<Annotation<'s>> {
        symbol
            .attributes
            .iter()
            .map(|&text| Annotation::parse(self.extraction.unit.outline_text(text)))
            .collect()
    }

    fn prefixes(&self, ty: u32) -> Vec<String> {
        let Some(symbol) = self.extraction.unit.symbol(ty) else { return Vec::new() };
        let annotations = self.annotations(&symbol);
        let named = annotations.iter().filter(|one| self.rules.prefixes.iter().any(|name| name == one.name));
        named.flat_map(|one| one.texts(&self.rules.path)).collect()
    }

    /// Whether the type around a member is one that the rules are about.
    fn is_within(&self, ty: Option<u32>) -> bool {
        if self.rules.within.is_empty() {
            return true;
        }
        let unit = self.extraction.unit;
        let Some(symbol) = ty.and_then(|ty| unit.symbol(ty)) else { return false };
        let annotated = self.annotations(&symbol);
        let fits = |name: &str| self.rules.within.iter().any(|wanted| wanted == name);
        annotated.iter().any(|one| fits(one.name))
            || symbol.bases.iter().any(|base| fits(unit.outline_text(base.name)))
    }

    fn is_conventional(&self, ty: Option<u32>) -> bool {
        let unit = self.extraction.unit;
        let Some(convention) = &self.rules.convention else { return false };
        let Some(symbol) = ty.and_then(|ty| unit.symbol(ty)) else { return false };
        let is_base = |base: &orient_model::Base| {
            convention.bases.iter().any(|wanted| wanted == unit.outline_text(base.name))
        };
        symbol.bases.iter().any(is_base)
    }

    /// The path of a member that is an endpoint without an annotation.
    fn conventional(
        &self,
        at: u32,
        symbol: &Declaration<'_>,
        ty: Option<u32>,
        annotations: &[Annotation<'_>],
    ) -> Option<String> {
        let convention = self.rules.convention.as_ref()?;
        let unit = self.extraction.unit;
        let excluded = annotations.iter().any(|one| convention.except.iter().any(|name| name == one.name));
        let counts = symbol.visibility == Visibility::Public
            && symbol.kind == SymbolKind::Method
            && !unit.is(at, orient_model::Modifier::Static)
            && !unit.is(at, orient_model::Modifier::Override)
            && !excluded
            && self.is_conventional(ty);
        counts.then(|| convention.path.clone())
    }
}

/// An annotation as written: `RequestMapping(value = {"/a", "/b"}, method = RequestMethod.POST)`.
pub(super) struct Annotation<'t> {
    /// Its last name.
    pub(super) name: &'t str,
    arguments: Vec<(Option<&'t str>, &'t str)>,
}

impl<'t> Annotation<'t> {
    pub(super) fn parse(text: &'t str) -> Self {
        let (name, rest) = text.split_once('(').unwrap_or((text, ""));
        let name = name.trim().rsplit(['.', ':', '\\']).next().unwrap_or_default();
        let name = name.split('<').next().unwrap_or(name);
        let inside = rest.rsplit_once(')').map_or(rest, |(inside, _)| inside);
        let mut arguments = Vec::new();
        for (key, value) in split_top_level(inside).map(named_part) {
            // The entries of an object are named arguments: `Component({ selector: "x" })`.
            let object = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
            let entries: Vec<_> =
                object.filter(|_| key.is_none()).into_iter().flat_map(split_top_level).collect();
            let entries = entries.into_iter().map(named_part).filter(|(key, _)| key.is_some());
            let before = arguments.len();
            arguments.extend(entries);
            if arguments.len() == before {
                arguments.push((key, value));
            }
        }
        arguments.retain(|(_, value): &(Option<&str>, &str)| !value.is_empty());
        Self { name, arguments }
    }

    fn values<'s>(&'s self, wanted: &'s [Argument]) -> impl Iterator<Item = &'t str> + 's {
        let found = wanted.iter().find_map(|wanted| {
            let mut positional = self.arguments.iter().filter(|(key, _)| key.is_none());
            match wanted {
                Argument::Position(at) => positional.nth(usize::try_from(*at).ok()?),
                Argument::Named(name) => self.arguments.iter().find(|(key, _)| *key == Some(name)),
                Argument::Type(_) => None,
            }
        });
        found.into_iter().map(|&(_, value)| value)
    }

    /// The quoted texts of an argument.
    pub(super) fn texts(&self, wanted: &[Argument]) -> Vec<String> {
        let quoted = |value: &'t str| value.split(['"', '\'', '`']).skip(1).step_by(2).map(str::to_owned);
        self.values(wanted).flat_map(quoted).collect()
    }

    /// The texts or last names of an argument: `POST` of `RequestMethod.POST`.
    pub(super) fn words(&self, wanted: &[Argument]) -> Vec<String> {
        let quoted = self.texts(wanted);
        if !quoted.is_empty() {
            return quoted;
        }
        let parts = self.values(wanted).flat_map(|value| value.split([',', '{', '}', '[', ']']));
        let words = parts.map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| word.rsplit('.').next().unwrap_or(word).to_owned()).collect()
    }
}

/// The name and the value of an argument.
fn named_part(part: &str) -> (Option<&str>, &str) {
    match part.split_once(['=', ':']).filter(|(key, _)| is_word(key.trim())) {
        Some((key, value)) => (Some(key.trim()), value.trim()),
        None => (None, part.trim()),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The parts of a list between commas that are not inside of brackets or quotes.
fn split_top_level(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0i32, None);
    text.split(move |c: char| {
        match (quote, c) {
            (Some(open), _) => quote = Some(open).filter(|&open| open != c),
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') => return depth == 0,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_has_named_and_positional_arguments() {
        let found =
            Annotation::parse("web.RequestMapping(value = {\"/a\", \"/b\"}, method = RequestMethod.POST)");
        assert_eq!(found.name, "RequestMapping");
        let named = |name: &str| [Argument::Position(0), Argument::Named(name.to_owned())];
        assert_eq!(found.texts(&named("value")), ["/a", "/b"]);
        assert_eq!(found.words(&named("method")), ["POST"]);
        let found = Annotation::parse("HttpGet(\"{id:int}\", Name = \"one\")");
        assert_eq!(found.texts(&[Argument::Position(0)]), ["{id:int}"]);
        assert!(Annotation::parse("HttpPost").arguments.is_empty());
        let found = Annotation::parse("Controller({ path: 'cats', version: '1' })");
        let path = [Argument::Position(0), Argument::Named("path".to_owned())];
        assert_eq!(found.texts(&path), ["cats"]);
    }
}
