//! Random edits of a tree for property tests.

use super::{put, settle};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// An edit of a tree. Numbers are taken modulo what exists.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Write a file, new or existing.
    Write {
        path: usize,
        text: usize,
    },
    /// Append a definition to a file.
    Append {
        file: usize,
        text: usize,
    },
    /// Prepend something to a file, so that every line moves.
    Prepend {
        file: usize,
    },
    Delete {
        file: usize,
    },
    Move {
        file: usize,
        path: usize,
    },
    /// Move content to another name, possibly with an edit.
    Copy {
        file: usize,
        path: usize,
    },
    RenameDirectory {
        from: usize,
        to: usize,
    },
    Touch {
        file: usize,
    },
    /// Switch branches: replace all files, some by equal ones.
    Swap {
        seed: usize,
        count: usize,
    },
    Ignore {
        pattern: usize,
    },
    Binary {
        path: usize,
    },
    Large {
        path: usize,
    },
    Link {
        path: usize,
    },
    /// Turn a directory into a repository, as `git clone` or `git worktree add` do, or back.
    Repository {
        directory: usize,
        file: bool,
    },
    /// Change the registered submodules.
    Submodules {
        directory: usize,
    },
    /// Let time pass, so that stamps can be trusted.
    Settle,
}

const DIRECTORIES: &[&str] = &["", "src/", "src/net/", "lib/", "tests/", "vendor/dep/"];
const NAMES: &[&str] = &[
    "a.py",
    "__init__.py",
    "b.go",
    "c.ts",
    "index.ts",
    "d.rs",
    "lib.rs",
    "e.java",
    "k.kt",
    "f.md",
    "g.txt",
    "h.c",
    "i.h",
    "l.cs",
    "m.rb",
    "n.php",
    "o.cpp",
    "App.vue",
    "Row.vue",
    "p.css",
    "q.html",
    "_q.html.erb",
    "views/r1/go.html.erb",
    "package.json",
    "go.mod",
    "tool",
    "Makefile",
];
pub(crate) const PATHS: usize = DIRECTORIES.len() * NAMES.len();
const PATTERNS: &[&str] = &["", "*.go\n", "src/net/\n", "*.py\n!src/a.py\n", "/lib\n"];

pub(crate) fn path(number: usize) -> String {
    let (directory, name) =
        (DIRECTORIES[number % DIRECTORIES.len()], NAMES[number / DIRECTORIES.len() % NAMES.len()]);
    format!("{directory}{name}")
}

