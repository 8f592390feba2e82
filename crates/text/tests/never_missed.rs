//! What must always hold: a text that matches a pattern is admitted by what the pattern asks for.

use orient_text::{Dialect, Extractor, Grams, Query, SegmentBuilder, admits, required};
use proptest::prelude::*;
use regex::bytes::RegexBuilder;
use std::cell::RefCell;

/// Few letters, so that texts and patterns meet; some with surprising other cases, some of several bytes.
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

/// Patterns of every form a walk over them must know.
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

/// Texts, sometimes with bytes that are no text.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let broken = prop::collection::vec(any::<u8>(), 1..3);
    let piece = prop_oneof![8 => word().prop_map(String::into_bytes), 1 => broken];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// One for each thread, as in the program: it must not remember the text before.
fn grams(text: &[u8]) -> Grams {
    thread_local! { static EXTRACTOR: RefCell<Extractor> = RefCell::default(); }
    EXTRACTOR.with_borrow_mut(|extractor| extractor.grams(text))
}

fn sorted(text: &[u8]) -> Grams {
    Grams::decode(&grams(text).encode()).expect("as it was written")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_text_that_matches_is_admitted(
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
        let query = required([pattern.as_str()], Dialect { literal: false, ignore_case, unicode });
        for text in texts {
            if regex.is_match(&text) {
                prop_assert!(admits(&query, &sorted(&text)), "{pattern} in {text:?}: {query:?}");
            }
        }
    }

    #[test]
    fn a_literal_is_found_in_what_holds_it(before in text(), word in word(), after in text()) {
        let query = required([word.as_str()], Dialect { literal: true, ignore_case: false, unicode: true });
        let text = [before, word.into_bytes(), after].concat();
        prop_assert!(admits(&query, &sorted(&text)));
    }
}

/// Lists of a segment kept in memory.
struct Kept {
    blocks: Vec<(u32, Vec<u8>)>,
    texts: u32,
}

impl Kept {
    fn build(texts: &[Vec<u8>]) -> Self {
        let (mut builder, mut blocks) = (SegmentBuilder::default(), Vec::new());
        for text in texts {
            builder.push(&grams(text));
        }
        let keep = |block| {
            blocks.push(block);
            Ok::<_, ()>(())
        };
        builder.finish(keep).expect("nothing fails");
        Self { blocks, texts: texts.len() as u32 }
    }
}

impl orient_text::Lists for Kept {
    type Error = orient_text::TextError;

    fn list<T>(
        &mut self,
        gram: u32,
        read: impl FnOnce(Option<orient_text::List<'_>>) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error> {
        let at = self.blocks.partition_point(|(first, _)| *first <= gram);
        match at.checked_sub(1).map(|at| &self.blocks[at]) {
            None => read(None),
            Some((first, bytes)) => {
                read(orient_text::BlockReader::new(*first, bytes, self.texts).find(gram)?)
            }
        }
    }
}

fn admitted(query: &Query, kept: &mut Kept) -> Vec<u32> {
    match orient_text::find(query, kept).expect("as it was written") {
        orient_text::Slots::All => (0..kept.texts).collect(),
        orient_text::Slots::Some(slots) => slots,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_segment_admits_what_its_texts_admit(
        patterns in prop::collection::vec(pattern(), 1..4),
        texts in prop::collection::vec(text(), 0..40),
        kept in prop::collection::vec(any::<bool>(), 40),
    ) {
        let dialect = Dialect { literal: false, ignore_case: false, unicode: true };
        let query = required(patterns.iter().map(String::as_str), dialect);
        let mut one = Kept::build(&texts);
        let expected: Vec<u32> =
            (0..).zip(&texts).filter(|(_, text)| admits(&query, &sorted(text))).map(|(at, _)| at).collect();
        prop_assert_eq!(admitted(&query, &mut one), expected);

        // Cut in two, merged without some: the same as built from the rest.
        let (left, right) = texts.split_at(texts.len() / 3);
        let mut sides = Vec::new();
        for side in [left, right] {
            let mut blocks = Kept::build(side).blocks.into_iter();
            let from = sides.len() * left.len();
            sides.push((move || Ok::<_, orient_text::TextError>(blocks.next()), kept[from..from + side.len()].to_vec()));
        }
        let mut blocks = Vec::new();
        let count = orient_text::merge(sides, |block| {
            blocks.push(block);
            Ok::<_, orient_text::TextError>(())
        });
        let rest: Vec<Vec<u8>> =
            texts.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(text, _)| text.clone()).collect();
        let mut merged = Kept { blocks, texts: count.expect("as it was written") };
        prop_assert_eq!(merged.texts as usize, rest.len());
        prop_assert_eq!(admitted(&query, &mut merged), admitted(&query, &mut Kept::build(&rest)));
    }
}
