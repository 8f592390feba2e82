//! The encoding of a flow: column by column, positions as differences, operands relative to their use.

use super::CodecError;
use super::varint::{Decoder, Encoder, closed_list, difference, made, option, sum};
use orient_model::{
    Assign, Atom, Binding, BindingKind, Expr, ExprId, ExprList, Flow, Literal, Narrowing, RefKind, Reference,
    Return, Scope, ScopeKind, Sequence, TypeTest, Via, Wrapper,
};

pub(super) fn write(out: &mut Encoder, flow: &Flow) {
    out.strings(&flow.strings);
    write_scopes(out, &flow.scopes);
    write_bindings(out, &flow.bindings);
    write_exprs(out, &flow.exprs);
    out.number(flow.operands.len() as u32);
    out.ascending(&flow.operands, |operand| operand.0);
    write_references(out, &flow.references);
    write_assigns(out, &flow.assigns);
    out.number(flow.returns.len() as u32);
    out.ascending(&flow.returns, |one| one.scope);
    out.ascending(&flow.returns, |one| one.value.0);
    out.column(&flow.returns, |one| u32::from(one.yields));
    write_narrowings(out, &flow.narrowings);
}

pub(super) fn read(bytes: &[u8]) -> Result<Flow, CodecError> {
    let mut from = Decoder { bytes };
    let strings = from.strings()?;
    let scopes = read_scopes(&mut from)?;
    let bindings = read_bindings(&mut from)?;
    let exprs = read_exprs(&mut from)?;
    let count = from.count()?;
    let operands = from.ascending(count)?.into_iter().map(ExprId).collect();
    let references = read_references(&mut from)?;
    let assigns = read_assigns(&mut from)?;
    let count = from.count()?;
    let (scope, value) = (from.ascending(count)?, from.ascending(count)?);
    let yields = from.flags(count)?;
    let one = |at: usize| Return { scope: scope[at], value: ExprId(value[at]), yields: yields[at] };
    let returns = (0..count).map(one).collect();
    let narrowings = read_narrowings(&mut from)?;
    from.end()?;
    Ok(Flow { strings, scopes, bindings, exprs, operands, references, assigns, returns, narrowings })
}

fn write_scopes(out: &mut Encoder, scopes: &[Scope]) {
    out.number(scopes.len() as u32);
    out.column(scopes, |scope| scope.kind as u32);
    for (at, scope) in (0u32..).zip(scopes) {
        out.wide(option(scope.parent.map(|parent| difference(at, parent))));
    }
    out.ascending_options(scopes, |scope| scope.symbol);
    out.ascending(scopes, |scope| scope.start);
    out.column(scopes, |scope| difference(scope.end, scope.start));
}

fn read_scopes(from: &mut Decoder<'_>) -> Result<Vec<Scope>, CodecError> {
    let count = from.count()?;
    let (kinds, parents) = (from.column(count)?, from.options(count)?);
    let symbols = from.ascending_options(count)?;
    let (starts, lengths) = (from.ascending(count)?, from.column(count)?);
    let scope = |at: usize| {
        Ok(Scope {
            kind: scope_kind(kinds[at])?,
            parent: parents[at].map(|parent| (at as u32).wrapping_sub(sum(parent, 0))),
            symbol: symbols[at],
            start: starts[at],
            end: sum(lengths[at], starts[at]),
        })
    };
    made(count, scope)
}

fn write_bindings(out: &mut Encoder, bindings: &[Binding]) {
    out.number(bindings.len() as u32);
    out.ascending(bindings, |binding| binding.scope);
    out.ascending(bindings, |binding| binding.name.0);
    for binding in bindings {
        let (tag, index) = match binding.kind {
            BindingKind::Param => (0, None),
            BindingKind::Receiver => (1, None),
            BindingKind::Local => (2, None),
            BindingKind::TypeParam => (3, None),
            BindingKind::Symbol(index) => (4, Some(index)),
            BindingKind::Import(index) => (5, Some(index)),
            BindingKind::Outer => (6, None),
        };
        out.number(tag);
        if let Some(index) = index {
            out.number(index);
        }
    }
    out.ascending_options(bindings, |binding| binding.ty.map(|id| id.0));
    out.ascending_options(bindings, |binding| binding.value.map(|id| id.0));
    for binding in bindings {
        write_via(out, binding.via);
    }
    out.ascending(bindings, |binding| binding.at);
    for binding in bindings {
        out.number(binding.visible_from.wrapping_sub(binding.at));
    }
}

