//! Embedding many texts: kept as they come, a few at once, and gone on with after an end.

use crate::server::{Act, Calm, Server, connect, items, settings, vector};
use orient_embed::{Embedder, TextEmbedding};
use orient_providers::{Amount, Job, Limits, Outcome, Progress, Provider, Runtime, embed_all};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

struct Bench {
    server: Server,
    provider: Provider,
    runtime: Arc<Calm>,
    texts: BTreeMap<u32, String>,
}

impl Bench {
    fn new(texts: u32, script: impl IntoIterator<Item = Act>) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (server, runtime) = (Server::new(items, 4, script), Arc::new(Calm::default()));
        let provider = connect(&settings("vllm", &server.url), directory.path(), Some(4), &runtime);
        let texts = (0..texts).map(|number| (number, format!("fn f{number}()"))).collect();
        Self { server, provider: provider.expect("connected"), runtime, texts }
    }

    fn limits(&self, texts: usize, requests: usize) -> Limits {
        Limits { texts, requests, ..self.provider.limits() }
    }

    /// Embeds what is not kept yet, as a caller would.
    fn run(
        &self,
        limits: Limits,
        kept: &mut BTreeMap<u32, TextEmbedding>,
        watch: impl FnMut(&Progress),
    ) -> Outcome<()> {
        let left: Vec<_> = self.texts.iter().filter(|(number, _)| !kept.contains_key(number)).collect();
        let total =
            Amount { texts: left.len() as u64, bytes: left.iter().map(|(_, text)| text.len() as u64).sum() };
        let job = Job { embedder: &self.provider, limits, total, runtime: self.runtime.as_ref() };
        let texts: Vec<(u32, String)> =
            left.into_iter().map(|(number, text)| (*number, text.clone())).collect();
        let keep = |sums: Vec<(u32, TextEmbedding)>| {
            kept.extend(sums);
            Ok(())
        };
        embed_all(&job, texts, keep, watch)
    }

    fn wanted(&self) -> BTreeMap<u32, TextEmbedding> {
        self.texts
            .iter()
            .map(|(number, text)| (*number, TextEmbedding::from_floats(&vector(text, 4))))
            .collect()
    }
}

#[test]
fn every_text_is_embedded_at_any_concurrency() {
    for requests in [1, 3, 8] {
        let bench = Bench::new(103, vec![Act::Slow(Duration::from_millis(30)); 20]);
        let mut kept = BTreeMap::new();
        let outcome = bench.run(bench.limits(10, requests), &mut kept, |_| {});
        assert_eq!(outcome, Outcome::Done);
        assert_eq!(kept, bench.wanted());
        assert_eq!(bench.server.seen().len(), 11);
        let most = bench.server.most_at_once();
        assert!(most <= requests && (requests == 1 || most > 1), "{most} of {requests} at once");
    }
}

#[test]
fn stored_embeddings_are_not_requested_again() {
    let broken = |body: &str| Act::Say(400, vec![], body.to_owned());
    let bench = Bench::new(50, [Act::Good, Act::Good, broken("{\"error\":\"broken\"}")]);
    let mut kept = BTreeMap::new();
    let outcome = bench.run(bench.limits(10, 1), &mut kept, |_| {});
    let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
    assert!(error.to_string().contains("broken"), "{error}");
    assert_eq!(kept.len(), 20);
    assert_eq!(bench.run(bench.limits(10, 2), &mut kept, |_| {}), Outcome::Done);
    assert_eq!(kept, bench.wanted());
    let sent: usize = bench.server.seen().iter().map(|request| request.texts().len()).sum();
    assert_eq!(sent, 60, "fifty, and the ten that failed");
}

#[test]
fn cancellation_keeps_finished_embeddings() {
    let bench = Bench::new(50, []);
    let (mut kept, runtime) = (BTreeMap::new(), bench.runtime.clone());
    let outcome = bench.run(bench.limits(5, 2), &mut kept, |standing| {
        runtime.stopped.store(standing.done.texts >= 20, Ordering::SeqCst);
    });
    assert_eq!(outcome, Outcome::Stopped);
    assert!((20..50).contains(&kept.len()), "{}", kept.len());
    bench.runtime.stopped.store(false, Ordering::SeqCst);
    assert_eq!(bench.run(bench.limits(5, 2), &mut kept, |_| {}), Outcome::Done);
    assert_eq!(kept, bench.wanted());
}

#[test]
fn store_failure_ends_the_run() {
    let bench = Bench::new(50, []);
    let job = Job {
        embedder: &bench.provider,
        limits: bench.limits(5, 1),
        total: Amount::default(),
        runtime: bench.runtime.as_ref(),
    };
    let mut calls = 0;
    let outcome = embed_all(
        &job,
        bench.texts.clone(),
        |_| {
            calls += 1;
            if calls == 3 { Err("the disk is full") } else { Ok(()) }
        },
        |_| {},
    );
    assert_eq!((outcome, calls), (Outcome::StoreFailed("the disk is full"), 3));
}

#[test]
fn progress_estimates_the_remaining_time() {
    let wait = || Act::Say(429, vec![("retry-after", "10".into())], String::new());
    let bench = Bench::new(40, [wait(), Act::Good, wait(), Act::Good]);
    let (mut kept, mut told) = (BTreeMap::new(), Vec::new());
    let outcome = bench.run(bench.limits(10, 1), &mut kept, |standing| told.push(*standing));
    assert_eq!(outcome, Outcome::Done);
    let done: Vec<u64> = told.iter().map(|standing| standing.done.texts).collect();
    assert_eq!(done, [10, 20, 30, 40]);
    assert!(told.iter().all(|standing| standing.total.texts == 40));
    // Ten seconds for seventy of 310 bytes, then for 150.
    assert_eq!(told[0].elapsed, Duration::from_secs(10));
    assert_eq!(told[0].remaining, Some(Duration::from_millis(10_000 * 240 / 70)));
    assert_eq!(told[1].remaining, Some(Duration::from_millis(20_000 * 160 / 150)));
    assert_eq!(told[3].remaining, Some(Duration::ZERO));
    assert_eq!(bench.runtime.now(), Duration::from_secs(20));
}

#[test]
fn built_in_model_works_with_embed_all() {
    let built_in = orient_embed::BuiltIn::shared();
    let limits = Limits { texts: 7, bytes: 1000, requests: 2, per_minute: 0 };
    let runtime = Calm::default();
    let job = Job { embedder: built_in, limits, total: Amount::default(), runtime: &runtime };
    let texts: Vec<(u32, String)> = (0..30).map(|number| (number, format!("fn f{number}()"))).collect();
    let mut kept = BTreeMap::new();
    let outcome: Outcome<()> = embed_all(
        &job,
        texts.clone(),
        |sums| {
            kept.extend(sums);
            Ok(())
        },
        |_| {},
    );
    assert_eq!(outcome, Outcome::Done);
    assert!(texts.iter().all(|(number, text)| kept[number] == built_in.embed_text(text)));
    assert_eq!(kept[&0].dimension(), built_in.dimension());
}
