//! Round trips of arbitrary facts and graphs, including nonsensical ones.

use super::*;
use crate::UnresolvedRow;
use crate::graph::{ExternalRow, NodeId};
use orient_model::{
    Assign, Atom, Base, Binding, BindingKind, Chunk, ChunkKind, Complexity, Confidence, EdgeKind, Export,
    Expr, ExprId, ExprList, Import, ImportKind, Issue, IssueKind, Literal, Modifiers, Narrowing, Param,
    Reason, RefKind, Reference, Relation, Return, Rule, Says, Scope, ScopeKind, Sequence, Span, Statement,
    Strings, Symbol, SymbolKind, TypeTest, Via, Visibility, Wrapper,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Mostly small numbers, sometimes any.
fn number() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![4 => 0..200u32, 1 => any::<u32>()]
}

fn atom() -> impl Strategy<Value = Atom> + Clone {
    number().prop_map(Atom)
}

fn expr_id() -> impl Strategy<Value = ExprId> + Clone {
    number().prop_map(ExprId)
}

fn maybe<S: Strategy>(inner: S) -> impl Strategy<Value = Option<S::Value>> {
    proptest::option::of(inner)
}

fn some<S: Strategy>(inner: S) -> impl Strategy<Value = Vec<S::Value>> {
    proptest::collection::vec(inner, 0..5)
}

fn span() -> impl Strategy<Value = Span> + Clone {
    (number(), number(), number(), number()).prop_map(|(start, end, first_line, last_line)| Span {
        start,
        end,
        first_line,
        last_line,
    })
}

fn strings() -> impl Strategy<Value = Strings> {
    proptest::collection::vec(".{0,6}", 0..8).prop_map(|texts| {
        let mut strings = Strings::default();
        for text in &texts {
            strings.push(text);
        }
        strings
    })
}

fn visibility() -> impl Strategy<Value = Visibility> {
    (0..4u8).prop_map(|n| Visibility::from_number(n).expect("four of them"))
}

fn symbol() -> impl Strategy<Value = Symbol> {
    let what =
        (select(SymbolKind::ALL), atom(), maybe(number()), maybe(atom()), number(), visibility(), number());
    let places = (span(), span(), span(), maybe(span()));
    let param = (atom(), maybe(atom()), any::<bool>(), any::<bool>())
        .prop_map(|(name, ty, default, variadic)| Param { name, ty, default, variadic });
    let relation = select(vec![Relation::Extends, Relation::Implements, Relation::Mixes]);
    let base = (atom(), atom(), relation).prop_map(|(text, name, relation)| Base { text, name, relation });
    let rest = (
        atom(),
        some(param),
        maybe(atom()),
        maybe(atom()),
        some(atom()),
        some(base),
        any::<u64>(),
        complexity(),
    );
    (what, places, rest).prop_map(|(what, places, rest)| Symbol {
        kind: what.0,
        name: what.1,
        parent: what.2,
        qualifier: what.3,
        ordinal: what.4,
        visibility: what.5,
        modifiers: Modifiers(what.6),
        span: places.0,
        name_span: places.1,
        header: places.2,
        body: places.3,
        signature: rest.0,
        params: rest.1,
        returns: rest.2,
        doc: rest.3,
        attributes: rest.4,
        bases: rest.5,
        body_hash: rest.6,
        complexity: rest.7,
    })
}

fn complexity() -> impl Strategy<Value = Option<Complexity>> {
    let measured = (1..=u32::MAX, number(), number())
        .prop_map(|(cyclomatic, cognitive, nesting)| Complexity { cyclomatic, cognitive, nesting });
    maybe(measured)
}

fn import() -> impl Strategy<Value = Import> {
    use ImportKind::{Default, Effect, Item, Module, Wildcard};
    let kind = select(vec![Module, Item, Default, Wildcard, Effect]);
    let names = (kind, atom(), maybe(atom()), maybe(atom()), any::<bool>());
    (names, visibility(), number(), number(), number(), number()).prop_map(
        |((kind, module, name, alias, reexport), visibility, modifiers, scope, at, line)| Import {
            kind,
            module,
            name,
            alias,
            reexport,
            visibility,
            modifiers: Modifiers(modifiers),
            scope,
            at,
            line,
        },
    )
}

