//! What destructuring, iterating over or entering a value binds to a name.

use crate::session::{Session, Site};
use crate::types::library::library_element;
use crate::types::target::Value;
use crate::types::ty::Ty;
use orient_model::{Rule, Via};

impl Session<'_> {
    /// What a binding takes out of a value: an element, an item, a member, or the value itself.
    pub(super) fn destructure(&self, site: &Site, val: &Value, via: Via) -> Value {
        match via {
            Via::Value => val.clone(),
            Via::Match | Via::Unknown => Value::unknown(),
            Via::Element => {
                val.with(Ty::union(val.ty.alternatives().iter().map(|ty| self.element(site, ty))))
            }
            Via::Enter => {
                let name = site.unit.implicit("enter");
                let found = name.map(|name| self.member(val, name, &site.unit)).unwrap_or_default();
                let entered = self.call_targets_result(&found, &[], None);
                if entered.ty.is_known() {
                    entered
                } else if matches!(val.ty, Ty::Instance(..)) {
                    val.clone()
                } else {
                    Value::unknown()
                }
            }
            Via::Delivered => val.with(self.delivered(&val.ty)),
            Via::Item(at) => match &val.ty {
                Ty::Tuple(items) => val.with(items.get(at as usize).cloned().unwrap_or(Ty::Unknown)),
                Ty::External(_, args) => {
                    val.with(args.get(at as usize).or(args.first()).cloned().unwrap_or(Ty::Unknown))
                }
                Ty::List(inner) => val.with((**inner).clone()),
                ty if at == 0 => val.with(ty.clone()),
                _ => Value::unknown(),
            },
            Via::Member(name) => {
                let found = self.member(val, site.unit.text(name), &site.unit);
                self.value_of_all(&found)
            }
        }
    }

    fn element(&self, site: &Site, ty: &Ty) -> Ty {
        match ty {
            Ty::List(inner) => (**inner).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::External(..) if let Some(stated) = library_element(&site.unit.rules, ty) => stated,
            Ty::External(holder, args) => match Self::held_collection(site, holder, args) {
                Some(held) => self.nested(|| self.element(site, held)).unwrap_or(Ty::Unknown),
                None => args.last().cloned().unwrap_or(Ty::Unknown),
            },
            Ty::Instance(..) => match self.iterated(site, ty) {
                Ty::Unknown => {
                    let underlying_type = self.underlying_type(ty);
                    let element = underlying_type
                        .and_then(|underlying_type| self.nested(|| self.element(site, &underlying_type)));
                    element.unwrap_or(Ty::Unknown)
                }
                iterated => iterated,
            },
            _ => Ty::Unknown,
        }
    }

    /// What a channel or an external iterator delivers. A channel has the type of what it delivers; the keys of collections have none.
    fn delivered(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Instance(..) => match self.underlying_type(ty) {
                Some(Ty::Instance(of, args)) => Ty::Instance(of, args),
                Some(_) => Ty::Unknown,
                None => ty.clone(),
            },
            Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// The element type of a value with an iterator of its own.
    fn iterated(&self, site: &Site, ty: &Ty) -> Ty {
        let Some(name) = site.unit.implicit("iterate") else { return Ty::Unknown };
        let val = Value::new(ty.clone(), Rule::Inferred);
        let found = self.member(&val, name, &site.unit);
        let iterator = self.call_targets_result(&found, &[], None);
        match &iterator.ty {
            Ty::Instance(..) if iterator.ty != *ty => self.stepped(site, &iterator.ty),
            Ty::Instance(..) => self.stepped(site, ty),
            Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            Ty::List(inner) => (**inner).clone(),
            _ => Ty::Unknown,
        }
    }

    fn stepped(&self, site: &Site, iterator: &Ty) -> Ty {
        let Some(name) = site.unit.implicit("next") else { return Ty::Unknown };
        let found = self.member(&Value::new(iterator.clone(), Rule::Inferred), name, &site.unit);
        self.call_targets_result(&found, &[], None).ty
    }

    /// The collection inside of an external wrapper: `Record<K, T>` of `Partial<Record<K, T>>`.
    pub(super) fn held_collection<'t>(site: &Site, holder: &str, args: &'t [Ty]) -> Option<&'t Ty> {
        let held = args.first().filter(|held| crate::types::collections::is_collection(held))?;
        site.unit.rules.wrapper_types.iter().any(|known| known == holder).then_some(held)
    }
}
