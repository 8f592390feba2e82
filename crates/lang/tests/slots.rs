//! Every fact of a file is in a slot: whatever changes in the facts that resolution reads, a slot of the file has another hash.
//!
//! Resolution is repeated only if a slot that was read has another hash, so a fact in no slot would leave wrong edges behind.

use orient_lang::{Registry, extract_file};
use orient_model::{
    Atom, BindingKind, ContentHash, Expr, ExprId, Facts, Flow, Modifier, Role, Strings, SymbolKind, Via,
    Visibility,
};
use orient_resolve::{FileFacts, slot_hashes};
use orient_testkit::Document;
use std::path::Path;
use std::sync::Arc;

/// A change of a single fact; false if the facts have none of this kind at the index.
type Change = (&'static str, fn(&mut Facts, usize) -> bool);

const CHANGES: &[Change] = &[
    ("kind of a symbol", |facts, at| {
        let other = |kind| if kind == SymbolKind::Macro { SymbolKind::Class } else { SymbolKind::Macro };
        facts.outline.symbols.get_mut(at).map(|symbol| symbol.kind = other(symbol.kind)).is_some()
    }),
    ("name of a symbol", |facts, at| {
        let other = facts.outline.strings.push("another");
        facts.outline.symbols.get_mut(at).map(|symbol| symbol.name = other).is_some()
    }),
    ("qualifier of a symbol", |facts, at| {
        let other = facts.outline.strings.push("another");
        facts.outline.symbols.get_mut(at).map(|symbol| symbol.qualifier = Some(other)).is_some()
    }),
    ("visibility of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        let hidden = symbol.visibility == Visibility::Private;
        symbol.visibility = if hidden { Visibility::Public } else { Visibility::Private };
        true
    }),
    ("modifier of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        let has = symbol.modifiers.contains(Modifier::Static);
        if has {
            symbol.modifiers.remove(Modifier::Static);
        } else {
            symbol.modifiers.insert(Modifier::Static);
        }
        true
    }),
    ("signature of a symbol", |facts, at| {
        let other = facts.outline.strings.push("another(x)");
        facts.outline.symbols.get_mut(at).map(|symbol| symbol.signature = other).is_some()
    }),
    ("body of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        symbol.body = if symbol.body.is_some() { None } else { Some(symbol.span) };
        true
    }),
    ("place of a symbol", |facts, at| {
        facts.outline.symbols.get_mut(at).map(|symbol| symbol.name_span.first_line += 1).is_some()
    }),
    ("parameter of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        symbol.params.pop().is_some()
    }),
    ("base of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        symbol.bases.pop().is_some()
    }),
    ("attribute of a symbol", |facts, at| {
        let Some(symbol) = facts.outline.symbols.get_mut(at) else { return false };
        symbol.attributes.pop().is_some()
    }),
    ("module of an import", |facts, at| {
        let other = facts.outline.strings.push("another.module");
        facts.outline.imports.get_mut(at).map(|import| import.module = other).is_some()
    }),
    ("name of an import", |facts, at| {
        let other = facts.outline.strings.push("another");
        facts.outline.imports.get_mut(at).map(|import| import.name = Some(other)).is_some()
    }),
    ("alias of an import", |facts, at| {
        let other = facts.outline.strings.push("another");
        facts.outline.imports.get_mut(at).map(|import| import.alias = Some(other)).is_some()
    }),
    ("whether an import is exported again", |facts, at| {
        facts.outline.imports.get_mut(at).map(|import| import.reexport ^= true).is_some()
    }),
    ("export", |facts, at| {
        let other = facts.outline.strings.push("another");
        facts.outline.exports.get_mut(at).map(|export| export.name = other).is_some()
    }),
    ("package", |facts, at| {
        let other = facts.outline.strings.push("another.space");
        facts.outline.package = Some(other);
        at == 0
    }),
    ("name of a binding", |facts, at| {
        let other = facts.flow.strings.push("another");
        facts.flow.bindings.get_mut(at).map(|binding| binding.name = other).is_some()
    }),
    ("type of a binding", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.bindings.get_mut(at).map(|binding| binding.ty = Some(other)).is_some()
    }),
    ("value of a binding", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.bindings.get_mut(at).map(|binding| binding.value = Some(other)).is_some()
    }),
    ("how a binding comes out of its value", |facts, at| {
        facts.flow.bindings.get_mut(at).map(|binding| binding.via = Via::Item(77)).is_some()
    }),
    ("kind of a binding", |facts, at| {
        let Some(binding) = facts.flow.bindings.get_mut(at) else { return false };
        let outer = binding.kind == BindingKind::Outer;
        binding.kind = if outer { BindingKind::Local } else { BindingKind::Outer };
        true
    }),
    ("value of an assignment", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.assigns.get_mut(at).map(|assign| assign.value = Some(other)).is_some()
    }),
    ("target of an assignment", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.assigns.get_mut(at).map(|assign| assign.target = other).is_some()
    }),
    ("result", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.returns.get_mut(at).map(|leaves| leaves.value = other).is_some()
    }),
    ("type test of a region", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.narrowings.get_mut(at).map(|narrowing| narrowing.by = other).is_some()
    }),
    ("outcome of a type test", |facts, at| {
        let narrowing = facts.flow.narrowings.get_mut(at);
        narrowing.map(|narrowing| narrowing.test = narrowing.test.negated()).is_some()
    }),
    ("use", |facts, at| {
        let other = named(&mut facts.flow);
        facts.flow.references.get_mut(at).map(|reference| reference.expr = other).is_some()
    }),
    ("line of a use", |facts, at| {
        facts.flow.references.get_mut(at).map(|reference| reference.line += 1).is_some()
    }),
    ("name in an expression that is used", |facts, at| {
        let used: Vec<ExprId> = facts.flow.references.iter().map(|reference| reference.expr).collect();
        let other = facts.flow.strings.push("another");
        let Some(&expr) = used.get(at) else { return false };
        rename_inside(&mut facts.flow, expr, other)
    }),
];

