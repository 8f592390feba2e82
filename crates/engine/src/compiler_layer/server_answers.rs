//! Turns what language servers answer into the layer of servers.
//!
//! An answer is kept for the content of the file it was asked about and for the content of the file it leads to: an edit of either makes our
//! rules decide again, until the server is asked again. An edit of a third file that changes the meaning of the use is not noticed; `enrich --again`
//! asks everything again.

use super::positions::LineIndex;
use super::symbol_lookup::{FileReader, ReadFile, compiled_symbol, symbol_at};
use super::{LayerPublication, LayerSource};
use crate::extraction;
use crate::{Engine, EngineError, Snapshot};
use orient_model::{
    AskedRelation, CompiledFile, CompiledRelation, CompiledSymbol, CompiledTarget, CompiledUse, ContentHash,
    FileAnswers, Modifier, NameAnswer, RepoPath, ServicePlace, Symbol,
};
use orient_scip::PositionEncoding;
use orient_store::SymbolEntry;
use orient_walk::from_native;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Directories of other people's code. A definition there is external although it is inside the root.
const FOREIGN: &[&str] = &["node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv"];
/// Maximum number of symbols of one name among which the definition of a declaration is looked for.
const MAX_NAMESAKES: usize = 32;

/// What one server answered.
#[derive(Clone, Debug, Default)]
pub struct ServerAnswers {
    /// The server and its version.
    pub server: String,
    /// Its answers.
    pub files: Vec<FileAnswers>,
}

/// What became of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptAnswers {
    /// Uses of symbols of the repository.
    pub inside: u64,
    /// Uses of something outside.
    pub external: u64,
    /// Answers that name no symbol: our rules decide.
    pub unknown: u64,
    /// Implementations of members.
    pub implementations: u64,
}

/// What a server's place means.
enum PlaceMeaning {
    Symbol(CompiledSymbol, bool),
    Outside(String),
    Nothing,
}

/// Maps places to symbols.
struct AnswerMapper<'e> {
    files: FileReader<'e>,
    root: &'e Path,
    read: FxHashMap<RepoPath, Option<Arc<ReadFile>>>,
    kept: KeptAnswers,
}

impl Engine {
    /// Adds what servers answered to the layer of servers. Answers replace earlier ones about the same content.
    pub fn keep_answers(
        &self,
        snapshot: &Snapshot,
        answers: &[ServerAnswers],
        publication: LayerPublication<'_>,
    ) -> Result<KeptAnswers, EngineError> {
        let mut mapper = AnswerMapper {
            files: FileReader::new(self, snapshot)?,
            root: &self.repo.root,
            read: FxHashMap::default(),
            kept: KeptAnswers::default(),
        };
        let mut described: BTreeMap<RepoPath, (ContentHash, CompiledFile)> = BTreeMap::new();
        for file in answers.iter().flat_map(|one| &one.files) {
            mapper.add(file, &mut described)?;
        }
        if described.is_empty() {
            return Ok(mapper.kept);
        }
        let servers = answers.iter().filter(|one| !one.files.is_empty()).map(|one| one.server.clone());
        self.add_to_layer(LayerSource::Servers, publication, |mut layer| {
            for (path, (hash, mut file)) in described {
                if let Some(known) = layer.get(&path, hash) {
                    // Only named as the home of an implementation: nothing new is known about its own questions.
                    if file.uses.is_empty() {
                        file.status = known.status;
                    }
                    file.absorb(&known);
                }
                file.uses.sort_unstable_by_key(|one| (one.at, one.target));
                file.uses.dedup_by_key(|one| one.at);
                layer.insert(path, hash, &file);
            }
            layer.tools.extend(servers);
            layer
        })?;
        Ok(mapper.kept)
    }
}

