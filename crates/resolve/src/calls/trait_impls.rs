//! Selection of an implementation: which of several `impl` blocks of one generic trait a call means.
//!
//! `impl From<&Hsl> for Color` and `impl From<&Rgb> for Color` define two functions `Color::from`. The type arguments of the receiver
//! (`Rgb::<u8>::from(x)`) and the types of the arguments exclude blocks; no conversion applies between types when a block is selected.

use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::Ty;
use orient_model::{Confidence, Expr, ExprId, Literal, SymbolKind};

/// What is known of two types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    Different,
    Unknown,
}

impl Session<'_> {
    /// The functions that the receiver and the arguments do not exclude, if each is from another `impl` block.
    pub(super) fn select_implementation(
        &self,
        site: &Site,
        found: &[Target],
        args: &[ExprId],
    ) -> Option<Vec<Target>> {
        if !self.are_of_several_impls(found) {
            return None;
        }
        let mut selected: Vec<(Target, bool)> = Vec::new();
        for one in found {
            let relations = self.relations(site, one, args)?;
            if !relations.contains(&Relation::Different) {
                let is_proved = relations.iter().all(|relation| *relation == Relation::Same);
                selected.push((one.clone(), is_proved));
            }
        }
        if selected.is_empty() {
            return None;
        }
        if let Some(own) = selected.iter().position(|(one, _)| self.is_inherent(one)) {
            // A method of the type itself comes before those of traits.
            return Some(vec![selected.swap_remove(own).0]);
        }
        let is_only = selected.len() == 1;
        let confidence = |is_proved: bool| if is_proved { Confidence::Exact } else { Confidence::Probable };
        let decided = selected.into_iter().map(|(one, is_proved)| {
            one.at_most(if is_only { confidence(is_proved) } else { Confidence::Approximate })
        });
        Some(decided.collect())
    }

    /// Whether targets are functions of several `impl` blocks with different headers. Blocks with the same header are alternatives of conditional
    /// compilation.
    pub(crate) fn are_of_several_impls(&self, found: &[Target]) -> bool {
        let headers: Option<Vec<String>> = found.iter().map(|one| self.impl_header(one)).collect();
        headers.is_some_and(|headers| {
            headers.len() > 1
                && headers.iter().enumerate().all(|(at, header)| !headers[..at].contains(header))
        })
    }

    /// The header of the `impl` block around a function.
    fn impl_header(&self, found: &Target) -> Option<String> {
        let sym = found.sym()?;
        let unit = self.unit_of(sym)?;
        let around = unit.symbol(sym.at)?.parent.filter(|&at| unit.kind(at) == Some(SymbolKind::Impl))?;
        Some(unit.outline_text(unit.symbol(around)?.signature).to_owned())
    }

    /// Whether a function is in an `impl` block without a trait.
    fn is_inherent(&self, found: &Target) -> bool {
        self.impl_header(found).is_some_and(|header| !header.contains(" for "))
    }

    /// How the receiver and the arguments of a call relate to what a function of an `impl` block takes.
    fn relations(&self, site: &Site, found: &Target, args: &[ExprId]) -> Option<Vec<Relation>> {
        let Referent::Symbol(sym, via) = &found.referent else { return None };
        let unit = self.unit_of(*sym)?;
        let scope = unit.scope_of(sym.at)?;
        let mut relations = Vec::new();
        if let Some(Ty::Instance(_, given) | Ty::Metatype(_, given)) = via.as_deref()
            && !given.is_empty()
        {
            relations.push(receiver_relation(&self.impl_header(found)?, given));
        }
        let params = unit.params(scope);
        // A method that is called like a function takes its receiver as the first argument.
        let skip = args.len().saturating_sub(params.len());
        for (&param, &arg) in params.iter().zip(args.iter().skip(skip)) {
            let wanted = self.declared(&unit, param);
            let given = match site.unit.expr(arg) {
                // A number without a suffix has the type that is wanted.
                Expr::Literal(Literal::Integer | Literal::Float) if matches!(wanted, Ty::External(..)) => {
                    Ty::Unknown
                }
                _ => self.eval(site, arg).ty,
            };
            relations.push(relation(&wanted, &given));
        }
        Some(relations)
    }
}

