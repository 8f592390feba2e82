//! The encoding of an outline: column by column, positions as differences, the spans of a symbol relative to its start.

use super::CodecError;
use super::varint::{Decoder, Encoder, closed_list, difference, made, option, sum};
use orient_model::{
    Atom, Base, Chunk, ChunkKind, Complexity, Export, Import, ImportKind, Issue, IssueKind, Modifiers,
    Outline, Param, Relation, Says, Span, Statement, Symbol, SymbolKind, Visibility,
};

pub(super) fn write(out: &mut Encoder, outline: &Outline) {
    out.strings(&outline.strings);
    out.number(outline.lines);
    out.number(u32::from(outline.generated));
    out.wide(option(outline.package.map(|atom| atom.0)));
    out.number(outline.symbols.len() as u32);
    write_symbols(out, &outline.symbols);
    write_places(out, outline);
    write_imports(out, &outline.imports);
    out.number(outline.exports.len() as u32);
    out.column(&outline.exports, |export| export.name.0);
    out.column(&outline.exports, |export| export.public.0);
    out.ascending(&outline.exports, |export| export.at);
    out.ascending(&outline.exports, |export| export.line);
    out.number(outline.chunks.len() as u32);
    out.column(&outline.chunks, |chunk| chunk.kind as u32);
    out.ascending_options(&outline.chunks, |chunk| chunk.symbol);
    out.spans(&outline.chunks, |chunk| chunk.span);
    out.number(outline.issues.len() as u32);
    out.column(&outline.issues, |issue| issue.kind as u32);
    out.spans(&outline.issues, |issue| issue.span);
    out.number(outline.manifest.len() as u32);
    out.column(&outline.manifest, |statement| statement.says as u32);
    out.column(&outline.manifest, |statement| statement.name.0);
    out.column(&outline.manifest, |statement| statement.value.0);
}

pub(super) fn read(bytes: &[u8]) -> Result<Outline, CodecError> {
    let mut from = Decoder { bytes };
    let strings = from.strings()?;
    let (lines, generated) = (from.number()?, from.flag()?);
    let package = from.option()?.map(Atom);
    let symbols = read_symbols(&mut from, &strings)?;
    let imports = read_imports(&mut from)?;
    let exports = read_exports(&mut from)?;
    let chunks = read_chunks(&mut from)?;
    let count = from.count()?;
    let (kinds, spans) = (from.column(count)?, from.spans(count)?);
    let issue = |(kind, span)| Ok(Issue { kind: issue_kind(kind)?, span });
    let issues = kinds.into_iter().zip(spans).map(issue).collect::<Result<_, _>>()?;
    let manifest = read_manifest(&mut from)?;
    from.end()?;
    Ok(Outline { strings, symbols, imports, exports, chunks, issues, package, manifest, lines, generated })
}

fn write_symbols(out: &mut Encoder, symbols: &[Symbol]) {
    out.column(symbols, |symbol| symbol.kind as u32);
    out.ascending(symbols, |symbol| symbol.name.0);
    for (at, symbol) in (0u32..).zip(symbols) {
        out.wide(option(symbol.parent.map(|parent| difference(at, parent))));
    }
    for symbol in symbols {
        out.wide(option(symbol.qualifier.map(|atom| atom.0)));
    }
    out.column(symbols, |symbol| symbol.ordinal);
    out.column(symbols, |symbol| symbol.visibility as u32);
    out.column(symbols, |symbol| symbol.modifiers.0);
    out.column(symbols, |symbol| difference(symbol.signature.0, symbol.name.0));
    for symbol in symbols {
        out.wide(option(symbol.returns.map(|atom| difference(atom.0, symbol.name.0))));
    }
    for symbol in symbols {
        out.wide(option(symbol.doc.map(|atom| difference(atom.0, symbol.name.0))));
    }
    out.column(symbols, |symbol| symbol.params.len() as u32);
    for symbol in symbols {
        let mut before = symbol.name.0;
        for param in &symbol.params {
            out.number(difference(param.name.0, before));
            out.wide(option(param.ty.map(|atom| difference(atom.0, before))));
            out.number(u32::from(param.default) | u32::from(param.variadic) << 1);
            before = param.name.0;
        }
    }
    out.column(symbols, |symbol| symbol.attributes.len() as u32);
    for atom in symbols.iter().flat_map(|symbol| &symbol.attributes) {
        out.number(atom.0);
    }
    out.column(symbols, |symbol| symbol.bases.len() as u32);
    for base in symbols.iter().flat_map(|symbol| &symbol.bases) {
        out.number(base.text.0);
        out.number(difference(base.name.0, base.text.0));
        out.number(base.relation as u32);
    }
    for symbol in symbols {
        out.bytes.push(u8::from(symbol.body_hash != 0));
    }
    for symbol in symbols.iter().filter(|symbol| symbol.body_hash != 0) {
        out.bytes.extend_from_slice(&symbol.body_hash.to_le_bytes());
    }
    write_complexity(out, symbols);
}