fn read_bindings(from: &mut Decoder<'_>) -> Result<Vec<Binding>, CodecError> {
    let count = from.count()?;
    let (scopes, names) = (from.ascending(count)?, from.ascending(count)?);
    let kind = |from: &mut Decoder<'_>| {
        Ok(match from.number()? {
            0 => BindingKind::Param,
            1 => BindingKind::Receiver,
            2 => BindingKind::Local,
            3 => BindingKind::TypeParam,
            4 => BindingKind::Symbol(from.number()?),
            5 => BindingKind::Import(from.number()?),
            6 => BindingKind::Outer,
            _ => return Err(CodecError),
        })
    };
    let kinds: Vec<BindingKind> = from.rows(count, kind)?;
    let (types, values) = (from.ascending_options(count)?, from.ascending_options(count)?);
    let vias = from.rows(count, read_via)?;
    let places = from.ascending(count)?;
    let delays = from.rows(count, Decoder::number)?;
    let binding = |at: usize| Binding {
        scope: scopes[at],
        name: Atom(names[at]),
        kind: kinds[at],
        ty: types[at].map(ExprId),
        value: values[at].map(ExprId),
        via: vias[at],
        at: places[at],
        visible_from: places[at].wrapping_add(delays[at]),
    };
    Ok((0..count).map(binding).collect())
}

fn write_references(out: &mut Encoder, references: &[Reference]) {
    out.number(references.len() as u32);
    out.column(references, |reference| reference.kind as u32);
    out.ascending(references, |reference| reference.expr.0);
    out.ascending(references, |reference| reference.at);
    out.ascending(references, |reference| reference.line);
    out.ascending(references, |reference| reference.scope);
    out.ascending_options(references, |reference| reference.symbol);
    out.column(references, |reference| reference.apart);
}

fn read_references(from: &mut Decoder<'_>) -> Result<Vec<Reference>, CodecError> {
    let count = from.count()?;
    let (kinds, exprs) = (from.column(count)?, from.ascending(count)?);
    let (places, lines, scopes) = (from.ascending(count)?, from.ascending(count)?, from.ascending(count)?);
    let (symbols, apart) = (from.ascending_options(count)?, from.column(count)?);
    let reference = |at: usize| {
        Ok(Reference {
            kind: ref_kind(kinds[at])?,
            expr: ExprId(exprs[at]),
            at: places[at],
            line: lines[at],
            scope: scopes[at],
            symbol: symbols[at],
            apart: apart[at],
        })
    };
    made(count, reference)
}

fn write_assigns(out: &mut Encoder, assigns: &[Assign]) {
    out.number(assigns.len() as u32);
    out.ascending(assigns, |assign| assign.target.0);
    out.ascending_options(assigns, |assign| assign.value.map(|id| id.0));
    out.ascending_options(assigns, |assign| assign.ty.map(|id| id.0));
    for assign in assigns {
        write_via(out, assign.via);
    }
    out.ascending(assigns, |assign| assign.scope);
    out.ascending(assigns, |assign| assign.at);
}

fn read_assigns(from: &mut Decoder<'_>) -> Result<Vec<Assign>, CodecError> {
    let count = from.count()?;
    let targets = from.ascending(count)?;
    let (values, types) = (from.ascending_options(count)?, from.ascending_options(count)?);
    let vias = from.rows(count, read_via)?;
    let (scopes, places) = (from.ascending(count)?, from.ascending(count)?);
    let assign = |at: usize| Assign {
        target: ExprId(targets[at]),
        value: values[at].map(ExprId),
        ty: types[at].map(ExprId),
        via: vias[at],
        scope: scopes[at],
        at: places[at],
    };
    Ok((0..count).map(assign).collect())
}

fn write_narrowings(out: &mut Encoder, narrowings: &[Narrowing]) {
    out.number(narrowings.len() as u32);
    out.ascending(narrowings, |one| one.name.0);
    out.ascending(narrowings, |one| one.scope);
    out.column(narrowings, |one| one.test as u32);
    out.ascending(narrowings, |one| one.by.0);
    out.ascending(narrowings, |one| one.start);
    out.column(narrowings, |one| difference(one.end, one.start));
}

fn read_narrowings(from: &mut Decoder<'_>) -> Result<Vec<Narrowing>, CodecError> {
    let count = from.count()?;
    let (names, scopes, tests) = (from.ascending(count)?, from.ascending(count)?, from.column(count)?);
    let (bys, starts, lengths) = (from.ascending(count)?, from.ascending(count)?, from.column(count)?);
    let narrowing = |at: usize| {
        Ok(Narrowing {
            name: Atom(names[at]),
            scope: scopes[at],
            test: type_test(tests[at])?,
            by: ExprId(bys[at]),
            start: starts[at],
            end: sum(lengths[at], starts[at]),
        })
    };
    made(count, narrowing)
}

fn write_via(out: &mut Encoder, via: Via) {
    let (tag, operand) = match via {
        Via::Value => (0, None),
        Via::Element => (1, None),
        Via::Enter => (2, None),
        Via::Item(place) => (3, Some(place)),
        Via::Member(name) => (4, Some(name.0)),
        Via::Match => (5, None),
        Via::Unknown => (6, None),
        Via::Delivered => (7, None),
    };
    out.number(tag);
    if let Some(operand) = operand {
        out.number(operand);
    }
}

fn read_via(from: &mut Decoder<'_>) -> Result<Via, CodecError> {
    Ok(match from.number()? {
        0 => Via::Value,
        1 => Via::Element,
        2 => Via::Enter,
        3 => Via::Item(from.number()?),
        4 => Via::Member(from.atom()?),
        5 => Via::Match,
        6 => Via::Unknown,
        7 => Via::Delivered,
        _ => return Err(CodecError),
    })
}

