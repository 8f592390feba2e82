//! Answers while the first index is still being built: from a provisional index of what the question is about.

use crate::answer::{Cause, Doubt};
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::count;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use orient_engine::{Engine, EngineError, ProvisionalIndex, Snapshot};
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// How long a provisional index may take.
const BUDGET: Duration = Duration::from_secs(4);
/// Shorter words are in most files.
const MIN_WORD: usize = 3;

/// What a session needs to answer before there is an index.
#[derive(Default)]
pub(super) struct ProvisionalState {
    /// The words of the question.
    words: RefCell<Vec<String>>,
    /// Whether a part of the files can answer the question, as far as they go.
    is_possible: Cell<bool>,
    /// Where the index stands that is being built. Without it, the session waits.
    progress: RefCell<Option<String>>,
    index: OnceCell<ReadPart>,
}

struct ReadPart {
    engine: Arc<Engine>,
    doubt: Doubt,
}

impl Session<'_> {
    /// The same session, which answers from what it can read in a few seconds if there is no index yet. `progress` says where the index
    /// stands that is being built.
    #[must_use]
    pub fn without_waiting(self, progress: String) -> Self {
        self.provisional.progress.replace(Some(progress));
        self
    }

    /// Sets what the question is about, in this root and in the others.
    pub(crate) fn ask_about(&self, words: &[String]) {
        for root in self.roots() {
            root.provisional.words.replace(words.to_vec());
        }
    }

    /// Sets whether a part of the files can answer the question, as far as they go.
    pub(crate) fn set_provisional(&self, is_possible: bool) {
        self.provisional.is_possible.set(is_possible);
    }

    /// Whether the session gives up waiting for the first index when a part of the files can answer.
    pub(super) fn may_be_provisional(&self) -> bool {
        self.provisional.is_possible.get() && self.revision.is_none()
    }

    /// Where the index stands that is being built, if the session does not wait for it.
    pub(super) fn awaited_progress(&self) -> Option<String> {
        self.provisional.progress.borrow().clone().filter(|_| self.may_be_provisional())
    }

    /// Whether answers are from a provisional index.
    pub(super) fn is_provisional(&self) -> bool {
        self.provisional.index.get().is_some()
    }

    /// A snapshot of the provisional index of this session, if it has one.
    pub(super) fn provisional_snapshot(&self) -> Option<Result<Snapshot, EngineError>> {
        Some(self.provisional.index.get()?.engine.snapshot())
    }

    /// Makes the provisional index of this session.
    pub(super) fn index_provisionally(&self, progress: &str) -> Result<Snapshot, ToolError> {
        let words = self.provisional.words.borrow().clone();
        let ProvisionalIndex { engine, read, resolved, files } =
            self.engine()?.provisional(&words, BUDGET, self.cancel)?;
        let (read, unread) = (read as u64, files.saturating_sub(read) as u64);
        let text = format!(
            "the first index is being built ({progress}); this answer is from {} of {} files, of which {} are resolved, without the others",
            count(read),
            count(read + unread),
            count(resolved as u64),
        );
        let doubt = Doubt::new(Cause::Pending, unread, text).remedy("ask again in a moment");
        let part = self.provisional.index.get_or_init(|| ReadPart { engine: Arc::new(engine), doubt });
        Ok(part.engine.snapshot()?)
    }

    /// The doubts of answers from provisional indexes, of this root and of the others.
    pub(crate) fn provisional_doubts(&self) -> Vec<Doubt> {
        self.roots().iter().filter_map(|root| Some(root.provisional.index.get()?.doubt.clone())).collect()
    }
}

/// The words of the arguments that a command was given, without those that all commands have.
pub(crate) fn words_of_command(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let mut words = Vec::new();
    for id in command.get_arguments().map(|argument| argument.get_id().as_str()) {
        let values = matches.try_get_raw(id).ok().flatten();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = values.into_iter().flatten().filter(|_| is_given);
        given.for_each(|value| add_words(&value.to_string_lossy(), &mut words));
    }
    words
}

