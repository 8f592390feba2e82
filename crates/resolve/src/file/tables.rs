//! Lookup tables over the facts of one file.

use crate::file::file_unit::last_name;
use crate::repository::FileFacts;
use orient_model::{
    Atom, BindingKind, Expr, ExprId, ExprList, Flow, RefKind, Reference, Relation, Rules, Sequence, Strings,
    Via,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

/// A multimap with all lists in one allocation; each list keeps its insertion order.
pub(crate) struct MultiMap<K, T> {
    /// The number of each key's list.
    numbers: FxHashMap<K, u32>,
    /// The end of each list; it starts at the end of the previous one.
    ends: Vec<u32>,
    all: Vec<T>,
}

impl<K: Hash + Eq, T: Copy> MultiMap<K, T> {
    /// The list of a key.
    pub(crate) fn get(&self, key: &K) -> &[T] {
        let Some(&number) = self.numbers.get(key) else { return &[] };
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.all[start as usize..self.ends[number as usize] as usize]
    }

    /// Approximate size in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.ends.len() * (size_of::<K>() + 12) + size_of_val(&self.all[..])
    }
}

impl<K: Hash + Eq, T: Copy> FromIterator<(K, T)> for MultiMap<K, T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(pairs: I) -> Self {
        // Most lists have one entry, so an allocation for each would be wasteful.
        let pairs = pairs.into_iter();
        let mut numbers: FxHashMap<K, u32> = FxHashMap::default();
        let mut numbered: Vec<(u32, T)> = Vec::with_capacity(pairs.size_hint().0);
        let mut ends: Vec<u32> = Vec::new();
        for (key, value) in pairs {
            let number = *numbers.entry(key).or_insert(ends.len() as u32);
            if number as usize == ends.len() {
                ends.push(0);
            }
            ends[number as usize] += 1;
            numbered.push((number, value));
        }
        let mut end = 0;
        for each in &mut ends {
            end += *each;
            *each = end;
        }
        let mut all: Vec<T> = numbered.iter().map(|&(_, value)| value).collect();
        // Backwards, so that each list is filled from its end to its start.
        let mut starts = ends.clone();
        for &(number, value) in numbered.iter().rev() {
            starts[number as usize] -= 1;
            all[starts[number as usize] as usize] = value;
        }
        Self { numbers, ends, all }
    }
}

/// Rows grouped by a number, in row order.
pub(crate) struct RowGroups {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl RowGroups {
    /// Groups rows by the group of each; rows of a group out of range are left out.
    pub(super) fn new(groups: usize, of_rows: impl Iterator<Item = usize> + Clone) -> Self {
        let mut ends = vec![0; groups];
        for group in of_rows.clone() {
            if let Some(size) = ends.get_mut(group) {
                *size += 1;
            }
        }
        let mut end = 0;
        for each in &mut ends {
            // The start of the group; it grows to the end below.
            end += std::mem::replace(each, end);
        }
        let mut rows = vec![0; end as usize];
        for (row, group) in (0..).zip(of_rows) {
            if let Some(next) = ends.get_mut(group) {
                rows[*next as usize] = row;
                *next += 1;
            }
        }
        Self { ends, rows }
    }

    /// The rows of a group.
    pub(super) fn get(&self, group: usize) -> &[u32] {
        let Some(&end) = self.ends.get(group) else { return &[] };
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start as usize..end as usize]
    }
}

/// An open-addressing hash table from texts to atoms, which does not copy the texts.
pub(crate) struct AtomTable {
    /// An atom plus one, at the slot its text hashes to or the next free one; 0 for a free slot. The size is a power of
    /// two, at most half full.
    slots: Box<[u32]>,
}

impl AtomTable {
    pub(super) fn of(strings: &Strings) -> Self {
        let mut atoms = Self { slots: vec![0; (strings.len() * 2).next_power_of_two()].into() };
        for (atom, text) in strings.iter() {
            let slot = atoms.slot(strings, text);
            atoms.slots[slot] = atom.0 + 1;
        }
        atoms
    }

    /// The atom of a text.
    pub(super) fn get(&self, strings: &Strings, text: &str) -> Option<Atom> {
        self.slots[self.slot(strings, text)].checked_sub(1).map(Atom)
    }

    /// The slot of a text, or the slot where it belongs.
    fn slot(&self, strings: &Strings, text: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut at = FxBuildHasher.hash_one(text) as usize & last;
        while self.slots[at].checked_sub(1).is_some_and(|atom| strings.get(Atom(atom)) != text) {
            at = (at + 1) & last;
        }
        at
    }
}

