//! Several roots that are asked as one: every fixture is a library, `lib`, and an application, `app`, in directories of their own.

use crate::sandbox::text;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

type Files = &'static [(&'static str, &'static str)];

/// Directories beside each other, and a store.
struct Roots(TempDir);

impl Roots {
    fn new(lib: Files, app: Files) -> Self {
        let roots = Self(tempfile::tempdir().expect("a directory"));
        for (root, files) in [("lib", lib), ("app", app)] {
            for (path, text) in files {
                roots.write(&format!("{root}/{path}"), text);
            }
        }
        roots
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Runs a command in a directory.
    fn run_in(&self, directory: &Path, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_orient"))
            .current_dir(directory)
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env_remove("ORIENT_STORE")
            .args(["--store".as_ref(), self.path("store").as_os_str()])
            .args(arguments)
            .output()
            .expect("it runs")
    }

    /// Runs a command for both roots.
    fn run(&self, arguments: &[&str]) -> Output {
        self.run_in(self.0.path(), &[&["--root", "lib", "--root", "app"], arguments].concat())
    }

    fn out(&self, arguments: &[&str]) -> String {
        text(&self.run(arguments).stdout)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.run(&[arguments, &["--json"]].concat()).stdout).expect("JSON")
    }
}

/// A pair of packages: in `app`, `price` calls a function and a method of `lib`.
struct Pair {
    lib: Files,
    app: Files,
    /// The manifest of `app` without the dependency.
    without: (&'static str, &'static str),
    function: &'static str,
    method: &'static str,
    call: &'static str,
}

