//! Loading, merging and rejecting settings; reads as a manual of the settings files.
#![expect(clippy::unwrap_used, reason = "a test that cannot create its files fails")]

use expect_test::{Expect, expect};
use orient_settings::{
    Loaded, Override, RepositoryPermission, Settings, SettingsError, Sources, keys, reference,
};
use std::fmt::Write;
use std::fs;
use tempfile::TempDir;

/// A user file, a repository file, variables and flags, each given as text.
struct Machine {
    dir: TempDir,
    sources: Sources,
}

impl Machine {
    fn new(user: &str, repository: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("repo");
        fs::create_dir(&root).unwrap();
        let user_file = dir.path().join("config.toml");
        for (path, text) in [(user_file.clone(), user), (root.join(".orient.toml"), repository)] {
            if !text.is_empty() {
                fs::write(path, text).unwrap();
            }
        }
        let sources = Sources {
            user_file: Some(user_file),
            repository: Some(root.clone()),
            working_dir: root,
            ..Sources::default()
        };
        Self { dir, sources }
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

    /// The ignored entries with their reasons, then the note that summarises them.
    #[track_caller]
    fn check_ignored(&self, expected: &Expect) {
        let loaded = load(&self.sources).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.settings, Settings::default(), "nothing has an effect");
        let mut lines = String::new();
        for ignored in &loaded.ignored {
            let _ = writeln!(lines, "{}: {}", ignored.location, ignored.reason);
        }
        for note in &loaded.notes {
            let _ = writeln!(lines, "note: {note}");
        }
        expected.assert_eq(&self.normalize(&lines));
    }

    /// Replaces the directories of this machine by fixed names.
    fn normalize(&self, text: &str) -> String {
        let text = text.replace(&*self.dir.path().to_string_lossy(), "TMP");
        match orient_settings::user_file() {
            Some(file) => text.replace(&file.display().to_string(), "USER"),
            None => text,
        }
    }

    /// The problems, or every value that is not the default, with the temporary directory shown as `TMP`.
    #[track_caller]
    fn check(&self, expected: &Expect) {
        let shown = match load(&self.sources) {
            Err(error) => format!("{error}\n"),
            Ok(loaded) => {
                let mut lines = String::new();
                for setting in loaded.origins.iter().filter(|setting| !setting.origin.location.is_empty()) {
                    let _ =
                        writeln!(lines, "{} = {} ({})", setting.key.path(), setting.value, setting.origin);
                }
                for note in &loaded.notes {
                    let _ = writeln!(lines, "note: {note}");
                }
                lines
            }
        };
        expected.assert_eq(&self.normalize(&shown));
    }
}

/// Loads settings without a validator.
fn load(sources: &Sources) -> Result<Loaded, SettingsError> {
    orient_settings::load(sources, &|_| Ok(()))
}

#[test]
fn all_settings_are_optional() {
    let machine = Machine::new("", "");
    assert_eq!(machine.settings(), Settings::default());
    machine.check(&expect![""]);
}