/// First the kind of every expression, then their operands.
fn write_exprs(out: &mut Encoder, exprs: &[Expr]) {
    out.number(exprs.len() as u32);
    out.column(exprs, tag);
    let mut lists = 0;
    for (at, expr) in (0u32..).zip(exprs) {
        let back = |id: ExprId| difference(at, id.0);
        let mut list = |out: &mut Encoder, list: ExprList| {
            out.number(difference(list.start, lists));
            out.number(list.len);
            lists = list.start.wrapping_add(list.len);
        };
        match *expr {
            Expr::Unknown | Expr::SelfRef | Expr::SuperRef => {}
            Expr::Name(atom) | Expr::Text(atom) => out.number(atom.0),
            Expr::Member { base: id, name } | Expr::Named { name, value: id } => {
                out.number(back(id));
                out.number(name.0);
            }
            Expr::Call { callee: id, args } | Expr::New { ty: id, args } | Expr::Apply { base: id, args } => {
                out.number(back(id));
                list(out, args);
            }
            Expr::Index { base: one, key: other } | Expr::Cast { value: one, ty: other } => {
                out.number(back(one));
                out.number(back(other));
            }
            Expr::Await(id) => out.number(back(id)),
            Expr::Wrap { wrapper, inner } => {
                out.number(wrapper as u32);
                out.number(back(inner));
            }
            Expr::Either(items) => list(out, items),
            Expr::Sequence { kind, items } => {
                out.number(kind as u32);
                list(out, items);
            }
            Expr::Literal(literal) => out.number(literal as u32),
            Expr::Function(index) | Expr::Lambda(index) => out.number(index),
        }
    }
}

fn tag(expr: &Expr) -> u32 {
    match expr {
        Expr::Unknown => 0,
        Expr::Name(_) => 1,
        Expr::SelfRef => 2,
        Expr::SuperRef => 3,
        Expr::Member { .. } => 4,
        Expr::Call { .. } => 5,
        Expr::New { .. } => 6,
        Expr::Index { .. } => 7,
        Expr::Await(_) => 8,
        Expr::Cast { .. } => 9,
        Expr::Apply { .. } => 10,
        Expr::Wrap { .. } => 11,
        Expr::Either(_) => 12,
        Expr::Sequence { .. } => 13,
        Expr::Named { .. } => 14,
        Expr::Literal(_) => 15,
        Expr::Text(_) => 16,
        Expr::Function(_) => 17,
        Expr::Lambda(_) => 18,
    }
}

fn read_exprs(from: &mut Decoder<'_>) -> Result<Vec<Expr>, CodecError> {
    let count = from.count()?;
    let tags = from.column(count)?;
    let mut lists = 0;
    let mut exprs = Vec::with_capacity(count);
    for (at, tag) in (0u32..).zip(tags) {
        let back =
            |from: &mut Decoder<'_>| Ok::<_, CodecError>(ExprId(at.wrapping_sub(sum(from.number()?, 0))));
        let mut list = |from: &mut Decoder<'_>| {
            let list = ExprList { start: sum(from.number()?, lists), len: from.number()? };
            lists = list.start.wrapping_add(list.len);
            Ok::<_, CodecError>(list)
        };
        exprs.push(match tag {
            0 => Expr::Unknown,
            1 => Expr::Name(from.atom()?),
            2 => Expr::SelfRef,
            3 => Expr::SuperRef,
            4 => Expr::Member { base: back(from)?, name: from.atom()? },
            5 => Expr::Call { callee: back(from)?, args: list(from)? },
            6 => Expr::New { ty: back(from)?, args: list(from)? },
            7 => Expr::Index { base: back(from)?, key: back(from)? },
            8 => Expr::Await(back(from)?),
            9 => Expr::Cast { value: back(from)?, ty: back(from)? },
            10 => Expr::Apply { base: back(from)?, args: list(from)? },
            11 => Expr::Wrap { wrapper: wrapper(from.number()?)?, inner: back(from)? },
            12 => Expr::Either(list(from)?),
            13 => Expr::Sequence { kind: sequence(from.number()?)?, items: list(from)? },
            14 => Expr::Named { value: back(from)?, name: from.atom()? },
            15 => Expr::Literal(literal(from.number()?)?),
            16 => Expr::Text(from.atom()?),
            17 => Expr::Function(from.number()?),
            18 => Expr::Lambda(from.number()?),
            _ => return Err(CodecError),
        });
    }
    Ok(exprs)
}

closed_list! {
    scope_kind -> ScopeKind { File, Module, Type, Function, Block, Comprehension }
    ref_kind -> RefKind { Call, Construct, Read, Write, Type, Decorate, Inherit, Expand }
    wrapper -> Wrapper { Pointer, Deref, Reference, Optional, Array, Spread, FunctionType, TypeOf, PathRoot }
    sequence -> Sequence { List, Tuple, Map }
    type_test -> TypeTest { Is, IsNot, Has, HasNot, Passes, Fails }
    literal -> Literal { String, Integer, Float, Bool, Null, Char, Regex }
}
