//! Memo tables with cycle detection: a query is answered once, and a query that leads back to itself gets no answer.
//!
//! Queries are recursive: the type of `a` in `a = b; b = a` asks for the type of `b`, which asks for the type of `a`. The
//! second query for `a` is a cycle. It returns `None`, its caller goes on without it, and [`Limits::cuts`] grows.
//!
//! An answer that was computed inside a cycle may be incomplete: it must not be stored, or the result would depend on which
//! query came first. [`Keep`] says when an answer may be stored.
//!
//! # Example
//!
//! Resolving `x = first(); def first(): return second(); def second(): return first() or Cart()`:
//!
//! ```text
//! query result(first)                  depth 1
//!   query result(second)               depth 2
//!     query result(first)              in progress: a cycle, no answer, cuts = 1
//!     Cart() is an instance of Cart
//!   result(second) = Cart              known, so Keep::OutermostOr(is known) stores it
//! result(first) = Cart                 stored
//! ```
//!
//! A second query for `result(first)` reads the table. Had `second` found nothing, its answer "unknown" would not be stored,
//! because it was computed while `first` was in progress; asked for at depth 0, it is.

use crate::limits::Limits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::hash::Hash;

/// When an answer may be stored.
pub(crate) enum Keep<K, V> {
    /// Always: the answer involves no other query.
    Always,
    /// If no query was cut short while it was computed.
    Uncut,
    /// If it is the outermost query, or no query was cut short.
    OutermostOrUncut,
    /// If it is the outermost query, and no query was cut short.
    OutermostAndUncut,
    /// If it is the outermost query, or the answer is complete by itself.
    OutermostOr(fn(&K, &V) -> bool),
    /// If it is the outermost query and the table holds fewer entries than this.
    OutermostUpTo(usize),
}

impl<K, V> Clone for Keep<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Keep<K, V> {}

/// The answers to one kind of query within the resolution of one file.
pub(crate) struct Memo<K, V> {
    answers: RefCell<FxHashMap<K, V>>,
    in_progress: CycleGuard<K>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { answers: RefCell::default(), in_progress: CycleGuard::default() }
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Memo<K, V> {
    /// The stored answer.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.answers.borrow().get(key).cloned()
    }

    /// Stores an answer.
    pub(crate) fn insert(&self, key: K, answer: V) {
        self.answers.borrow_mut().insert(key, answer);
    }

    /// Passes each answer to `see`, in no particular order.
    pub(crate) fn each(&self, see: impl FnMut(&V)) {
        self.answers.borrow().values().for_each(see);
    }

    /// Makes room for this many more answers.
    pub(crate) fn reserve(&self, more: usize) {
        self.answers.borrow_mut().reserve(more);
    }

