//! How settings are found, merged and refused: reads as the manual of the settings files.
#![expect(clippy::unwrap_used, reason = "a test that cannot make its files has nothing to say")]

use expect_test::{Expect, expect};
use orient_settings::{Override, Settings, Sources, keys, load, reference};
use std::fmt::Write;
use std::fs;
use tempfile::TempDir;

/// A machine with a user file, a repository file, variables and flags, each given as text.
struct Machine {
    folder: TempDir,
    sources: Sources,
}

impl Machine {
    fn new(user: &str, repository: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repo");
        fs::create_dir(&root).unwrap();
        let user_file = folder.path().join("config.toml");
        for (path, text) in [(user_file.clone(), user), (root.join(".orient.toml"), repository)] {
            if !text.is_empty() {
                fs::write(path, text).unwrap();
            }
        }
        let sources = Sources {
            user_file: Some(user_file),
            repository: Some(root.clone()),
            folder: root,
            ..Sources::default()
        };
        Self { folder, sources }
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.sources.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    fn flag(mut self, key: &str, value: &str) -> Self {
        self.sources.overrides.push(Override {
            key: key.to_owned(),
            value: value.to_owned(),
            flag: "--set".to_owned(),
        });
        self
    }

    fn settings(&self) -> Settings {
        load(&self.sources).unwrap_or_else(|error| panic!("{error}")).settings
    }

    /// The problems, or every value that is not the default, with the temporary folder shown as `TMP`.
    #[track_caller]
    fn check(&self, expected: &Expect) {
        let shown = match load(&self.sources) {
            Err(error) => format!("{error}\n"),
            Ok(loaded) => {
                let mut lines = String::new();
                for setting in loaded.origins.iter().filter(|setting| !setting.origin.place.is_empty()) {
                    let _ =
                        writeln!(lines, "{} = {} ({})", setting.key.path(), setting.value, setting.origin);
                }
                for note in &loaded.notes {
                    let _ = writeln!(lines, "note: {note}");
                }
                lines
            }
        };
        expected.assert_eq(&shown.replace(&*self.folder.path().to_string_lossy(), "TMP"));
    }
}

#[test]
fn no_setting_is_needed() {
    let machine = Machine::new("", "");
    assert_eq!(machine.settings(), Settings::default());
    machine.check(&expect![""]);
}

#[test]
fn a_stronger_source_replaces_a_weaker_one() {
    let user = "[index]\nthreads = 1\nexclude = ['a', 'b']\nmax_file_size = 4096\n";
    let repository = "[index]\nthreads = 2\nexclude = ['c']\n\n[limits]\nmemory = '1GiB'\n";
    let machine = Machine::new(user, repository);
    machine.check(&expect![[r#"
        index.exclude = ["c"] (TMP/repo/.orient.toml:3)
        index.max_file_size = "4KiB" (TMP/config.toml:4)
        index.threads = 2 (TMP/repo/.orient.toml:2)
        limits.memory = "1GiB" (TMP/repo/.orient.toml:6)
    "#]]);
    let machine = machine.variable("ORIENT_INDEX_THREADS", "3");
    assert_eq!(machine.settings().index.threads, 3);
    let machine = machine.flag("index.threads", "4");
    assert_eq!(machine.settings().index.threads, 4);
}

#[test]
fn every_setting_has_a_variable() {
    let mut machine = Machine::new("", "");
    for key in keys() {
        assert_eq!(key.env(), format!("ORIENT_{}", key.path().to_uppercase().replace('.', "_")));
        machine = machine.variable(&key.env(), key.example.trim_matches('"'));
    }
    let loaded = load(&machine.sources).unwrap_or_else(|error| panic!("{error}"));
    assert!(loaded.origins.iter().all(|setting| setting.origin.place == setting.key.env()));
}

#[test]
fn every_example_can_be_written_to_a_file() {
    for key in keys() {
        let text = format!("[{}]\n{} = {}\n", key.section, key.name, key.example);
        let machine = Machine::new(&text, "");
        machine.settings();
    }
}

#[test]
fn lists_and_tables_in_variables() {
    Machine::new("", "")
        .variable("ORIENT_INDEX_EXCLUDE", "a/, *.{js,ts}")
        .variable("ORIENT_INDEX_GENERATED", r#"["x,y"]"#)
        .variable("ORIENT_INDEX_LANGUAGES", "*.inc=php, *.x = c")
        .check(&expect![[r#"
            index.exclude = ["a/", "*.{js,ts}"] (ORIENT_INDEX_EXCLUDE)
            index.generated = ["x,y"] (ORIENT_INDEX_GENERATED)
            index.languages = { "*.inc" = "php", "*.x" = "c" } (ORIENT_INDEX_LANGUAGES)
        "#]]);
}

#[test]
fn unknown_settings_are_named_with_the_nearest_known() {
    let repository =
        "treads = 4\nmemory = 1\n[index]\nexlude = []\ncolour = 1\n[stoer]\n[limits]\nthreads = 2\n";
    Machine::new("", repository).check(&expect![[r"
        TMP/repo/.orient.toml:1: unknown setting `treads`; did you mean `index.threads`?
        TMP/repo/.orient.toml:2: unknown setting `memory`; did you mean `limits.memory`?
        TMP/repo/.orient.toml:4: unknown setting `index.exlude`; did you mean `index.exclude`?
        TMP/repo/.orient.toml:5: unknown setting `index.colour`; there are index.exclude, index.max_file_size, index.nested_repositories, index.generated, index.vendored, index.languages, index.threads, store.dir, limits.memory, watch.from, watch.idle, watch.branches, embed.provider, embed.model, embed.url, embed.dimensions, embed.batch, embed.concurrency, embed.timeout
        TMP/repo/.orient.toml:6: unknown setting `stoer`; did you mean `store`?
        TMP/repo/.orient.toml:8: unknown setting `limits.threads`; did you mean `index.threads`?
    "]]);
}

#[test]
fn unknown_variables_are_named_too() {
    Machine::new("", "").variable("ORIENT_INDEX_TREADS", "1").variable("ORIENT_INDEX_COLOUR", "1").check(
        &expect![[r"
            ORIENT_INDEX_COLOUR: unknown setting `ORIENT_INDEX_COLOUR`; there are index.exclude, index.max_file_size, index.nested_repositories, index.generated, index.vendored, index.languages, index.threads, store.dir, limits.memory, watch.from, watch.idle, watch.branches, embed.provider, embed.model, embed.url, embed.dimensions, embed.batch, embed.concurrency, embed.timeout
            ORIENT_INDEX_TREADS: unknown setting `ORIENT_INDEX_TREADS`; did you mean `ORIENT_INDEX_THREADS`?
        "]],
    );
    Machine::new("", "").variable("ORIENT_STROE", "/x").variable("ORIENT_LOG", "debug").check(&expect![[r"
            note: the variable ORIENT_STROE is no setting; did you mean ORIENT_STORE?
        "]]);
}

#[test]
fn a_flag_is_true_or_false() {
    let flag = |value: &str| format!("[index]\nnested_repositories = {value}\n");
    Machine::new(&flag("true"), "").check(&expect![[r"
        index.nested_repositories = true (TMP/config.toml:2)
    "]]);
    Machine::new(&flag("3"), "").check(&expect![[r"
        TMP/config.toml:2: index.nested_repositories: true or false was expected, not 3; write for example nested_repositories = true
    "]]);
}

#[test]
fn a_bad_value_says_what_to_write_instead() {
    let repository = "[index]\nthreads = 'many'\nmax_file_size = '2 parsecs'\nexclude = [1]\ngenerated = ['a[']\n\
                      languages = ['x']\n[limits]\nmemory = '1KB'\n";
    Machine::new("", repository).variable("ORIENT_INDEX_THREADS", "-1").check(&expect![[r#"
        TMP/repo/.orient.toml:2: index.threads: "many" is not a whole number; write for example threads = 4
        TMP/repo/.orient.toml:3: index.max_file_size: "2 parsecs" is not a size; write for example max_file_size = "2MiB"
        TMP/repo/.orient.toml:4: index.exclude: each glob is a text, not 1; write for example exclude = ["third_party/", "*.min.js"]
        TMP/repo/.orient.toml:5: index.generated: "a[" is not a glob: unclosed character class; missing ']'; write for example generated = ["**/*.pb.go", "gen/**"]
        TMP/repo/.orient.toml:6: index.languages: a table of glob to language was expected, not a list; write for example languages = { "*.inc" = 'php' }
        TMP/repo/.orient.toml:8: limits.memory: 1000 is too little to work with; the least is 64MiB; write for example memory = "512MiB"
        ORIENT_INDEX_THREADS: index.threads: "-1" is not a whole number; write for example 4
    "#]]);
}

#[test]
fn a_file_that_is_not_toml_is_reported_with_its_line() {
    Machine::new("[index]\nthreads = = 1\n", "").check(&expect![[r"
        TMP/config.toml:2: not valid TOML: extra `=`, expected nothing
    "]]);
}

#[test]
fn the_store_of_a_repository_file_stays_inside_the_repository() {
    Machine::new("", "[store]\ndir = '.orient'\n").check(&expect![[r#"
        store.dir = "TMP/repo/.orient" (TMP/repo/.orient.toml:2)
    "#]]);
    for outside in ["/tmp", "../x", "~/x", "a/../../x"] {
        let machine = Machine::new("", &format!("[store]\ndir = '{outside}'\n"));
        let error = load(&machine.sources).err().expect(outside).to_string();
        assert!(error.contains("inside itself"), "{outside}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_the_store_or_the_file_outside() {
    let machine = Machine::new("", "[store]\ndir = 'link/x'\n");
    let root = machine.sources.repository.clone().unwrap();
    std::os::unix::fs::symlink("/tmp", root.join("link")).unwrap();
    assert!(load(&machine.sources).is_err());

    let machine = Machine::new("", "");
    let root = machine.sources.repository.clone().unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.join(".orient.toml")).unwrap();
    machine.check(&expect![[r"
        cannot read the settings in TMP/repo/.orient.toml: it is not a plain file
    "]]);
}

#[test]
fn the_store_can_be_given_in_three_ways() {
    Machine::new("", "").variable("ORIENT_STORE", "/a").check(&expect![[r#"
        store.dir = "/a" (ORIENT_STORE)
    "#]]);
    Machine::new("", "").variable("ORIENT_STORE", "/a").variable("ORIENT_STORE_DIR", "/b").check(&expect![[
        r#"
        store.dir = "/b" (ORIENT_STORE_DIR)
    "#
    ]]);
    Machine::new("", "").flag("store.dir", "rel").check(&expect![[r#"
        store.dir = "TMP/repo/rel" (--set)
    "#]]);
}

#[test]
fn the_reference_page_names_every_setting() {
    let page = reference();
    for key in keys() {
        assert!(page.contains(&key.path()) && page.contains(&key.env()) && page.contains(&key.doc()));
        assert!(key.doc().ends_with('.'), "{}: the documentation is a sentence", key.path());
    }
}
