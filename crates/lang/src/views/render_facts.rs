//! Facts as compact text, for people and tests: one line for each fact, in the order of the source.

use orient_model::{
    BindingKind, Expr, ExprId, Facts, Flow, Import, Literal, Outline, Relation, Sequence, Symbol, Via,
    Visibility, Wrapper,
};
use std::fmt::Write;

/// Renders one part of the facts: `symbols`, `docs`, `complexity`, `imports`, `exports`, `scopes`, `bindings`,
/// `references`, `assigns`, `returns`, `chunks`, `issues`, `manifest`.
pub fn render(facts: &Facts, part: &str) -> Option<String> {
    let mut out = String::new();
    let (outline, flow) = (&facts.outline, &facts.flow);
    match part {
        "symbols" => outline.symbols.iter().for_each(|symbol| symbol_line(&mut out, outline, symbol)),
        "docs" => docs(&mut out, outline),
        "complexity" => complexity(&mut out, outline),
        "imports" => imports(&mut out, outline),
        "exports" => {
            for export in &outline.exports {
                let (name, public) = (outline.strings.get(export.name), outline.strings.get(export.public));
                let _ = writeln!(out, "{}: {name} as {public}", export.line);
            }
        }
        "scopes" => scopes(&mut out, facts),
        "bindings" => bindings(&mut out, facts),
        "references" => references(&mut out, facts),
        "assigns" => {
            for assign in &flow.assigns {
                let value = assign.value.map(|value| show(flow, value)).unwrap_or_default();
                let _ = writeln!(out, "{} = {value}", show(flow, assign.target));
            }
        }
        "returns" => {
            for result in &flow.returns {
                let verb = if result.yields { "yields" } else { "returns" };
                let scope = flow.scopes.get(result.scope as usize).and_then(|scope| scope.symbol);
                let _ = writeln!(out, "{} {verb} {}", owner(outline, scope), show(flow, result.value));
            }
        }
        "narrowings" => {
            for one in &flow.narrowings {
                let (name, by) = (flow.strings.get(one.name), show(flow, one.by));
                let _ = writeln!(out, "{}-{} {name} {:?} {by}", one.start, one.end, one.test);
            }
        }
        "chunks" => {
            for chunk in &outline.chunks {
                let span = chunk.span;
                let symbol = owner(outline, chunk.symbol);
                let _ =
                    writeln!(out, "{}-{} {} {symbol}", span.first_line, span.last_line, chunk.kind.as_str());
            }
        }
        "issues" => {
            for issue in &outline.issues {
                let _ = writeln!(
                    out,
                    "{}-{} {}",
                    issue.span.first_line,
                    issue.span.last_line,
                    issue.kind.as_str()
                );
            }
        }
        "manifest" => manifest(&mut out, outline),
        _ => return None,
    }
    Some(out)
}

/// All parts that [`render`] accepts.
pub const PARTS: &[&str] = &[
    "symbols",
    "docs",
    "complexity",
    "imports",
    "exports",
    "scopes",
    "bindings",
    "references",
    "assigns",
    "returns",
    "narrowings",
    "chunks",
    "issues",
    "manifest",
];

fn complexity(out: &mut String, outline: &Outline) {
    for (index, symbol) in (0..).zip(&outline.symbols) {
        if let Some(complexity) = symbol.complexity {
            let _ = writeln!(
                out,
                "{}: cyclomatic {}, cognitive {}, nesting {}",
                outline.qualified(index).join("."),
                complexity.cyclomatic,
                complexity.cognitive,
                complexity.nesting
            );
        }
    }
}

fn owner(outline: &Outline, symbol: Option<u32>) -> String {
    symbol.map_or_else(|| "file".to_owned(), |symbol| outline.qualified(symbol).join("."))
}

/// Renders one symbol as `symbols` of [`render`] does.
pub fn render_symbol(outline: &Outline, symbol: &Symbol) -> String {
    let mut out = String::new();
    symbol_line(&mut out, outline, symbol);
    out
}