/// The cyclomatic complexity is at least 1, so that 0 stands for none.
fn write_complexity(out: &mut Encoder, symbols: &[Symbol]) {
    out.column(symbols, |symbol| symbol.complexity.map_or(0, |complexity| complexity.cyclomatic));
    for complexity in symbols.iter().filter_map(|symbol| symbol.complexity) {
        out.number(complexity.cognitive);
        out.number(complexity.nesting);
    }
}

fn read_complexity(from: &mut Decoder<'_>, symbols: &mut [Symbol]) -> Result<(), CodecError> {
    let cyclomatic = from.column(symbols.len())?;
    for (symbol, cyclomatic) in symbols.iter_mut().zip(cyclomatic).filter(|(_, cyclomatic)| *cyclomatic > 0) {
        let (cognitive, nesting) = (from.number()?, from.number()?);
        symbol.complexity = Some(Complexity { cyclomatic, cognitive, nesting });
    }
    Ok(())
}

/// The spans of symbols: each relative to the one before, its parts relative to the whole.
fn write_places(out: &mut Encoder, outline: &Outline) {
    let symbols = &outline.symbols;
    out.spans(symbols, |symbol| symbol.span);
    let name_end =
        |symbol: &Symbol| symbol.name_span.start.wrapping_add(outline.strings.get(symbol.name).len() as u32);
    out.column(symbols, |symbol| difference(symbol.name_span.start, symbol.span.start));
    out.column(symbols, |symbol| difference(symbol.name_span.end, name_end(symbol)));
    out.column(symbols, |symbol| difference(symbol.name_span.first_line, symbol.span.first_line));
    out.column(symbols, |symbol| difference(symbol.name_span.last_line, symbol.name_span.first_line));
    out.column(symbols, |symbol| difference(symbol.header.start, symbol.span.start));
    out.column(symbols, |symbol| difference(symbol.header.end, symbol.header.start));
    out.column(symbols, |symbol| difference(symbol.header.first_line, symbol.span.first_line));
    out.column(symbols, |symbol| difference(symbol.header.last_line, symbol.header.first_line));
    out.column(symbols, |symbol| u32::from(symbol.body.is_some()));
    for symbol in symbols {
        if let Some(body) = &symbol.body {
            out.number(difference(body.start, symbol.header.end));
            out.number(difference(symbol.span.end, body.end));
            out.number(difference(body.first_line, symbol.header.last_line));
            out.number(difference(symbol.span.last_line, body.last_line));
        }
    }
}