    /// The stored answer, or one that is computed now and stored, whatever it is.
    pub(crate) fn get_or_insert<Q>(&self, key: &Q, compute: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned: Into<K>> + ?Sized,
    {
        if let Some(known) = self.get(key) {
            return known;
        }
        let answer = compute();
        self.insert(key.to_owned().into(), answer.clone());
        answer
    }

    /// The stored answer, or one that is computed now. The computation must not lead back to the same query.
    pub(crate) fn get_or(&self, limits: &Limits, key: K, keep: Keep<K, V>, compute: impl FnOnce() -> V) -> V {
        if let Some(known) = self.get(&key) {
            return known;
        }
        let cuts = limits.cuts();
        let answer = compute();
        self.store(limits, cuts, key, keep, &answer);
        answer
    }

    /// The stored answer, or one that is computed now; none in a cycle, at the depth limit, or if there is no answer.
    pub(crate) fn query(
        &self,
        limits: &Limits,
        key: K,
        keep: Keep<K, V>,
        compute: impl FnOnce() -> Option<V>,
    ) -> Option<V> {
        if let Some(known) = self.get(&key) {
            return Some(known);
        }
        let cuts = limits.cuts();
        let answer = self.in_progress.enter(limits, &key, compute)??;
        self.store(limits, cuts, key, keep, &answer);
        Some(answer)
    }

    fn store(&self, limits: &Limits, cuts_before: u64, key: K, keep: Keep<K, V>, answer: &V) {
        let uncut = || limits.cuts() == cuts_before;
        let stores = match keep {
            Keep::Always => true,
            Keep::Uncut => uncut(),
            Keep::OutermostOrUncut => limits.is_outermost() || uncut(),
            Keep::OutermostAndUncut => limits.is_outermost() && uncut(),
            Keep::OutermostOr(complete) => limits.is_outermost() || complete(&key, answer),
            Keep::OutermostUpTo(most) => limits.is_outermost() && self.answers.borrow().len() < most,
        };
        if stores {
            self.insert(key, answer.clone());
        }
    }

    /// The queries of this table that are in progress.
    pub(crate) fn in_progress(&self) -> &CycleGuard<K> {
        &self.in_progress
    }
}

/// The keys of the queries in progress.
pub(crate) struct CycleGuard<K>(RefCell<FxHashSet<K>>);

impl<K> Default for CycleGuard<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash + Clone> CycleGuard<K> {
    /// Answers a query without storing the answer; none in a cycle or at the depth limit.
    pub(crate) fn enter<T>(&self, limits: &Limits, key: &K, compute: impl FnOnce() -> T) -> Option<T> {
        if !limits.may_query() || !self.0.borrow_mut().insert(key.clone()) {
            limits.cut();
            return None;
        }
        let answer = limits.query(compute);
        self.0.borrow_mut().remove(key);
        Some(answer)
    }

    /// Whether a query for this key is in progress.
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.0.borrow().contains(key)
    }

