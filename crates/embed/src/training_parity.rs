//! Tests that the built-in model computes the same bytes as training, whatever else is in the batch.

use std::sync::Arc;

use proptest::prelude::*;

use crate::token_bag::all_tokens;
use crate::{BuiltIn, Embedder, Role, TextEmbedding, combine};

/// One line of the file that training exports.
struct Sample {
    text: String,
    tokens: Vec<u16>,
    peak: u32,
    values: Vec<i8>,
    unit: Vec<i8>,
}

fn exported() -> (Vec<Sample>, Vec<i8>) {
    let mut samples: Vec<Sample> = include_str!("../tests/vectors.txt").lines().map(sample).collect();
    let mixed = samples.pop().expect("the last line is there").unit;
    (samples, mixed)
}

fn sample(line: &str) -> Sample {
    let [text, tokens, peak, values, unit] =
        line.split('\t').collect::<Vec<_>>().try_into().expect("five columns");
    Sample {
        text: text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\"),
        tokens: tokens.split_whitespace().map(|token| token.parse().expect("a number")).collect(),
        peak: peak.parse().unwrap_or(0),
        values: bytes(values),
        unit: bytes(unit),
    }
}

fn bytes(hex: &str) -> Vec<i8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).expect("ASCII"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal").cast_signed()).collect()
}

#[test]
fn tokens_embeddings_and_vectors_match_training() {
    let model = BuiltIn::shared();
    let (samples, _) = exported();
    assert!(samples.len() >= 20);
    for Sample { text, tokens, peak, values, unit } in samples {
        assert_eq!(all_tokens(&text, model.vocabulary()), tokens, "tokens of {text:?}");
        let sum = model.embed_text(&text);
        assert_eq!(sum.values(), values, "sum of {text:?}");
        assert_eq!(sum, TextEmbedding::from_parts(peak, values));
        assert_eq!(combine(&[(&sum, 1.0)]).values(), unit, "vector of {text:?}");
    }
}

#[test]
fn field_weights_match_training() {
    let (samples, mixed) = exported();
    let last = samples.len();
    let [body, names, path] = [8, 7, 6].map(|back| BuiltIn::shared().embed_text(&samples[last - back].text));
    assert_eq!(combine(&[(&body, 1.0), (&names, 3.0), (&path, 4.0)]).values(), mixed);
}

#[test]
fn threads_and_batches_do_not_change_an_embedding() {
    let texts: Arc<Vec<String>> = Arc::new(exported().0.into_iter().map(|sample| sample.text).collect());
    let alone: Arc<Vec<TextEmbedding>> =
        Arc::new(texts.iter().map(|text| BuiltIn::shared().embed_text(text)).collect());
    let threads = (0..4).map(|shift| {
        let (texts, alone) = (Arc::clone(&texts), Arc::clone(&alone));
        std::thread::spawn(move || {
            for _ in 0..20 {
                let order = (0..texts.len()).map(|at| (at * 8 + shift) % texts.len());
                let batch: Vec<&str> = order.clone().map(|at| texts[at].as_str()).collect();
                let sums = BuiltIn::shared().embed(&batch, Role::Passage).expect("it never fails");
                for (at, sum) in order.zip(sums) {
                    assert_eq!(sum, alone[at]);
                }
            }
        })
    });
    threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().expect("no assertion failed"));
}

#[test]
fn related_code_scores_higher_than_unrelated_code() {
    let model = BuiltIn::shared();
    let vector = |text: &str| combine(&[(&model.embed_text(text), 1.0)]);
    let product = |a: &str, b: &str| {
        let (a, b) = (vector(a), vector(b));
        a.values().iter().zip(b.values()).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>()
    };
    let query = "retry a failed request with exponential backoff";
    let right = "fn next_delay(&self, attempt: u32) -> Duration { self.base * 2u32.pow(attempt) + jitter() }";
    let wrong = "fn draw(&self, canvas: &mut Canvas) { canvas.fill_rect(self.bounds, self.color); }";
    assert!(product(query, right) > product(query, wrong));
}

#[test]
fn model_card_contains_hash_and_name() {
    let card = include_str!("../MODEL.md");
    let hash = blake3::hash(include_bytes!("../model/orient-embed-1.bin")).to_hex();
    assert!(card.contains(hash.as_str()), "MODEL.md does not name the hash {hash}");
    assert!(card.contains(&BuiltIn::shared().model().to_string()));
}

proptest! {
    #[test]
    fn corrupt_models_are_rejected(cut in 0..5000_usize, at in 0..64_usize, byte: u8) {
        let whole = include_bytes!("../model/orient-embed-1.bin");
        prop_assert!(BuiltIn::from_bytes(&whole[..cut]).is_err());
        let mut corrupt = whole[..4096].to_vec();
        corrupt[at] = byte;
        prop_assert!(BuiltIn::from_bytes(corrupt.leak()).is_err());
    }

    #[test]
    fn any_text_has_an_embedding(text: String, more in "[a-zA-Z0-9_]{0,300}") {
        let model = BuiltIn::shared();
        prop_assert_eq!(model.embed_text(&text).dimension(), model.dimension());
        prop_assert_eq!(model.embed_text(&more), model.embed_text(&format!("--{more}\u{2014}")));
    }
}
