//! The encoding of the compiler layer: what compilers say about files, by path and content.
//!
//! Documents are encoded one by one, so that resolution decodes only those of the files that it resolves.

use super::CodecError;
use super::varint::{Decoder, Encoder};
use orient_model::{
    Atom, CompiledFile, CompiledRelation, CompiledSymbol, CompiledTarget, CompiledUse, ContentHash, RepoPath,
    ServiceStatus, Strings,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Identifies the format. A layer of another format counts as none.
const MAGIC: &[u8] = b"orient compiler layer 2\n";

/// How a target is marked; a symbol with n names has the number n + [`INSIDE`].
const NAMED: u32 = 0;
const LOCATED: u32 = 1;
const UNKNOWN: u32 = 2;
const INSIDE: u32 = 3;

/// What compilers say about the files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompilerLayer {
    /// The programs that said it, sorted.
    pub tools: BTreeSet<String>,
    documents: BTreeMap<RepoPath, (ContentHash, Box<[u8]>)>,
    seen: Arc<BTreeSet<RepoPath>>,
}

impl CompilerLayer {
    /// Adds what a compiler says about a content of a file; replaces what was known about another content of it.
    pub fn insert(&mut self, path: RepoPath, hash: ContentHash, file: &CompiledFile) {
        Arc::make_mut(&mut self.seen).insert(path.clone());
        self.documents.insert(path, (hash, encode_file(file)));
    }

    /// What is known about a content of a file; `None` if the layer describes another content.
    pub fn get(&self, path: &RepoPath, hash: ContentHash) -> Option<CompiledFile> {
        let (known, bytes) = self.documents.get(path)?;
        if *known != hash {
            return None;
        }
        let mut file = decode_file(bytes).ok()?;
        file.seen = Arc::clone(&self.seen);
        Some(file)
    }

    /// The files and the contents that it describes, by path.
    pub fn files(&self) -> impl Iterator<Item = (&RepoPath, ContentHash)> {
        self.documents.iter().map(|(path, (hash, _))| (path, *hash))
    }

    /// The whole layer as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder { bytes: MAGIC.to_vec() };
        let mut strings = Strings::default();
        for tool in &self.tools {
            strings.push(tool);
        }
        out.strings(&strings);
        out.number(self.documents.len() as u32);
        for (path, (hash, bytes)) in &self.documents {
            for part in [path.as_bytes(), &hash.0, bytes] {
                out.number(part.len() as u32);
                out.bytes.extend_from_slice(part);
            }
        }
        out.bytes
    }

    /// The inverse of [`Self::encode`].
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut from = Decoder { bytes: bytes.strip_prefix(MAGIC).ok_or(CodecError)? };
        let tools = from.strings()?.iter().map(|(_, tool)| tool.to_owned()).collect();
        let mut documents = BTreeMap::new();
        for _ in 0..from.count()? {
            let path = RepoPath::new(part(&mut from)?);
            let hash = ContentHash(part(&mut from)?.try_into().map_err(|_| CodecError)?);
            documents.insert(path, (hash, part(&mut from)?.into()));
        }
        from.end()?;
        let seen = Arc::new(documents.keys().cloned().collect());
        Ok(Self { tools, documents, seen })
    }
}

fn part<'b>(from: &mut Decoder<'b>) -> Result<&'b [u8], CodecError> {
    let length = from.number()? as usize;
    let (part, rest) = from.bytes.split_at_checked(length).ok_or(CodecError)?;
    from.bytes = rest;
    Ok(part)
}

/// Strings, each once.
#[derive(Default)]
struct Words {
    strings: Strings,
    numbers: FxHashMap<String, u32>,
}

