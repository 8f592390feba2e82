//! The stored form of a grammar: arrays as the parser runtime reads them, one after the other.
//!
//! A file is a list of the lengths of all parts in bytes, and then the parts, each filled up to whole words. All numbers are
//! little-endian. `cargo xtask grammars` writes it.

/// The parts of a grammar, in the order in which they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The version of its form, and how many there are of what.
    Counts,
    /// Where the actions of a state with few symbols begin.
    SmallParseTableMap,
    /// The actions of states with many symbols.
    ParseTable,
    /// The actions of states with few symbols.
    SmallParseTable,
    /// What the parser does: shift, reduce, accept or recover.
    ParseActions,
    /// The names of symbols and aliases, each with a zero at its end.
    SymbolNames,
    /// The names of fields, ditto; the first is empty.
    FieldNames,
    /// Which entries of the field map a production has.
    FieldMapSlices,
    /// The children that have a field.
    FieldMapEntries,
    /// Whether symbols are visible, named and supertypes.
    SymbolMetadata,
    /// The symbol that stands for all symbols of the same name.
    PublicSymbolMap,
    /// The aliases of symbols that are no tokens.
    AliasMap,
    /// The aliases of the children of productions.
    AliasSequences,
    /// The states of the lexers by the state of the parser.
    LexModes,
    /// The tokens of the external scanner that are valid in its states.
    ExternalScannerStates,
    /// The symbols of the tokens of the external scanner.
    ExternalScannerSymbols,
    /// The state that stands for all states that differ only in how they were reached.
    PrimaryStateIds,
    /// The name of the language, with a zero at its end.
    Name,
    /// The sets of reserved words.
    ReservedWords,
    /// The symbols that are supertypes.
    SupertypeSymbols,
    /// Which entries of the supertype map a supertype has.
    SupertypeMapSlices,
    /// The subtypes of supertypes.
    SupertypeMapEntries,
    /// The lexer.
    Lexer,
    /// The lexer of keywords.
    KeywordLexer,
}

/// All parts.
pub const PARTS: [Part; 24] = [
    Part::Counts,
    Part::SmallParseTableMap,
    Part::ParseTable,
    Part::SmallParseTable,
    Part::ParseActions,
    Part::SymbolNames,
    Part::FieldNames,
    Part::FieldMapSlices,
    Part::FieldMapEntries,
    Part::SymbolMetadata,
    Part::PublicSymbolMap,
    Part::AliasMap,
    Part::AliasSequences,
    Part::LexModes,
    Part::ExternalScannerStates,
    Part::ExternalScannerSymbols,
    Part::PrimaryStateIds,
    Part::Name,
    Part::ReservedWords,
    Part::SupertypeSymbols,
    Part::SupertypeMapSlices,
    Part::SupertypeMapEntries,
    Part::Lexer,
    Part::KeywordLexer,
];

/// The numbers of a grammar, in the order in which they are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    AbiVersion,
    Symbols,
    Aliases,
    Tokens,
    ExternalTokens,
    States,
    LargeStates,
    ProductionIds,
    Fields,
    MaxAliasSequenceLength,
    KeywordCaptureToken,
    MaxReservedWordSetSize,
    Supertypes,
    MajorVersion,
    MinorVersion,
    PatchVersion,
}

/// Writes a grammar: the content of each part, in order.
#[must_use]
pub fn pack(parts: &[Vec<u8>; PARTS.len()]) -> Vec<u8> {
    let mut packed: Vec<u8> = parts.iter().flat_map(|part| word(part.len())).collect();
    for part in parts {
        packed.extend(part);
        packed.resize(packed.len().next_multiple_of(WORD), 0);
    }
    packed
}

const WORD: usize = size_of::<u32>();

fn word(number: usize) -> [u8; WORD] {
    u32::try_from(number).expect("a grammar is smaller than 4 GiB").to_le_bytes()
}

/// A grammar in memory. Its parts begin at whole words, as the integers in them require.
pub(crate) struct Packed(Box<[u32]>);

impl Packed {
    /// Decompresses a grammar of the build.
    pub(crate) fn decompress(compressed: &[u8]) -> Self {
        let bytes = zstd::decode_all(compressed).expect("a grammar of the build is whole");
        let words = bytes.chunks(WORD).map(|word| {
            let mut whole = [0; WORD];
            whole[..word.len()].copy_from_slice(word);
            // Arrays of smaller integers must keep the order of their bytes.
            u32::from_ne_bytes(whole)
        });
        Self(words.collect())
    }

    /// The size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.0.len() * WORD
    }

    /// A part, as whole words: the last may have bytes beyond its end.
    pub(crate) fn words(&self, part: Part) -> &[u32] {
        let lengths = &self.0[..PARTS.len()];
        let words = |length: &u32| (*length as usize).div_ceil(WORD);
        let start = PARTS.len() + lengths[..part as usize].iter().map(words).sum::<usize>();
        &self.0[start..start + words(&lengths[part as usize])]
    }

    /// A number of the grammar.
    pub(crate) fn count(&self, count: Count) -> u32 {
        self.words(Part::Counts)[count as usize]
    }

    /// The bytes of a part.
    pub(crate) fn bytes(&self, part: Part) -> Box<[u8]> {
        let length = self.0[part as usize] as usize;
        self.words(part).iter().flat_map(|word| word.to_ne_bytes()).take(length).collect()
    }
}