/// The fields of a symbol besides its spans.
fn read_symbols(from: &mut Decoder<'_>, strings: &orient_model::Strings) -> Result<Vec<Symbol>, CodecError> {
    let count = from.count()?;
    let (kinds, names) = (from.column(count)?, from.ascending(count)?);
    let (parents, qualifiers) = (from.options(count)?, from.options(count)?);
    let (ordinals, visibilities, modifiers) = (from.column(count)?, from.column(count)?, from.column(count)?);
    let (signatures, returns, docs) = (from.column(count)?, from.options(count)?, from.options(count)?);
    let mut symbols = Vec::with_capacity(count);
    for at in 0..count {
        let name = names[at];
        let near = |atom: u32| Atom(sum(atom, name));
        symbols.push(Symbol {
            kind: u8::try_from(kinds[at]).ok().and_then(SymbolKind::from_number).ok_or(CodecError)?,
            name: Atom(name),
            parent: parents[at].map(|parent| (at as u32).wrapping_sub(sum(parent, 0))),
            qualifier: qualifiers[at].map(Atom),
            ordinal: ordinals[at],
            visibility: u8::try_from(visibilities[at])
                .ok()
                .and_then(Visibility::from_number)
                .ok_or(CodecError)?,
            modifiers: Modifiers(modifiers[at]),
            span: Span::default(),
            name_span: Span::default(),
            header: Span::default(),
            body: None,
            signature: near(signatures[at]),
            params: Vec::new(),
            returns: returns[at].map(near),
            doc: docs[at].map(near),
            attributes: Vec::new(),
            bases: Vec::new(),
            body_hash: 0,
            complexity: None,
        });
    }
    read_lists(from, &mut symbols)?;
    read_places(from, &mut symbols, strings)?;
    Ok(symbols)
}

fn read_lists(from: &mut Decoder<'_>, symbols: &mut [Symbol]) -> Result<(), CodecError> {
    let counts = from.column(symbols.len())?;
    for (symbol, count) in symbols.iter_mut().zip(counts) {
        let mut before = symbol.name.0;
        symbol.params.reserve_exact((count as usize).min(from.bytes.len()));
        for _ in 0..count {
            let name = Atom(sum(from.number()?, before));
            let ty = from.option()?.map(|atom| Atom(sum(atom, before)));
            let flags = from.number()?;
            if flags > 3 {
                return Err(CodecError);
            }
            symbol.params.push(Param { name, ty, default: flags & 1 != 0, variadic: flags & 2 != 0 });
            before = name.0;
        }
    }
    let counts = from.column(symbols.len())?;
    for (symbol, count) in symbols.iter_mut().zip(counts) {
        for _ in 0..count {
            symbol.attributes.push(from.atom()?);
        }
    }
    let counts = from.column(symbols.len())?;
    for (symbol, count) in symbols.iter_mut().zip(counts) {
        for _ in 0..count {
            let text = from.atom()?;
            let name = Atom(sum(from.number()?, text.0));
            symbol.bases.push(Base { text, name, relation: relation(from.number()?)? });
        }
    }
    let hashed = from.flags(symbols.len())?;
    for (symbol, _) in symbols.iter_mut().zip(hashed).filter(|&(_, hashed)| hashed) {
        let (hash, rest) = from.bytes.split_first_chunk().ok_or(CodecError)?;
        (symbol.body_hash, from.bytes) = (u64::from_le_bytes(*hash), rest);
    }
    read_complexity(from, symbols)
}

fn read_places(
    from: &mut Decoder<'_>,
    symbols: &mut [Symbol],
    strings: &orient_model::Strings,
) -> Result<(), CodecError> {
    let count = symbols.len();
    let spans = from.spans(count)?;
    let names = [from.column(count)?, from.column(count)?, from.column(count)?, from.column(count)?];
    let headers = [from.column(count)?, from.column(count)?, from.column(count)?, from.column(count)?];
    let bodies = from.column(count)?;
    for (at, symbol) in symbols.iter_mut().enumerate() {
        let span = spans[at];
        symbol.span = span;
        let start = sum(names[0][at], span.start);
        let first_line = sum(names[2][at], span.first_line);
        symbol.name_span = Span {
            start,
            end: sum(names[1][at], start.wrapping_add(strings.get(symbol.name).len() as u32)),
            first_line,
            last_line: sum(names[3][at], first_line),
        };
        let start = sum(headers[0][at], span.start);
        let first_line = sum(headers[2][at], span.first_line);
        let last_line = sum(headers[3][at], first_line);
        symbol.header = Span { start, end: sum(headers[1][at], start), first_line, last_line };
        symbol.body = match bodies[at] {
            0 => None,
            1 => Some(Span {
                start: sum(from.number()?, symbol.header.end),
                end: span.end.wrapping_sub(sum(from.number()?, 0)),
                first_line: sum(from.number()?, last_line),
                last_line: span.last_line.wrapping_sub(sum(from.number()?, 0)),
            }),
            _ => return Err(CodecError),
        };
    }
    Ok(())
}