/// A text for a file of this name: several per language, some malformed.
pub(crate) fn text(path: &str, number: usize) -> String {
    let n = number % 7;
    if n == 6 {
        return format!("{{{{ ((( unfinished {number}\n\"");
    }
    let m = (number + 1) % 6;
    match path.rsplit('.').next().unwrap_or_default() {
        "py" => format!(
            "from flask import Blueprint\nbp = Blueprint('b', __name__, url_prefix='/p{n}')\n@bp.route('/r{m}')\ndef h{n}(): pass\ndef mount(app):\n    app.register_blueprint(a.bp, url_prefix='/q')\n    app.add_url_rule('/z', view_func=f{m})\nmount(a.bp)\nimport os\nfrom src.a import C{m}, f{m} as g, each\nfrom . import a\nfrom lib import *\n\n@mark\nclass C{n}(C{m}):\n    \"\"\"Doc {n}.\"\"\"\n    def m(self, a: int = {n}) -> str:\n        self.x = g()\n        return os.path\n\ndef f{n}():\n    c = C{m}()\n    c.m(1)\n    return a.f{n}(c.x)\n\ndef each(do):\n    do({n})\n\neach(f{n})\n"
        ),
        "go" => format!(
            "package p\n\nimport \"fmt\"\nimport \"example.com/m{m}/src\"\n\n// T{n} is a type.\ntype T{n} struct {{ T{m}; A int }}\n\ntype R interface {{ Run() }}\n\nfunc (t *T{n}) Run() {{ fmt.Println({n}); use(t); src.Use(t) }}\n\nfunc use(r R) {{ r.Run() }}\n"
        ),
        "ts" => format!(
            "import {{ Router }} from 'express';\nexport const router = Router();\nrouter.get('/x{n}', f);\nrouter.use('/y{m}', lib.router);\nimport {{ K{m} as b, f }} from './c';\nimport * as lib from '../lib';\nimport p from 'p{m}';\nexport * from '../src/c';\nexport interface I{n} {{ x: number }}\nexport class K{n} extends b implements I{n} {{ x = {n}; get y() {{ return this.x }} go() {{ f(); lib.f(); p(); return this.y }} }}\nexport const f = () => new K{n}().go();\nexport function on(done) {{\n  done();\n}}\nlib.on(f);\n"
        ),
        "rs" => format!(
            "use std::io;\nuse crate::d::S{m};\nmod d;\n\n/// S{n}.\n#[derive(Debug)]\npub struct S{n} {{ a: u8 }}\n\nimpl S{n} {{ pub fn go(&self, other: S{m}) -> u8 {{ other.go(f()) }} }}\n\npub fn f() -> S{n} {{ S{n} {{ a: inner::f() }} }}\n\nmod inner {{ pub fn f() -> u8 {{ super::f().go({n}) }} }}\n"
        ),
        "java" => format!(
            "package p;\nimport java.util.List;\nclass J{n} extends J{m} {{ @Override public int m(int a) {{ return m(\"\") + new J{m}().m({n}); }} int m(String s) {{ return 0; }} }}\n"
        ),
        "kt" => format!(
            "package p\nimport p.J{m}\nclass L{n} : J{m}() {{ fun go() = m({n}) }}\nfun L{m}.more() = go()\n"
        ),
        "cs" => format!(
            "namespace A.B{n};\nusing A.B{m};\nclass D{n} : D{m} {{ void M() {{ N(); }} void N() => new D{m}().M(); }}\n"
        ),
        "vue" => format!(
            "<template><Row @click=\"f\" /><app @x=\"g{n}(1)\" /><p class=\"s{m}\" id=\"i{n}\">x</p></template>\n<script setup lang=\"ts\">\nimport Row from './Row.vue'\nimport {{ f }} from './c'\nfunction g{m}() {{ f() }}\n</script>\n<style>\n.s{n} {{ x: y }}\n</style>\n"
        ),
        "css" => {
            format!(":root {{ --v{n}: 1 }}\n.s{n} {{ x: var(--v{m}) }}\n#i{m} > a.s{m}:hover {{ x: y }}\n")
        }
        "html" => format!(
            "{{% extends \"src/q.html\" %}}\n{{% include 'q.html' %}}\n<p class=\"s{n} s{m}\" id=\"i{m}\" onclick=\"go{n}()\">x</p>\n<script>function go{m}() {{}}</script>\n"
        ),
        "erb" => format!(
            "<%= render \"q\" %>\n<% aid{n}.each do |x| %><p class=\"s{n}\"><%= x.go %></p><% end %>\n<%= render partial: \"src/q\" %>\n"
        ),
        "rb" => format!(
            "class R{n}Controller\n  def go\n    render \"r1/go\"\n  end\nend\nmodule A{n}Helper\n  def aid{m}; end\nend\nrequire_relative 'm'\nclass R{n} < R{m}\n  include Mix{m}\n  def go\n    R{m}.new.go\n    help\n  end\nend\nmodule Mix{n}\n  def help; end\nend\n"
        ),
        "php" => format!(
            "<?php\nnamespace A;\nuse A\\P{m};\nclass P{n} extends P{m} {{ function go(P{m} $p) {{ $p->go($this); return self::make(); }} static function make() {{ return new P{n}(); }} }}\n"
        ),
        "md" => format!("# Title {n}\n\nText {n}.\n\n## Part\n\nMore.\n"),
        "c" => format!(
            "#include <x{n}.h>\n#include \"i.h\"\nstruct s{n} {{ int a; }};\nint f{n}(int x) {{ return f{m}(x) + declared{m}(); }}\nint declared{n}(void) {{ return {n}; }}\n"
        ),
        "cpp" => format!(
            "#include \"i.h\"\nnamespace n {{ class X{n} : public X{m} {{ void go() {{ help{m}(); }} }}; void help{n}() {{ X{n} x; x.go(); }} }}\n"
        ),
        "h" => format!("int declared{n}(void);\nint f{n}(int x);\n"),
        "json" => {
            format!("{{ \"name\": \"p{n}\", \"main\": \"c.ts\", \"dependencies\": {{ \"q{n}\": \"*\" }} }}\n")
        }
        "mod" => format!("module example.com/m{n}\n"),
        _ => format!("line {n}\nanother\n"),
    }
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let (path, file, text) = (0..PATHS, 0..100_usize, 0..20_usize);
    prop_oneof![
        6 => (path.clone(), text.clone()).prop_map(|(path, text)| Step::Write { path, text }),
        4 => (file.clone(), text.clone()).prop_map(|(file, text)| Step::Append { file, text }),
        2 => file.clone().prop_map(|file| Step::Prepend { file }),
        3 => file.clone().prop_map(|file| Step::Delete { file }),
        3 => (file.clone(), path.clone()).prop_map(|(file, path)| Step::Move { file, path }),
        2 => (file.clone(), path.clone()).prop_map(|(file, path)| Step::Copy { file, path }),
        2 => (0..6_usize, 0..6_usize).prop_map(|(from, to)| Step::RenameDirectory { from, to }),
        2 => file.clone().prop_map(|file| Step::Touch { file }),
        1 => (0..50_usize, 0..12_usize).prop_map(|(seed, count)| Step::Swap { seed, count }),
        1 => (0..PATTERNS.len()).prop_map(|pattern| Step::Ignore { pattern }),
        1 => path.clone().prop_map(|path| Step::Binary { path }),
        1 => path.clone().prop_map(|path| Step::Large { path }),
        1 => path.prop_map(|path| Step::Link { path }),
        2 => (0..DIRECTORIES.len(), any::<bool>()).prop_map(|(directory, file)| Step::Repository { directory, file }),
        1 => (0..=DIRECTORIES.len()).prop_map(|directory| Step::Submodules { directory }),
        1 => Just(Step::Settle),
    ]
}

