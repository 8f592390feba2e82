//! Runs against servers that behave as a script says, and against real ones.

mod hostile_servers;
mod lifecycle;
mod real_servers;

use orient_enrich::{
    FileOutcome, Limits, Permission, RunObserver, ServerRun, allow, ask_files, find, permission, servers,
};
use orient_model::{AskedRelation, ContentHash, FileAnswers, FileQuestions, NameQuestion};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A repository with a consent to a server.
struct Bench {
    place: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(place.path().join("repo")).expect("created");
        Self { place }
    }

    fn root(&self) -> PathBuf {
        self.place.path().canonicalize().expect("it exists").join("repo")
    }

    /// The file that a scripted server writes.
    fn record(&self) -> PathBuf {
        self.place.path().join("record")
    }

    /// The permission to start a command, with the version that the user saw.
    fn permission(&self, command: &str, version: &str) -> Permission {
        let (store, root) = (self.place.path().join("store"), self.root());
        let commands = BTreeMap::from([("text".to_owned(), command.to_owned())]);
        let servers = servers(&commands).expect("one command");
        let server =
            servers.iter().find(|server| server.languages.contains_key("text")).expect("it is there");
        let program = find(server, &root, None).expect("it is built");
        allow(&store, &root, server, &program, version).expect("stored");
        permission(&store, &root, server, program).expect("allowed")
    }

    /// Asks a scripted server about three names in each of some files.
    fn ask(&self, behaviour: &str, files: usize, limits: &Limits) -> (ServerRun, Vec<FileAnswers>) {
        let program = env!("CARGO_BIN_EXE_scripted-language-server");
        let command = format!("{program} {behaviour} {}", self.record().display());
        let permission = self.permission(&command, "scripted 1.2.3");
        let files: Vec<FileQuestions> =
            (0..files).map(|number| questions(&format!("f{number}.txt"))).collect();
        let mut answers = Answers::default();
        let done = ask_files(&permission, &files, limits, &|| false, &mut answers);
        (done, answers.0)
    }
}

/// The text of all files.
const TEXT: &str = "one two three\nfour\n";

fn questions(path: &str) -> FileQuestions {
    let question = |at: u32, line, column| NameQuestion { at, line, column, asks: AskedRelation::Definition };
    FileQuestions {
        path: path.into(),
        language: "text".to_owned(),
        hash: ContentHash::default(),
        questions: vec![question(0, 0, 0), question(4, 0, 4), question(14, 1, 0)],
    }
}

#[derive(Default)]
struct Answers(Vec<FileAnswers>);

impl RunObserver for Answers {
    fn text(&mut self, file: &FileQuestions) -> Option<String> {
        (file.path != "changed.txt".into()).then(|| TEXT.to_owned())
    }

    fn answered(&mut self, answers: FileAnswers, _: &FileOutcome) {
        self.0.push(answers);
    }
}

/// Limits that a test can wait for.
fn short() -> Limits {
    Limits {
        file: Duration::from_millis(400),
        project: Duration::from_secs(3),
        backoff: Duration::from_millis(5),
        ..Limits::default()
    }
}

fn exists(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}