fn add_words(text: &str, words: &mut Vec<String>) {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_word = |word: &&str| word.len() >= MIN_WORD && !word.bytes().all(|byte| byte.is_ascii_digit());
    for word in parts.filter(is_word) {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OPERATIONS;
    use crate::error::Code;
    use crate::session::SessionOptions;
    use crate::session::open_tree::OpenTree;
    use orient_engine::{Cancel, Freshness, NoProgress, Progress, RefreshOptions, RefreshReport};
    use orient_settings::Override;
    use serde_json::{Value, json};

    /// A first index that somebody else is building.
    struct Awaited;

    impl Freshness for Awaited {
        fn catch_up(
            &self,
            _engine: &Engine,
            _options: &RefreshOptions,
            _progress: &dyn Progress,
        ) -> Result<RefreshReport, EngineError> {
            Err(EngineError::Busy { holder: None, waited: Duration::ZERO })
        }
    }

    /// Asks while the index is built: a session that waits no longer if there is progress to tell.
    fn ask(operation: &str, arguments: Value, progress: Option<&str>) -> Result<Value, ToolError> {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("tree");
        std::fs::create_dir(&root).expect("made");
        for (path, text) in [
            ("cart.py", "def total(items):\n    return sum(items)\n"),
            ("order.py", "import cart\n\ndef price():\n    return cart.total([])\n"),
            ("other.py", "def unrelated():\n    pass\n"),
        ] {
            std::fs::write(root.join(path), text).expect("written");
        }
        let store = directory.path().join("store").display().to_string();
        let overrides = vec![Override { key: "store.dir".into(), value: store, flag: "--store".into() }];
        let options =
            SessionOptions { start: root.clone(), directory: root, overrides, force: 0, refresh: true };
        let tree = OpenTree::open(options, |_, _| Arc::new(Awaited)).expect("it can be opened");
        let cancel = Cancel::default();
        let mut session = Session::for_tree(&tree, &NoProgress, &cancel);
        if let Some(progress) = progress {
            session = session.without_waiting(progress.to_owned());
        }
        let operation = OPERATIONS.iter().find(|one| one.name == operation).expect("it is in the table");
        let reply = operation.call(&session, arguments)?;
        let mut written = Vec::new();
        reply.json(&mut written).expect("it is written");
        Ok(serde_json::from_slice(&written).expect("it is JSON"))
    }

    #[test]
    fn a_question_about_a_name_is_answered_from_the_files_that_have_it_and_is_never_complete() {
        let answer =
            ask("callers", json!({ "symbol": "total" }), Some("parsing 2 of 3 files")).expect("an answer");
        assert!(answer["data"].to_string().contains("price"), "{answer}");
        assert_eq!(answer["complete"], false, "{answer}");
        let reasons = answer["reasons"].to_string();
        assert!(
            reasons.contains("parsing 2 of 3 files") && reasons.contains("from 2 of 3 files"),
            "{answer}"
        );
        let answer = ask("symbols", json!({ "name": "total" }), Some("starting")).expect("an answer");
        assert_eq!(answer["data"]["symbols"][0]["handle"], "cart.py#total", "{answer}");
    }

    #[test]
    fn a_name_that_was_not_found_yet_may_be_in_what_was_not_read() {
        let answer = ask("callers", json!({ "symbol": "nowhere" }), Some("starting")).expect("an answer");
        assert_eq!(
            (&answer["data"]["found"], &answer["complete"]),
            (&json!("none"), &json!(false)),
            "{answer}"
        );
        assert!(answer["reasons"].to_string().contains("from 0 of 3 files"), "{answer}");
    }

    #[test]
    fn a_question_about_all_files_waits_for_the_index() {
        let error = ask("unused", json!({}), Some("starting")).expect_err("no index");
        assert_eq!(error.code(), Code::Busy, "a part of the files says nothing about what is unused");
        let error = ask("callers", json!({ "symbol": "total" }), None).expect_err("no index");
        assert_eq!(error.code(), Code::Busy, "the server waits a moment first");
    }

    #[test]
    fn the_words_of_a_question_are_what_may_be_a_name_or_a_part_of_a_path() {
        let operation = OPERATIONS.iter().find(|one| one.name == "callers").expect("it is in the table");
        let typed = ["callers", "shop/cart.py#Cart.total", "--depth", "2", "--role", "src,is,1000"];
        let words = words_of_command(&operation.command(), &operation.command().get_matches_from(typed));
        assert_eq!(words, ["shop", "cart", "Cart", "total", "src"]);
    }
}