/// How the type arguments of a receiver relate to those in the header of an `impl` block: `u8` in `impl From<&Color> for Rgb<u8>`.
fn receiver_relation(header: &str, given: &[Ty]) -> Relation {
    let Some((before, target)) = header.split_once(" for ") else { return Relation::Unknown };
    let Some((_, args)) = target.split_once('<') else { return Relation::Unknown };
    let args: Vec<&str> = args.split('>').next().unwrap_or_default().split(',').map(str::trim).collect();
    let params = before.strip_prefix("impl<").and_then(|rest| rest.split('>').next()).unwrap_or_default();
    let is_param =
        |arg: &str| params.split(',').any(|param| param.split(':').next().map(str::trim) == Some(arg));
    let each = args.iter().zip(given).map(|(arg, given)| match given {
        Ty::External(name, _) if !is_param(arg) && !name.is_empty() => {
            if **name == **arg {
                Relation::Same
            } else {
                Relation::Different
            }
        }
        _ => Relation::Unknown,
    });
    let relations: Vec<Relation> = each.collect();
    let decides = |wanted| relations.contains(&wanted);
    match () {
        () if decides(Relation::Different) => Relation::Different,
        () if decides(Relation::Unknown) => Relation::Unknown,
        () => Relation::Same,
    }
}

fn relation(wanted: &Ty, given: &Ty) -> Relation {
    let all = |wanted: &[Ty], given: &[Ty]| {
        let each = wanted.iter().zip(given).map(|(wanted, given)| relation(wanted, given));
        let arguments: Vec<Relation> = each.collect();
        if arguments.contains(&Relation::Different) {
            Relation::Different
        } else if arguments.contains(&Relation::Unknown) || wanted.len() != given.len() {
            Relation::Unknown
        } else {
            Relation::Same
        }
    };
    let is_named = |ty: &Ty| matches!(ty, Ty::External(name, _) if !name.is_empty());
    let is_concrete = |ty: &Ty| is_named(ty) || matches!(ty, Ty::Instance(..) | Ty::List(_) | Ty::Tuple(_));
    match (wanted, given) {
        (Ty::Instance(one, wanted), Ty::Instance(other, given)) if one == other => all(wanted, given),
        (Ty::External(one, wanted), Ty::External(other, given)) if one == other && !one.is_empty() => {
            all(wanted, given)
        }
        (Ty::List(wanted), Ty::List(given)) => relation(wanted, given),
        (Ty::Tuple(wanted), Ty::Tuple(given)) if wanted.len() == given.len() => all(wanted, given),
        (wanted, given) if is_concrete(wanted) && is_concrete(given) => Relation::Different,
        _ => Relation::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ty::SymbolId;

    #[test]
    fn types_differ_if_their_names_or_arguments_do() {
        let external = |name: &str, args: &[Ty]| Ty::External(name.into(), args.into());
        let (small, large) = (external("u8", &[]), external("f64", &[]));
        let color = |of: &Ty| Ty::Instance(SymbolId { file: 1, at: 2 }, [of.clone()].as_slice().into());
        assert!(relation(&color(&small), &color(&small)) == Relation::Same);
        assert!(relation(&color(&small), &color(&large)) == Relation::Different);
        assert!(relation(&color(&small), &color(&Ty::Unknown)) == Relation::Unknown);
        assert!(relation(&color(&small), &small) == Relation::Different);
        assert!(relation(&Ty::Param(1, 2), &small) == Relation::Unknown);
        let header = "impl From<&Color> for Rgb<u8>";
        assert!(receiver_relation(header, std::slice::from_ref(&small)) == Relation::Same);
        assert!(receiver_relation(header, &[large]) == Relation::Different);
        assert!(receiver_relation("impl<T: Copy> From<T> for Rgb<T>", &[small]) == Relation::Unknown);
    }
}