fn symbol_line(out: &mut String, outline: &Outline, symbol: &Symbol) {
    let text = |atom| outline.strings.get(atom);
    let mut depth = 0;
    let mut parent = symbol.parent;
    while let Some(index) = parent {
        depth += 1;
        parent = outline.symbols.get(index as usize).and_then(|symbol| symbol.parent);
    }
    let _ = write!(out, "{}", "  ".repeat(depth));
    let _ = write!(out, "{}-{} {} ", symbol.span.first_line, symbol.span.last_line, symbol.kind.as_str());
    if let Some(qualifier) = symbol.qualifier {
        let _ = write!(out, "{}.", text(qualifier));
    }
    let _ = write!(out, "{}", text(symbol.name));
    if symbol.ordinal > 0 {
        let _ = write!(out, "~{}", symbol.ordinal + 1);
    }
    if symbol.name_span.first_line != symbol.span.first_line {
        let _ = write!(out, " @{}", symbol.name_span.first_line);
    }
    if symbol.visibility != Visibility::Public {
        let _ = write!(out, " {}", symbol.visibility.as_str());
    }
    for modifier in symbol.modifiers.iter() {
        let _ = write!(out, " {}", modifier.as_str());
    }
    for &attribute in &symbol.attributes {
        let _ = write!(out, " @[{}]", text(attribute));
    }
    for base in &symbol.bases {
        let sign = match base.relation {
            Relation::Extends => "<",
            Relation::Implements => "<:",
            Relation::Mixes => "<+",
        };
        let _ = write!(out, " {sign} {}", text(base.text));
    }
    let _ = write!(out, " | {}", text(symbol.signature));
    if !symbol.params.is_empty() {
        let params: Vec<String> = symbol
            .params
            .iter()
            .map(|param| {
                let mut shown = text(param.name).to_owned();
                if param.variadic {
                    shown.insert_str(0, "...");
                }
                if let Some(ty) = param.ty {
                    let _ = write!(shown, ": {}", text(ty));
                }
                if param.default {
                    shown.push('?');
                }
                shown
            })
            .collect();
        let _ = write!(out, " | ({})", params.join(", "));
    }
    if let Some(returns) = symbol.returns {
        let _ = write!(out, " -> {}", text(returns));
    }
    out.push('\n');
}

fn docs(out: &mut String, outline: &Outline) {
    for (index, symbol) in outline.symbols.iter().enumerate() {
        if let Some(doc) = symbol.doc {
            let doc = outline.strings.get(doc).replace('\n', " / ");
            let _ = writeln!(out, "{}: {doc}", outline.qualified(index as u32).join("."));
        }
    }
}

fn imports(out: &mut String, outline: &Outline) {
    if let Some(package) = outline.package {
        let _ = writeln!(out, "package {}", outline.strings.get(package));
    }
    for import in &outline.imports {
        let _ = writeln!(out, "{}", import_text(outline, import));
    }
}

fn import_text(outline: &Outline, import: &Import) -> String {
    let text = |atom| outline.strings.get(atom);
    let mut line = format!("{}: {} {}", import.line, import.kind.as_str(), text(import.module));
    if let Some(name) = import.name {
        let _ = write!(line, " : {}", text(name));
    }
    if let Some(alias) = import.alias {
        let _ = write!(line, " as {}", text(alias));
    }
    if import.reexport {
        line.push_str(" reexport");
    }
    for modifier in import.modifiers.iter() {
        let _ = write!(line, " {}", modifier.as_str());
    }
    line
}

fn scopes(out: &mut String, facts: &Facts) {
    for (index, scope) in facts.flow.scopes.iter().enumerate() {
        let parent = scope.parent.map_or_else(String::new, |parent| format!(" in {parent}"));
        let owner = owner(&facts.outline, scope.symbol);
        let _ = writeln!(out, "{index} {}{parent} of {owner}", scope.kind.as_str());
    }
}

fn bindings(out: &mut String, facts: &Facts) {
    let (outline, flow) = (&facts.outline, &facts.flow);
    for binding in &flow.bindings {
        let kind = match binding.kind {
            BindingKind::Param => "param".to_owned(),
            BindingKind::Receiver => "receiver".to_owned(),
            BindingKind::Local => "local".to_owned(),
            BindingKind::TypeParam => "type param".to_owned(),
            BindingKind::Symbol(symbol) => format!("symbol {}", owner(outline, Some(symbol))),
            BindingKind::Import(import) => {
                let import = outline.imports.get(import as usize);
                format!("import {}", import.map_or_else(String::new, |import| import_text(outline, import)))
            }
            BindingKind::Outer => "outer".to_owned(),
        };
        let _ = write!(out, "{}: {} {kind}", binding.scope, flow.strings.get(binding.name));
        if let Some(ty) = binding.ty {
            let _ = write!(out, " : {}", show(flow, ty));
        }
        if let Some(value) = binding.value {
            let _ = write!(out, " = {}", show(flow, value));
        }
        match binding.via {
            Via::Value => {}
            Via::Member(name) => drop(write!(out, " via .{}", flow.strings.get(name))),
            Via::Item(index) => drop(write!(out, " via [{index}]")),
            via => drop(write!(out, " via {via:?}")),
        }
        out.push('\n');
    }
}

