//! Which of several functions that take the arguments of a call has the most specific parameters.

use crate::calls::overloads::{SUBTYPE, receivers_of};
use crate::names::extensions::is_same_type;
use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::Ty;

impl Session<'_> {
    /// Of functions that fit the arguments equally well, the only one whose parameter types are subtypes of those of all others, if the arguments are
    /// known to have them. `written` are the parameter types as source text, `fits` the scores of the arguments.
    ///
    /// Example: of `add(item: Item)` and `add(book: Book)`, a call with a subtype of `Book` means the second.
    pub(super) fn most_specific_of(
        &self,
        found: &[Target],
        left: &[usize],
        written: &[Vec<String>],
        fits: &[Vec<i32>],
    ) -> Option<usize> {
        let types = |at: usize| -> Vec<Ty> {
            let Referent::Symbol(sym, via) = &found[at].referent else { return Vec::new() };
            let first = self.unit_of(*sym).map_or(0, |unit| receivers_of(&found[at], &unit, sym.at));
            (0..written[at].len()).map(|place| self.value_type(*sym, via.as_ref(), place + first)).collect()
        };
        let types: Vec<(usize, Vec<Ty>)> = left.iter().map(|&at| (at, types(at))).collect();
        let is_below = |one: &(usize, Vec<Ty>), other: &(usize, Vec<Ty>)| {
            let ((one, ours), (other, theirs)) = (one, other);
            written[*one].len() == written[*other].len()
                && ours.len() == theirs.len()
                && ours.iter().zip(theirs).enumerate().all(|(place, (our, their))| {
                    written[*one][place] == written[*other][place]
                        || fits[*one].get(place).is_some_and(|&fit| fit >= SUBTYPE)
                            && matches!(our, Ty::Instance(..))
                            && self.mro(our).iter().any(|of| is_same_type(of, their))
                })
        };
        let mut lowest = types.iter().filter(|one| types.iter().all(|other| is_below(one, other)));
        let (only, _) = lowest.next()?;
        lowest.next().is_none().then_some(*only)
    }
}