/// The bindings of a file.
pub(crate) struct Bindings {
    /// By scope and name, in source order.
    pub(crate) bound: MultiMap<(u32, Atom), u32>,
    /// The binding of each symbol.
    pub(crate) of_symbol: Vec<Option<u32>>,
    /// Parameters and type parameters by scope, in order.
    pub(crate) params: MultiMap<u32, u32>,
    pub(crate) type_params: MultiMap<u32, u32>,
}

impl Bindings {
    pub(super) fn of(facts: &FileFacts) -> Self {
        let bindings = || (0..).zip(&facts.flow.bindings);
        let mut of_symbol = vec![None; facts.outline.symbols.len()];
        for (at, binding) in bindings() {
            if let BindingKind::Symbol(symbol) = binding.kind
                && let Some(slot) = of_symbol.get_mut(symbol as usize)
            {
                slot.get_or_insert(at);
            }
        }
        let of_kind = |kind| {
            let some = bindings().filter(move |(_, binding)| binding.kind == kind);
            some.map(|(at, binding)| (binding.scope, at)).collect()
        };
        Self {
            bound: bindings().map(|(at, binding)| ((binding.scope, binding.name), at)).collect(),
            of_symbol,
            params: of_kind(BindingKind::Param),
            type_params: of_kind(BindingKind::TypeParam),
        }
    }
}

/// The scope that each symbol opens.
pub(super) fn scopes_of(facts: &FileFacts) -> Vec<Option<u32>> {
    let scopes = &facts.flow.scopes;
    let mut scope_of = vec![None; facts.outline.symbols.len()];
    for (at, scope) in scopes.iter().enumerate().skip(1) {
        let outer =
            scope.parent.and_then(|parent| scopes.get(parent as usize)).and_then(|outer| outer.symbol);
        if let Some(symbol) = scope.symbol
            && outer != Some(symbol)
            && let Some(slot) = scope_of.get_mut(symbol as usize)
        {
            slot.get_or_insert(at as u32);
        }
    }
    scope_of
}

/// Returned values, by the scope of the function.
pub(super) fn returns(facts: &FileFacts) -> MultiMap<u32, ExprId> {
    facts.flow.returns.iter().map(|leaves| (leaves.scope, leaves.value)).collect()
}

/// Assignments to names and to members of `self`.
pub(super) fn assigned(facts: &FileFacts) -> MultiMap<Atom, u32> {
    let flow = &*facts.flow;
    let assigns = (0..).zip(&flow.assigns);
    assigns.filter_map(|(at, assign)| Some((assigned_name(flow, assign.target)?, at))).collect()
}

/// The name that an assignment to this expression gives a value: its own, or that of a member of `self`.
pub(super) fn assigned_name(flow: &Flow, target: ExprId) -> Option<Atom> {
    match flow.expr(target) {
        Expr::Name(name) => Some(name),
        Expr::Member { base, name } if flow.expr(base) == Expr::SelfRef => Some(name),
        _ => None,
    }
}

/// An assignment under a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyedAssign {
    pub(crate) key: AssignedKey,
    pub(crate) value: ExprId,
    pub(crate) via: Via,
    pub(crate) scope: u32,
    pub(crate) at: u32,
}

/// The key of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AssignedKey {
    /// An index expression.
    Written(ExprId),
    /// The key of a map entry.
    Entry(Atom),
}

/// Assignments under keys: one by one, or all entries of a map at once.
pub(super) fn assigned_keys(facts: &FileFacts, rules: &Rules) -> MultiMap<ExprId, KeyedAssign> {
    let flow = &*facts.flow;
    let mut puts: Vec<(ExprId, KeyedAssign)> = Vec::new();
    if !rules.value_flow_typing {
        return puts.into_iter().collect();
    }
    for assign in &flow.assigns {
        if let (Expr::Index { base, key }, Some(value)) = (flow.expr(assign.target), assign.value) {
            let key = AssignedKey::Written(key);
            puts.push((
                base,
                KeyedAssign { key, value, via: assign.via, scope: assign.scope, at: assign.at },
            ));
        }
    }
    for reference in &flow.references {
        let Some((base, items)) = merged_map(flow, rules, reference) else { continue };
        for &item in flow.list(items) {
            if let Expr::Named { name, value } = flow.expr(item) {
                let (key, via) = (AssignedKey::Entry(name), Via::Value);
                puts.push((base, KeyedAssign { key, value, via, scope: reference.scope, at: reference.at }));
            }
        }
    }
    puts.into_iter().collect()
}

