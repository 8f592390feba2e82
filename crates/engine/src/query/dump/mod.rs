//! The dump: the whole index as sorted text, one fact per line. The same tree gives the same dump, whatever the
//! history of the index.
//!
//! Fields are separated by tabs. The dump has no ids, times or generation. Values that both rows and outlines have
//! come from the rows, since only those could be stale.

mod chunks;
mod format;
mod graph;

use crate::{EngineError, FileOutline, Snapshot};
use chunks::ChunkTexts;
use format::{Escaped, Lines, Maybe, Measures, Range, Tag, Words};
use graph::NodeNames;
use orient_model::{Atom, Outline, Symbol};
use orient_store::{FileRow, INDEXED, SymbolId, SymbolRow};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Searchable tags of symbols: whether it is a base, and its words.
type Tags = BTreeMap<SymbolId, Vec<(bool, String)>>;

impl Snapshot {
    /// Writes everything the index holds, in a fixed order.
    pub fn dump(&self, out: &mut dyn Write) -> Result<(), EngineError> {
        let mut files = Vec::new();
        self.store.each_file(|file| files.push(file))?;
        let mut names = NodeNames::default();
        let mut tags = Tags::new();
        let texts = self.chunk_texts()?;
        self.store.each_tag(|symbol, base, words| {
            tags.entry(symbol).or_default().push((base, words.to_owned()));
        })?;
        for file in files {
            write_file(out, &file)?;
            if file.status == INDEXED {
                let id = file.id;
                self.dump_outline(out, &self.outline(file)?, &mut tags, &texts)?;
                self.dump_graph(out, id, &mut names)?;
            }
        }
        for (base, words) in tags.into_values().flatten() {
            writeln!(out, "lost	{}", Tag(base, &words))?;
        }
        Ok(out.flush()?)
    }

    fn dump_outline(
        &self,
        out: &mut dyn Write,
        held: &FileOutline,
        tags: &mut Tags,
        texts: &ChunkTexts,
    ) -> Result<(), EngineError> {
        let outline = &held.outline;
        for &id in &held.ids {
            let row = self.store.symbol(id)?;
            let symbol = row.as_ref().and_then(|row| outline.symbols.get(row.at as usize));
            match (&row, symbol) {
                (Some(row), Some(symbol)) => {
                    let parent = match row.parent {
                        Some(parent) => self.store.symbol(parent)?.map(|parent| parent.at),
                        None => None,
                    };
                    write_symbol(out, outline, row, symbol, parent)?;
                    for (base, words) in tags.remove(&id).unwrap_or_default() {
                        writeln!(out, "tag\t{}\t{}", row.at, Tag(base, &words))?;
                    }
                }
                _ => writeln!(out, "missing\tsymbol")?,
            }
        }
        write_imports(out, outline)?;
        for chunk in self.store.chunk_ids(held.file.id)? {
            let Some(row) = self.store.chunk(chunk)? else {
                writeln!(out, "missing\tchunk")?;
                continue;
            };
            let symbol = match row.symbol {
                Some(symbol) => self.store.symbol(symbol)?.map(|symbol| symbol.at),
                None => None,
            };
            let span = outline.chunks.get(row.at as usize).map(|chunk| chunk.span).unwrap_or_default();
            let (at, kind, lines) = (row.at, row.kind.as_str(), Lines(row.first_line, row.last_line));
            let text = texts.get(held.file.id, at);
            writeln!(out, "chunk\t{at}\t{kind}\t{}\t{lines}\t{}\t{text}", Maybe(symbol), Range(span))?;
        }
        for issue in &outline.issues {
            writeln!(out, "issue\t{}\t{}", issue.kind.as_str(), Range(issue.span))?;
        }
        Ok(())
    }
}

fn write_file(out: &mut dyn Write, file: &FileRow) -> io::Result<()> {
    let path = file.path.display();
    if let Some(reason) = crate::skips::skip_reason(file) {
        return writeln!(out, "skipped\t{}\t{}", Escaped(&path), Escaped(&reason.to_string()));
    }
    writeln!(
        out,
        "file\t{}\t{}\t{}\t{}\t{} bytes\t{} lines\t{} symbols\t{} chunks\t{} issues\t{}",
        Escaped(&path),
        file.language.as_deref().unwrap_or("-"),
        file.role.as_str(),
        Maybe(file.hash),
        file.bytes,
        file.lines,
        file.symbols,
        file.chunks,
        file.issues,
        if file.generated { "generated" } else { "written" },
    )
}

fn write_symbol(
    out: &mut dyn Write,
    outline: &Outline,
    row: &SymbolRow,
    symbol: &Symbol,
    parent: Option<u32>,
) -> io::Result<()> {
    let text = |atom: Atom| Escaped(outline.strings.get(atom));
    let maybe = |atom: Option<Atom>| Escaped(atom.map_or("-", |atom| outline.strings.get(atom)));
    writeln!(
        out,
        "symbol\t{}\t{}\t{}\t{}#{}\t{}\t{}\tin {}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:016x}\t{}",
        row.at,
        row.kind.as_str(),
        Escaped(&row.name),
        Escaped(&outline.qualified(row.at).join(".")),
        symbol.ordinal,
        row.visibility.as_str(),
        Words(row.modifiers),
        Maybe(parent),
        Lines(row.first_line, row.last_line),
        Range(symbol.span),
        Range(symbol.name_span),
        Range(symbol.header),
        Maybe(symbol.body.map(Range)),
        text(symbol.signature),
        maybe(symbol.returns),
        maybe(symbol.doc),
        symbol.body_hash,
        Maybe(symbol.complexity.map(Measures)),
    )?;
    for param in &symbol.params {
        let marks =
            (if param.default { "default" } else { "-" }, if param.variadic { "variadic" } else { "-" });
        writeln!(
            out,
            "param\t{}\t{}\t{}\t{}\t{}",
            row.at,
            text(param.name),
            maybe(param.ty),
            marks.0,
            marks.1
        )?;
    }
    for &attribute in &symbol.attributes {
        writeln!(out, "attribute\t{}\t{}", row.at, text(attribute))?;
    }
    for base in &symbol.bases {
        writeln!(
            out,
            "base\t{}\t{}\t{}\t{}",
            row.at,
            base.relation.as_str(),
            text(base.text),
            text(base.name)
        )?;
    }
    Ok(())
}

fn write_imports(out: &mut dyn Write, outline: &Outline) -> io::Result<()> {
    let text = |atom: Atom| Escaped(outline.strings.get(atom));
    let maybe = |atom: Option<Atom>| Escaped(atom.map_or("-", |atom| outline.strings.get(atom)));
    if let Some(package) = outline.package {
        writeln!(out, "package\t{}", text(package))?;
    }
    for import in &outline.imports {
        writeln!(
            out,
            "import\t{}\t{}\t{}\t{}\t{}\t{}\t{}\tscope {}\tat {}\tline {}",
            import.kind.as_str(),
            text(import.module),
            maybe(import.name),
            maybe(import.alias),
            if import.reexport { "reexport" } else { "-" },
            import.visibility.as_str(),
            Words(import.modifiers),
            import.scope,
            import.at,
            import.line,
        )?;
    }
    for export in &outline.exports {
        writeln!(
            out,
            "export\t{}\t{}\tat {}\tline {}",
            text(export.name),
            text(export.public),
            export.at,
            export.line
        )?;
    }
    Ok(())
}
