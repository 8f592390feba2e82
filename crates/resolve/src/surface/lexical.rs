//! Groups that apply to what is written inside of them: `namespace :admin do … end`, `Route::prefix("a")->group(…)`.

use super::arguments;
use super::extract::Extraction;
use super::resources::{ResourcePaths, controller_name, resource_name};
use super::routers::join_path;
use super::routes::bare;
use crate::session::Site;
use crate::types::ty::SymbolId;
use orient_model::{Expr, ExprId, Framework, GroupRule, Reference, ResourcePart, ResourceRule};
use rustc_hash::FxHashMap;

/// The call of a group or resource whose function is a scope.
pub(super) type LexicalGroups = FxHashMap<u32, (usize, ExprId)>;

/// What the groups around a call say about it.
#[derive(Clone, Debug, Default)]
pub(super) struct LexicalContext {
    /// The prefix of its paths.
    pub(super) prefix: String,
    /// The prefix without the resources around it.
    pub(super) outer: String,
    /// The module of its handlers: `admin/`.
    pub(super) module: String,
    /// The type of its handlers, by name or itself.
    pub(super) controller: Option<Controller>,
    /// The resource around it.
    pub(super) resource: Option<ResourcePaths>,
    /// Members of resources are not below the resources around them.
    pub(super) shallow: bool,
    /// It is registered where the group around it is named.
    pub(super) elsewhere: bool,
}

/// A type whose members are handlers.
#[derive(Clone, Debug)]
pub(super) enum Controller {
    /// As texts name it.
    Named(String),
    /// The type itself.
    Type(SymbolId),
}

impl LexicalContext {
    /// The prefix of what is about a part of the resource around it.
    pub(super) fn part(&self, part: ResourcePart) -> Option<String> {
        let resource = self.resource.as_ref()?;
        Some(match part {
            ResourcePart::Collection => resource.collection.clone(),
            ResourcePart::Member => resource.member.clone(),
        })
    }
}

impl Extraction<'_, '_> {
    /// What the groups around a call say, and the calls that it is chained to.
    pub(super) fn lexical_context(&self, framework: usize, reference: &Reference) -> LexicalContext {
        let groups = self.lexical.get_or_init(|| self.lexical_groups());
        let (mut around, mut scope) = (Vec::new(), Some(reference.scope));
        while let Some(at) = scope.filter(|_| !groups.is_empty()) {
            if let Some(&(_, call)) = groups.get(&at).filter(|(of, _)| *of == framework) {
                around.push(call);
            }
            scope = self.unit.scope(at).and_then(|scope| scope.parent);
        }
        let mut context = LexicalContext::default();
        for call in around.into_iter().rev() {
            self.apply_chain(framework, call, reference, &mut context);
        }
        if let Expr::Call { callee, .. } = self.unit.expr(reference.expr)
            && let Expr::Member { base, .. } = self.unit.expr(callee)
        {
            self.apply_chain(framework, base, reference, &mut context);
        }
        context
    }

    /// The functions without a name that are given to a lexical group or a resource.
    fn lexical_groups(&self) -> LexicalGroups {
        let mut found = LexicalGroups::default();
        for (reference, name) in self.calls() {
            for (at, framework) in self.frameworks.iter().enumerate().filter(|&(at, _)| self.is_imported[at])
            {
                let Some(callback) = callback_of(framework, name) else { continue };
                let Expr::Call { args, .. } = self.unit.expr(reference.expr) else { continue };
                let callback = arguments::find(self.unit, self.unit.list(args), callback);
                if let Some(Expr::Lambda(scope)) = callback.map(|arg| self.unit.expr(arg))
                    && self.is_of_framework(at, reference)
                {
                    found.insert(scope, (at, reference.expr));
                }
            }
        }
        found
    }

    /// Whether a chain of calls begins with a name of the framework.
    pub(super) fn is_of_framework(&self, framework: usize, reference: &Reference) -> bool {
        self.chain_head(reference).is_some_and(|(found, _)| found == framework)
    }

    /// The name of the framework that a chain of calls begins with: `Route.prefix` of `Route::prefix("a")->get(…)`.
    pub(super) fn chain_head(&self, reference: &Reference) -> Option<(usize, String)> {
        let mut expr = reference.expr;
        loop {
            let Expr::Call { callee, .. } = self.unit.expr(expr) else { return None };
            if let Some(found) = self.framework_name(&self.site(reference), callee) {
                return Some(found);
            }
            let Expr::Member { base, .. } = self.unit.expr(callee) else { return None };
            expr = base;
        }
    }

