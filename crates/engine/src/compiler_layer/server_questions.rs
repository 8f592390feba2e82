//! What language servers are asked: only what neither our rules nor a compiler prove.

use super::CompilerLayers;
use crate::extraction::Language;
use crate::refresh::{FactsSource, IndexRepository};
use crate::{Cancel, EngineError, FileQuery, Snapshot};
use orient_model::{
    AskedRelation, ContentHash, FileQuestions, Modifier, NameQuestion, Outline, RepoPath, Symbol, SymbolKind,
};
use orient_resolve::{FileFacts, Repository, Resolver};
use orient_store::FileRow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of decoded facts that stay in memory.
const FACTS_BYTES: u64 = 256 << 20;

impl Snapshot {
    /// The questions about files of these languages, by path: uses that are unresolved, ambiguous or less than exact, and members that others
    /// implement. What was answered before is not asked, unless `again` is set.
    pub fn compiler_questions(
        &self,
        languages: &BTreeSet<String>,
        again: bool,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Vec<FileQuestions>, EngineError> {
        let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
        let mut files = self.files(&query, 0, usize::MAX)?.rows;
        let language = |file: &FileRow| Language::of(file.language.as_deref(), &file.path);
        files.retain(|file| {
            language(file)
                .is_some_and(|language| language.is_resolved() && languages.contains(language.name()))
        });
        let Some(table) = self.store.reader().symbol_table(u64::MAX)? else { return Ok(Vec::new()) };
        let mut layers = self.compiler_layers();
        if again {
            layers = layers.map(|layers| Arc::new(CompilerLayers::without_servers(&layers)));
        }
        let facts = FactsSource::new(self.paths.cache(), self.tree.open()?, self.max_file_size, FACTS_BYTES)
            .with_layers(layers);
        let repository = IndexRepository::new(&table, &facts);
        let resolver = Resolver::new(&repository);
        let asked = self.scan_files(&files, threads, cancel, |file, bytes| {
            let number = u32::try_from(file.id.0).ok()?;
            let facts = repository.facts(number)?;
            let mut questions: Vec<NameQuestion> = resolver
                .unproved_uses(number)
                .into_iter()
                .map(|one| question(bytes, one.at, one.line, AskedRelation::Definition))
                .collect();
            questions.extend(implemented(&facts).map(|symbol| {
                let span = symbol.name_span;
                question(bytes, span.start, span.first_line, AskedRelation::Implementations)
            }));
            questions.sort_unstable();
            let (path, language) = (file.path.clone(), facts.language.clone());
            Some(FileQuestions { path, language, hash: file.hash?, questions })
        })?;
        let asked = asked.into_iter().flatten().flatten();
        Ok(asked.filter(|file| !file.questions.is_empty()).collect())
    }

    /// The text of a file, if it still has this content.
    pub fn text_with_hash(&self, path: &RepoPath, hash: ContentHash) -> Option<String> {
        let content = self.tree.open().ok()?.read(path, self.max_file_size).ok()?;
        (content.hash == hash).then(|| String::from_utf8(content.bytes.clone()).ok()).flatten()
    }
}

fn question(text: &[u8], at: u32, line: u32, asks: AskedRelation) -> NameQuestion {
    let before = text.get(..at as usize).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    NameQuestion { at, line: line.saturating_sub(1), column: at - start as u32, asks }
}

/// The members of a file that others implement, and about which no compiler was asked.
fn implemented(facts: &FileFacts) -> impl Iterator<Item = &Symbol> {
    let symbols = &facts.outline.symbols;
    symbols.iter().filter(|symbol| is_implemented(&facts.outline, symbol)).filter(|symbol| {
        let compiled = facts.compiled.as_ref();
        compiled.is_none_or(|compiled| compiled.target_at(symbol.name_span.start).is_none())
    })
}

/// Whether a symbol is a member of an interface, or an abstract one.
fn is_implemented(outline: &Outline, symbol: &Symbol) -> bool {
    let parent = symbol.parent.and_then(|parent| outline.symbols.get(parent as usize));
    let is_declared = |parent: &Symbol| matches!(parent.kind, SymbolKind::Interface | SymbolKind::Trait);
    symbol.kind == SymbolKind::Method
        && (parent.is_some_and(is_declared) || symbol.modifiers.contains(Modifier::Abstract))
}
