//! Nothing leaves the machine without a yes, and no key is ever seen.

use crate::server::{Act, Calm, KEY, Server, connect, items, settings};
use orient_embed::{Embedder, Role};
use orient_providers::{Plan, ProviderError, Purpose, Terms, allow, forget};
use orient_settings::Embed;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

fn plan(settings: &Embed) -> Plan {
    Plan::from_settings(settings).expect("sound").expect("a provider")
}

#[test]
fn consent_is_bound_to_provider_url_and_model() {
    let directory = tempfile::tempdir().expect("a directory");
    let voyage = Embed { provider: Some("voyage".into()), ..Embed::default() };
    let refused = |settings: &Embed| match plan(settings).permission(directory.path()) {
        Err(ProviderError::NotAllowed { terms, instead }) => (*terms, instead.map(|it| *it)),
        other => panic!("{other:?}"),
    };
    let terms = plan(&voyage).terms();
    assert_eq!(terms.to_string(), "voyage at https://api.voyageai.com/v1/embeddings with voyage-code-3");
    assert_eq!(refused(&voyage), (terms.clone(), None));
    allow(directory.path(), Purpose::Embedding, &terms).expect("kept");
    plan(&voyage).permission(directory.path()).expect("allowed");
    let changes = [
        Embed { url: Some("https://evil.example".into()), ..voyage.clone() },
        Embed { url: Some("http://api.voyageai.com".into()), ..voyage.clone() },
        Embed { model: Some("voyage-3".into()), ..voyage.clone() },
        Embed {
            provider: Some("openai".into()),
            url: Some("https://api.voyageai.com".into()),
            model: Some("voyage-code-3".into()),
            ..Embed::default()
        },
    ];
    for changed in &changes {
        assert_eq!(refused(changed).1, Some(terms.clone()), "{changed:?}");
    }
    // How much is sent at a time is nobody's secret.
    plan(&Embed { batch: 3, timeout: 9, ..voyage.clone() })
        .permission(directory.path())
        .expect("still allowed");
    forget(directory.path(), Purpose::Embedding).expect("taken back");
    assert_eq!(refused(&voyage), (terms, None));
}

#[test]
fn permission_is_bound_to_its_plan() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(items, 4, []);
    let leave = plan(&settings("vllm", &server.url)).permission(directory.path()).expect("it stays here");
    let other = plan(&Embed { model: Some("other".into()), ..settings("vllm", &server.url) });
    let error = other.connect(&leave, &|_| None, None, Arc::new(Calm::default())).expect_err("another model");
    assert!(matches!(error, ProviderError::NotAllowed { .. }), "{error}");
    assert!(server.seen().is_empty());
}

#[test]
fn local_endpoint_needs_no_consent_but_gets_no_key_without_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(items, 4, []);
    let plan = plan(&settings("openai", &server.url));
    let variables = |_: &str| Some(KEY.to_owned());
    let ask = || {
        let leave = plan.permission(directory.path()).expect("it stays here");
        let provider =
            plan.connect(&leave, &variables, Some(4), Arc::new(Calm::default())).expect("connected");
        provider.embed(&["a"], Role::Query).expect("it answers");
    };
    ask();
    allow(directory.path(), Purpose::Embedding, &plan.terms()).expect("kept");
    ask();
    let keys: Vec<bool> =
        server.seen().iter().map(|request| request.header("authorization").is_some()).collect();
    assert_eq!(keys, [false, true]);
}

#[test]
fn missing_key_error_names_the_variable() {
    let directory = tempfile::tempdir().expect("a directory");
    let plan = plan(&Embed { provider: Some("cohere".into()), ..Embed::default() });
    allow(directory.path(), Purpose::Embedding, &plan.terms()).expect("kept");
    let leave = plan.permission(directory.path()).expect("allowed");
    let error = plan.connect(&leave, &|_| None, None, Arc::new(Calm::default())).expect_err("no key");
    assert_eq!(error.to_string(), "Cohere needs a key: set the variable CO_API_KEY");
}

#[test]
fn invalid_settings_are_errors() {
    let of = |provider: &str, model: Option<&str>, url: Option<&str>| {
        let settings = Embed {
            provider: Some(provider.into()),
            model: model.map(Into::into),
            url: url.map(Into::into),
            ..Embed::default()
        };
        Plan::from_settings(&settings).expect_err("wrong").to_string()
    };
    assert_eq!(of("voyag", None, None), "unknown provider `voyag`; did you mean `voyage`?");
    assert_eq!(of("vllm", None, None), "vLLM has no default model: set embed.model");
    assert!(of("openai-compatible", Some("m"), None).contains("set embed.url"));
    let secret = of("ollama", None, Some("https://me:hunter2@host"));
    assert!(
        secret.contains("keys come only from the environment") && !secret.contains("hunter2"),
        "{secret}"
    );
}

/// Everything this crate can say or write, gathered while a server quotes the key wherever it can.
#[test]
fn key_never_appears_in_output_or_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut said = String::new();
    let quoting = [
        Act::Echo(400),
        Act::Echo(401),
        Act::Echo(404),
        Act::Echo(413),
        Act::Echo(500),
        Act::Echo(200),
        Act::Say(302, vec![("location", format!("http://x/{KEY}"))], KEY.into()),
        Act::Say(200, vec![], format!("{{\"data\":\"{KEY}\"}}")),
        Act::Cut,
    ];
    for act in quoting {
        for role in [Role::Query, Role::Passage] {
            let server = Server::new(items, 4, vec![act.clone(); 6]);
            let chosen = settings("voyage", &server.url);
            let _ = write!(said, "{:?} {:?}", plan(&chosen), plan(&chosen).terms());
            let provider = connect(&chosen, directory.path(), Some(4), &Arc::default()).expect("connected");
            let _ = write!(said, "{provider:?} {:#?} {:?}", provider, provider.model());
            let asked =
                provider.embed(&["a text that is long enough to be halved ".repeat(20).as_str()], role);
            let _ = write!(said, "{asked:?}");
            if let Err(error) = asked {
                let _ = write!(said, "{error} {error:#?}");
            }
            let connected = connect(&chosen, directory.path(), None, &Arc::default());
            let _ = write!(said, "{connected:?}");
            if let Err(error) = connected {
                let _ = write!(said, "{error}");
            }
            assert!(server.seen().iter().all(|request| request.header("authorization").is_some()));
        }
    }
    for entry in fs::read_dir(directory.path()).expect("the directory") {
        said.push_str(&fs::read_to_string(entry.expect("an entry").path()).expect("text"));
    }
    assert!(
        said.contains("is not accepted") && said.contains("api.voyageai.com") | said.contains("127.0.0.1")
    );
    assert!(said.contains("Bearer …"), "the server did quote it");
    let part = &KEY[3..12];
    assert!(!said.contains(part), "{}", &said[said.find(part).unwrap_or(0).saturating_sub(200)..]);
}

#[test]
fn terms_describe_provider_url_and_model() {
    let terms = Terms { provider: "nomic".into(), url: "https://a/b".into(), model: "m".into() };
    let error = ProviderError::NotAllowed { terms: Box::new(terms), instead: None };
    assert_eq!(
        error.to_string(),
        "nothing was sent: nomic at https://a/b with m has not been allowed for this project"
    );
}