/// The container and the entries of a call that adds the entries of a literal: `settings.update({"a": 1})`.
pub(super) fn merged_map(flow: &Flow, rules: &Rules, reference: &Reference) -> Option<(ExprId, ExprList)> {
    let Expr::Call { callee, args } = flow.expr(reference.expr) else { return None };
    let Expr::Member { base, name } = flow.expr(callee) else { return None };
    let merges = reference.kind == RefKind::Call
        && rules.merging_methods.iter().any(|known| known == flow.strings.get(name));
    match (merges, flow.list(args)) {
        (true, &[map]) => match flow.expr(map) {
            Expr::Sequence { kind: Sequence::Map, items } => Some((base, items)),
            _ => None,
        },
        _ => None,
    }
}

/// The modules that a call mixes into the type around it: `extend Enumerable`.
pub(super) fn mixed_in(flow: &Flow, rules: &Rules, reference: &Reference) -> Option<ExprList> {
    if reference.kind != RefKind::Call || rules.type_mixin_calls.is_empty() {
        return None;
    }
    let Expr::Call { callee, args } = flow.expr(reference.expr) else { return None };
    let Expr::Name(name) = flow.expr(callee) else { return None };
    rules.type_mixin_calls.iter().any(|known| known == flow.strings.get(name)).then_some(args)
}

/// The lines on which symbols call bare names.
pub(super) fn called(facts: &FileFacts) -> MultiMap<(u32, Atom), u32> {
    let flow = &*facts.flow;
    let calls = flow.references.iter().filter(|reference| reference.kind == RefKind::Call);
    let bare = calls.filter_map(|reference| {
        let Expr::Call { callee, .. } = flow.expr(reference.expr) else { return None };
        let Expr::Name(name) = flow.expr(callee) else { return None };
        Some(((reference.symbol?, name), reference.line))
    });
    bare.collect()
}

/// The declared supertypes of the types of a file.
#[derive(Default)]
pub(crate) struct Inherited {
    /// The bases of each type: expression, scope, relation.
    pub(crate) bases: FxHashMap<u32, Vec<(ExprId, u32, Relation)>>,
    /// The modules mixed into each type itself: expression, scope.
    pub(crate) mixins: FxHashMap<u32, Vec<(ExprId, u32)>>,
}

impl Inherited {
    /// Collects bases and mixins. The outline has the relation, the reference has the expression and scope.
    pub(super) fn of(facts: &FileFacts, rules: &Rules) -> Self {
        let mut found = Self::default();
        let flow = &*facts.flow;
        for reference in &flow.references {
            let Some(symbol) = reference.symbol else { continue };
            if let Some(args) = mixed_in(flow, rules, reference) {
                let mixed = flow.list(args).iter().map(|&arg| (arg, reference.scope));
                found.mixins.entry(symbol).or_default().extend(mixed);
            }
            let is_mixed = |list: &Vec<(ExprId, u32)>| list.iter().any(|(expr, _)| *expr == reference.expr);
            if reference.kind != RefKind::Inherit || found.mixins.get(&symbol).is_some_and(is_mixed) {
                continue;
            }
            let list = found.bases.entry(symbol).or_default();
            let written = facts.outline.symbols.get(symbol as usize).map_or(&[][..], |s| &s.bases);
            let name = last_name(facts, reference.expr);
            let said = written.iter().find(|base| Some(facts.outline.strings.get(base.name)) == name);
            let relation = said.or(written.get(list.len())).map_or(Relation::Extends, |base| base.relation);
            list.push((reference.expr, reference.scope, relation));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_a_multimap_keep_the_insertion_order() {
        let lists: MultiMap<&str, u32> =
            [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("a", 5)].into_iter().collect();
        assert_eq!(lists.get(&"a"), [1, 3, 5]);
        assert_eq!((lists.get(&"b"), lists.get(&"c")), (&[2][..], &[4][..]));
        assert!(lists.get(&"d").is_empty());
    }

    #[test]
    fn groups_keep_the_row_order() {
        let groups = RowGroups::new(3, [2, 0, 2, 9, 2].into_iter());
        assert_eq!((groups.get(0), groups.get(2)), (&[1][..], &[0, 2, 4][..]));
        assert!(groups.get(1).is_empty() && groups.get(9).is_empty(), "a group out of range has no rows");
    }

    #[test]
    fn atoms_are_found_by_their_text() {
        let mut strings = Strings::default();
        assert_eq!(AtomTable::of(&strings).get(&strings, "a"), None);
        let texts: Vec<String> = (0..100).map(|number| format!("name{number}")).collect();
        for text in &texts {
            strings.push(text);
        }
        let atoms = AtomTable::of(&strings);
        for (at, text) in (0..).zip(&texts) {
            assert_eq!(atoms.get(&strings, text), Some(Atom(at)));
        }
        assert_eq!(atoms.get(&strings, "name"), None);
    }
}