fn manifest(out: &mut String, outline: &Outline) {
    for statement in &outline.manifest {
        let (name, value) = (outline.strings.get(statement.name), outline.strings.get(statement.value));
        let gap = if name.is_empty() { "" } else { " " };
        let sign = if value.is_empty() { "" } else { " = " };
        let _ = writeln!(out, "{}{gap}{name}{sign}{value}", statement.says.as_str());
    }
}

fn references(out: &mut String, facts: &Facts) {
    for reference in &facts.flow.references {
        let _ = writeln!(
            out,
            "{}: {} {} in {}",
            reference.line,
            reference.kind.as_str(),
            show(&facts.flow, reference.expr),
            owner(&facts.outline, reference.symbol)
        );
    }
}

/// An expression as text, in one notation for all languages.
fn show(flow: &Flow, id: ExprId) -> String {
    show_at(flow, id, 0)
}

fn show_at(flow: &Flow, id: ExprId, depth: usize) -> String {
    if depth > 40 {
        return "…".to_owned();
    }
    let part = |id| show_at(flow, id, depth + 1);
    let list = |list| {
        let items: Vec<String> = flow.list(list).iter().map(|&item| show_at(flow, item, depth + 1)).collect();
        items.join(", ")
    };
    let text = |atom| flow.strings.get(atom);
    match flow.expr(id) {
        Expr::Unknown => "?".to_owned(),
        Expr::Name(name) => text(name).to_owned(),
        Expr::SelfRef => "self".to_owned(),
        Expr::SuperRef => "super".to_owned(),
        Expr::Member { base, name } => format!("{}.{}", part(base), text(name)),
        Expr::Call { callee, args } => format!("{}({})", part(callee), list(args)),
        Expr::New { ty, args } => format!("new {}({})", part(ty), list(args)),
        Expr::Index { base, key } => format!("{}[{}]", part(base), part(key)),
        Expr::Await(value) => format!("await {}", part(value)),
        Expr::Cast { value, ty } => format!("({} as {})", part(value), part(ty)),
        Expr::Apply { base, args } => match flow.expr(base) {
            Expr::Wrap { wrapper: Wrapper::FunctionType, inner } => {
                format!("fn({}) -> {}", list(args), part(inner))
            }
            _ => format!("{}<{}>", part(base), list(args)),
        },
        Expr::Wrap { wrapper, inner } => match wrapper {
            Wrapper::Pointer => format!("*{}", part(inner)),
            Wrapper::Deref => format!("deref {}", part(inner)),
            Wrapper::Reference => format!("&{}", part(inner)),
            Wrapper::Optional => format!("{}?", part(inner)),
            Wrapper::Array => format!("{}[]", part(inner)),
            Wrapper::Spread => format!("...{}", part(inner)),
            Wrapper::FunctionType => format!("fn -> {}", part(inner)),
            Wrapper::TypeOf => format!("typeof {}", part(inner)),
            Wrapper::PathRoot => format!("{}::", part(inner)),
        },
        Expr::Either(items) => format!("({})", list(items).replace(", ", " | ")),
        Expr::Sequence { kind, items } => match kind {
            Sequence::List => format!("[{}]", list(items)),
            Sequence::Tuple => format!("({})", list(items)),
            Sequence::Map => format!("{{{}}}", list(items)),
        },
        Expr::Named { name, value } => format!("{}: {}", text(name), part(value)),
        Expr::Literal(literal) => match literal {
            Literal::String => "string",
            Literal::Integer => "int",
            Literal::Float => "float",
            Literal::Bool => "bool",
            Literal::Null => "null",
            Literal::Char => "char",
            Literal::Regex => "regex",
        }
        .to_owned(),
        Expr::Text(content) => format!("{:?}", text(content)),
        Expr::Function(symbol) => format!("fn#{symbol}"),
        Expr::Lambda(scope) => format!("lambda#{scope}"),
    }
}
