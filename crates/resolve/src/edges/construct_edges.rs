//! Edges of constructions: to the type, and to the constructor that takes the arguments.

use super::markup_edges::is_undefined;
use super::references::ReferenceEdges;
use crate::names::bindings::LookupKind;
use crate::session::Site;
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{EdgeKind, Expr, ExprId, Modules, Rule, SymbolKind};

impl ReferenceEdges<'_, '_> {
    pub(super) fn construct(&mut self, site: &Site) {
        let (ty, args) = match self.unit.expr(self.reference.expr) {
            Expr::New { ty, args } | Expr::Call { callee: ty, args } => (ty, self.unit.list(args)),
            _ => (self.reference.expr, &[][..]),
        };
        let found = self.constructed_targets(site, ty);
        if found.is_empty() && self.initialise_member(site, ty, args) {
            return;
        }
        let found = self.session.filter_kind(found, LookupKind::Value);
        let mut targets = Vec::new();
        let type_space = self.unit.rules.type_namespace && self.unit.expr(ty) != Expr::SelfRef;
        let named = ty == self.reference.expr && self.unit.rules.value_flow_typing;
        for one in found {
            match &one.referent {
                // An instance cannot be constructed.
                Referent::Value(Ty::Instance(..)) if type_space => return,
                // Neither can a value that is only named: `raise error`.
                Referent::Value(Ty::Instance(..) | Ty::Union(_)) if named => return,
                Referent::Symbol(sym, _) if named && !self.session.is_type(*sym) => {
                    match self.session.value(&one).ty {
                        Ty::Metatype(of, _) => {
                            targets.push(Target::symbol(of, Rule::Implicit).at_most(one.confidence));
                        }
                        _ => return,
                    }
                }
                Referent::Symbol(sym, _) if named => {
                    targets.push(Target::symbol(*sym, Rule::Implicit).at_most(one.confidence));
                }
                Referent::Value(Ty::Module(module)) => {
                    let whole = self.session.default_export(module, self.unit);
                    targets.extend(whole.into_iter().filter(|one| one.sym().is_some()));
                }
                Referent::Value(Ty::Instance(sym, _) | Ty::Metatype(sym, _)) => {
                    targets.push(Target::symbol(*sym, one.rule).at_most(one.confidence));
                }
                Referent::Value(_) => {}
                Referent::Symbol(sym, _) => match self.session.instance_of(*sym) {
                    Ty::Instance(of, _) if self.session.is_type(*sym) => {
                        targets.push(Target::symbol(of, one.rule).at_most(one.confidence));
                    }
                    // A variable that holds a class.
                    Ty::Instance(of, _) if type_space || self.holds(*sym) => {
                        targets.push(Target::symbol(of, Rule::Value).at_most(one.confidence));
                    }
                    _ if self.holds(*sym) => {}
                    _ => targets.push(one),
                },
                Referent::External(..) => targets.push(one),
            }
        }
        if targets.iter().all(is_undefined) && self.follow_markup(site, ty) {
            return;
        }
        if targets.is_empty() {
            return self.push_unresolved(site, ty);
        }
        self.emit_calls(site, targets, args);
    }

    /// A constructor that initialises a member by its name uses the member, and constructs its type unless it is a pointer or a reference.
    /// Returns whether the name is that of a member.
    fn initialise_member(&mut self, site: &Site, name: ExprId, args: &[ExprId]) -> bool {
        if !self.unit.rules.overloads || !matches!(self.unit.expr(name), Expr::Name(_)) {
            return false;
        }
        let found = self.session.targets(site, name);
        let [member] = &*found else { return false };
        let Some(sym) = member.sym().filter(|&sym| self.session.kind(sym) == Some(SymbolKind::Field)) else {
            return false;
        };
        self.push_edge(EdgeKind::References, sym, member.rule, member.confidence);
        let home = self.session.unit_of(sym);
        let declared = home.as_ref().and_then(|home| Some(home.expr(home.binding_of(sym.at)?.ty?)));
        let is_held = declared.is_some_and(|ty| !matches!(ty, Expr::Wrap { .. }));
        if let (true, Ty::Instance(of, _)) = (is_held, self.session.value(member).ty)
            && matches!(self.session.kind(of), Some(SymbolKind::Class | SymbolKind::Struct))
            && !self.copies(site, of, args)
        {
            self.emit_construction(
                site,
                of,
                &Target::symbol(of, Rule::Declared).at_most(member.confidence),
                args,
            );
        }
        true
    }

    /// Whether a value is made from another value of its type: no constructor is called that somebody wrote to make one.
    fn copies(&self, site: &Site, of: SymbolId, args: &[ExprId]) -> bool {
        let &[arg] = args else { return false };
        if self.unit.rules.modules != Modules::Include {
            return false;
        }
        // A constructor may take a pointer to its own type.
        let takes_pointer = || self.makers(of).iter().any(|maker| self.session.takes_pointer(maker));
        let ty = self.session.eval(site, arg).ty;
        matches!(ty, Ty::Instance(sym, _) if sym == of) && !takes_pointer()
    }