const NPM: Pair = Pair {
    lib: &[
        ("package.json", r#"{ "name": "@acme/tariff", "main": "src/index.js" }"#),
        (
            "src/index.js",
            "export { rate } from './rate.js';\nexport class Table { lookup(code) { return code; } }\n",
        ),
        ("src/rate.js", "export function rate(code) { return 1; }\n"),
    ],
    app: &[
        ("package.json", r#"{ "name": "shop", "dependencies": { "@acme/tariff": "^1.0.0" } }"#),
        (
            "main.js",
            "import { rate, Table } from '@acme/tariff';\nexport function price(item) {\n  const table = new Table();\n  return rate(item) + table.lookup(item);\n}\n",
        ),
    ],
    without: ("package.json", r#"{ "name": "shop" }"#),
    function: "rate",
    method: "Table.lookup",
    call: "app/main.js:4  function price",
};

const GO: Pair = Pair {
    lib: &[
        ("go.mod", "module acme.dev/tariff\n\ngo 1.22\n"),
        (
            "tax/tax.go",
            "package tax\n\ntype Table struct{}\n\nfunc (t *Table) Lookup(code string) int { return 1 }\n\nfunc Rate(code string) int { return 1 }\n\nfunc New() *Table { return &Table{} }\n",
        ),
    ],
    app: &[
        ("go.mod", "module acme.dev/shop\n\ngo 1.22\n\nrequire acme.dev/tariff v1.0.0\n"),
        (
            "main.go",
            "package main\n\nimport \"acme.dev/tariff/tax\"\n\nfunc price(item string) int {\n\ttable := tax.New()\n\treturn tax.Rate(item) + table.Lookup(item)\n}\n",
        ),
    ],
    without: ("go.mod", "module acme.dev/shop\n\ngo 1.22\n"),
    function: "Rate",
    method: "Table.Lookup",
    call: "app/main.go:7  function price",
};

const CARGO: Pair = Pair {
    lib: &[
        ("Cargo.toml", "[package]\nname = \"tariff-table\"\nversion = \"1.0.0\"\n"),
        (
            "src/lib.rs",
            "pub mod rates;\npub struct Table;\nimpl Table {\n    pub fn lookup(&self, code: &str) -> usize { code.len() }\n}\n",
        ),
        ("src/rates.rs", "pub fn rate(code: &str) -> usize { code.len() }\n"),
    ],
    app: &[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"1.0.0\"\n\n[dependencies]\ntariff-table = \"1\"\n",
        ),
        (
            "src/main.rs",
            "use tariff_table::{Table, rates::rate};\n\nfn price(item: &str) -> usize {\n    let table = Table;\n    rate(item) + table.lookup(item)\n}\n",
        ),
    ],
    without: ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"1.0.0\"\n"),
    function: "rate",
    method: "Table.lookup",
    call: "app/src/main.rs:5  function price",
};

const PYPI: Pair = Pair {
    lib: &[
        (
            "pyproject.toml",
            "[project]\nname = \"tariff_table\"\n\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n",
        ),
        (
            "src/tariff/__init__.py",
            "from .rates import rate\n\n\nclass Table:\n    def lookup(self, code): return code\n",
        ),
        ("src/tariff/rates.py", "def rate(code): return 1\n"),
    ],
    app: &[
        ("pyproject.toml", "[project]\nname = \"shop\"\ndependencies = [\"Tariff-Table>=1\"]\n"),
        (
            "main.py",
            "from tariff import rate, Table\n\n\ndef price(item):\n    table = Table()\n    return rate(item) + table.lookup(item)\n",
        ),
    ],
    without: ("pyproject.toml", "[project]\nname = \"shop\"\n"),
    function: "rate",
    method: "Table.lookup",
    call: "app/main.py:6  function price",
};

const MAVEN: Pair = Pair {
    lib: &[
        ("pom.xml", "<project><groupId>com.acme</groupId><artifactId>tariff</artifactId></project>"),
        (
            "src/main/java/com/acme/tax/Table.java",
            "package com.acme.tax;\npublic class Table {\n    public static int rate(String code) { return 1; }\n    public int lookup(String code) { return 2; }\n}\n",
        ),
    ],
    app: &[
        (
            "pom.xml",
            "<project><groupId>com.shop</groupId><artifactId>shop</artifactId><dependencies><dependency><groupId>com.acme</groupId><artifactId>tariff</artifactId></dependency></dependencies></project>",
        ),
        (
            "src/main/java/com/shop/Till.java",
            "package com.shop;\nimport com.acme.tax.Table;\nclass Till {\n    int price(String item) {\n        Table table = new Table();\n        return Table.rate(item) + table.lookup(item);\n    }\n}\n",
        ),
    ],
    without: ("pom.xml", "<project><groupId>com.shop</groupId><artifactId>shop</artifactId></project>"),
    function: "Table.rate",
    method: "Table.lookup",
    call: "app/src/main/java/com/shop/Till.java:6  method Till.price",
};

const NUGET: Pair = Pair {
    lib: &[
        ("Acme.Tariff.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>"),
        (
            "Table.cs",
            "namespace Acme.Tariff;\npublic class Table {\n    public static int Rate(string code) => 1;\n    public int Lookup(string code) => 2;\n}\n",
        ),
    ],
    app: &[
        (
            "Shop.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"Acme.Tariff\" Version=\"1.0.0\" /></ItemGroup></Project>",
        ),
        (
            "Till.cs",
            "using Acme.Tariff;\nnamespace Shop;\nclass Till {\n    int Price(string item) {\n        var table = new Table();\n        return Table.Rate(item) + table.Lookup(item);\n    }\n}\n",
        ),
    ],
    without: ("Shop.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>"),
    function: "Table.Rate",
    method: "Table.Lookup",
    call: "app/Till.cs:6  method Till.Price",
};

const COMPOSER: Pair = Pair {
    lib: &[
        (
            "composer.json",
            r#"{ "name": "acme/tariff", "autoload": { "psr-4": { "Acme\\Tariff\\": "src/" } } }"#,
        ),
        (
            "src/Table.php",
            "<?php\nnamespace Acme\\Tariff;\nclass Table {\n    public static function rate(string $code): int { return 1; }\n    public function lookup(string $code): int { return 2; }\n}\n",
        ),
    ],
    app: &[
        ("composer.json", r#"{ "name": "shop/shop", "require": { "acme/tariff": "^1.0" } }"#),
        (
            "src/Till.php",
            "<?php\nnamespace Shop;\nuse Acme\\Tariff\\Table;\nclass Till {\n    public function price(string $item): int {\n        $table = new Table();\n        return Table::rate($item) + $table->lookup($item);\n    }\n}\n",
        ),
    ],
    without: ("composer.json", r#"{ "name": "shop/shop" }"#),
    function: "Table.rate",
    method: "Table.lookup",
    call: "app/src/Till.php:7  method Till.price",
};

const PAIRS: [(&str, &Pair); 7] = [
    ("npm", &NPM),
    ("go", &GO),
    ("cargo", &CARGO),
    ("pypi", &PYPI),
    ("maven", &MAVEN),
    ("nuget", &NUGET),
    ("composer", &COMPOSER),
];

#[test]
fn a_package_that_a_manifest_requires_leads_to_the_root_that_provides_it() {
    for (ecosystem, pair) in PAIRS {
        let roots = Roots::new(pair.lib, pair.app);
        for symbol in [pair.function, pair.method] {
            let callers = roots.out(&["callers", symbol]);
            let (head, lines) = callers.split_once('\n').unwrap_or_default();
            assert!(
                head.starts_with(&format!("1 verified caller of {symbol} (lib/")),
                "{ecosystem}: {callers}"
            );
            assert_eq!(lines.trim_end(), pair.call, "{ecosystem}: {symbol}");
            let uses = roots.out(&["references", symbol, "--kind", "calls"]);
            assert!(uses.contains(pair.call), "{ecosystem}: {uses}");
        }
    }
}

#[test]
fn a_name_alone_never_joins_two_roots() {
    for (ecosystem, pair) in PAIRS {
        let roots = Roots::new(pair.lib, pair.app);
        let (manifest, text) = pair.without;
        roots.write(&format!("app/{manifest}"), text);
        for symbol in [pair.function, pair.method] {
            let callers = roots.out(&["callers", symbol]);
            assert!(
                callers.starts_with(&format!("0 verified callers of {symbol}")),
                "{ecosystem}: {callers}"
            );
            assert!(!callers.contains("app/"), "{ecosystem}: {callers}");
        }
    }
}

#[test]
fn a_function_of_the_same_name_is_not_that_of_the_package() {
    let roots = Roots::new(NPM.lib, NPM.app);
    roots.write(
        "app/main.js",
        "function rate(x) { return x; }\nexport function price(item) { return rate(item); }\n",
    );
    assert!(roots.out(&["callers", "lib/src/rate.js#rate"]).starts_with("0 verified callers"));
    let several = roots.run(&["callers", "rate"]);
    assert_eq!(several.status.code(), Some(3));
    assert_eq!(
        text(&several.stdout),
        "`rate` is ambiguous; use one of these handles:\n\
         lib/src/rate.js#rate  line 1  function  export function rate(code)\n\
         app/main.js#rate  line 1  function  function rate(x)\n"
    );
    assert!(roots.out(&["callers", "app/main.js#rate"]).contains("app/main.js:2  function price"));
}

#[test]
fn lists_cover_all_roots_in_their_order() {
    let roots = Roots::new(NPM.lib, NPM.app);
    let files = "lib/package.json\nlib/src/index.js\nlib/src/rate.js\napp/main.js\napp/package.json\n";
    assert_eq!(roots.out(&["files"]), files);
    assert_eq!(roots.out(&["files", "lib/src"]), "lib/src/index.js\nlib/src/rate.js\n");
    assert_eq!(roots.out(&["files", "*.js"]), "lib/src/index.js\nlib/src/rate.js\napp/main.js\n");
    let symbols = roots.out(&["symbols", "--kind", "function"]);
    assert_eq!(
        symbols,
        "lib/src/rate.js:1  function rate  export function rate(code)\napp/main.js:2  function price  export function price(item)\n"
    );
    let grep = roots.out(&["grep", "-n", "rate\\("]);
    let lines = "lib/src/rate.js:1:export function rate(code) { return 1; }\napp/main.js:4:  return rate(item) + table.lookup(item);\n";
    assert_eq!(grep, lines);
    assert_eq!(roots.out(&["grep", "-l", "rate", "app"]), "app/main.js\n");
    let found = roots.out(&["find", "rate($X)", "--lang", "js"]);
    assert_eq!(found, "app/main.js\n  4    return rate(item) + table.lookup(item);\n");
}

#[test]
fn a_search_ranks_the_chunks_of_all_roots_together() {
    let roots = Roots::new(NPM.lib, NPM.app);
    roots.write("app/mail.js", "// Sends the weekly newsletter to every subscriber.\nexport function sendNewsletter(list) { return list; }\n");
    let first = |question: &str| {
        let found = roots.json(&["search", question, "--limit", "3"]);
        found["data"]["hits"][0]["path"].as_str().expect("a hit").to_owned()
    };
    assert_eq!(first("send the newsletter to subscribers"), "app/mail.js");
    assert_eq!(first("Table.lookup"), "lib/src/index.js");
    let found = roots.json(&["search", "rate of a code"]);
    let scores: Vec<f64> = found["data"]["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .filter_map(|hit| hit["score"].as_f64())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let paths = roots.json(&["search", "rate", "--path", "app"]);
    let paths = paths["data"]["hits"].as_array().expect("hits");
    assert!(
        paths.iter().all(|hit| hit["path"].as_str().is_some_and(|path| path.starts_with("app/"))),
        "{paths:?}"
    );
}

#[test]
fn an_answer_about_one_root_says_which() {
    let roots = Roots::new(NPM.lib, NPM.app);
    for handle in ["app/main.js", "main.js"] {
        let outline = roots.run(&["outline", handle]);
        assert!(text(&outline.stdout).contains("price"), "{}", text(&outline.stdout));
        assert!(text(&outline.stderr).contains("note: root: app"), "{}", text(&outline.stderr));
    }
    let refused = roots.run(&["index"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`index` works on one root"), "{}", text(&refused.stderr));
}

#[test]
fn roots_that_overlap_or_are_missing_are_errors() {
    let roots = Roots::new(NPM.lib, NPM.app);
    let error = |arguments: &[&str]| {
        let output = roots.run_in(roots.0.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    assert!(error(&["--root", "lib", "--root", "app/../lib", "files"]).contains("is given twice as a root"));
    assert!(error(&["--root", "lib/src", "--root", "lib", "files"]).contains("is inside of the root"));
    assert!(error(&["--root", "lib", "--root", "nowhere", "files"]).contains("nowhere"));
}

#[test]
fn the_users_settings_name_a_workspace_and_a_repository_does_not() {
    let roots = Roots::new(NPM.lib, NPM.app);
    let stated = format!(
        "[workspace]\nroots = ['{}', '{}']\n",
        roots.path("lib").display(),
        roots.path("app").display()
    );
    roots.write("app/.orient.toml", &stated);
    let files = |directory: &str| text(&roots.run_in(&roots.path(directory), &["files", "*.js"]).stdout);
    assert_eq!(files("app"), "main.js\n", "a repository cannot make other directories part of an answer");
    fs::remove_file(roots.path("app/.orient.toml")).expect("removed");
    roots.write("config/orient/config.toml", &stated);
    assert_eq!(files("app"), "app/main.js\nlib/src/index.js\nlib/src/rate.js\n", "the own root comes first");
    assert_eq!(files("lib"), "lib/src/index.js\nlib/src/rate.js\napp/main.js\n");
    assert_eq!(files("."), "app/main.js\nlib/src/index.js\nlib/src/rate.js\n", "a directory of its own");
}
