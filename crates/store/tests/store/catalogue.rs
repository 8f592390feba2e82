//! An updated catalogue equals one that is read from the store: the same chunks in the same order.

use crate::support::{Place, put, remove};
use orient_model::RepoPath;
use orient_store::{Catalogue, CatalogueUpdate, Change, ChunkPosting, Snapshot};
use orient_text::term_hash;
use proptest::prelude::*;
use std::collections::BTreeSet;

const FILES: usize = 160;

/// What may happen between two looks.
#[derive(Clone, Debug)]
enum Step {
    Put(usize, usize),
    Remove(usize),
    /// So many files from one on: more than stay recent.
    PutMany(usize, usize, usize),
    RemoveMany(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (file, text) = (0..FILES, 0..5_usize);
    prop_oneof![
        6 => (file.clone(), text.clone()).prop_map(|(file, text)| Step::Put(file, text)),
        3 => file.clone().prop_map(Step::Remove),
        2 => (file.clone(), 1..FILES, text).prop_map(|(first, count, text)| Step::PutMany(first, count, text)),
        1 => (file, 1..FILES).prop_map(|(first, count)| Step::RemoveMany(first, count)),
    ]
}

fn path(file: usize) -> String {
    format!("f{}.x", file % FILES)
}

fn text(file: usize, text: usize) -> String {
    match text {
        0 => String::new(),
        1 => "function alpha\nfunction beta".to_owned(),
        2 => format!("function alpha own{file}"),
        more => format!("function beta t{more}\nfunction gamma\nfunction own{file}"),
    }
}

fn changes(step: &Step) -> Vec<Change> {
    let one = |file, number| put(&path(file), &text(file, number));
    match *step {
        Step::Put(file, number) => vec![one(file, number)],
        Step::Remove(file) => vec![remove(&path(file))],
        Step::PutMany(first, count, number) => (first..first + count).map(|file| one(file, number)).collect(),
        Step::RemoveMany(first, count) => (first..first + count).map(|file| remove(&path(file))).collect(),
    }
}

fn touched(step: &Step) -> Vec<String> {
    match *step {
        Step::Put(file, _) | Step::Remove(file) => vec![path(file)],
        Step::PutMany(first, count, _) | Step::RemoveMany(first, count) => {
            (first..first + count).map(path).collect()
        }
    }
}

/// All that is asked of a catalogue, in its order; numbers with holes and without are the same then.
fn told(snapshot: &Snapshot, catalogue: &Catalogue) -> Vec<String> {
    let mut told = vec![format!("{} chunks, {} terms", catalogue.len(), catalogue.terms())];
    for file in catalogue.files() {
        let number = catalogue.find(file.file).expect("a file that is there");
        assert_eq!(catalogue.file(number), file);
        assert!((file.first + file.count) as usize <= catalogue.bound());
        let lengths: Vec<u16> = (file.first..file.first + file.count).map(|c| catalogue.length(c)).collect();
        told.push(format!("{:?} {lengths:?}", file.file));
    }
    for word in ["alpha", "beta", "gamma", "t3", "function"] {
        let mut last = None;
        let see = |ChunkPosting { chunk, file, length, occurrence }| {
            assert!(last.replace(chunk).is_none_or(|last| last < chunk), "in order");
            assert_eq!((catalogue.file_of(chunk), catalogue.length(chunk)), (file, length));
            let file = catalogue.file(file);
            told.push(format!("{word} {:?} {} {length} {occurrence:?}", file.file, chunk - file.first));
        };
        snapshot.each_with_term(catalogue, term_hash(word.as_bytes()), see).expect("readable");
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn an_updated_catalogue_equals_one_read_from_the_store(
        start in 1..FILES,
        steps in prop::collection::vec((step(), prop::bool::weighted(0.7)), 1..14),
    ) {
        let place = Place::new();
        place.load((0..start).map(|file| crate::support::file(&path(file), &text(file, 1 + file % 4))));
        let mut known = place.open().catalogue().expect("readable");
        let mut paths = BTreeSet::new();
        for (step, look) in &steps {
            place.apply(changes(step));
            paths.extend(touched(step).iter().map(|path| RepoPath::from(path.as_str())));
            if !look {
                continue;
            }
            let snapshot = place.open();
            let concerned: Vec<RepoPath> = std::mem::take(&mut paths).into_iter().collect();
            let CatalogueUpdate { catalogue, changed, gone } =
                snapshot.catalogue_after(&known, &concerned).expect("readable");
            let fresh = snapshot.catalogue().expect("readable");
            prop_assert_eq!(told(&snapshot, &catalogue), told(&snapshot, &fresh));
            let there: Vec<_> = concerned.iter().filter_map(|path| Some(snapshot.file(path).expect("readable")?.id)).collect();
            prop_assert!(there.iter().all(|file| changed.contains(file)) && there.len() == changed.len());
            let had: Vec<_> = known.files().map(|file| file.file).filter(|file| fresh.find(*file).is_none()).collect();
            prop_assert_eq!(had.iter().collect::<BTreeSet<_>>(), gone.iter().collect::<BTreeSet<_>>());
            // Holes do not pile up: what is kept is what the segments hold.
            prop_assert_eq!(catalogue.bound(), fresh.bound());
            known = catalogue;
        }
    }
}