impl AnswerMapper<'_> {
    /// Adds the answers about a file.
    fn add(
        &mut self,
        file: &FileAnswers,
        described: &mut BTreeMap<RepoPath, (ContentHash, CompiledFile)>,
    ) -> Result<(), EngineError> {
        let Some(own) = self.file(&file.path)?.filter(|own| own.hash == file.hash) else { return Ok(()) };
        let mut uses = Vec::with_capacity(file.answers.len());
        for answer in &file.answers {
            let target = match answer.question.asks {
                AskedRelation::Definition => self.definition(&file.path, &own, answer)?,
                AskedRelation::Implementations => {
                    self.implementations(&file.path, &own, answer, described)?;
                    CompiledTarget::Unknown
                }
            };
            uses.push((answer.question, target));
        }
        let (_, into) =
            described.entry(file.path.clone()).or_insert_with(|| (file.hash, CompiledFile::default()));
        into.status = file.status;
        for (question, target) in uses {
            let target = into.add_target(target);
            into.uses.push(CompiledUse { at: question.at, line: question.line + 1, target, imports: false });
        }
        into.uses.sort_unstable_by_key(|one| (one.at, one.target));
        Ok(())
    }

    /// What a use means: one symbol, something outside, or nothing that we know.
    fn definition(
        &mut self,
        path: &RepoPath,
        own: &ReadFile,
        answer: &NameAnswer,
    ) -> Result<CompiledTarget, EngineError> {
        let (mut symbols, mut outside) = (Vec::new(), None);
        let mut is_local = false;
        for place in &answer.places {
            match self.meaning(path, own, answer, place)? {
                PlaceMeaning::Symbol(symbol, is_declaration) => symbols.push((is_declaration, symbol)),
                PlaceMeaning::Outside(package) => outside = outside.or(Some(package)),
                PlaceMeaning::Nothing => is_local = true,
            }
        }
        // A definition is meant, if there is one beside declarations.
        if symbols.iter().any(|(is_declaration, _)| !is_declaration) {
            symbols.retain(|(is_declaration, _)| !is_declaration);
        }
        symbols.sort();
        symbols.dedup();
        Ok(match (symbols.len(), outside) {
            (1, _) => {
                self.kept.inside += 1;
                CompiledTarget::Inside(symbols.swap_remove(0).1)
            }
            (0, Some(package)) if !is_local => {
                self.kept.external += 1;
                let name = name_at(&own.text, answer.question.at).to_owned();
                CompiledTarget::Outside { package, name, is_located: true }
            }
            // One of several, a local variable, or nothing at all: no proof.
            _ => {
                self.kept.unknown += 1;
                CompiledTarget::Unknown
            }
        })
    }

    /// Adds what implements a member to the files of the implementations.
    fn implementations(
        &mut self,
        path: &RepoPath,
        own: &ReadFile,
        answer: &NameAnswer,
        described: &mut BTreeMap<RepoPath, (ContentHash, CompiledFile)>,
    ) -> Result<(), EngineError> {
        let outline = &own.facts.outline;
        let member = symbol_at(outline, answer.question.at, 0, "");
        let Some(member) = member.map(|at| compiled_symbol(path, outline, at)) else { return Ok(()) };
        for place in &answer.places {
            let PlaceMeaning::Symbol(symbol, _) = self.meaning(path, own, answer, place)? else { continue };
            let Some(home) = self.file(&symbol.path)? else { continue };
            if symbol.path == *path && symbol.names == member.names && symbol.ordinal == member.ordinal {
                continue;
            }
            self.kept.implementations += 1;
            let content = (symbol.path != *path).then_some(own.hash);
            let (_, file) =
                described.entry(symbol.path.clone()).or_insert_with(|| (home.hash, CompiledFile::default()));
            let base = file.add_target(CompiledTarget::Inside(CompiledSymbol { content, ..member.clone() }));
            let symbol = file.add_target(CompiledTarget::Inside(CompiledSymbol { content: None, ..symbol }));
            let relation = CompiledRelation { symbol, base };
            if !file.relations.contains(&relation) {
                file.relations.push(relation);
            }
        }
        Ok(())
    }

    /// What is at a place: our symbol and whether it is a mere declaration, something outside, or nothing.
    fn meaning(
        &mut self,
        asked_in: &RepoPath,
        own: &ReadFile,
        answer: &NameAnswer,
        place: &ServicePlace,
    ) -> Result<PlaceMeaning, EngineError> {
        let Some(path) = from_native(self.root, &place.file) else {
            return Ok(PlaceMeaning::Outside(package_of(&place.file)));
        };
        let Some(file) = self.file(&path)? else {
            let is_foreign = path.display().split('/').any(|part| FOREIGN.contains(&part));
            return Ok(if is_foreign {
                PlaceMeaning::Outside(package_of(&place.file))
            } else {
                // Generated, perhaps from a file that we know.
                PlaceMeaning::Nothing
            });
        };
        let encoding = if place.in_bytes { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 };
        let Some(at) = LineIndex::new(&file.text).offset((place.line, place.character), encoding) else {
            return Ok(PlaceMeaning::Nothing);
        };
        let name = name_at(&own.text, answer.question.at);
        let Some(at) = symbol_at(&file.facts.outline, at, place.line + 1, name) else {
            return Ok(PlaceMeaning::Nothing);
        };
        let (path, file, at) = self.defined(path, file, at)?;
        let content = (path != *asked_in).then_some(file.hash);
        let outline = &file.facts.outline;
        let symbol = CompiledSymbol { content, ..compiled_symbol(&path, outline, at) };
        Ok(PlaceMeaning::Symbol(symbol, is_declaration(&outline.symbols[at as usize])))
    }

    /// The definition of a declaration, if there is exactly one; otherwise the symbol itself.
    fn defined(
        &mut self,
        path: RepoPath,
        file: Arc<ReadFile>,
        at: u32,
    ) -> Result<(RepoPath, Arc<ReadFile>, u32), EngineError> {
        let outline = &file.facts.outline;
        let symbol = &outline.symbols[at as usize];
        let family =
            extraction::rules(&file.facts.language).and_then(|rules| extraction::family(&rules.family));
        let Some(family) = family.filter(|_| is_declaration(symbol)) else { return Ok((path, file, at)) };
        let reader = self.files.snapshot.store.reader();
        let mut named = reader.symbols_named(outline.strings.get(symbol.name), &family.languages)?;
        let may_be = |entry: &SymbolEntry| {
            !entry.modifiers.contains(Modifier::Declaration)
                && entry.kind.is_callable() == symbol.kind.is_callable()
                && entry.kind.is_type() == symbol.kind.is_type()
        };
        named.retain(may_be);
        let mut definitions = Vec::new();
        for entry in named.into_iter().take(MAX_NAMESAKES) {
            let Some(indexed) = self.files.snapshot.store.reader().indexed(entry.file)? else { continue };
            let Some(home) = self.file(&indexed.path)? else { continue };
            if home.facts.outline.qualified(entry.at) == outline.qualified(at) {
                definitions.push((indexed.path, home, entry.at));
            }
        }
        Ok(match definitions.len() {
            1 => definitions.swap_remove(0),
            _ => (path, file, at),
        })
    }

    /// A file of the index, read once.
    fn file(&mut self, path: &RepoPath) -> Result<Option<Arc<ReadFile>>, EngineError> {
        if let Some(known) = self.read.get(path) {
            return Ok(known.clone());
        }
        let file = self.files.read(path)?.ok().map(Arc::new);
        self.read.insert(path.clone(), file.clone());
        Ok(file)
    }
}