    /// Adds what the calls of a chain say, the first call first.
    fn apply_chain(
        &self,
        framework: usize,
        mut expr: ExprId,
        reference: &Reference,
        context: &mut LexicalContext,
    ) {
        let mut calls = Vec::new();
        while let Expr::Call { callee, .. } = self.unit.expr(expr) {
            calls.push(expr);
            match self.unit.expr(callee) {
                Expr::Member { base, .. } => expr = base,
                _ => break,
            }
        }
        for call in calls.into_iter().rev() {
            let Expr::Call { callee, args } = self.unit.expr(call) else { continue };
            let Some(name) = self.last_name(callee) else { continue };
            let args = self.unit.list(args);
            let framework = &self.frameworks[framework];
            let is_called = |calls: &[String]| calls.iter().any(|call| bare(call) == name);
            if let Some(rule) = framework.groups.iter().find(|rule| is_called(&rule.calls)) {
                self.apply_group(rule, args, reference, context);
            } else if let Some(rule) = framework.resources.iter().find(|rule| is_called(&rule.calls)) {
                self.apply_resource(rule, args, reference, context);
            }
        }
    }

    fn apply_group(
        &self,
        rule: &GroupRule,
        args: &[ExprId],
        reference: &Reference,
        context: &mut LexicalContext,
    ) {
        let site = self.site(reference);
        let find = |wanted| arguments::find(self.unit, args, wanted);
        let is_text = |arg: &ExprId| !matches!(self.unit.expr(*arg), Expr::Lambda(_) | Expr::Sequence { .. });
        if let Some(path) = find(&rule.path).filter(is_text) {
            let path = self.path_text(&site, path);
            context.prefix = join_path(&context.prefix, &path);
            context.outer = join_path(&context.outer, &path);
        }
        if let Some(module) = find(&rule.module).and_then(|arg| self.session.constant_text(&site, arg)) {
            context.module = format!("{}{module}/", context.module);
        }
        if let Some(controller) = find(&rule.controller) {
            context.controller = self.controller(&site, controller);
        }
        if let Some(prefix) = rule.part.and_then(|part| context.part(part)) {
            context.prefix = prefix;
        }
        context.elsewhere |= rule.elsewhere;
    }

    /// The type of handlers that an argument says.
    pub(super) fn controller(&self, site: &Site, arg: ExprId) -> Option<Controller> {
        match self.session.constant_text(site, arg) {
            Some(name) => Some(Controller::Named(name)),
            None => self.handler(site, arg, 0).symbol.map(Controller::Type),
        }
    }

    fn apply_resource(
        &self,
        rule: &ResourceRule,
        args: &[ExprId],
        reference: &Reference,
        context: &mut LexicalContext,
    ) {
        let site = self.site(reference);
        let Some(name) = resource_name(self, &site, rule, args) else { return };
        let paths = ResourcePaths::new(self, &site, rule, args, &name, None, context);
        let text = |wanted| {
            arguments::find(self.unit, args, wanted).and_then(|arg| self.session.constant_text(&site, arg))
        };
        if let Some(module) = text(&rule.module) {
            context.module = format!("{}{module}/", context.module);
        }
        let controller = text(&rule.controller).unwrap_or_else(|| controller_name(rule, &name));
        context.controller = Some(Controller::Named(controller));
        context.shallow |= arguments::find(self.unit, args, &rule.shallow).is_some();
        context.prefix.clone_from(&paths.nested);
        context.resource = Some(paths);
    }
}

/// The argument of a call of this name that is a function in which the rules apply.
fn callback_of<'f>(framework: &'f Framework, name: &str) -> Option<&'f [orient_model::Argument]> {
    let is_called = |calls: &[String]| calls.iter().any(|call| bare(call) == name);
    let group = framework.groups.iter().find(|rule| rule.lexical && is_called(&rule.calls));
    let resource =
        || framework.resources.iter().find(|rule| !rule.callback.is_empty() && is_called(&rule.calls));
    group.map(|rule| rule.callback.as_slice()).or_else(|| resource().map(|rule| rule.callback.as_slice()))
}
