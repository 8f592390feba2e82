//! The types of parameters, variables and fields: declared, or inferred from what is assigned to them.

use crate::calls::call_result::is_informative;
use crate::file::FileRef;
use crate::memo::Keep;
use crate::session::{Session, Site};
use crate::types::target::Value;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Binding, BindingKind, Confidence, Expr, Literal, Rule, SymbolKind, Via, Wrapper};

impl Session<'_> {
    /// The value of a parameter or local variable.
    pub(crate) fn bound_value(&self, unit: &FileRef, at: u32) -> Value {
        let find = || {
            Some(match unit.binding(at) {
                None => Value::unknown(),
                Some(binding) if binding.kind == BindingKind::Receiver && binding.ty.is_none() => {
                    self.receiver(unit, binding)
                }
                Some(binding) => self.value_of_binding(unit, binding),
            })
        };
        let keep = Keep::OutermostOr(Value::is_known_answer);
        let value = self.queries.binding_values.query(&self.limits, (unit.file, at), keep, find);
        value.unwrap_or_else(Value::unknown)
    }

    /// The value of a binding: by its declared type, else by its initializer, its callers or its context.
    fn value_of_binding(&self, unit: &FileRef, binding: &Binding) -> Value {
        let site = Site { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
        // The declared type of a parameter that is a pattern is not that of a name deep inside the pattern.
        let is_deep = binding.kind == BindingKind::Param && binding.via == Via::Unknown;
        if let Some(ty) = binding.ty.filter(|_| !is_deep) {
            let declared = self.ty(&site, ty);
            let declared = match (binding.via, binding.value) {
                (Via::Item(_) | Via::Member(_), None) => {
                    self.destructure(&site, &Value::new(declared, Rule::Declared), binding.via)
                }
                _ => Value::new(declared, Rule::Declared),
            };
            if declared.ty.is_known() {
                return declared;
            }
        }
        let param_types = self.param_types.get(&binding.at).filter(|_| {
            Some(unit.file) == self.file && binding.kind == BindingKind::Param && binding.ty.is_none()
        });
        if let Some(param_types) = param_types {
            let default = binding.value.map_or(Ty::Unknown, |value| self.eval(&site, value).ty);
            let ty = Ty::union([default, param_types.clone()]);
            return Value { ty, rule: Rule::Inferred, confidence: Confidence::Probable };
        }
        let Some(value) = binding.value else {
            if binding.kind == BindingKind::Param && binding.ty.is_none() {
                let fixture = self.injected_fixture(unit, binding);
                return if fixture.ty.is_known() { fixture } else { self.contextual_param(unit, binding) };
            }
            return self.assigned(unit, binding);
        };
        let value = self
            .pattern_payload(&site, binding)
            .unwrap_or_else(|| self.destructured(&site, binding, &self.eval(&site, value)));
        let value = self.with_reassignments(unit, binding, value);
        Value { rule: if value.rule == Rule::Static { Rule::Static } else { Rule::Inferred }, ..value }
    }

    /// What a binding takes out of its value. How the parts of an element that is no tuple are called, nothing says.
    fn destructured(&self, site: &Site, binding: &Binding, whole: &Value) -> Value {
        let is_element = binding.value.is_some_and(|value| {
            matches!(site.unit.expr(value), Expr::Wrap { wrapper: Wrapper::Spread, .. })
        });
        let is_opaque = matches!(whole.ty, Ty::Instance(..) | Ty::Union(_));
        if is_element && is_opaque && matches!(binding.via, Via::Item(_)) {
            return Value::unknown();
        }
        self.destructure(site, whole, binding.via)
    }

    /// A variable that is assigned again may hold either value.
    fn with_reassignments(&self, unit: &FileRef, binding: &Binding, first: Value) -> Value {
        let varies = match binding.kind {
            BindingKind::Local => true,
            BindingKind::Symbol(symbol) => unit.kind(symbol) == Some(SymbolKind::Variable),
            _ => false,
        };
        let follows = unit.rules.type_namespace
            || unit.rules.value_flow_typing && matches!(binding.kind, BindingKind::Symbol(_));
        if !varies || !follows {
            return first;
        }
        let mut types = vec![first.ty.clone()];
        let mut again = false;
        for (assign, value) in unit.assigned(unit.text(binding.name)) {
            let is_name = matches!(unit.expr(assign.target), Expr::Name(_));
            if is_name && unit.is_within(assign.scope, binding.scope) {
                let site = Site { unit: unit.clone(), scope: assign.scope, at: assign.at };
                let value = self.eval(&site, value);
                types.push(self.destructure(&site, &value, assign.via).ty);
                again = true;
            }
        }
        let ty = Ty::union(types);
        let less_sure = again && (unit.rules.type_namespace || ty != first.ty);
        let confidence =
            if less_sure { first.confidence.max(Confidence::Probable) } else { first.confidence };
        Value { ty, confidence, ..first }
    }

    /// The values assigned to a variable that is declared without one.
    fn assigned(&self, unit: &FileRef, binding: &Binding) -> Value {
        if binding.kind != BindingKind::Local {
            return Value::unknown();
        }
        let mut types = Vec::new();
        for (assign, value) in unit.assigned(unit.text(binding.name)) {
            let site = Site { unit: unit.clone(), scope: assign.scope, at: assign.at };
            let value = self.eval(&site, value);
            types.push(self.destructure(&site, &value, assign.via).ty);
        }
        Value { ty: Ty::union(types), rule: Rule::Inferred, confidence: Confidence::Probable }
    }

    /// The declared type of a binding.
    pub(crate) fn declared(&self, unit: &FileRef, at: u32) -> Ty {
        let Some(binding) = unit.binding(at) else { return Ty::Unknown };
        let Some(ty) = binding.ty else { return Ty::Unknown };
        let site = Site { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let keep = Keep::OutermostOr(|_, ty: &Ty| ty.is_known());
        self.queries.declared_types.get_or(&self.limits, (unit.file, at), keep, || self.ty(&site, ty))
    }

    /// The value of a constant, variable, field or property.
    pub(crate) fn type_of_symbol(&self, sym: SymbolId) -> Value {
        let find = || Some(self.infer_type_of_symbol(sym));
        let keep = Keep::OutermostOr(Value::is_known_answer);
        self.queries.symbol_types.query(&self.limits, sym, keep, find).unwrap_or_else(Value::unknown)
    }

    fn infer_type_of_symbol(&self, sym: SymbolId) -> Value {
        let Some(unit) = self.unit_of(sym) else { return Value::unknown() };
        if unit.kind(sym.at) == Some(SymbolKind::EnumMember) {
            let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            return parent
                .map_or_else(Value::unknown, |at| Value::new(Ty::instance(unit.sym(at)), Rule::Declared));
        }
        let Some(binding) = unit.binding_of(sym.at) else { return Value::unknown() };
        if !unit.rules.property_field_prefix.is_empty() && unit.kind(sym.at) == Some(SymbolKind::Field) {
            // Nothing declares it, so all assignments count.
            return self.assigned_field_type(&unit, sym);
        }
        if binding.value.is_some_and(|value| unit.is_documented(value)) {
            // What is assigned is sure, what documentation states is not.
            let assigned = self.assigned_field_type(&unit, sym);
            if is_informative(&assigned.ty) {
                return assigned;
            }
        }
        let val = self.value_of_binding(&unit, binding);
        if val.ty.is_known() {
            return val;
        }
        if unit.kind(sym.at) == Some(SymbolKind::Property) {
            let val = self.return_type(&unit, sym.at);
            return if val.ty.is_known() { val } else { self.backing_field_type(&unit, sym) };
        }
        self.assigned_field_type(&unit, sym)
    }

    /// The type of the field behind a property.
    fn backing_field_type(&self, unit: &FileRef, sym: SymbolId) -> Value {
        let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let (Some(around), false) = (around, unit.rules.property_field_prefix.is_empty()) else {
            return Value::unknown();
        };
        let name = format!("{}{}", unit.rules.property_field_prefix, unit.name(sym.at));
        match self.own_members(unit.sym(around), &name).first() {
            Some(&field) => self.type_of_symbol(field),
            None => Value::unknown(),
        }
    }

    /// The union of the types assigned to a field without a declared type.
    fn assigned_field_type(&self, unit: &FileRef, sym: SymbolId) -> Value {
        let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let mut types = Vec::new();
        for (assign, value) in unit.assigned(unit.name(sym.at)) {
            let scope = unit.scope(assign.scope).and_then(|scope| scope.symbol);
            let is_member = matches!(unit.expr(assign.target), Expr::Member { .. });
            if is_member && unit.type_around(scope) != around {
                continue;
            }
            if unit.expr(value) == Expr::Literal(Literal::Null) {
                continue;
            }
            let site = Site { unit: unit.clone(), scope: assign.scope, at: assign.at };
            types.push(match assign.ty {
                Some(ty) => self.ty(&site, ty),
                None => self.eval(&site, value).ty,
            });
        }
        Value { ty: Ty::union(types), rule: Rule::Inferred, confidence: Confidence::Exact }
    }
}