fn is_declaration(symbol: &Symbol) -> bool {
    symbol.modifiers.contains(Modifier::Declaration)
}

/// The identifier at an offset.
fn name_at(text: &str, at: u32) -> &str {
    let rest = text.get(at as usize..).unwrap_or_default();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
    &rest[..end]
}

/// The package that a file outside the repository belongs to, by the layout of package managers; empty if it is not known.
fn package_of(file: &Path) -> String {
    let shown = file.to_string_lossy().replace('\\', "/");
    let after = |marker: &str| shown.rfind(marker).map(|at| &shown[at + marker.len()..]);
    let first = |rest: &str| rest.split('/').next().unwrap_or_default().to_owned();
    if let Some(rest) = after("/node_modules/") {
        let parts = if rest.starts_with('@') { 2 } else { 1 };
        return rest.split('/').take(parts).collect::<Vec<_>>().join("/");
    }
    if let Some(rest) = after("/site-packages/").or_else(|| after("/dist-packages/")) {
        return first(rest).split('.').next().unwrap_or_default().to_owned();
    }
    if let Some(rest) = after("/pkg/mod/") {
        return rest.split('@').next().unwrap_or_default().to_owned();
    }
    if let Some(rest) = after("/registry/src/") {
        let package = rest.split('/').nth(1).unwrap_or_default();
        return package.rsplit_once('-').map_or(package, |(name, _)| name).to_owned();
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_follow_from_the_layout_of_package_managers() {
        for (file, package) in [
            ("/r/node_modules/@scope/lib/index.d.ts", "@scope/lib"),
            ("/r/node_modules/a/node_modules/b/x.js", "b"),
            ("/usr/lib/site-packages/click/core.py", "click"),
            ("/usr/lib/site-packages/six.py", "six"),
            ("/home/u/go/pkg/mod/github.com/spf13/pflag@v1.0.5/flag.go", "github.com/spf13/pflag"),
            ("/home/u/.cargo/registry/src/index-1/serde_json-1.0.1/src/lib.rs", "serde_json"),
            ("/usr/include/stdio.h", ""),
        ] {
            assert_eq!(package_of(Path::new(file)), package, "{file}");
        }
    }

    #[test]
    fn a_name_ends_where_the_identifier_does() {
        assert_eq!(name_at("x.größe(1)", 2), "größe");
        assert_eq!((name_at("x", 9), name_at("(", 0)), ("", ""));
    }
}