fn write_imports(out: &mut Encoder, imports: &[Import]) {
    out.number(imports.len() as u32);
    out.column(imports, |import| import.kind as u32);
    out.ascending(imports, |import| import.module.0);
    for import in imports {
        out.wide(option(import.name.map(|atom| difference(atom.0, import.module.0))));
    }
    for import in imports {
        out.wide(option(import.alias.map(|atom| difference(atom.0, import.module.0))));
    }
    out.column(imports, |import| u32::from(import.reexport));
    out.column(imports, |import| import.visibility as u32);
    out.column(imports, |import| import.modifiers.0);
    out.column(imports, |import| import.scope);
    out.ascending(imports, |import| import.at);
    out.ascending(imports, |import| import.line);
}

fn read_imports(from: &mut Decoder<'_>) -> Result<Vec<Import>, CodecError> {
    let count = from.count()?;
    let (kinds, modules) = (from.column(count)?, from.ascending(count)?);
    let (names, aliases) = (from.options(count)?, from.options(count)?);
    let reexports = from.flags(count)?;
    let (visibilities, modifiers, scopes) = (from.column(count)?, from.column(count)?, from.column(count)?);
    let (places, lines) = (from.ascending(count)?, from.ascending(count)?);
    let import = |at: usize| {
        Ok(Import {
            kind: import_kind(kinds[at])?,
            module: Atom(modules[at]),
            name: names[at].map(|atom| Atom(sum(atom, modules[at]))),
            alias: aliases[at].map(|atom| Atom(sum(atom, modules[at]))),
            reexport: reexports[at],
            visibility: u8::try_from(visibilities[at])
                .ok()
                .and_then(Visibility::from_number)
                .ok_or(CodecError)?,
            modifiers: Modifiers(modifiers[at]),
            scope: scopes[at],
            at: places[at],
            line: lines[at],
        })
    };
    made(count, import)
}

fn read_exports(from: &mut Decoder<'_>) -> Result<Vec<Export>, CodecError> {
    let count = from.count()?;
    let (names, publics) = (from.column(count)?, from.column(count)?);
    let (places, lines) = (from.ascending(count)?, from.ascending(count)?);
    let export = |at: usize| Export {
        name: Atom(names[at]),
        public: Atom(publics[at]),
        at: places[at],
        line: lines[at],
    };
    Ok((0..count).map(export).collect())
}

fn read_chunks(from: &mut Decoder<'_>) -> Result<Vec<Chunk>, CodecError> {
    let count = from.count()?;
    let (kinds, symbols) = (from.column(count)?, from.ascending_options(count)?);
    let spans = from.spans(count)?;
    let chunk = |at: usize| Ok(Chunk { kind: chunk_kind(kinds[at])?, symbol: symbols[at], span: spans[at] });
    made(count, chunk)
}

fn read_manifest(from: &mut Decoder<'_>) -> Result<Vec<Statement>, CodecError> {
    let count = from.count()?;
    let (says, names, values) = (from.column(count)?, from.column(count)?, from.column(count)?);
    let statement = |at: usize| {
        let says = u8::try_from(says[at]).ok().and_then(Says::from_number).ok_or(CodecError)?;
        Ok(Statement { says, name: Atom(names[at]), value: Atom(values[at]) })
    };
    made(count, statement)
}

closed_list! {
    chunk_kind -> ChunkKind { Symbol, Head, Part, Gap, Window }
    import_kind -> ImportKind { Module, Item, Default, Wildcard, Effect, Template }
    issue_kind -> IssueKind { Syntax, Budget, Encoding, Depth, Failed, Memory }
    relation -> Relation { Extends, Implements, Mixes }
}
