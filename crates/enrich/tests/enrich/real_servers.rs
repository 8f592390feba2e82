//! Real servers, if they are installed: `cargo test --package orient-enrich -- --ignored`.

use super::*;
use orient_model::{NameAnswer, ServiceStatus};

struct Texts(BTreeMap<&'static str, &'static str>, Vec<NameAnswer>);

impl RunObserver for Texts {
    fn text(&mut self, file: &FileQuestions) -> Option<String> {
        self.0.get(file.path.display().as_ref()).map(|&text| text.to_owned())
    }

    fn answered(&mut self, answers: FileAnswers, _: &FileOutcome) {
        self.1.extend(answers.answers);
    }
}

/// Asks a known server where the last use of a name in the first file is defined: the file, and the line from 1.
fn defined(name: &str, word: &str, files: &[(&'static str, &'static str)]) -> (String, u32) {
    let bench = Bench::new();
    let (root, store) = (bench.root(), bench.place.path().join("store"));
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    let servers = servers(&BTreeMap::new()).expect("the table is well formed");
    let server = servers.iter().find(|server| server.name == name).expect("known");
    let program = find(server, &root, std::env::var_os("PATH")).expect("it is installed");
    let version =
        orient_enrich::version_of(server, &program, &root, bench.place.path()).expect("it prints it");
    allow(&store, &root, server, &program, &version).expect("stored");
    let permission = permission(&store, &root, server, program).expect("allowed");
    let (path, text) = files[0];
    let at = text.rfind(word).expect("it is used");
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let (at, line, column) = (at as u32, line as u32, column as u32);
    let language = server.languages.keys().next().expect("a language").clone();
    let questions = vec![NameQuestion { at, line, column, asks: AskedRelation::Definition }];
    let asked = FileQuestions { path: path.into(), language, hash: ContentHash::default(), questions };
    let mut texts = Texts(files.iter().copied().collect(), Vec::new());
    let done = ask_files(&permission, &[asked], &Limits::default(), &|| false, &mut texts);
    assert_eq!(done.files[0].status, ServiceStatus::Full, "{done:?}");
    assert!(!root.join("ran").exists(), "it ran code of the repository");
    let place = &texts.1[0].places[0];
    let shown = place.file.strip_prefix(&root).expect("in the repository").display().to_string();
    (shown, place.line + 1)
}

#[test]
#[ignore = "needs gopls and go in PATH"]
fn gopls_follows_a_method() {
    let files = [
        ("main.go", "package main\n\nfunc main() {\n\tnewBox().Open()\n}\n"),
        (
            "box.go",
            "package main\n\ntype Box struct{}\n\nfunc newBox() *Box { return nil }\n\nfunc (b *Box) Open() {}\n",
        ),
        ("go.mod", "module example.org/x\n\ngo 1.20\n"),
    ];
    assert_eq!(defined("gopls", "Open", &files), ("box.go".to_owned(), 7));
}

#[test]
#[ignore = "needs pyright-langserver in PATH"]
fn pyright_follows_an_inferred_type() {
    let files = [
        ("a.py", "from b import make\n\nx = [make()]\nfor one in x:\n    one.go()\n"),
        ("b.py", "class Engine:\n    def go(self):\n        pass\n\ndef make():\n    return Engine()\n"),
    ];
    assert_eq!(defined("pyright", "go", &files), ("b.py".to_owned(), 2));
}

#[test]
#[ignore = "needs typescript-language-server in PATH, with typescript beside it"]
fn typescript_language_server_follows_an_inferred_type() {
    let files = [
        ("a.ts", "import { make } from './b';\nconst all = [make()].map((x) => x);\nall[0].go();\n"),
        ("b.ts", "class Engine {\n  go() {}\n}\nexport function make() {\n  return new Engine();\n}\n"),
        (
            "tsconfig.json",
            "{ \"compilerOptions\": { \"strict\": true, \"plugins\": [{ \"name\": \"./evil.js\" }] } }",
        ),
        (
            "evil.js",
            "require('fs').writeFileSync(__dirname + '/ran', 'x'); module.exports = () => ({ create: (i) => i.languageService });",
        ),
    ];
    assert_eq!(defined("typescript-language-server", "go", &files), ("b.ts".to_owned(), 2));
}

#[test]
#[ignore = "needs clangd in PATH"]
fn clangd_follows_a_declaration() {
    let files =
        [("a.c", "#include \"b.h\"\n\nint main(void) { return run(); }\n"), ("b.h", "int run(void);\n")];
    assert_eq!(defined("clangd", "run", &files), ("b.h".to_owned(), 1));
}

#[test]
#[ignore = "needs rust-analyzer and cargo in PATH"]
fn rust_analyzer_follows_a_trait_and_runs_no_build_script() {
    let files = [
        (
            "src/main.rs",
            "mod b;\nuse b::Opens;\n\nfn main() {\n    let made = b::make();\n    made.open();\n}\n",
        ),
        (
            "src/b.rs",
            "pub struct Door;\n\npub trait Opens {\n    fn open(&self);\n}\n\nimpl Opens for Door {\n    fn open(&self) {}\n}\n\n\
             pub fn make() -> Door {\n    Door\n}\n",
        ),
        ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("build.rs", "fn main() { std::fs::write(\"ran\", \"x\").unwrap(); }\n"),
    ];
    let (file, line) = defined("rust-analyzer", "open", &files);
    assert_eq!(file, "src/b.rs");
    assert!(matches!(line, 4 | 8), "the trait's method or the implementation: {line}");
}
