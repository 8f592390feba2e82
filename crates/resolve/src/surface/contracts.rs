//! Contracts: services and schemas that are defined in a language of their own and implemented in others. Each member of a
//! contract is linked with the code that implements it, through generated code where there is any, by the names that generators
//! give to types.
//!
//! Example. `service Greeter { rpc SayHello … }` in `greeter.proto`: the method `SayHello` of a struct that embeds
//! `UnimplementedGreeterServer` implements it, and that of `GreeterClient` calls it. So a call in one language leads to the
//! implementation in another.

use super::entry_names::spellings;
use super::extract::Extraction;
use super::routers::node;
use super::routes::registers;
use crate::file::FileRef;
use crate::session::Namesake;
use crate::types::ty::Ty;
use orient_model::{
    Confidence, ContractRule, Edge, EdgeKind, Node, Resolved, Role, Rule, SurfaceEntry, SurfaceRole,
    SymbolKind, name_fits,
};
use std::collections::BTreeSet;

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMESAKES: usize = 256;
/// Maximum number of bases above one another that are followed.
const MAX_DEPTH: u32 = 3;

/// Adds the members of all contracts of a file, and their edges.
pub(super) fn contracts(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    for framework in extraction.frameworks {
        for rule in &framework.contracts {
            Contracts { extraction, framework: &framework.name, rule }.follow(resolved);
        }
    }
}

struct Contracts<'e, 'a, 'r> {
    extraction: &'e Extraction<'a, 'r>,
    framework: &'e str,
    rule: &'e ContractRule,
}

/// What a member of a type has to do with a contract.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Server,
    Client,
}

impl Contracts<'_, '_, '_> {
    fn follow(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        let is_kind = |kind: SymbolKind, kinds: &[String]| kinds.iter().any(|one| one == kind.as_str());
        for at in unit.symbols() {
            let Some(symbol) = unit.symbol(at) else { continue };
            if !is_kind(symbol.kind, &self.rule.containers) {
                continue;
            }
            for &member in unit.children(Some(at)) {
                if unit.kind(member).is_some_and(|kind| is_kind(kind, &self.rule.members)) {
                    self.member(at, member, resolved);
                }
            }
        }
    }

    fn member(&self, container: u32, member: u32, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        let (service, name) = (unit.name(container), unit.name(member));
        let package = Some(unit.package()).filter(|package| !package.is_empty());
        let prefix = package.map(|package| format!("{package}.")).unwrap_or_default();
        let full = format!("{prefix}{service}{}{name}", self.rule.separator);
        let own = node(unit.sym(member));
        let line = unit.line(member);
        let signature = unit.symbol(member).map(|symbol| unit.outline_text(symbol.signature));
        let types = signature.and_then(|text| text.split_once(name)).map(|(_, rest)| rest.trim());
        let types = types.unwrap_or_default().trim_end_matches(['{', '}', ';', ' ']);
        self.push(&full, SurfaceRole::Defines, own, types, own, line);
        for (side, found) in self.implementations(service, name) {
            match side {
                Side::Server => {
                    resolved.edges.push(registers(own, found.sym, line, Confidence::Exact));
                    if !self.is_generated(&found) {
                        let from = node(found.sym);
                        self.push(&full, SurfaceRole::Handles, from, "", from, self.line_of(&found));
                    }
                }
                Side::Client => resolved.edges.push(Edge {
                    from: node(found.sym),
                    kind: EdgeKind::Calls,
                    to: own,
                    line: self.line_of(&found),
                    confidence: Confidence::Exact,
                    rule: Rule::Framework,
                }),
            }
        }
    }

    /// The members of types in other languages that implement or call a member of a contract.
    fn implementations(&self, service: &str, name: &str) -> Vec<(Side, Namesake)> {
        let session = self.extraction.session;
        let names: BTreeSet<String> = self
            .rule
            .names
            .iter()
            .flat_map(|pattern| spellings(name).map(|spelled| pattern.replace("{}", &spelled)))
            .collect();
        let mut found = Vec::new();
        for spelled in &names {
            for family in &self.rule.families {
                let namesakes = session.symbols_in_family(family, spelled, false);
                for namesake in namesakes.iter().take(MAX_NAMESAKES) {
                    session.start_reference();
                    if let Some(side) = self.side(service, namesake) {
                        found.push((side, *namesake));
                    }
                }
            }
        }
        found
    }

    fn side(&self, service: &str, namesake: &Namesake) -> Option<Side> {
        let session = self.extraction.session;
        let callable = namesake.kind.is_callable();
        if !callable && namesake.kind != SymbolKind::Field {
            return None;
        }
        let unit = session.unit_of(namesake.sym)?;
        let (home, owner) = match unit.symbol(namesake.sym.at)?.parent {
            Some(parent)
                if unit.kind(parent).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Impl) =>
            {
                (unit.clone(), parent)
            }
            _ => match session.qualifier_type(&unit, namesake.sym.at)? {
                Ty::Instance(sym, _) => (session.unit_of(sym)?, sym.at),
                _ => return None,
            },
        };
        let is = |patterns: &[String], name: &str| {
            patterns.iter().any(|pattern| fits_ignoring_case(&pattern.replace("{}", service), name))
        };
        let own = home.name(owner);
        if callable && (is(&self.rule.server_types, own) || self.has_base(&home, owner, &is, 0)) {
            return Some(Side::Server);
        }
        is(&self.rule.client_types, own).then_some(Side::Client)
    }

    /// Whether a type has a base that implements the contract, itself or through a base in the same file.
    fn has_base(&self, unit: &FileRef, owner: u32, is: &dyn Fn(&[String], &str) -> bool, depth: u32) -> bool {
        let bases = unit.symbol(owner).map(|symbol| symbol.bases).unwrap_or_default();
        bases.iter().any(|base| {
            let name = unit.outline_text(base.name);
            // A type inside of the service has no name of its own: `Greeter::Service`.
            let outer = unit.outline_text(base.text).rsplit("::").nth(1);
            is(&self.rule.server_bases, name)
                || name == "Service" && outer.is_some_and(|outer| is(&["{}".to_owned()], outer))
                || depth < MAX_DEPTH
                    && unit.children(None).iter().any(|&other| {
                        other != owner
                            && unit.name(other) == name
                            && self.has_base(unit, other, is, depth + 1)
                    })
        })
    }

    fn is_generated(&self, found: &Namesake) -> bool {
        let unit = self.extraction.session.unit_of(found.sym);
        unit.is_some_and(|unit| unit.role() == Role::Generated || unit.is_generated())
    }

    fn line_of(&self, found: &Namesake) -> u32 {
        let unit = self.extraction.session.unit_of(found.sym);
        unit.map_or(0, |unit| unit.line(found.sym.at))
    }

    fn push(&self, name: &str, role: SurfaceRole, symbol: Node, text: &str, from: Node, line: u32) {
        self.extraction.out.borrow_mut().entries.push(SurfaceEntry {
            kind: self.rule.kind,
            name: name.to_owned(),
            role,
            framework: self.framework.to_owned(),
            symbol: Some(symbol),
            text: text.to_owned(),
            from,
            line,
            proven: true,
        });
    }
}

fn fits_ignoring_case(pattern: &str, name: &str) -> bool {
    name_fits(pattern, name) || name_fits(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase())
}
