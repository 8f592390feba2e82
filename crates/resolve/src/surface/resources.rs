//! Resources: one call registers several routes by convention, `resources :posts` or `router.register("posts", PostViewSet)`.

use super::annotations::Annotation;
use super::arguments::{self, method_name};
use super::entry_names::{plural, singular};
use super::extract::Extraction;
use super::handlers::Handler;
use super::lexical::LexicalContext;
use super::routers::join_path;
use super::routes::RegistrationCall;
use crate::session::Site;
use crate::types::target::Target;
use crate::types::ty::SymbolId;
use orient_model::{AnnotatedAction, Argument, Expr, ExprId, Resolved, ResourceRule};
use std::collections::BTreeSet;

/// Maximum number of bases above one another that are followed.
const MAX_DEPTH: u32 = 8;

/// The paths of a resource.
#[derive(Clone, Debug)]
pub(super) struct ResourcePaths {
    /// That of all of it.
    pub(super) collection: String,
    /// That of a member.
    pub(super) member: String,
    /// The prefix of what is registered inside of it.
    pub(super) nested: String,
    /// The path of a member below that of the collection.
    own_member: String,
    /// The path of the collection that members are below.
    member_base: String,
}

impl ResourcePaths {
    pub(super) fn new(
        extraction: &Extraction<'_, '_>,
        site: &Site,
        rule: &ResourceRule,
        args: &[ExprId],
        name: &str,
        handler: Option<SymbolId>,
        context: &LexicalContext,
    ) -> Self {
        let text = |wanted: &[Argument]| {
            let arg = arguments::find(extraction.unit, args, wanted)?;
            extraction.session.constant_text(site, arg)
        };
        let parameter = text(&rule.parameter)
            .or_else(|| handler.and_then(|ty| extraction.member_text(ty, &rule.parameter_member)))
            .unwrap_or_else(|| rule.default_parameter.clone());
        // A name with dots is that of a resource inside of others: `photos.comments`.
        let (outer, own) = name.rsplit_once('.').map_or((None, name), |(outer, own)| (Some(outer), own));
        let fill = |template: &str, name: &str| {
            let one = singular(name).replace('-', "_");
            template.replace("$parameter", &parameter).replace("$singular", &one).replace("$name", name)
        };
        let mut prefix = context.prefix.clone();
        for part in outer.into_iter().flat_map(|outer| outer.split('.')) {
            prefix = join_path(&join_path(&prefix, part), &fill(&rule.member, part));
        }
        let own_path = text(&rule.path).unwrap_or_else(|| own.to_owned());
        let last = own_path.rsplit('/').next().unwrap_or(&own_path);
        // The path may have parts in front of the name: `admin/photos`.
        let own = if own.contains('/') { last } else { own };
        let collection = join_path(&prefix, &own_path);
        let member_base =
            if context.shallow { join_path(&context.outer, &own_path) } else { collection.clone() };
        let own_member = fill(&rule.member, own);
        Self {
            member: join_path(&member_base, &own_member),
            nested: join_path(&member_base, &fill(&rule.nested, own)),
            collection,
            own_member,
            member_base,
        }
    }

    /// The full path of an action.
    fn action(&self, path: &str) -> String {
        let base = if path.contains("$member") { &self.member_base } else { &self.collection };
        join_path(base, &path.replace("$member", self.own_member.trim_start_matches('/')))
    }
}

/// The first name that a call gives to a resource.
pub(super) fn resource_name(
    extraction: &Extraction<'_, '_>,
    site: &Site,
    rule: &ResourceRule,
    args: &[ExprId],
) -> Option<String> {
    let arg = arguments::find(extraction.unit, args, &rule.name)?;
    extraction.session.constant_text(site, arg)
}