/// The files of the tree, sorted.
fn files(root: &Path) -> Vec<String> {
    fn visit(root: &Path, directory: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                visit(root, &entry.path(), found);
            } else if kind.is_file()
                && ![".gitignore", ".gitmodules", ".git"].iter().any(|own| entry.file_name() == *own)
            {
                found.push(entry.path().strip_prefix(root).expect("below").to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    visit(root, root, &mut found);
    found.sort();
    found
}

/// Writes a file, whatever is in the way.
pub(crate) fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let _ = fs::remove_file(root.join(path));
    let _ = fs::remove_dir_all(root.join(path));
    put(root, path, bytes);
}

pub(crate) fn apply(root: &Path, step: &Step) {
    let there = files(root);
    let pick = |number: usize| (!there.is_empty()).then(|| there[number % there.len()].clone());
    match *step {
        Step::Write { path: p, text: t } => write(root, &path(p), text(&path(p), t)),
        Step::Append { file, text: t } => {
            if let Some(file) = pick(file) {
                let mut bytes = fs::read(root.join(&file)).expect("readable");
                bytes.extend_from_slice(text(&file, t).as_bytes());
                write(root, &file, bytes);
            }
        }
        Step::Prepend { file } => {
            if let Some(file) = pick(file) {
                let old = fs::read(root.join(&file)).expect("readable");
                write(root, &file, [b"\n\n", old.as_slice()].concat());
            }
        }
        Step::Delete { file } => {
            if let Some(file) = pick(file) {
                fs::remove_file(root.join(file)).expect("removed");
            }
        }
        Step::Move { file, path: p } => {
            if let Some(file) = pick(file) {
                let bytes = fs::read(root.join(&file)).expect("readable");
                fs::remove_file(root.join(&file)).expect("removed");
                write(root, &path(p), bytes);
            }
        }
        Step::Copy { file, path: p } => {
            if let Some(file) = pick(file) {
                let bytes = fs::read(root.join(&file)).expect("readable");
                write(root, &path(p), bytes);
            }
        }
        Step::RenameDirectory { from, to } => {
            let (from, to) = (DIRECTORIES[from].trim_end_matches('/'), DIRECTORIES[to].trim_end_matches('/'));
            if !from.is_empty() && !to.is_empty() && root.join(from).is_dir() && !root.join(to).exists() {
                fs::create_dir_all(root.join(to).parent().expect("a directory")).expect("made");
                let _ = fs::rename(root.join(from), root.join(to));
            }
        }
        Step::Touch { file } => {
            if let Some(file) = pick(file) {
                let opened = fs::File::options().append(true).open(root.join(file)).expect("opens");
                opened.set_modified(std::time::SystemTime::now()).expect("touched");
            }
        }
        Step::Swap { seed, count } => swap(root, &there, seed, count),
        Step::Ignore { pattern } => put(root, ".gitignore", PATTERNS[pattern]),
        Step::Binary { path: p } => write(root, &path(p), [0, 159, 146, 150]),
        Step::Large { path: p } => write(root, &path(p), vec![b'x'; (2 << 20) + 1]),
        Step::Link { path: p } => link(root, &path(p)),
        Step::Repository { directory, file } => {
            // Inside a repository, other repositories are nested; outside, they are listed.
            if directory % 2 == 1 {
                let _ = fs::create_dir(root.join(".git"));
            }
            repository(&root.join(DIRECTORIES[directory]), file);
        }
        Step::Submodules { directory } => match DIRECTORIES.get(directory) {
            Some(directory) => put(root, ".gitmodules", format!("[submodule \"x\"]\n\tpath = {directory}\n")),
            None => drop(fs::remove_file(root.join(".gitmodules"))),
        },
        Step::Settle => settle(),
    }
}

fn repository(directory: &Path, file: bool) {
    let dot_git = directory.join(".git");
    if dot_git.exists() {
        let _ = fs::remove_file(&dot_git);
        let _ = fs::remove_dir_all(&dot_git);
    } else if file {
        fs::create_dir_all(directory).expect("made");
        fs::write(dot_git, "gitdir: elsewhere\n").expect("written");
    } else {
        fs::create_dir_all(dot_git).expect("made");
    }
}

fn swap(root: &Path, there: &[String], seed: usize, count: usize) {
    for (number, file) in there.iter().enumerate() {
        if !(number + seed).is_multiple_of(3) {
            fs::remove_file(root.join(file)).expect("removed");
        }
    }
    for number in 0..count {
        let path = path(seed * 7 + number * 11);
        write(root, &path, text(&path, seed + number));
    }
}

fn link(root: &Path, path: &str) {
    let _ = fs::remove_file(root.join(path));
    let _ = fs::remove_dir_all(root.join(path));
    fs::create_dir_all(root.join(path).parent().expect("a directory")).expect("made");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hosts", root.join(path)).expect("a link");
}

/// Reports the lines in which two dumps differ; whole dumps are too long to read.
pub(crate) fn assert_same(incremental: &str, fresh: &str, how: &str) {
    let only = |one: &str, other: &str| -> Vec<String> {
        let there: std::collections::BTreeSet<&str> = other.lines().collect();
        one.lines().filter(|line| !there.contains(line)).map(str::to_owned).collect()
    };
    if incremental != fresh {
        let (stale, missing) = (only(incremental, fresh).join("\n"), only(fresh, incremental).join("\n"));
        panic!("caught up:\n{stale}\n{how}:\n{missing}\n");
    }
}