fn outline() -> impl Strategy<Value = Outline> {
    use ChunkKind::{Gap, Head, Part, Symbol, Window};
    use IssueKind::{Budget, Depth, Encoding, Failed, Memory, Syntax};
    let chunk = (select(vec![Symbol, Head, Part, Gap, Window]), maybe(number()), span())
        .prop_map(|(kind, symbol, span)| Chunk { kind, symbol, span });
    let issue = (select(vec![Syntax, Budget, Encoding, Depth, Failed, Memory]), span())
        .prop_map(|(kind, span)| Issue { kind, span });
    let export = (atom(), atom(), number(), number()).prop_map(|(name, public, at, line)| Export {
        name,
        public,
        at,
        line,
    });
    let statement =
        (select(Says::ALL), atom(), atom()).prop_map(|(says, name, value)| Statement { says, name, value });
    let lists = (some(symbol()), some(import()), some(export), some(chunk), some(issue), some(statement));
    (strings(), lists, maybe(atom()), number(), any::<bool>()).prop_map(
        |(strings, (symbols, imports, exports, chunks, issues, manifest), package, lines, generated)| {
            Outline {
                strings,
                symbols,
                imports,
                exports,
                chunks,
                issues,
                package,
                manifest,
                lines,
                generated,
            }
        },
    )
}

fn expr() -> impl Strategy<Value = Expr> {
    use Wrapper::{Array, Deref, FunctionType, Optional, PathRoot, Pointer, Reference, Spread, TypeOf};
    let list = || (number(), number()).prop_map(|(start, len)| ExprList { start, len });
    let wrapper =
        select(vec![Pointer, Deref, Reference, Optional, Array, Spread, FunctionType, TypeOf, PathRoot]);
    let sequence = select(vec![Sequence::List, Sequence::Tuple, Sequence::Map]);
    let literal = select(vec![
        Literal::String,
        Literal::Integer,
        Literal::Float,
        Literal::Bool,
        Literal::Null,
        Literal::Char,
        Literal::Regex,
    ]);
    prop_oneof![
        select(vec![Expr::Unknown, Expr::SelfRef, Expr::SuperRef]),
        atom().prop_map(Expr::Name),
        atom().prop_map(Expr::Text),
        (expr_id(), atom()).prop_map(|(base, name)| Expr::Member { base, name }),
        (expr_id(), atom()).prop_map(|(value, name)| Expr::Named { name, value }),
        (expr_id(), list()).prop_map(|(callee, args)| Expr::Call { callee, args }),
        (expr_id(), list()).prop_map(|(ty, args)| Expr::New { ty, args }),
        (expr_id(), list()).prop_map(|(base, args)| Expr::Apply { base, args }),
        (expr_id(), expr_id()).prop_map(|(base, key)| Expr::Index { base, key }),
        (expr_id(), expr_id()).prop_map(|(value, ty)| Expr::Cast { value, ty }),
        expr_id().prop_map(Expr::Await),
        (wrapper, expr_id()).prop_map(|(wrapper, inner)| Expr::Wrap { wrapper, inner }),
        list().prop_map(Expr::Either),
        (sequence, list()).prop_map(|(kind, items)| Expr::Sequence { kind, items }),
        literal.prop_map(Expr::Literal),
        number().prop_map(Expr::Function),
        number().prop_map(Expr::Lambda),
    ]
}

fn via() -> impl Strategy<Value = Via> {
    prop_oneof![
        select(vec![Via::Value, Via::Element, Via::Enter, Via::Match, Via::Unknown]),
        number().prop_map(Via::Item),
        atom().prop_map(Via::Member),
    ]
}

fn binding() -> impl Strategy<Value = Binding> {
    use BindingKind::{Import, Local, Outer, Param, Receiver, Symbol, TypeParam};
    let kind = prop_oneof![
        select(vec![Param, Receiver, Local, TypeParam, Outer]),
        number().prop_map(Symbol),
        number().prop_map(Import),
    ];
    (number(), atom(), kind, maybe(expr_id()), maybe(expr_id()), via(), number(), number()).prop_map(
        |(scope, name, kind, ty, value, via, at, visible_from)| Binding {
            scope,
            name,
            kind,
            ty,
            value,
            via,
            at,
            visible_from,
        },
    )
}

