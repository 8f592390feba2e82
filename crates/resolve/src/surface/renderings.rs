//! Templates that code renders: those that a call or an annotation names, and those whose path says which member renders them.

use super::entries::{Entries, EntryCall};
use super::extract::Extraction;
use super::handlers::Handler;
use super::routers::node;
use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::markup::{pascal, rendered};
use orient_model::{
    Confidence, Edge, EdgeKind, EntryRule, Node, Resolved, Rule, SurfaceEntry, SymbolKind, ViewRule,
};

/// The end of the names of types whose members render templates in a directory of the rest of the name.
const CONTROLLER: &str = "Controller";
/// Maximum number of types of one name that are looked at.
const MAX_TYPES: usize = 16;

impl Entries<'_, '_, '_> {
    /// The templates that a call renders.
    pub(super) fn of_rendering(&self, call: &EntryCall<'_>, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let from = extraction.around(call.reference);
        let around = extraction.unit.type_around(call.reference.symbol);
        let patterns = patterns(extraction.unit, call.rule, around);
        for name in self.names_of_call(call, &Handler::default()) {
            let found = extraction.session.template(extraction.unit, &name, &patterns);
            // A name that no template has says nothing, unless the call is certainly one of the framework.
            if found.is_none() && !call.proven {
                continue;
            }
            let line = call.reference.line;
            if let Some((to, confidence)) = found {
                let confidence = if call.proven { confidence } else { confidence.max(Confidence::Probable) };
                resolved.edges.push(renders(from, to, line, confidence));
            }
            self.push(SurfaceEntry {
                name,
                symbol: found.map(|(node, _)| node).filter(|node| node.symbol.is_some()),
                from,
                line,
                proven: call.proven,
                ..self.blank(call.framework, call.rule)
            });
        }
    }

    /// The template that an annotation of a type names.
    pub(super) fn of_template_owner(
        &self,
        framework: usize,
        rule: &EntryRule,
        at: u32,
        name: String,
        resolved: &mut Resolved,
    ) {
        let unit = self.extraction.unit;
        let patterns = patterns(unit, rule, Some(at));
        let Some((to, confidence)) = self.extraction.session.template(unit, &name, &patterns) else { return };
        let from = node(unit.sym(at));
        let line = unit.line(at);
        resolved.edges.push(renders(from, to, line, confidence));
        let symbol = Some(to).filter(|to| to.symbol.is_some());
        self.push(SurfaceEntry { name, symbol, from, line, proven: true, ..self.blank(framework, rule) });
    }
}

/// Adds the edges from members to the templates that they render by the place of the template: this file.
pub(super) fn views(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    let unit = extraction.unit;
    let own = rendered(unit);
    if own.symbol.is_none() {
        return;
    }
    for rule in extraction.frameworks.iter().flat_map(|framework| &framework.views) {
        let path = unit.path().display();
        let Some(Owner { name: owner, member, within }) = owner(&path, rule) else { continue };
        let session = extraction.session;
        let types = session.symbols_within(&unit.rules, &owner, Reach::Types);
        for one in types.iter().filter(|one| one.kind.is_type()).take(MAX_TYPES) {
            session.start_reference();
            let Some(home) = session.unit_of(one.sym) else { continue };
            if rule.snake && session.full_name(one.sym) != within {
                continue;
            }
            for at in home.children_named(Some(one.sym.at), &member) {
                if home.kind(at).is_some_and(SymbolKind::is_callable) {
                    let line = home.line(at);
                    resolved.edges.push(renders(node(home.sym(at)), own, line, Confidence::Probable));
                }
            }
        }
    }
}

/// What renders a template by its place.
#[derive(Debug, PartialEq, Eq)]
struct Owner {
    /// The name of the type.
    name: String,
    member: String,
    /// The full name of the type, with the modules that the directories stand for.
    within: String,
}

/// The type and the member that render a template: `BlogPostsController` and `index` for `views/blog_posts/index.html.erb`.
fn owner(path: &str, rule: &ViewRule) -> Option<Owner> {
    let inside = path.strip_prefix(&format!("{}/", rule.root));
    let inside = inside.or_else(|| path.split_once(&format!("/{}/", rule.root)).map(|(_, rest)| rest))?;
    let (directories, file) = inside.rsplit_once('/')?;
    let directory = directories.rsplit('/').next().unwrap_or(directories);
    let name = if rule.snake { pascal(directory) } else { directory.to_owned() };
    let member = file.split('.').next().filter(|stem| !stem.is_empty() && !stem.starts_with('_'))?;
    let modules = directories.split('/').map(pascal).collect::<Vec<_>>().join(".");
    let suffix = &rule.type_suffix;
    Some(Owner {
        name: format!("{name}{suffix}"),
        member: member.to_owned(),
        within: format!("{modules}{suffix}"),
    })
}

/// The patterns of a rule, with the type around the call filled in.
fn patterns(unit: &FileRef, rule: &EntryRule, around: Option<u32>) -> Vec<String> {
    let name = around.map(|at| unit.name(at)).unwrap_or_default();
    let name = name.strip_suffix(CONTROLLER).unwrap_or(name);
    let snake = super::entry_names::derived(orient_model::NameStyle::Snake, name, "").unwrap_or_default();
    let filled = |pattern: &String| pattern.replace("{type_snake}", &snake).replace("{type}", name);
    rule.templates
        .iter()
        .filter(|pattern| !name.is_empty() || !pattern.contains("{type"))
        .map(filled)
        .collect()
}

fn renders(from: Node, to: Node, line: u32, confidence: Confidence) -> Edge {
    Edge { from, kind: EdgeKind::Constructs, to, line, confidence, rule: Rule::Template }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_template_says_what_renders_it() {
        let rails = ViewRule { root: "views".into(), type_suffix: "Controller".into(), snake: true };
        let found = owner("app/views/admin/blog_posts/index.html.erb", &rails);
        let within = "Admin.BlogPostsController".to_owned();
        let (name, member) = ("BlogPostsController".to_owned(), "index".to_owned());
        assert_eq!(found, Some(Owner { name, member, within }));
        assert_eq!(owner("app/views/posts/_form.html.erb", &rails), None, "a part");
        assert_eq!(owner("app/posts/index.html.erb", &rails), None);
    }
}