impl RegistrationCall<'_, '_, '_> {
    /// Registers the routes of the resources that a call names.
    pub(super) fn resource(&self, rule: &ResourceRule, resolved: &mut Resolved) -> bool {
        let Some((_, args)) = self.parts() else { return false };
        let extraction = self.extraction;
        let (router, mut context) = if rule.free {
            let Some(found) = self.default_router(&rule.calls) else { return false };
            found
        } else {
            let Some(router) = self.receiver().filter(|router| router.framework.is_some()) else {
                return false;
            };
            let context = LexicalContext { prefix: router.prefix.clone(), ..LexicalContext::default() };
            (router, context)
        };
        if context.elsewhere {
            return true;
        }
        let site = self.site();
        context.shallow |= arguments::find(extraction.unit, args, &rule.shallow).is_some();
        let names = if rule.several {
            let positional = args.iter().filter(|&&arg| matches!(extraction.unit.expr(arg), Expr::Text(_)));
            positional.filter_map(|&arg| extraction.session.constant_text(&site, arg)).collect()
        } else {
            resource_name(extraction, &site, rule, args).into_iter().collect::<Vec<_>>()
        };
        for name in &names {
            let handler = arguments::find(extraction.unit, args, &rule.handler)
                .and_then(|arg| extraction.handler(&site, arg, 0).symbol);
            let paths = ResourcePaths::new(extraction, &site, rule, args, name, handler, &context);
            let named = arguments::find(extraction.unit, args, &rule.handler)
                .and_then(|arg| extraction.session.constant_text(&site, arg))
                .map(|controller| format!("{}{controller}", context.module));
            let controller = named.unwrap_or_else(|| self.named_controller(rule, args, name, &context));
            for (action, method, path) in self.actions(rule, args, &paths, handler) {
                let handler = match handler {
                    Some(ty) => Handler {
                        symbol: Some(extraction.member_of(ty, &action).unwrap_or(ty)),
                        text: String::new(),
                    },
                    None => self.handler_of_action(&controller, &action),
                };
                self.push(&router, method, path, &handler, Vec::new(), resolved);
            }
        }
        !names.is_empty()
    }

    /// The type of a resource's handlers, as texts name it.
    fn named_controller(
        &self,
        rule: &ResourceRule,
        args: &[ExprId],
        name: &str,
        context: &LexicalContext,
    ) -> String {
        let text = |wanted: &[Argument]| {
            let arg = arguments::find(self.extraction.unit, args, wanted)?;
            self.extraction.session.constant_text(&self.site(), arg)
        };
        let module = text(&rule.module).map(|module| format!("{module}/")).unwrap_or_default();
        let own = text(&rule.controller).unwrap_or_else(|| controller_name(rule, name));
        format!("{}{module}{own}", context.module)
    }

    /// The actions of a resource: name, method and full path.
    fn actions(
        &self,
        rule: &ResourceRule,
        args: &[ExprId],
        paths: &ResourcePaths,
        handler: Option<SymbolId>,
    ) -> Vec<(String, String, String)> {
        let extraction = self.extraction;
        let only = self.listed(&rule.only, args);
        let except = self.listed(&rule.except, args).unwrap_or_default();
        let provided =
            handler.filter(|_| !rule.provided.is_empty()).map(|ty| extraction.provided_actions(ty, rule));
        let methods = match (&rule.methods_member, handler) {
            (Some(member), Some(ty)) => extraction.member_texts(ty, member),
            _ => None,
        };
        let is_served = |method: &str| {
            methods.as_ref().is_none_or(|methods| methods.iter().any(|one| one.eq_ignore_ascii_case(method)))
        };
        let mut found = Vec::new();
        for action in &rule.actions {
            let counts = only.as_ref().is_none_or(|only| only.contains(&action.name))
                && !except.contains(&action.name)
                && provided.as_ref().is_none_or(|provided| provided.contains(&action.name));
            for method in action.methods.iter().filter(|method| counts && is_served(method)) {
                found.push((action.name.clone(), method.clone(), paths.action(&action.path)));
            }
        }
        if let (Some(annotated), Some(ty)) = (&rule.annotated, handler) {
            for (name, method, path) in extraction.annotated_actions(ty, annotated, 0) {
                if is_served(&method) {
                    found.push((name, method, paths.action(&path)));
                }
            }
        }
        found
    }

    /// The texts that an argument lists, or a call on the result of that name.
    fn listed(&self, wanted: &[Argument], args: &[ExprId]) -> Option<Vec<String>> {
        let extraction = self.extraction;
        if let Some(arg) = arguments::find(extraction.unit, args, wanted) {
            return Some(extraction.session.constant_texts(&self.site(), arg));
        }
        let names: Vec<String> = wanted
            .iter()
            .filter_map(|one| match one {
                Argument::Named(name) => Some(name.clone()),
                Argument::Position(_) | Argument::Type(_) => None,
            })
            .collect();
        let chained = self.chained_texts(&names);
        (!chained.is_empty()).then_some(chained)
    }
}