#[test]
fn later_source_replaces_earlier_one() {
    let user = "[index]\nthreads = 1\nexclude = ['a', 'b']\nmax_file_size = 4096\n";
    let repository = "[index]\nexclude = ['c']\n\n[limits]\nmemory = '128MiB'\n";
    let machine = Machine::new(user, repository);
    machine.check(&expect![[r#"
        index.exclude = ["c", "a", "b"] (TMP/repo/.orient.toml:2)
        index.max_file_size = "4KiB" (TMP/config.toml:4)
        index.threads = 1 (TMP/config.toml:2)
        limits.memory = "128MiB" (TMP/repo/.orient.toml:5)
    "#]]);
    let machine = machine.variable("ORIENT_INDEX_THREADS", "3");
    assert_eq!(machine.settings().index.threads, 3);
    let machine = machine.flag("index.threads", "4");
    assert_eq!(machine.settings().index.threads, 4);
}

#[test]
fn every_setting_has_an_environment_variable() {
    let mut machine = Machine::new("", "");
    for key in keys() {
        assert_eq!(key.env(), format!("ORIENT_{}", key.path().to_uppercase().replace('.', "_")));
        machine = machine.variable(&key.env(), key.example.trim_matches('"'));
    }
    let loaded = load(&machine.sources).unwrap_or_else(|error| panic!("{error}"));
    assert!(loaded.origins.iter().all(|setting| setting.origin.location == setting.key.env()));
}

#[test]
fn every_example_is_valid_in_a_file() {
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
fn unknown_setting_suggests_the_most_similar_one() {
    let user = "treads = 4\nmemory = 1\n[index]\nexlude = []\ncolour = 1\n[stoer]\n[limits]\nthreads = 2\n";
    Machine::new(user, "").check(&expect![[r"
        TMP/config.toml:1: unknown setting `treads`; did you mean `index.threads`?
        TMP/config.toml:2: unknown setting `memory`; did you mean `limits.memory`?
        TMP/config.toml:4: unknown setting `index.exlude`; did you mean `index.exclude`?
        TMP/config.toml:5: unknown setting `index.colour`; known settings: index.exclude, index.max_file_size, index.nested_repositories, index.generated, index.vendored, index.languages, index.threads, symbols.roles, store.dir, store.commits, seed.index, workspace.roots, remote.url, remote.token_file, limits.memory, watch.min_files, watch.idle, watch.branches, history.commits, history.age, history.background, serve.redact, task.fail_closed, task.agreements_in_repository, enrich.layer, enrich.servers, enrich.background, enrich.exclude, enrich.memory, embed.provider, embed.model, embed.url, embed.dimensions, embed.batch, embed.concurrency, embed.timeout, explain.provider, explain.model, explain.url, explain.sampling, explain.timeout
        TMP/config.toml:6: unknown setting `stoer`; did you mean `store`?
        TMP/config.toml:8: unknown setting `limits.threads`; did you mean `index.threads`?
    "]]);
}

#[test]
fn unknown_variable_suggests_the_most_similar_one() {
    Machine::new("", "").variable("ORIENT_INDEX_TREADS", "1").variable("ORIENT_INDEX_COLOUR", "1").check(
        &expect![[r"
            ORIENT_INDEX_COLOUR: unknown setting `ORIENT_INDEX_COLOUR`; known settings: index.exclude, index.max_file_size, index.nested_repositories, index.generated, index.vendored, index.languages, index.threads, symbols.roles, store.dir, store.commits, seed.index, workspace.roots, remote.url, remote.token_file, limits.memory, watch.min_files, watch.idle, watch.branches, history.commits, history.age, history.background, serve.redact, task.fail_closed, task.agreements_in_repository, enrich.layer, enrich.servers, enrich.background, enrich.exclude, enrich.memory, embed.provider, embed.model, embed.url, embed.dimensions, embed.batch, embed.concurrency, embed.timeout, explain.provider, explain.model, explain.url, explain.sampling, explain.timeout
            ORIENT_INDEX_TREADS: unknown setting `ORIENT_INDEX_TREADS`; did you mean `ORIENT_INDEX_THREADS`?
        "]],
    );
    Machine::new("", "").variable("ORIENT_STROE", "/x").variable("ORIENT_LOG", "debug").check(&expect![[r"
        note: the variable ORIENT_STROE is not a setting; did you mean ORIENT_STORE?
    "]]);
}

#[test]
fn boolean_accepts_only_true_or_false() {
    let flag = |value: &str| format!("[index]\nnested_repositories = {value}\n");
    Machine::new(&flag("true"), "").check(&expect![[r"
        index.nested_repositories = true (TMP/config.toml:2)
    "]]);
    Machine::new(&flag("3"), "").check(&expect![[r"
        TMP/config.toml:2: index.nested_repositories: expected true or false, not 3; example: nested_repositories = true
    "]]);
}

#[test]
fn invalid_value_error_contains_an_example() {
    let user = "[index]\nthreads = 'many'\nmax_file_size = '2 parsecs'\nexclude = [1]\ngenerated = ['a[']\n\
                      languages = ['x']\n[limits]\nmemory = '1KB'\n";
    Machine::new(user, "").variable("ORIENT_INDEX_THREADS", "-1").check(&expect![[r#"
        TMP/config.toml:2: index.threads: "many" is not an integer; example: threads = 4
        TMP/config.toml:3: index.max_file_size: "2 parsecs" is not a size; example: max_file_size = "2MiB"
        TMP/config.toml:4: index.exclude: expected each glob to be a string, not 1; example: exclude = ["third_party/", "*.min.js"]
        TMP/config.toml:5: index.generated: "a[" is not a glob: unclosed character class; missing ']'; example: generated = ["**/*.pb.go", "gen/**"]
        TMP/config.toml:6: index.languages: expected a table from glob to language, not a list; example: languages = { "*.inc" = 'php' }
        TMP/config.toml:8: limits.memory: 1000 is too small; the minimum is 64MiB; example: memory = "512MiB"
        ORIENT_INDEX_THREADS: index.threads: "-1" is not an integer; example: 4
    "#]]);
}

#[test]
fn syntax_error_is_reported_with_its_line() {
    Machine::new("[index]\nthreads = = 1\n", "").check(&expect![[r"
        TMP/config.toml:2: not valid TOML: extra `=`, expected nothing
    "]]);
}

#[test]
fn repository_permission_of_every_setting_is_enforced() {
    for key in keys() {
        // A list of one entry, or a size below every default.
        let value = match key.kind {
            "list of globs" => "['x/']",
            "table from glob to language" => "{ '*.x' = 'php' }",
            "size" => "'64MiB'",
            _ => key.example,
        };
        let value = if key.path() == "index.max_file_size" { "1" } else { value };
        let machine = Machine::new("", &format!("[{}]\n{} = {value}\n", key.section, key.name));
        let loaded = load(&machine.sources).unwrap_or_else(|error| panic!("{error}"));
        if key.repository == RepositoryPermission::Deny {
            assert_eq!(loaded.settings, Settings::default(), "{}", key.path());
            let [ignored] = &*loaded.ignored else { panic!("{} is ignored with a note", key.path()) };
            assert!(
                ignored.reason.contains(&key.path()) && ignored.reason.contains(&key.env()),
                "{}",
                ignored.reason
            );
            assert!(ignored.location.ends_with(".orient.toml:2"), "{}", ignored.location);
        } else {
            assert_ne!(loaded.settings, Settings::default(), "{}", key.path());
            assert!(loaded.ignored.is_empty() && loaded.notes.is_empty(), "{}", key.path());
        }
    }
}

/// Entries that a repository may not set, and the notes about them. They have no effect and never make a command fail.
#[test]
fn forbidden_repository_entries_are_ignored_with_a_note() {
    let cases = [
        (
            "[store]\ndir = 'inside'\n",
            expect![[r"
                TMP/repo/.orient.toml:2: a repository may not set store.dir; to set it, write it to USER or set ORIENT_STORE_DIR
                note: store.dir is ignored in TMP/repo/.orient.toml: only the user may set it, in USER; `orient config` shows why
            "]],
        ),
        (
            "[index]\nmax_file_size = '1GiB'\nthreads = 999\n[limits]\nmemory = '64GiB'\n",
            expect![[r#"
                TMP/repo/.orient.toml:2: a repository may only lower index.max_file_size, which is "2MiB"; to set it, write it to USER or set ORIENT_INDEX_MAX_FILE_SIZE
                TMP/repo/.orient.toml:3: a repository may not set index.threads; to set it, write it to USER or set ORIENT_INDEX_THREADS
                TMP/repo/.orient.toml:5: a repository may only lower limits.memory, which is "512MiB"; to set it, write it to USER or set ORIENT_LIMITS_MEMORY
                note: index.max_file_size, index.threads and 1 more are ignored in TMP/repo/.orient.toml: only the user may set them, in USER; `orient config` shows why
            "#]],
        ),
        (
            "[index]\nexclude = ['!secrets/']\n",
            expect![[r"
                TMP/repo/.orient.toml:2: index.exclude: a repository may only add entries; one that begins with `!` removes others
                note: index.exclude is ignored in TMP/repo/.orient.toml: only the user may set it, in USER; `orient config` shows why
            "]],
        ),
        (
            "[index]\n\"e\\u001b[2Jxlude\" = []\nexclude = 'a['\n[stoer]\nx = 1\n",
            expect![[r#"
                TMP/repo/.orient.toml:2: unknown setting `index.e�[2Jxlude`; known settings: index.exclude, index.max_file_size, index.nested_repositories, index.generated, index.vendored, index.langua…
                TMP/repo/.orient.toml:3: index.exclude: "a[" is not a glob: unclosed character class; missing ']'; example: exclude = ["third_party/", "*.min.js"]
                TMP/repo/.orient.toml:4: unknown setting `stoer`; did you mean `store`?
                note: index.exclude and 2 unknown entries are ignored in TMP/repo/.orient.toml: only the user may set it, in USER; `orient config` shows why
            "#]],
        ),
        (
            "[index]\nthreads = = 1\n",
            expect![[r"
                TMP/repo/.orient.toml:2: not valid TOML: extra `=`, expected nothing
                note: entries of TMP/repo/.orient.toml that are not valid are ignored; `orient config` shows why
            "]],
        ),
    ];
    for (repository, expected) in cases {
        Machine::new("", repository).check_ignored(&expected);
    }
}

#[test]
fn repository_cannot_remove_user_exclusions() {
    let machine = Machine::new("[index]\nexclude = ['secrets/']\n", "[index]\nexclude = []\n");
    assert_eq!(machine.settings().index.exclude, ["secrets/"]);
    let machine = Machine::new("[index]\nmax_file_size = '1KiB'\n", "[index]\nmax_file_size = '1MiB'\n");
    assert_eq!(machine.settings().index.max_file_size.bytes(), 1024);
}

#[test]
fn thousands_of_invalid_entries_are_summarised() {
    let entries: Vec<String> = (0..3000).map(|n| format!("key{n} = 1\n")).collect();
    let machine = Machine::new("", &entries.concat());
    let loaded = load(&machine.sources).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((loaded.ignored.len(), loaded.notes.len()), (21, 1));
    let machine = Machine::new("", &"#".repeat(100_000));
    machine.check_ignored(&expect![[r"
        TMP/repo/.orient.toml: the file is larger than 64KiB
        note: entries of TMP/repo/.orient.toml that are not valid are ignored; `orient config` shows why
    "]]);
}

#[cfg(unix)]
#[test]
fn symbolic_link_is_not_followed() {
    let machine = Machine::new("", "");
    let root = machine.sources.repository.clone().unwrap();
    fs::write(machine.dir.path().join("secret"), "[index]\nsecret = 'words'\n").unwrap();
    std::os::unix::fs::symlink("../secret", root.join(".orient.toml")).unwrap();
    machine.check_ignored(&expect![[r"
        TMP/repo/.orient.toml: TMP/repo/.orient.toml is a symbolic link, and links are not followed here: remove it
        note: entries of TMP/repo/.orient.toml that are not valid are ignored; `orient config` shows why
    "]]);
}

#[test]
fn entry_that_fails_validation_is_ignored() {
    let machine = Machine::new("", "[index]\nlanguages = { '*.x' = 'klingon' }\nexclude = ['a']\n");
    let check = |settings: &Settings| {
        let known = settings.index.languages.is_empty();
        if known { Ok(()) } else { Err("there is no language `klingon`".to_owned()) }
    };
    let loaded = orient_settings::load(&machine.sources, &check).unwrap_or_else(|error| panic!("{error}"));
    assert!(loaded.settings.index.languages.is_empty());
    assert_eq!(loaded.settings.index.exclude, ["a"]);
    assert_eq!(loaded.ignored[0].reason, "index.languages: there is no language `klingon`");
}

#[test]
fn store_directory_can_be_set_in_three_ways() {
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
fn reference_page_documents_every_setting() {
    let page = reference();
    for key in keys() {
        assert!(page.contains(&key.path()) && page.contains(&key.env()) && page.contains(&key.doc()));
        if let RepositoryPermission::Add { reason } | RepositoryPermission::Lower { reason } = key.repository
        {
            assert!(page.contains(reason), "{}: the page gives the reason", key.path());
        }
        assert!(key.doc().ends_with('.'), "{}: the documentation ends with a full stop", key.path());
    }
}