    /// What the type expression of a construction refers to.
    fn constructed_targets(&self, site: &Site, ty: ExprId) -> Vec<Target> {
        match self.unit.expr(ty) {
            Expr::SelfRef => {
                let own = self.session.self_type(self.unit, site.symbol());
                let own = own.map(|ty| Target::value(ty, Rule::Receiver));
                own.into_iter().collect()
            }
            Expr::Apply { base, args } if self.unit.rules.overloads => {
                self.session.find_type_targets(site, base, args.len as usize)
            }
            Expr::Apply { base, args } => self.session.targets_of_arity(site, base, args.len as usize),
            Expr::Name(_) if self.unit.rules.overloads && !self.unit.rules.type_namespace => {
                // In a construction, a member does not hide a type of the same name.
                let mut found = self.session.find_type_targets(site, ty, 0);
                if found.is_empty() {
                    found = self.session.targets(site, ty).to_vec();
                    found.retain(|one| one.sym().is_none_or(|sym| self.session.is_type(sym)));
                }
                found
            }
            _ => self.session.targets(site, ty).to_vec(),
        }
    }

    /// The constructors of a type; the type itself represents its primary constructor.
    pub(super) fn makers(&self, sym: SymbolId) -> Vec<Target> {
        let mut found = self.constructors(sym);
        let header = self.session.unit_of(sym).is_some_and(|home| {
            home.rules.overloads && home.symbol(sym.at).is_some_and(|symbol| !symbol.params.is_empty())
        });
        if header && !found.is_empty() {
            found.push(Target::symbol(sym, Rule::Constructor));
        }
        found
    }

    /// Whether a symbol is a variable that may hold a class.
    fn holds(&self, sym: SymbolId) -> bool {
        let kind = self.session.kind(sym);
        !self.unit.rules.implicit_constructors.is_empty()
            && matches!(kind, Some(SymbolKind::Constant | SymbolKind::Variable))
    }

    /// Members of a type that replace the implicit constructor.
    pub(super) fn custom_makers(&self, sym: SymbolId) -> Vec<Target> {
        let session = self.session;
        let mut found = Vec::new();
        for name in &self.unit.rules.implicit_constructors {
            found.extend(session.type_member(&Ty::instance(sym), name, 0, Rule::Static));
        }
        found
    }

    /// The constructors that a type declares itself.
    pub(super) fn constructors(&self, sym: SymbolId) -> Vec<Target> {
        let Some(home) = self.session.unit_of(sym) else { return Vec::new() };
        let mut names: Vec<&str> = home.rules.constructors.iter().map(String::as_str).collect();
        names.push(home.name(sym.at));
        let mut found = Vec::new();
        for name in names {
            for member in self.session.own_members(sym, name) {
                let is = self
                    .session
                    .unit_of(member)
                    .is_some_and(|unit| unit.kind(member.at) == Some(SymbolKind::Constructor));
                if is && !self.session.is_hidden(member) {
                    found.push(Target::symbol(member, Rule::Constructor));
                }
            }
        }
        found
    }

    pub(super) fn emit_construction(&mut self, site: &Site, sym: SymbolId, target: &Target, args: &[ExprId]) {
        let is_number = |kind| matches!(kind, Some(SymbolKind::TypeAlias | SymbolKind::Enum));
        let converts = self.unit.rules.modules == Modules::Include && is_number(self.session.kind(sym));
        if converts || self.copies(site, sym, args) {
            // A conversion or a copy uses the type and calls none of its constructors.
            return self.push_edge(EdgeKind::TypeOf, sym, target.rule, target.confidence);
        }
        self.push_edge(EdgeKind::Constructs, sym, target.rule, target.confidence);
        let line = self.session.mro(&Ty::instance(sym));
        let reach = if self.unit.rules.inherits_constructors { line.len() } else { 1 };
        for (at, base) in line.iter().enumerate().take(reach) {
            let Ty::Instance(of, _) = base else { break };
            let mut found = self.makers(*of);
            if self.unit.rules.overloads {
                found.retain(|one| self.session.accepts_count(one, args.len()));
            }
            if found.is_empty() {
                continue;
            }
            let fitting = self.session.resolve_overloads(site, &found, args);
            if fitting.iter().any(|one| one.sym() == Some(*of)) {
                break;
            }
            for one in self.decide(fitting) {
                if let Some(constructor) = one.sym() {
                    let rule = match target.rule {
                        Rule::Implicit => Rule::Implicit,
                        _ if at == 0 => Rule::Constructor,
                        _ => Rule::Inherited,
                    };
                    self.push_edge(EdgeKind::Calls, constructor, rule, target.confidence.max(one.confidence));
                    self.arguments(site, constructor, args, 0);
                }
            }
            break;
        }
    }
}
