//! What types are asked to have: the members of interfaces, protocols, traits and abstract types, by name.
//!
//! A type may satisfy a contract by having its members, without naming it, and code may ask for the contract at run time. So a member that
//! nothing calls may still be needed: the name is enough, and a marker is a contract with a single member.

use orient_engine::FullGraph;
use orient_model::{Modifier, SymbolKind};
use std::collections::BTreeMap;

/// The members that contracts ask for.
pub(crate) struct Contracts {
    /// For each language family and name of a member, the contracts that declare it.
    declared: BTreeMap<(String, String), Vec<Contract>>,
}

struct Contract {
    name: String,
    node: u32,
}

impl Contracts {
    /// Reads the contracts of the program.
    pub(crate) fn read(whole: &FullGraph) -> Self {
        let mut declared: BTreeMap<(String, String), Vec<Contract>> = BTreeMap::new();
        for (number, node) in (0_u32..).zip(&whole.nodes) {
            let holder = &whole.nodes[node.parent as usize];
            let is_member = node.kind.is_some_and(|kind| kind.is_callable() || kind == SymbolKind::Property);
            let is_contract = matches!(holder.kind, Some(SymbolKind::Interface | SymbolKind::Trait))
                || holder.modifiers.contains(Modifier::Abstract)
                || node.modifiers.contains(Modifier::Abstract);
            if is_member && is_contract && holder.kind.is_some_and(SymbolKind::is_type) {
                let Some(family) = family(whole, number) else { continue };
                let key = (family.to_owned(), whole.name(number).to_owned());
                let contract = Contract { name: whole.name(node.parent).to_owned(), node: node.parent };
                declared.entry(key).or_default().push(contract);
            }
        }
        Self { declared }
    }

    /// The contract that asks for a member, or that declares it.
    pub(crate) fn satisfied_by(&self, whole: &FullGraph, number: u32) -> Option<&str> {
        let node = &whole.nodes[number as usize];
        let holder = whole.nodes[node.parent as usize].kind;
        let is_member = node.kind == Some(SymbolKind::Method)
            || node.qualified
            || holder.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Impl);
        if !is_member {
            return None;
        }
        let key = (family(whole, number)?.to_owned(), whole.name(number).to_owned());
        let contracts = self.declared.get(&key)?;
        // A contract in the same file is likelier to be meant.
        let near = contracts.iter().find(|one| whole.nodes[one.node as usize].file == node.file);
        near.or_else(|| contracts.first()).map(|one| one.name.as_str())
    }
}

fn family(whole: &FullGraph, number: u32) -> Option<&str> {
    whole.rules(number).map(|rules| rules.family.as_str())
}