impl Words {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let Atom(number) = self.strings.push(text);
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

fn encode_file(file: &CompiledFile) -> Box<[u8]> {
    let (mut words, mut targets) = (Words::default(), Encoder::default());
    for target in &file.targets {
        match target {
            CompiledTarget::Unknown => targets.number(UNKNOWN),
            CompiledTarget::Outside { package, name, is_located } => {
                targets.number(if *is_located { LOCATED } else { NAMED });
                targets.number(words.number(package));
                targets.number(words.number(name));
            }
            CompiledTarget::Inside(symbol) => {
                targets.number(symbol.names.len() as u32 + INSIDE);
                targets.number(words.number(&symbol.path.display()));
                targets.number(symbol.ordinal);
                targets.number(symbol.hint);
                for name in &symbol.names {
                    targets.number(words.number(name));
                }
                let content = symbol.content.as_ref().map_or(&[][..], |hash| &hash.0);
                targets.number(content.len() as u32);
                targets.bytes.extend_from_slice(content);
            }
        }
    }
    let mut out = Encoder::default();
    out.number(file.status.to_number());
    out.strings(&words.strings);
    out.number(file.targets.len() as u32);
    out.bytes.append(&mut targets.bytes);
    out.number(file.uses.len() as u32);
    out.ascending(&file.uses, |one| one.at);
    out.ascending(&file.uses, |one| one.line);
    out.column(&file.uses, |one| one.target);
    out.column(&file.uses, |one| u32::from(one.imports));
    out.number(file.relations.len() as u32);
    out.column(&file.relations, |one| one.symbol);
    out.column(&file.relations, |one| one.base);
    out.bytes.into()
}

fn decode_file(bytes: &[u8]) -> Result<CompiledFile, CodecError> {
    let mut from = Decoder { bytes };
    let status = ServiceStatus::from_number(from.number()?).ok_or(CodecError)?;
    let strings = from.strings()?;
    let word = |number: u32| {
        if (number as usize) < strings.len() {
            Ok(strings.get(Atom(number)).to_owned())
        } else {
            Err(CodecError)
        }
    };
    let count = from.count()?;
    let targets = from.rows(count, |from| {
        Ok(match from.number()? {
            UNKNOWN => CompiledTarget::Unknown,
            number @ (NAMED | LOCATED) => CompiledTarget::Outside {
                package: word(from.number()?)?,
                name: word(from.number()?)?,
                is_located: number == LOCATED,
            },
            names => {
                let path = RepoPath::from(word(from.number()?)?.as_str());
                let (ordinal, hint) = (from.number()?, from.number()?);
                let names = from.rows((names - INSIDE) as usize, |from| word(from.number()?))?;
                let content = match part(from)? {
                    [] => None,
                    hash => Some(ContentHash(hash.try_into().map_err(|_| CodecError)?)),
                };
                CompiledTarget::Inside(CompiledSymbol { path, names, ordinal, hint, content })
            }
        })
    })?;
    let count = from.count()?;
    let (places, lines) = (from.ascending(count)?, from.ascending(count)?);
    let (meant, imports) = (from.column(count)?, from.flags(count)?);
    let one =
        |at: usize| CompiledUse { at: places[at], line: lines[at], target: meant[at], imports: imports[at] };
    let uses = (0..count).map(one).collect();
    let count = from.count()?;
    let (symbols, bases) = (from.column(count)?, from.column(count)?);
    let relations =
        symbols.into_iter().zip(bases).map(|(symbol, base)| CompiledRelation { symbol, base }).collect();
    from.end()?;
    Ok(CompiledFile { targets, uses, relations, seen: Arc::default(), status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::ServiceError;
    use proptest::prelude::*;

    fn layer() -> CompilerLayer {
        let symbol = CompiledSymbol {
            path: "src/b.ts".into(),
            names: vec!["B".to_owned(), "run".to_owned()],
            ordinal: 1,
            hint: 7,
            content: Some(ContentHash([3; 16])),
        };
        let (package, name) = ("left-pad".to_owned(), "pad".to_owned());
        let outside = CompiledTarget::Outside { package, name, is_located: true };
        let file = CompiledFile {
            targets: vec![CompiledTarget::Inside(symbol), outside, CompiledTarget::Unknown],
            uses: vec![
                CompiledUse { at: 10, line: 2, target: 0, imports: false },
                CompiledUse { at: 40, line: 3, target: 1, imports: true },
            ],
            relations: vec![CompiledRelation { symbol: 0, base: 0 }],
            seen: Arc::default(),
            status: ServiceStatus::SyntacticOnly(ServiceError::Timeout),
        };
        let mut layer = CompilerLayer::default();
        layer.tools.insert("scip-x 1".to_owned());
        layer.insert("src/a.ts".into(), ContentHash([7; 16]), &file);
        layer
    }

    #[test]
    fn a_layer_is_restored_and_applies_to_one_content_only() {
        let restored = CompilerLayer::decode(&layer().encode()).expect("it is whole");
        assert_eq!(restored, layer());
        let file = restored.get(&"src/a.ts".into(), ContentHash([7; 16])).expect("covered");
        assert!(file.seen.contains(&"src/a.ts".into()));
        assert!(matches!(file.target_at(10), Some(CompiledTarget::Inside(symbol)) if symbol.hint == 7));
        assert_eq!(restored.get(&"src/a.ts".into(), ContentHash([8; 16])), None);
    }

    proptest! {
        #[test]
        fn damaged_layers_are_rejected_or_decoded_without_a_panic(at in 0_usize..400, by in any::<u8>()) {
            let mut bytes = layer().encode();
            let place = at % bytes.len();
            bytes[place] = by;
            if let Ok(layer) = CompilerLayer::decode(&bytes) {
                let files: Vec<_> = layer.files().map(|(path, hash)| (path.clone(), hash)).collect();
                for (path, hash) in files {
                    let _ = layer.get(&path, hash);
                }
            }
        }
    }
}
