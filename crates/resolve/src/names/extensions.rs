//! Extension members: which ones a type has at a place, by their receiver type, imports and enclosing receivers.

use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::modules::dotted;
use crate::names::bindings::{LookupKind, can_be_called};
use crate::session::{Session, Site};
use crate::types::generics::{TypeArguments, unify};
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Modifier, Modules, Rule, ScopeKind, SymbolKind};
use std::rc::Rc;

impl Session<'_> {
    /// Extension members of a type by name.
    pub(crate) fn extension(&self, ty: &Ty, name: &str, from: &FileRef) -> Vec<Target> {
        let mut found = Vec::new();
        let mut extensions = self.symbols_within(&from.rules, name, Reach::Extensions);
        extensions.retain(|namesake| namesake.modifiers.contains(Modifier::Extension));
        if extensions.is_empty() {
            return found;
        }
        let line = self.mro(ty);
        let mut nearest = usize::MAX;
        for namesake in extensions {
            if self.is_hidden(namesake.sym) || self.in_other_script(namesake.sym, from) {
                continue;
            }
            let sym = namesake.sym;
            let Some(unit) = self.unit_of(sym) else { continue };
            let Some((receiver, arity)) = extended(&unit, sym.at) else { continue };
            let alias = self.aliased_receiver(&unit, sym.at, receiver);
            let extends = |of: &Ty| match &alias {
                Some(alias) => is_same_type(of, alias),
                None => self.is_called(of, receiver, arity),
            };
            let place = match line.iter().position(extends) {
                None if Self::is_parameter(&unit, sym.at, receiver) => line.len(),
                Some(place) => place,
                None => continue,
            };
            let bound =
                if place == line.len() { self.bound_holds(&unit, sym.at, receiver, &line) } else { None };
            if bound == Some(false) {
                continue;
            }
            // Overload resolution decides between functions.
            let told = from.rules.overloads && can_be_called(namesake.kind);
            // An extension that is a member comes with its owner, not by an import.
            let comes = self.extension_owner(sym).is_some() || self.sees(from, &unit, sym.at);
            if (place > nearest && !told) || !comes {
                continue;
            }
            if place < nearest {
                found.retain(|_| told);
                nearest = place;
            }
            let open = place == line.len() && bound.is_none();
            let confidence = if open { Confidence::Probable } else { Confidence::Exact };
            let referent = Referent::Symbol(sym, Some(ty.clone().into()));
            found.push(Target { referent, rule: Rule::Extension, confidence, receiver_distance: place });
        }
        let syms = self.visible_alternatives(from, found.iter().filter_map(Target::sym).collect());
        found.retain(|one| one.sym().is_none_or(|sym| syms.contains(&sym)));
        let several = found.len() > 1 && !from.rules.overloads;
        found.into_iter().map(|one| if several { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// Members that `impl` blocks of the repository give to an external type, and those that a trait implemented for it provides.
    ///
    /// Example: with `impl Shout for str`, `"x".shout()` calls the method of that block, or the default method of `Shout`.
    pub(crate) fn foreign_impl_members(&self, holder: &str, name: &str, from: &FileRef) -> Vec<Target> {
        let parent_of = |sym: SymbolId| {
            let unit = self.unit_of(sym)?;
            let parent = unit.symbol(sym.at)?.parent?;
            Some((unit, parent))
        };
        let (mut own, mut provided) = (Vec::new(), Vec::new());
        for namesake in self.symbols_within(&from.rules, name, Reach::Anywhere) {
            let Some((unit, parent)) = parent_of(namesake.sym) else { continue };
            match unit.kind(parent) {
                Some(SymbolKind::Impl) if unit.name(parent) == holder => own.push(namesake.sym),
                Some(SymbolKind::Trait) => provided.push((namesake.sym, unit.name(parent).to_owned())),
                _ => {}
            }
        }
        if own.is_empty() && !provided.is_empty() {
            let blocks = self.symbols_within(&from.rules, holder, Reach::Extensions);
            let blocks = blocks.iter().filter(|block| block.kind == SymbolKind::Impl);
            let traits: Vec<String> = blocks
                .filter_map(|block| Some((self.unit_of(block.sym)?, block.sym.at)))
                .flat_map(|(unit, at)| {
                    let names = unit.bases(at).iter().filter_map(|&(expr, ..)| unit.last_name(expr));
                    names.map(str::to_owned).collect::<Vec<_>>()
                })
                .collect();
            own.extend(provided.iter().filter(|(_, of)| traits.contains(of)).map(|(sym, _)| *sym));
        }
        let confidence = if own.len() > 1 { Confidence::Probable } else { Confidence::Exact };
        own.into_iter().map(|sym| Target::symbol(sym, Rule::Extension).at_most(confidence)).collect()
    }

    /// Extensions of this name in a namespace: what an import of the name makes visible.
    pub(crate) fn extensions_in(&self, unit: &FileRef, space: &str, name: &str) -> Vec<Target> {
        if unit.rules.modules != Modules::Namespace || !unit.rules.companion_objects {
            return Vec::new();
        }
        let space = dotted(space);
        let namesakes = self.symbols_within(&unit.rules, name, Reach::Extensions);
        let extensions = namesakes.iter().filter(|namesake| namesake.modifiers.contains(Modifier::Extension));
        let inside = extensions.filter(|namesake| {
            let home = self.unit_of(namesake.sym);
            self.extension_owner(namesake.sym).is_none()
                && home.is_some_and(|home| self.namespace_of(&home, namesake.sym.at) == space)
        });
        inside.map(|namesake| Target::symbol(namesake.sym, Rule::Import)).collect()
    }

    /// Extensions of the receivers around a place, by their bare name: those of the innermost receiver that has accepted ones.
    pub(crate) fn extension_of_receivers(
        &self,
        site: &Site,
        name: &str,
        accepts: &dyn Fn(&[Target]) -> bool,
    ) -> Vec<Target> {
        let unit = &site.unit;
        if !unit.rules.companion_objects {
            return Vec::new();
        }
        let mut next = Some(site.scope);
        while let Some((at, scope)) = next.and_then(|at| Some((at, unit.scope(at)?))) {
            next = scope.parent;
            let Some(ty) = self.scope_receiver(unit, at) else { continue };
            let found = self.visible_extensions(site, self.extension(&ty, name, unit));
            if !found.is_empty() && accepts(&found) {
                return found;
            }
        }
        Vec::new()
    }

    /// The type whose members are visible in a scope without a receiver.
    fn scope_receiver(&self, unit: &FileRef, at: u32) -> Option<Ty> {
        let scope = unit.scope(at)?;
        match (scope.kind, scope.symbol) {
            (ScopeKind::Type, Some(symbol)) => Some(self.own_type(unit.sym(symbol))),
            (ScopeKind::Function, symbol) => {
                let entered = self.lambda_receiver(unit, at).map(|val| val.ty);
                let extended = || self.extended_type(unit, symbol?);
                entered.or_else(|| self.qualifier_type(unit, symbol?)).or_else(extended)
            }
            _ => None,
        }
    }

    /// The type that the receiver of an extension stands for, if it is an alias.
    fn aliased_receiver(&self, unit: &FileRef, symbol: u32, name: &str) -> Option<Ty> {
        if !self.kinds_named(&unit.rules, name).any(|kind| kind == SymbolKind::TypeAlias) {
            return None;
        }
        let site = Site { unit: unit.clone(), scope: unit.scope_of(symbol).unwrap_or(0), at: u32::MAX };
        let found = self.lookup_as(&site, name, LookupKind::Type);
        let alias = found.iter().find_map(Target::sym)?;
        Some(self.instance_of(alias)).filter(|_| self.kind(alias) == Some(SymbolKind::TypeAlias))
    }

    /// What the receiver of an extension says about its type parameters, and the number of its parameters that take no argument.
    ///
    /// Example: for `fun <T : Command> T.run(): T`, called on a `Build`, `T` is `Build`.
    pub(crate) fn extension_arguments(
        &self,
        unit: &FileRef,
        sym: SymbolId,
        via: Option<&Rc<Ty>>,
    ) -> (TypeArguments, usize) {
        let mut map = Vec::new();
        let Some(via) = via.filter(|_| unit.is(sym.at, Modifier::Extension)) else { return (map, 0) };
        let this = match &**via {
            Ty::SeenThrough(_, this) => &**this,
            ty => ty,
        };
        if !this.is_known() {
            return (map, 0);
        }
        let holder = unit.symbol(sym.at).and_then(|symbol| symbol.parent).map(|at| unit.sym(at));
        if matches!(this, Ty::Instance(of, _) | Ty::Metatype(of, _) if Some(*of) == holder) {
            // It is called as a static member: the receiver is its first argument.
            return (map, 0);
        }
        let (wanted, receivers) = if let Some(name) = unit.qualifier(sym.at) {
            let named = |at: &&u32| unit.binding(**at).is_some_and(|binding| unit.text(binding.name) == name);
            let param = unit.type_params(sym.at).iter().find(named);
            (param.map_or(Ty::Unknown, |&at| Ty::Param(unit.file, at)), 0)
        } else {
            let first = unit.scope_of(sym.at).and_then(|scope| unit.params(scope).first());
            (first.map_or(Ty::Unknown, |&at| self.declared(unit, at)), 1)
        };
        if matches!(wanted, Ty::Param(..)) {
            unify(&wanted, this, &mut map);
        } else if let Some(of) = self.mro(this).iter().find(|of| is_same_type(of, &wanted)) {
            unify(&wanted, of, &mut map);
        }
        (map, receivers)
    }

    /// Whether an extension's receiver type is its own type parameter, so that it extends every type.
    fn is_parameter(unit: &FileRef, symbol: u32, name: &str) -> bool {
        let called = |at: &u32| unit.binding(*at).is_some_and(|binding| unit.text(binding.name) == name);
        unit.type_params(symbol).iter().any(called)
    }

    /// Whether a type satisfies the bound of a type parameter; none if there is no bound.
    fn bound_holds(&self, unit: &FileRef, symbol: u32, name: &str, line: &[Ty]) -> Option<bool> {
        let called = |at: &&u32| unit.binding(**at).is_some_and(|binding| unit.text(binding.name) == name);
        let &param = unit.type_params(symbol).iter().find(called)?;
        match self.type_param_bound(unit, param).ty {
            Ty::Instance(sym, _) => Some(
                line.iter().any(|of| matches!(of, Ty::Instance(known, _) if *known == self.canonical(sym))),
            ),
            _ => None,
        }
    }

    fn is_called(&self, ty: &Ty, name: &str, arity: usize) -> bool {
        match ty {
            Ty::Instance(sym, _) => self.unit_of(*sym).is_some_and(|unit| {
                let alike = !unit.rules.generic_arity_overloads || unit.type_params(sym.at).len() == arity;
                alike && unit.name(sym.at) == name
            }),
            Ty::External(outside, _) => &**outside == name,
            _ => false,
        }
    }

    /// Whether the namespace of a symbol is visible in a file: by its own namespace or an import.
    fn sees(&self, from: &FileRef, other: &FileRef, symbol: u32) -> bool {
        let space = self.namespace_of(other, symbol);
        let inside = |own: &str| {
            own == space || (from.rules.sees_enclosing_namespaces && own.starts_with(&format!("{space}.")))
        };
        if space.is_empty() || inside(&dotted(from.package())) {
            return true;
        }
        let mut spaces = from.symbols().filter(|&at| from.kind(at) == Some(SymbolKind::Module));
        if spaces.any(|at| inside(&self.full_name(from.sym(at)))) {
            return true;
        }
        let name = other.name(symbol);
        let last = space.rsplit('.').next().unwrap_or_default();
        from.imports().iter().any(|import| {
            let module = from.outline_text(import.module);
            module.contains(last)
                && import.name.is_none_or(|named| from.outline_text(named) == name)
                && self.imported_spaces(from, import, module).iter().any(|module| {
                    module.strip_prefix(&*space).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
        }) || self.is_project_wide_import(from, &space)
    }

    /// Drops extensions whose owner is no implicit receiver at the place; the nearest receiver wins.
    pub(crate) fn visible_extensions(&self, site: &Site, found: Vec<Target>) -> Vec<Target> {
        let holders: Vec<Option<SymbolId>> = found.iter().map(|one| self.owner_of_extension(one)).collect();
        if holders.iter().all(Option::is_none) {
            return found;
        }
        let around = self.implicit_receivers(site);
        let place = |holder: SymbolId| match around.iter().position(|&one| one == holder) {
            None if self.imports_of(&site.unit, holder, &found) => Some(around.len()),
            place => place,
        };
        let places: Vec<Option<usize>> = holders.iter().map(|holder| holder.and_then(place)).collect();
        let nearest = places.iter().flatten().min().copied();
        let kept = found.into_iter().zip(holders.iter().zip(places));
        kept.filter(|(_, (holder, place))| match (holder, nearest) {
            (None, nearest) => nearest.is_none(),
            (Some(_), _) => place.is_some() && *place == nearest,
        })
        .map(|(one, _)| one)
        .collect()
    }

    /// The owner of a target that is an extension.
    fn owner_of_extension(&self, found: &Target) -> Option<SymbolId> {
        self.extension_owner(found.sym().filter(|_| found.rule == Rule::Extension)?)
    }

    /// The type that declares an extension as a member; none for a top-level extension.
    fn extension_owner(&self, sym: SymbolId) -> Option<SymbolId> {
        let unit = self.unit_of(sym).filter(|unit| unit.rules.companion_objects)?;
        let parent = unit.symbol(sym.at)?.parent?;
        unit.kind(parent)?.is_type().then(|| unit.sym(parent))
    }

    /// Whether a file imports the extension, or everything, from an object.
    fn imports_of(&self, unit: &FileRef, holder: SymbolId, found: &[Target]) -> bool {
        if self.kind(holder) != Some(SymbolKind::Object) {
            return false;
        }
        let space = self.shared_full_name(holder);
        let name = found
            .iter()
            .find_map(Target::sym)
            .and_then(|sym| self.unit_of(sym).map(|home| home.name(sym.at).to_owned()));
        unit.imports().iter().any(|import| {
            let named = import.name.map(|atom| unit.outline_text(atom));
            dotted(unit.outline_text(import.module)) == *space
                && (named.is_none() || named == name.as_deref())
        })
    }

    /// The types whose members are visible without a receiver, innermost first.
    fn implicit_receivers(&self, site: &Site) -> Vec<SymbolId> {
        let unit = &site.unit;
        let mut around = Vec::new();
        let mut next = Some(site.scope);
        while let Some((at, scope)) = next.and_then(|at| Some((at, unit.scope(at)?))) {
            next = scope.parent;
            let Some(ty) = self.scope_receiver(unit, at) else { continue };
            for of in self.mro(&ty).iter() {
                let Ty::Instance(sym, _) = of else { continue };
                around.push(*sym);
                let Some(home) = self.unit_of(*sym) else { continue };
                let directory_module_file = |at: &&u32| {
                    home.kind(**at) == Some(SymbolKind::Object) && home.is(**at, Modifier::Static)
                };
                around.extend(
                    home.children(Some(sym.at)).iter().filter(directory_module_file).map(|&at| home.sym(at)),
                );
            }
        }
        around
    }
}

/// Whether two types are one, whatever their type arguments.
pub(crate) fn is_same_type(one: &Ty, other: &Ty) -> bool {
    match (one, other) {
        (Ty::Instance(one, _), Ty::Instance(other, _)) => one == other,
        (Ty::External(one, _), Ty::External(other, _)) => one == other,
        _ => false,
    }
}

/// The name of an extension's receiver type, and the number of its type arguments.
fn extended(unit: &FileRef, symbol: u32) -> Option<(&str, usize)> {
    let written = match unit.qualifier(symbol) {
        Some(qualifier) => qualifier,
        None => unit.outline_text(unit.symbol(symbol)?.params.first()?.ty?),
    };
    let written = written.trim_start_matches("this ").trim();
    let head = written.split(['<', '?', '[']).next()?.trim();
    Some((head.rsplit('.').next()?, crate::types::written_types::type_argument_count(written)))
}
