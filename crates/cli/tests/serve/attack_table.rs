//! Generates the table of attacks in `crates/serve/ATTACKS.md` from the tests.

use std::fmt::Write;
use std::path::Path;

/// The section titles and the files with attacks.
const FILES: &[(&str, &str, &str)] = &[
    ("The protocol", "serve/malformed_messages.rs", include_str!("malformed_messages.rs")),
    ("Arguments", "serve/arguments.rs", include_str!("arguments.rs")),
    ("Path traversal", "serve/path_traversal.rs", include_str!("path_traversal.rs")),
    ("Prompt injection", "serve/prompt_injection.rs", include_str!("prompt_injection.rs")),
    ("A hostile repository", "serve/hostile_repository.rs", include_str!("hostile_repository.rs")),
    ("HTTP", "serve/http_attacks.rs", include_str!("http_attacks.rs")),
    (
        "Settings of a repository",
        "attacks/hostile_settings.rs",
        include_str!("../attacks/hostile_settings.rs"),
    ),
    ("Links in a store", "attacks/symlinks.rs", include_str!("../attacks/symlinks.rs")),
    ("Races", "attacks/races.rs", include_str!("../attacks/races.rs")),
    ("Permissions", "attacks/permissions.rs", include_str!("../attacks/permissions.rs")),
    ("A full disk", "attacks/full_disk.rs", include_str!("../attacks/full_disk.rs")),
    ("Files of a repository", "attacks/repository_files.rs", include_str!("../attacks/repository_files.rs")),
    ("History", "attacks/history_bombs.rs", include_str!("../attacks/history_bombs.rs")),
    (
        "Algorithmic complexity",
        "attacks/algorithmic_complexity.rs",
        include_str!("../attacks/algorithmic_complexity.rs"),
    ),
    ("Shortages", "attacks/shortages.rs", include_str!("../attacks/shortages.rs")),
];

const OPENING: &str = "\
# Attacks

Each line is a test against real processes: what is tried, and what must happen. Every answer of a server is searched for the
content of a file outside of the repository, and after most attacks the server must still answer. In attacks on settings,
stores and disks, nothing outside may be changed or created, and every query is answered. This page is generated from the
tests: `UPDATE_ATTACKS=1 cargo test --test serve attack_table`.
";

/// The name and the title of every attack in a file.
fn attacks(text: &str) -> Vec<(&str, &str)> {
    let starts = text.split("attack!(").skip(1);
    starts
        .filter_map(|rest| {
            let (name, rest) = rest.split_once(',')?;
            let words = rest.trim_start().strip_prefix('"')?;
            Some((name.trim(), words.split_once('"')?.0))
        })
        .collect()
}

#[test]
fn the_table_lists_every_attack() {
    let (mut page, mut number) = (OPENING.to_owned(), 0);
    for (title, file, text) in FILES {
        let _ = write!(
            page,
            "\n## {title}\n\nIn `crates/cli/tests/{file}`.\n\n| | attack | test |\n|---|---|---|\n"
        );
        for (name, words) in attacks(text) {
            number += 1;
            let _ = writeln!(page, "| {number} | {} | `{name}` |", words.replace('|', "\\|"));
        }
    }
    assert!(number >= 200, "only {number} attacks");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/ATTACKS.md");
    if std::env::var_os("UPDATE_ATTACKS").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        there == page,
        "the page differs from the tests: UPDATE_ATTACKS=1 cargo test --test serve attack_table"
    );
}