    /// Whether no query is in progress.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

/// The answers of a search through a graph with cycles, such as names that modules pass on to each other.
///
/// Within one search, each node is visited once: a node that was searched without an answer has none that the search does not
/// find elsewhere, so it is not searched again on another way. Without this, the number of ways counts, which is exponential in
/// the number of modules. An answer that no cycle cut short holds for later searches too.
pub(crate) struct SearchMemo<K, V> {
    complete: RefCell<FxHashMap<K, V>>,
    of_this_search: RefCell<FxHashMap<K, V>>,
    in_progress: CycleGuard<K>,
    /// How often a cycle of the search itself cut an answer short.
    cycle_cuts: Cell<u64>,
}

impl<K, V> Default for SearchMemo<K, V> {
    fn default() -> Self {
        Self {
            complete: RefCell::default(),
            of_this_search: RefCell::default(),
            in_progress: CycleGuard::default(),
            cycle_cuts: Cell::default(),
        }
    }
}

impl<K: Eq + Hash + Clone, V: Clone> SearchMemo<K, V> {
    /// The answer for a node; none in a cycle or at the depth limit.
    pub(crate) fn visit(&self, limits: &Limits, key: &K, compute: impl FnOnce() -> V) -> Option<V> {
        if let Some(known) = self.complete.borrow().get(key) {
            return Some(known.clone());
        }
        if let Some(known) = self.of_this_search.borrow().get(key) {
            // It may lack what the cycle that is being searched leads to.
            limits.cut();
            self.cycle_cuts.set(self.cycle_cuts.get() + 1);
            return Some(known.clone());
        }
        if self.in_progress.contains(key) {
            self.cycle_cuts.set(self.cycle_cuts.get() + 1);
        }
        let (cuts, cycle_cuts) = (limits.cuts(), self.cycle_cuts.get());
        let answer = self.in_progress.enter(limits, key, compute)?;
        let cut = limits.cuts() - cuts;
        let is_outermost = self.in_progress.is_empty();
        // The search that began here has now been everywhere its own cycles lead to.
        let is_complete = cut == 0 || is_outermost && cut == self.cycle_cuts.get() - cycle_cuts;
        if is_complete {
            limits.restore_cuts(cuts);
        }
        let known = if is_complete { &self.complete } else { &self.of_this_search };
        known.borrow_mut().insert(key.clone(), answer.clone());
        if is_outermost {
            self.of_this_search.borrow_mut().clear();
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and what each of them is assigned: other names, or a type in capitals.
    const ASSIGNED: &[(&str, &[&str])] =
        &[("a", &["b"]), ("b", &["a", "CART"]), ("c", &["d"]), ("d", &["c"]), ("e", &["CART"])];

    #[derive(Default)]
    struct Types {
        limits: Limits,
        memo: Memo<&'static str, Option<&'static str>>,
        computed: Cell<usize>,
    }

    impl Types {
        fn of(&self, name: &'static str) -> Option<&'static str> {
            let keep = Keep::OutermostOr(|_, answer: &Option<_>| answer.is_some());
            let answer = self.memo.query(&self.limits, name, keep, || {
                self.computed.set(self.computed.get() + 1);
                let assigned =
                    ASSIGNED.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, to)| to);
                let is_type = |value: &str| value.chars().all(char::is_uppercase);
                Some(assigned.iter().find_map(
                    |&value| {
                        if is_type(value) { Some(value) } else { self.of(value) }
                    },
                ))
            });
            answer.flatten()
        }
    }

    #[test]
    fn an_answer_is_computed_once() {
        let types = Types::default();
        assert_eq!((types.of("e"), types.of("e")), (Some("CART"), Some("CART")));
        assert_eq!(types.computed.get(), 1);
    }

    #[test]
    fn a_cycle_gets_no_answer_and_the_rest_of_the_query_goes_on() {
        let types = Types::default();
        assert_eq!(types.of("a"), Some("CART"), "b is assigned a, which is in progress, and a type");
        assert_eq!(types.limits.cuts(), 1);
        assert_eq!(types.memo.get("b"), Some(Some("CART")), "a known answer is stored, cycle or not");
    }

    #[test]
    fn an_empty_answer_from_inside_a_cycle_is_not_stored() {
        let types = Types::default();
        assert_eq!(types.of("c"), None);
        assert_eq!((types.memo.get("c"), types.memo.get("d")), (Some(None), None));
        assert!(types.memo.in_progress().is_empty());
    }

    /// Modules that all pass on each other's names; the last one defines the name.
    #[test]
    fn a_search_visits_each_node_of_a_cycle_once() {
        const MODULES: u32 = 20;
        fn search(
            at: u32,
            wanted: u32,
            (limits, memo, visits): (&Limits, &SearchMemo<u32, Option<u32>>, &Cell<u32>),
        ) -> Option<u32> {
            let find = || {
                visits.set(visits.get() + 1);
                let others = (0..MODULES).filter(|&other| other != at);
                let found =
                    others.into_iter().find_map(|other| search(other, wanted, (limits, memo, visits)));
                if at == wanted { Some(at) } else { found }
            };
            memo.visit(limits, &at, find).flatten()
        }
        let (limits, memo, visits) = (Limits::default(), SearchMemo::default(), Cell::new(0));
        assert_eq!(search(0, MODULES - 1, (&limits, &memo, &visits)), Some(MODULES - 1));
        let other_name = SearchMemo::default();
        assert_eq!(search(3, MODULES, (&limits, &other_name, &visits)), None, "nothing has it");
        assert!(visits.get() <= 2 * MODULES, "{} visits", visits.get());
        assert_eq!(limits.cuts(), 0, "the answers are complete");
    }

    #[test]
    fn a_cut_answer_is_stored_only_where_the_policy_allows_it() {
        let limits = Limits::default();
        let memo: Memo<u32, u32> = Memo::default();
        let cut = || {
            limits.cut();
            7
        };
        assert_eq!(memo.get_or(&limits, 1, Keep::Uncut, cut), 7);
        assert_eq!(memo.get_or(&limits, 2, Keep::OutermostOrUncut, cut), 7);
        assert_eq!(memo.get_or(&limits, 3, Keep::OutermostAndUncut, cut), 7);
        assert_eq!(memo.get_or(&limits, 4, Keep::Always, cut), 7);
        assert_eq!([1, 2, 3, 4].map(|key| memo.get(&key)), [None, Some(7), None, Some(7)]);
        limits.query(|| memo.get_or(&limits, 5, Keep::OutermostUpTo(9), || 7));
        assert_eq!(memo.get(&5), None, "another query is in progress");
    }
}