/// A new expression: a name.
fn named(flow: &mut Flow) -> ExprId {
    let name = flow.strings.push("another");
    flow.exprs.push(Expr::Name(name));
    ExprId(flow.exprs.len() as u32 - 1)
}

/// Renames the innermost name that an expression begins with.
fn rename_inside(flow: &mut Flow, mut expr: ExprId, to: Atom) -> bool {
    loop {
        match flow.expr(expr) {
            Expr::Name(_) => {
                flow.exprs[expr.0 as usize] = Expr::Name(to);
                return true;
            }
            Expr::Member { base, .. } | Expr::Index { base, .. } | Expr::Apply { base, .. } => expr = base,
            Expr::Call { callee, .. } => expr = callee,
            Expr::New { ty, .. } => expr = ty,
            Expr::Wrap { inner, .. } => expr = inner,
            _ => return false,
        }
    }
}

#[test]
fn a_change_of_any_fact_changes_a_slot() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let registry = Registry::builtin();
    let mut tried = 0;
    let mut missed: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&packs).expect("the packs are there") {
        let Ok(documents) = std::fs::read_dir(entry.expect("a pack").path().join("resolution")) else {
            continue;
        };
        for document in documents {
            let path = document.expect("a document").path();
            let text = std::fs::read_to_string(&path).expect("documents are text");
            // One program of each document: they differ in what they show, not in the kinds of facts.
            let Some(case) = Document::parse(&text).cases.into_iter().next() else { continue };
            for block in case.blocks {
                let Some(file) = block.file else { continue };
                tried += changes_of(registry, &file, &block.text, &mut missed);
            }
        }
    }
    assert!(tried > 10_000, "only {tried} changes were tried");
    assert!(
        missed.is_empty(),
        "{} of {tried} changes, such as\n{}",
        missed.len(),
        missed[..missed.len().min(20)].join("\n")
    );
}

/// Tries every change at every place of a file. Returns the number of changes.
fn changes_of(registry: &'static Registry, file: &str, text: &str, missed: &mut Vec<String>) -> usize {
    let Some(pack) = registry.detect(file.as_bytes(), text.as_bytes()) else { return 0 };
    let facts = extract_file(Some(pack), file.rsplit('/').next().unwrap_or(file), text.as_bytes());
    let hashes = |facts: Facts| {
        let facts = FileFacts {
            path: file.into(),
            language: pack.name().to_owned(),
            role: Role::Source,
            content: ContentHash::default(),
            outline: facts.outline,
            flow: facts.flow.into(),
            compiled: None,
        };
        slot_hashes(&Arc::new(facts), pack.rules())
    };
    let before = hashes(facts.clone());
    let mut tried = 0;
    for (what, change) in CHANGES {
        for at in 0.. {
            let mut changed = facts.clone();
            if !change(&mut changed, at) {
                // There may be none at this place and one at the next.
                if at > facts.flow.references.len() + facts.flow.bindings.len() + facts.outline.symbols.len()
                {
                    break;
                }
                continue;
            }
            tried += 1;
            if without_strings(&changed) != without_strings(&facts) && hashes(changed) == before {
                missed.push(format!(
                    "{file}: {what} {at}: {:?}",
                    facts.flow.references.get(at).map(|r| (r, facts.flow.expr(r.expr)))
                ));
            }
        }
    }
    tried
}

/// The facts without their tables of strings, to which a change may add a text that nothing uses.
fn without_strings(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    (facts.outline.strings, facts.flow.strings) = (Strings::default(), Strings::default());
    facts
}
