//! Member access: what `value.name` refers to, by the type of the value.

use crate::file::FileRef;
use crate::modules::dotted;
use crate::names::member_sides::has_side;
use crate::session::{Session, Site};
use crate::types::object_literals::dedup_members;
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, THIS, Ty};
use orient_model::{
    Confidence, Expr, ExprId, Modifier, Modules, RECEIVER_LABEL, Relation, Rule, SymbolKind, Wrapper,
};
use std::rc::Rc;

/// The type of a value, as a value itself.
pub(crate) fn runtime_type(ty: &Ty) -> Ty {
    Ty::union(ty.alternatives().iter().map(|ty| match ty {
        Ty::Instance(sym, args) => Ty::Metatype(*sym, args.clone()),
        _ => Ty::Unknown,
    }))
}

impl Session<'_> {
    pub(super) fn find_member(&self, site: &Site, base: ExprId, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let base = match unit.expr(base) {
            Expr::Wrap { wrapper: Wrapper::PathRoot, inner } => {
                if let Expr::Name(root) = unit.expr(inner)
                    && let Some(found) = self.in_hidden_qualifier(site, unit.text(root), name)
                {
                    return found;
                }
                inner
            }
            _ => base,
        };
        if let Some(found) = self.path_member(site, base, name) {
            return found;
        }
        if let Some(label) = name.strip_prefix(RECEIVER_LABEL)
            && !unit.rules.receiver_scope_methods.is_empty()
        {
            let val = match unit.expr(base) {
                Expr::SuperRef => self.labelled_base(site, label),
                _ => self.labelled_receiver(site, label),
            };
            return val.map(|val| Target::value(val.ty, val.rule)).into_iter().collect();
        }
        if unit.expr(base) == Expr::SuperRef {
            return self.super_member(site, name);
        }
        let object = unit
            .rules
            .type_object_members
            .iter()
            .find(|(member, object)| member == name && !object.is_empty());
        if let Some((_, object)) = object {
            let ty = Ty::External(object.as_str().into(), Rc::from([self.ty(site, base)]));
            return vec![Target::value(ty, Rule::Static)];
        }
        if unit.rules.runtime_type_members.iter().any(|member| member == name) {
            let ty = runtime_type(&self.eval(site, base).ty);
            if ty.is_known() {
                // It may be that of a subclass.
                return vec![Target::value(ty, Rule::Static).at_most(Confidence::Probable)];
            }
        }
        let base_is_self = unit.expr(base) == Expr::SelfRef;
        let named = self.targets(site, base);
        if let [Target { referent: Referent::External(package, outer), .. }] = &*named
            && unit.rules.modules == Modules::Namespace
        {
            // An imported namespace looks like an external type.
            let space = format!("{}.{outer}", dotted(package));
            let found = self.by_full_name(unit, &format!("{space}.{name}"), Rule::Qualified);
            if !found.is_empty() {
                return found;
            }
        }
        if let Expr::Name(root) = unit.expr(base)
            && named.is_empty()
            && unit.rules.library_namespaces.iter().any(|space| space == unit.text(root))
        {
            return vec![Target::external(unit.text(root), name)];
        }
        if named.is_empty()
            && unit.rules.modules == Modules::Include
            && let Some(space) = unit.last_name(base)
        {
            let found = self.qualified_by_opened(unit, space, name);
            if !found.is_empty() {
                return found;
            }
        }
        let val = self.provided_delegate(site, self.eval(site, base), name);
        let mut found: Vec<Target> = Vec::new();
        for ty in val.ty.alternatives() {
            let one = Value { ty: ty.clone(), ..val.clone() };
            found.extend(self.member(&one, name, unit));
        }
        found = self.visible_extensions(site, found);
        if found.is_empty() && base_is_self {
            found = self.in_own_module(site, name);
        }
        if found.is_empty() {
            found = self.type_with_container_in_header(site, base, &named, name);
        }
        let mut less_sure = val.ty.alternatives().len() > 1;
        if less_sure && unit.rules.type_namespace {
            less_sure = dedup_members(&mut found);
        }
        found.into_iter().map(|one| if less_sure { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// A member of the base class: `super.name`.
    fn super_member(&self, site: &Site, name: &str) -> Vec<Target> {
        let Some(ty) = self.self_type(&site.unit, site.symbol()) else { return Vec::new() };
        if let (Ty::Instance(sym, _), true) = (&ty, site.unit.rules.super_skips_mixins) {
            let bases = self.supertypes(*sym);
            let bases = bases.iter().filter(|(_, relation)| *relation == Relation::Extends);
            let found = bases.map(|(base, _)| self.type_member(base, name, 0, Rule::Super));
            return found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        }
        self.type_member(&ty, name, 1, Rule::Super)
    }

    /// Members of a value by name.
    pub(crate) fn member(&self, val: &Value, name: &str, from: &FileRef) -> Vec<Target> {
        let found = match &val.ty {
            Ty::Instance(sym, _) => self.instance_member(val, *sym, name, from),
            Ty::Metatype(sym, args) => {
                let of = Ty::Instance(*sym, args.clone());
                let mut found = self.static_member(*sym, &of, name, from);
                if found.is_empty() {
                    found = self.companion_members(&of, name, true);
                }
                if found.is_empty() {
                    found = self.enum_member(*sym, name, from);
                }
                if found.is_empty() {
                    found = self.extension(&of, name, from);
                }
                if found.is_empty() && from.rules.value_flow_typing && val.rule == Rule::Receiver {
                    found = self.subtype_members(*sym, name, from);
                }
                found
            }
            Ty::Module(module) => {
                let found = self.module_member(module, name, from);
                if found.is_empty() { self.default_export_member(module, name, from) } else { found }
            }
            Ty::Shape(file, scope, expr) => self.object_entry(*file, *scope, *expr, name),
            Ty::Param(file, at) => {
                let Some(unit) = self.unit(*file) else { return Vec::new() };
                if at & THIS != 0 {
                    let own = self.own_type(unit.sym(at & !THIS));
                    return self.member(&val.with(own), name, from);
                }
                let bound = self.type_param_bound(&unit, *at);
                if matches!(bound.ty, Ty::Param(..) | Ty::Unknown) {
                    Vec::new()
                } else {
                    self.member(&Value { rule: Rule::Declared, ..bound }, name, from)
                }
            }
            Ty::Union(types) => {
                let each = types.iter().flat_map(|ty| self.member(&val.with(ty.clone()), name, from));
                each.map(|found| found.at_most(Confidence::Probable)).collect()
            }
            Ty::External(holder, args) => self.external_member(val, holder, args, name, from),
            Ty::Function(sym, _) => self.function_property(*sym, name),
            _ => Vec::new(),
        };
        found.into_iter().map(|found| found.at_most(val.confidence)).collect()
    }

    /// The object that a delegate provides in its place, if this is the member that reads a delegated property.
    fn provided_delegate(&self, site: &Site, val: Value, name: &str) -> Value {
        let unit = &site.unit;
        if unit.implicit("delegate") != Some(name) {
            return val;
        }
        let Some(provide) = unit.implicit("provide_delegate") else { return val };
        let mut found = self.member(&val, provide, unit);
        found.retain(|one| one.sym().is_some());
        let provided = self.call_targets_result(&found, &[], Some(site));
        if provided.ty.is_known() { provided } else { val }
    }

    /// A member that every data class has: a copy of the instance, or one of its parts.
    fn data_member(&self, ty: &Ty, sym: SymbolId, name: &str) -> Vec<Target> {
        let Some(unit) = self.unit_of(sym).filter(|unit| unit.is(sym.at, Modifier::Data)) else {
            return Vec::new();
        };
        let result = unit.rules.data_members.iter().find_map(|(member, what)| match what.as_str() {
            "item" => {
                let at = name.strip_prefix(member.as_str())?.parse::<usize>().ok()?.checked_sub(1)?;
                Some(self.value_type(sym, Some(&Rc::new(ty.clone())), at))
            }
            _ => (member == name).then(|| ty.clone()),
        });
        result.map(|ty| Target::value(Ty::Returning(ty.into()), Rule::Declared)).into_iter().collect()
    }

    /// A member that every enumeration has: its cases, or a function that returns them or one of them.
    fn enum_member(&self, sym: SymbolId, name: &str, from: &FileRef) -> Vec<Target> {
        let known = from.rules.enum_members.iter().find(|(member, _)| member == name);
        let Some((_, what)) = known.filter(|_| self.kind(sym) == Some(SymbolKind::Enum)) else {
            return Vec::new();
        };
        let case = Ty::instance(sym);
        let cases = || Ty::List(case.clone().into());
        let ty = match what.as_str() {
            "list" => cases(),
            "list function" => Ty::Returning(cases().into()),
            _ => Ty::Returning(case.into()),
        };
        vec![Target::value(ty, Rule::Static)]
    }

    fn instance_member(&self, val: &Value, sym: SymbolId, name: &str, from: &FileRef) -> Vec<Target> {
        let rule = match val.rule {
            Rule::Receiver | Rule::Inferred | Rule::Super => val.rule,
            _ => Rule::Declared,
        };
        let found = self.type_member(&val.ty, name, 0, rule);
        if !found.is_empty() {
            return found;
        }
        let found = self.data_member(&val.ty, sym, name);
        if !found.is_empty() {
            return found;
        }
        if from.rules.type_namespace
            && matches!(self.kind(sym), Some(SymbolKind::Variable | SymbolKind::Constant))
            && let Ty::Shape(file, scope, expr) = self.type_of_symbol(sym).ty
        {
            return self.object_entry(file, scope, expr, name);
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        if from.rules.value_flow_typing && val.rule == Rule::Receiver {
            let found = self.subtype_members(sym, name, from);
            if !found.is_empty() {
                return found;
            }
        }
        if from.rules.type_namespace {
            let held = self.record_members(&val.ty, from);
            if !held.is_empty() {
                return held;
            }
            if let Some(underlying_type @ Ty::External(..)) = self.underlying_type(&val.ty) {
                return self.member(&val.with(underlying_type), name, from);
            }
        }
        self.maybe_inherited(&val.ty, name)
    }

    /// Members of a type itself: static members, nested types, cases of an enumeration.
    fn static_member(&self, sym: SymbolId, of: &Ty, name: &str, from: &FileRef) -> Vec<Target> {
        let Some(unit) = self.unit_of(sym) else { return Vec::new() };
        if unit.kind(sym.at) == Some(SymbolKind::Module)
            && let Some(module) = self.declared_module(&unit, sym.at)
        {
            return self.module_member(&module, name, from);
        }
        let is_module = unit.kind(sym.at) == Some(SymbolKind::Module);
        if is_module && from.rules.modules == Modules::Namespace {
            return self.namespace_member(&self.full_name(sym), name, from);
        }
        if is_module && from.rules.modules == Modules::Include {
            return self.namespace_symbol(from, &self.full_name(sym), name, Rule::Static);
        }
        let found = self.type_member(of, name, 0, Rule::Static);
        let is_of_instance = |one: &Target| one.sym().is_some_and(|of| self.kind(of).is_some_and(has_side));
        if unit.rules.companion_objects && found.iter().any(is_of_instance) {
            // The name of the type alone means its companion. Without one, this is a reference: `Order::label`.
            let of_companion = self.companion_members(of, name, true);
            return if of_companion.is_empty() { found } else { of_companion };
        }
        if !found.is_empty() {
            return found;
        }
        if is_module && unit.rules.separate_static_members {
            // The methods of a mixin are not its own: `self.class.m` in it means a class member of what it is mixed into.
            let mut found = self.inner_member(&unit, sym.at, name);
            let is_method = |one: &Target| one.sym().and_then(|sym| self.kind(sym)).is_some_and(has_side);
            found.retain(|one| !is_method(one));
            return if found.is_empty() { self.members_for_types(sym, name) } else { found };
        }
        if is_module {
            return self.inner_member(&unit, sym.at, name);
        }
        if let alias @ (Ty::Instance(..) | Ty::Union(_)) = self.instance_of(sym)
            && alias != *of
        {
            return alias
                .alternatives()
                .iter()
                .flat_map(|ty| match ty {
                    Ty::Instance(target, args) if *target != sym => {
                        self.static_member(*target, &Ty::Instance(*target, args.clone()), name, from)
                    }
                    _ => Vec::new(),
                })
                .collect();
        }
        Vec::new()
    }

    /// Members of an external type: of the value it wraps, extensions, or an external member.
    fn external_member(
        &self,
        val: &Value,
        holder: &str,
        args: &Rc<[Ty]>,
        name: &str,
        from: &FileRef,
    ) -> Vec<Target> {
        let rules = &from.rules;
        if rules.wrapper_types.iter().any(|known| known == holder)
            && let Some(held) = args.first()
        {
            let found = self.member(&val.with(held.clone()), name, from);
            if !found.is_empty() {
                return found;
            }
        }
        let recorded = self.record_members(&val.ty, from);
        if !recorded.is_empty() {
            return recorded;
        }
        if let Some(held) = args.first().filter(|_| rules.value_members.iter().any(|known| known == name)) {
            return vec![Target::value(held.clone(), Rule::Inferred)];
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        let found = self.foreign_impl_members(holder, name, from);
        if !found.is_empty() {
            return found;
        }
        let outside = Target::external(holder, name);
        let has_it = |held: &Ty| match held {
            Ty::Instance(..) => !self.type_member(held, name, 0, Rule::Declared).is_empty(),
            held => !held.is_known(),
        };
        if rules.deref_forwarding && args.iter().any(has_it) {
            return vec![outside.at_most(Confidence::Approximate)];
        }
        vec![if rules.overloads && !rules.type_namespace { outside.by(Rule::Inferred) } else { outside }]
    }

    /// The members of a type that inherits from a record type, where all members have one type: `extends Record<string,
    /// T>`.
    pub(super) fn record_members(&self, ty: &Ty, from: &FileRef) -> Vec<Target> {
        let held = |base: &Ty| match base {
            Ty::External(name, args) if from.rules.record_types.iter().any(|known| **known == **name) => {
                args.last().map(|held| Target::value(held.clone(), Rule::Declared))
            }
            _ => None,
        };
        self.mro(ty).iter().find_map(held).into_iter().collect()
    }

    /// What a qualified name refers to, resolved from its first part on.
    pub(crate) fn lookup_dotted(&self, site: &Site, text: &str) -> Vec<Target> {
        let text = text.trim();
        let base = text.split(['<', '[', '(']).next().unwrap_or_default();
        let mut parts = base.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let mut found = self.lookup(site, first.trim());
        for part in parts {
            let vals: Vec<Value> = found.iter().map(|found| self.value(found)).collect();
            found = vals.iter().flat_map(|val| self.member(val, part.trim(), &site.unit)).collect();
        }
        found
    }
}
