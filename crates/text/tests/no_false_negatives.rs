//! Trigram queries have no false negatives: a text that matches a pattern satisfies the query of the pattern.

use orient_text::{
    DocumentSet, PatternSyntax, PostingBlockReader, PostingList, PostingSource, SegmentBuilder, TextError,
    TrigramExtractor, TrigramPostings, TrigramQuery, Trigrams, evaluate, matches, merge_segments,
    required_trigrams,
};
use proptest::prelude::*;
use regex::bytes::RegexBuilder;
use std::cell::RefCell;

/// Few letters, so that patterns often match texts; some with unusual case mappings, some of several bytes.
const LETTERS: &[&str] = &[
    "a", "b", "c", "k", "s", "A", "K", "S", "_", " ", "1", "ß", "ö", "Ö", "ſ", "\u{212a}", "σ", "ς", "漢",
    "\n",
];

fn letter() -> impl Strategy<Value = String> {
    prop::sample::select(LETTERS).prop_map(str::to_owned)
}

fn word() -> impl Strategy<Value = String> {
    prop::collection::vec(letter(), 1..6).prop_map(|letters| letters.concat())
}

/// Patterns of every syntactic form.
fn pattern() -> impl Strategy<Value = String> {
    let class = prop_oneof![
        Just(r"\w".to_owned()),
        Just(r"\s".to_owned()),
        Just(".".to_owned()),
        Just("[abc]".to_owned()),
        Just("[^ks]".to_owned()),
        Just(r"\x{212a}".to_owned()),
        Just(r"(?-u:\xc3)".to_owned()),
        Just("[a-z1]".to_owned()),
        Just("(?i:[ks])".to_owned()),
    ];
    let look = prop::sample::select(&["^", "$", r"\b", r"\B"][..]).prop_map(str::to_owned);
    let leaf = prop_oneof![6 => word(), 3 => class, 1 => look];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let many = prop::sample::select(&["*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "*?", "{0}"][..]);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), many).prop_map(|(part, many)| format!("(?:{part}){many}")),
            1 => inner.clone().prop_map(|part| format!("(?i:{part})")),
            1 => inner.prop_map(|part| format!("({part})")),
        ]
    })
}

/// Texts, some with invalid UTF-8.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let broken = prop::collection::vec(any::<u8>(), 1..3);
    let piece = prop_oneof![8 => word().prop_map(String::into_bytes), 1 => broken];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// One extractor per thread, as in the product: it must not depend on earlier texts.
fn trigrams(text: &[u8]) -> Trigrams {
    thread_local! { static EXTRACTOR: RefCell<TrigramExtractor> = RefCell::default(); }
    EXTRACTOR.with_borrow_mut(|extractor| extractor.trigrams(text))
}

fn sorted(text: &[u8]) -> Trigrams {
    Trigrams::decode(&trigrams(text).encode()).expect("a valid encoding")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_matching_text_satisfies_the_query_of_its_pattern(
        pattern in pattern(),
        texts in prop::collection::vec(text(), 1..6),
        ignore_case: bool,
        unicode: bool,
    ) {
        let built = RegexBuilder::new(&pattern)
            .case_insensitive(ignore_case)
            .unicode(unicode)
            .multi_line(true)
            .build();
        let Ok(regex) = built else { return Ok(()) };
        let query = required_trigrams([pattern.as_str()], PatternSyntax { literal: false, ignore_case, unicode });
        for text in texts {
            if regex.is_match(&text) {
                prop_assert!(matches(&query, &sorted(&text)), "{pattern} in {text:?}: {query:?}");
            }
        }
    }

    #[test]
    fn a_text_that_contains_a_literal_satisfies_its_query(before in text(), word in word(), after in text()) {
        let query = required_trigrams([word.as_str()], PatternSyntax { literal: true, ignore_case: false, unicode: true });
        let text = [before, word.into_bytes(), after].concat();
        prop_assert!(matches(&query, &sorted(&text)));
    }
}

/// A segment in memory.
struct MemorySegment {
    blocks: Vec<(u32, Vec<u8>)>,
    documents: u32,
}

impl MemorySegment {
    fn build(texts: &[Vec<u8>]) -> Self {
        let (mut builder, mut blocks) = (SegmentBuilder::<TrigramPostings>::default(), Vec::new());
        for text in texts {
            builder.push(&trigrams(text));
        }
        let keep = |block| {
            blocks.push(block);
            Ok::<_, ()>(())
        };
        builder.finish(keep).expect("nothing fails");
        Self { blocks, documents: texts.len() as u32 }
    }
}

impl PostingSource for MemorySegment {
    type Error = TextError;

    fn list<T>(
        &mut self,
        trigram: u32,
        read: impl FnOnce(Option<PostingList<'_, ()>>) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error> {
        let at = self.blocks.partition_point(|(first, _)| *first <= trigram);
        match at.checked_sub(1).map(|at| &self.blocks[at]) {
            None => read(None),
            Some((first, bytes)) => {
                read(PostingBlockReader::new(*first, bytes, self.documents).find(trigram)?)
            }
        }
    }
}

fn matching(query: &TrigramQuery, segment: &mut MemorySegment) -> Vec<u32> {
    match evaluate(query, segment).expect("a valid encoding") {
        DocumentSet::All => (0..segment.documents).collect(),
        DocumentSet::Some(documents) => documents,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_segment_and_a_merged_segment_answer_like_their_texts(
        patterns in prop::collection::vec(pattern(), 1..4),
        texts in prop::collection::vec(text(), 0..40),
        kept in prop::collection::vec(any::<bool>(), 40),
    ) {
        let syntax = PatternSyntax { literal: false, ignore_case: false, unicode: true };
        let query = required_trigrams(patterns.iter().map(String::as_str), syntax);
        let mut one = MemorySegment::build(&texts);
        let expected: Vec<u32> =
            (0..).zip(&texts).filter(|(_, text)| matches(&query, &sorted(text))).map(|(at, _)| at).collect();
        prop_assert_eq!(matching(&query, &mut one), expected);

        // Two segments merged without some texts answer like a segment of the remaining texts.
        let (left, right) = texts.split_at(texts.len() / 3);
        let mut inputs = Vec::new();
        for side in [left, right] {
            let mut blocks = MemorySegment::build(side).blocks.into_iter();
            let from = inputs.len() * left.len();
            inputs.push((move || Ok::<_, TextError>(blocks.next()), kept[from..from + side.len()].to_vec()));
        }
        let mut blocks = Vec::new();
        let count = merge_segments::<TrigramPostings, _, _>(inputs, |block| {
            blocks.push(block);
            Ok::<_, TextError>(())
        });
        let rest: Vec<Vec<u8>> =
            texts.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(text, _)| text.clone()).collect();
        let mut merged = MemorySegment { blocks, documents: count.expect("a valid encoding") };
        prop_assert_eq!(merged.documents as usize, rest.len());
        prop_assert_eq!(matching(&query, &mut merged), matching(&query, &mut MemorySegment::build(&rest)));
    }
}