fn flow() -> impl Strategy<Value = Flow> {
    use RefKind::{Call, Construct, Decorate, Expand, Inherit, Read, Type, Write};
    use ScopeKind::{Block, Comprehension, File, Function, Module};
    let scope_kind = select(vec![File, Module, ScopeKind::Type, Function, Block, Comprehension]);
    let scope = (scope_kind, maybe(number()), maybe(number()), number(), number())
        .prop_map(|(kind, parent, symbol, start, end)| Scope { kind, parent, symbol, start, end });
    let ref_kind = select(vec![Call, Construct, Read, Write, Type, Decorate, Inherit, Expand]);
    let reference = (ref_kind, expr_id(), number(), number(), number(), maybe(number()), number()).prop_map(
        |(kind, expr, at, line, scope, symbol, apart)| Reference {
            kind,
            expr,
            at,
            line,
            scope,
            symbol,
            apart,
        },
    );
    let assign = (expr_id(), maybe(expr_id()), maybe(expr_id()), via(), number(), number())
        .prop_map(|(target, value, ty, via, scope, at)| Assign { target, value, ty, via, scope, at });
    let returned = (number(), expr_id(), any::<bool>()).prop_map(|(scope, value, yields)| Return {
        scope,
        value,
        yields,
    });
    let test = select(vec![
        TypeTest::Is,
        TypeTest::IsNot,
        TypeTest::Has,
        TypeTest::HasNot,
        TypeTest::Passes,
        TypeTest::Fails,
    ]);
    let narrowing = (atom(), number(), test, expr_id(), number(), number())
        .prop_map(|(name, scope, test, by, start, end)| Narrowing { name, scope, test, by, start, end });
    let lists = (
        some(scope),
        some(binding()),
        some(expr()),
        some(expr_id()),
        some(reference),
        some(assign),
        some(returned),
        some(narrowing),
    );
    (strings(), lists).prop_map(
        |(strings, (scopes, bindings, exprs, operands, references, assigns, returns, narrowings))| Flow {
            strings,
            scopes,
            bindings,
            exprs,
            operands,
            references,
            assigns,
            returns,
            narrowings,
        },
    )
}

fn graph() -> impl Strategy<Value = FileGraph> {
    let node = || prop_oneof![4 => -200..200i64, 1 => any::<i64>()].prop_map(NodeId);
    let use_kind =
        || select(vec![RefKind::Call, RefKind::Construct, RefKind::Read, RefKind::Write, RefKind::Type]);
    let proof = (select(Confidence::ALL), select(Rule::ALL));
    let edge = (node(), select(EdgeKind::ALL), node(), number(), proof).prop_map(
        |(source, kind, target, line, (confidence, rule))| EdgeRow {
            source,
            kind,
            target,
            line,
            confidence,
            rule,
        },
    );
    let external = (node(), use_kind(), "[a-c]{0,2}", ".{0,4}", number())
        .prop_map(|(source, kind, package, name, line)| ExternalRow { source, kind, package, name, line });
    let miss = (node(), use_kind(), "[a-c]{0,2}", number(), select(Reason::ALL))
        .prop_map(|(source, kind, name, line, reason)| UnresolvedRow { source, kind, name, line, reason });
    (some(edge), some(external), some(miss), any::<bool>(), any::<usize>()).prop_map(
        |(edges, external, unresolved, failed, own)| FileGraph {
            own: own % (edges.len() + 1),
            edges,
            external,
            unresolved,
            failed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outlines_come_back(value in outline()) {
        prop_assert_eq!(decode_outline(encode_outline(&value).as_bytes()), Ok(value));
    }

    #[test]
    fn flows_come_back(value in flow()) {
        prop_assert_eq!(decode_flow(encode_flow(&value).as_bytes()), Ok(value));
    }

    #[test]
    fn graphs_come_back(value in graph()) {
        let bytes = encode_graph(&value);
        prop_assert_eq!(decode_edges(bytes.as_bytes()), Ok((value.edges.clone(), value.own)));
        let names = value.unresolved.iter().map(|miss| miss.name.as_str());
        let names = names.chain(value.external.iter().map(|row| row.name.as_str())).chain(["no such name"]);
        for name in names {
            let unresolved = value.unresolved.iter().filter(|miss| miss.name == name).cloned().collect();
            let external = value.external.iter().filter(|row| row.name == name);
            let external = external.map(|row| (row.source, row.kind)).collect();
            let expected = UnlinkedReferences { unresolved, external };
            prop_assert_eq!(decode_references_to(bytes.as_bytes(), name), Ok(expected));
        }
        prop_assert_eq!(decode_graph(bytes.as_bytes()), Ok(value));
    }

    #[test]
    fn incoming_edges_round_trip(graph in graph(), target in any::<i64>(), owner in 0..3i64) {
        let edges: Vec<StoredEdge> =
            graph.edges.iter().map(|edge| StoredEdge { target, ..StoredEdge::new(edge, owner) }).collect();
        let bytes = encode_incoming_edges(&edges);
        let mut read = Vec::new();
        prop_assert_eq!(count_incoming_edges(&bytes), Ok(edges.len() as u32));
        prop_assert_eq!(decode_incoming_edges(&bytes, target, &mut read), Ok(()));
        prop_assert_eq!(read, edges);
    }

    #[test]
    fn malformed_bytes_never_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_incoming_edges(&bytes, 1, &mut Vec::new());
        for what in [OUTLINE, FLOW, GRAPH, OUTLINE | PACKED] {
            if let Some(first) = bytes.first_mut() {
                *first = what;
            }
            let _ = (decode_outline(&bytes), decode_flow(&bytes), decode_graph(&bytes));
        }
    }
}