impl Extraction<'_, '_> {
    /// The bases of a type that are in the repository, and the names of all of them.
    pub(super) fn bases_of(&self, ty: SymbolId) -> (Vec<SymbolId>, Vec<String>) {
        let Some(unit) = self.session.unit_of(ty) else { return (Vec::new(), Vec::new()) };
        let symbol = unit.symbol(ty.at);
        let bases = symbol.map(|symbol| symbol.bases).unwrap_or_default();
        let names = bases.iter().map(|base| unit.outline_text(base.name).to_owned()).collect();
        let mut found = Vec::new();
        for &(expr, scope, _) in unit.bases(ty.at) {
            let site = Site { unit: unit.clone(), scope, at: u32::MAX };
            found.extend(self.session.targets(&site, expr).iter().find_map(Target::sym));
        }
        (found, names)
    }

    /// The member of a type, or of its bases.
    pub(super) fn member_of(&self, ty: SymbolId, name: &str) -> Option<SymbolId> {
        self.member_below(ty, name, 0)
    }

    fn member_below(&self, ty: SymbolId, name: &str, depth: u32) -> Option<SymbolId> {
        let unit = self.session.unit_of(ty)?;
        if let Some(own) = unit.children_named(Some(ty.at), name).next() {
            return Some(unit.sym(own));
        }
        let bases = if depth < MAX_DEPTH { self.bases_of(ty).0 } else { Vec::new() };
        bases.into_iter().filter(|&base| base != ty).find_map(|base| self.member_below(base, name, depth + 1))
    }

    /// The text that is the value of a member of a type.
    fn member_text(&self, ty: SymbolId, names: &[String]) -> Option<String> {
        names.iter().find_map(|name| self.member_texts(ty, name)?.into_iter().next())
    }

    /// The texts that are the value of a member of a type; none if it has no such member.
    fn member_texts(&self, ty: SymbolId, name: &str) -> Option<Vec<String>> {
        let member = self.member_of(ty, name)?;
        let unit = self.session.unit_of(member)?;
        let binding = unit.binding_of(member.at)?;
        let site = Site { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let texts = self.session.constant_texts(&site, binding.value?);
        (!texts.is_empty()).then_some(texts)
    }

    /// The actions that a type defines itself or gets from a base.
    fn provided_actions(&self, ty: SymbolId, rule: &ResourceRule) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.add_provided(ty, rule, &mut found, 0);
        found
    }

    fn add_provided(&self, ty: SymbolId, rule: &ResourceRule, found: &mut BTreeSet<String>, depth: u32) {
        let Some(unit) = self.session.unit_of(ty) else { return };
        let own = unit.children(Some(ty.at)).iter().map(|&child| unit.name(child));
        let actions = own.filter(|name| rule.actions.iter().any(|action| action.name == *name));
        found.extend(actions.map(str::to_owned));
        let (bases, names) = self.bases_of(ty);
        for (_, actions) in rule.provided.iter().filter(|(base, _)| names.contains(base)) {
            found.extend(actions.iter().cloned());
        }
        for base in bases.into_iter().filter(|&base| base != ty && depth < MAX_DEPTH) {
            self.add_provided(base, rule, found, depth + 1);
        }
    }

    /// The actions that annotations of a type's members add: name, method and path.
    fn annotated_actions(
        &self,
        ty: SymbolId,
        rule: &AnnotatedAction,
        depth: u32,
    ) -> Vec<(String, String, String)> {
        let mut found = Vec::new();
        let Some(unit) = self.session.unit_of(ty) else { return found };
        for &child in unit.children(Some(ty.at)) {
            let Some(symbol) = unit.symbol(child) else { continue };
            let annotations =
                symbol.attributes.iter().map(|&text| Annotation::parse(unit.outline_text(text)));
            for annotation in annotations.filter(|one| one.name == rule.name) {
                let is_detail =
                    annotation.words(&rule.detail).iter().any(|word| word.eq_ignore_ascii_case("true"));
                let name = unit.name(child).to_owned();
                let path = annotation.texts(&rule.path).into_iter().next().unwrap_or_else(|| name.clone());
                let path = join_path(if is_detail { "/$member" } else { "" }, &path) + &rule.ending;
                let mut methods = annotation.words(&rule.methods);
                if methods.is_empty() {
                    methods.push("GET".to_owned());
                }
                found.extend(methods.iter().map(|method| (name.clone(), method_name(method), path.clone())));
            }
        }
        for base in self.bases_of(ty).0.into_iter().filter(|&base| base != ty && depth < MAX_DEPTH) {
            found.extend(self.annotated_actions(base, rule, depth + 1));
        }
        found
    }
}

/// The type of the handlers of a resource, as texts name it.
pub(super) fn controller_name(rule: &ResourceRule, resource: &str) -> String {
    if rule.plural_controller { plural(resource) } else { resource.to_owned() }
}
