//! Words that only some files may use: names of languages, operations, SQL, input and output, unsafe code; and text that no
//! file may contain.

use super::Repository;
use super::rust_source::{Source, WordKind};
use crate::report::Findings;
use anyhow::Result;
use regex::Regex;

/// The start of an SQL statement, as distinct from an English sentence.
const SQL: &str = r"(?ix) ^ \s* (
    select \s .* \s from \s
    | insert \s+ (or \s+ \w+ \s+)? into \s
    | update \s+ (or \s+ \w+ \s+)? \w+ \s+ set \s
    | delete \s+ from \s
    | create \s+ (unique \s+ | virtual \s+ | temp \s+ | temporary \s+)? (table | index | view | trigger) \s
    | (drop | alter) \s+ (table | index) \s
    | pragma \s+ \w
)";

/// Checks every file.
pub(super) fn check(repository: &Repository, findings: &mut Findings) -> Result<()> {
    let sql = Regex::new(&format!("(?s){SQL}"))?;
    for source in repository.sources.iter().filter(|source| !source.is_test) {
        let may_have_sql = ["crates/store/", "crates/team/", "xtask/"];
        if !may_have_sql.iter().any(|start| source.path.starts_with(start)) {
            store(source, &sql, findings);
        }
        languages(source, repository, findings);
        operations(source, repository, findings);
        purity(source, repository, findings);
        opener(source, repository, findings);
        safety(source, repository, findings);
    }
    text(repository, findings)
}

fn store(source: &Source, sql: &Regex, findings: &mut Findings) {
    for word in &source.words {
        if word.kind == WordKind::Text && sql.is_match(&word.text) {
            findings.fail(&source.path, word.line, "SQL is allowed in crates/store and crates/team only");
        }
        if word.kind == WordKind::Name && word.text == "rusqlite" {
            findings.fail(&source.path, word.line, "the database driver is allowed in crates/store only");
        }
    }
}

fn languages(source: &Source, repository: &Repository, findings: &mut Findings) {
    let rules = &repository.policy.languages;
    if rules.free.iter().any(|free| source.path.starts_with(free.as_str())) {
        return;
    }
    for word in &source.words {
        let Some(pack) =
            repository.packs.iter().find(|pack| names_pack(word.kind, &word.text, pack, &rules.everyday))
        else {
            continue;
        };
        let is_exempt =
            |it: &super::policy::Word| it.file == source.path && it.name == *pack && !it.reason.is_empty();
        if !rules.exempt.iter().any(is_exempt) {
            let text = format!(
                "`{}` names the language {pack}; only its pack and its grammar may do that",
                word.text
            );
            findings.fail(&source.path, word.line, text);
        }
    }
}

fn operations(source: &Source, repository: &Repository, findings: &mut Findings) {
    if !repository.policy.operations.surfaces.iter().any(|surface| source.path.starts_with(surface.as_str()))
    {
        return;
    }
    for word in source.words.iter().filter(|word| word.kind == WordKind::Text) {
        if orient_tools::OPERATIONS.iter().any(|tool| tool.name == word.text) {
            let text = format!("`{}` is an operation; only the table in crates/tools names it", word.text);
            findings.fail(&source.path, word.line, text);
        }
    }
}

fn names_pack(kind: WordKind, word: &str, pack: &str, everyday: &[String]) -> bool {
    match kind {
        WordKind::Text => word == pack,
        WordKind::Variant => word.eq_ignore_ascii_case(&pack.replace(['-', '_'], "")),
        WordKind::Name => {
            !everyday.iter().any(|name| name == pack)
                && word.split('_').any(|part| part.eq_ignore_ascii_case(pack))
        }
    }
}

fn purity(source: &Source, repository: &Repository, findings: &mut Findings) {
    let rules = &repository.policy.pure;
    let is_pure = rules.crates.iter().any(|role| source.path.starts_with(&format!("crates/{role}/")));
    if !is_pure || rules.exempt.iter().any(|exempt| exempt.file == source.path && !exempt.reason.is_empty()) {
        return;
    }
    for (line, path) in &source.paths {
        let is_banned = |banned: &String| path == banned || path.starts_with(&format!("{banned}::"));
        if rules.paths.iter().any(is_banned) {
            findings.fail(&source.path, *line, format!("`{path}`: this crate does no input or output"));
        }
    }
}

/// Files of repositories are opened in one place: everything else that opens a file says whose it is.
fn opener(source: &Source, repository: &Repository, findings: &mut Findings) {
    let rules = &repository.policy.opener;
    let is_exempt = |exempt: &super::policy::Exempt| exempt.file == source.path && !exempt.reason.is_empty();
    if !source.path.starts_with("crates/")
        || source.path.starts_with(&rules.directory)
        || source.path.starts_with("crates/testkit/")
        || source.path.ends_with("/build.rs")
        || source.path.contains("/build/")
        || rules.exempt.iter().any(is_exempt)
    {
        return;
    }
    for (line, path) in &source.paths {
        if rules.paths.iter().any(|end| opens(path, end)) {
            let text = format!(
                "`{path}` opens whatever has that name: files of a repository are opened by `UntrustedDirectory`, others are listed with a \
                 reason in `[opener]` of xtask/tidy.toml"
            );
            findings.fail(&source.path, *line, text);
        }
    }
}

/// Whether a path ends in the given one, component by component.
fn opens(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

fn safety(source: &Source, repository: &Repository, findings: &mut Findings) {
    let is_listed = repository.policy.unsafety.files.contains(&source.path);
    if source.path.starts_with("crates/") && !is_listed && source.text.contains("unsafe_code") {
        findings.fail(
            &source.path,
            0,
            "allows unsafe code but is not listed in `[unsafety]` of xtask/tidy.toml",
        );
    }
}

fn text(repository: &Repository, findings: &mut Findings) -> Result<()> {
    for rule in &repository.policy.text {
        let pattern = Regex::new(&rule.pattern)?;
        let sources = repository.sources.iter().map(|source| (&source.path, &source.text));
        for (path, text) in sources.chain(repository.texts.iter().map(|(path, text)| (path, text))) {
            if path.starts_with("xtask/tidy") {
                continue;
            }
            for (at, line) in text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)) {
                findings.fail(path, at + 1, format!("`{}`: {}", line.trim(), rule.reason));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_opened_by_name_are_found_however_they_are_imported() {
        for path in ["std::fs::read", "fs::read", "File::open", "std::fs::File::open"] {
            assert!(opens(path, "fs::read") || opens(path, "File::open"), "{path}");
        }
        for path in ["fs::read_link", "UnsafeFile::open", "Directory::open", "fs::write"] {
            assert!(!opens(path, "fs::read") && !opens(path, "File::open"), "{path}");
        }
    }

    #[test]
    fn statements_are_told_from_sentences() {
        let sql = Regex::new(&format!("(?s){SQL}")).expect("the pattern is sound");
        for statement in [
            "SELECT id FROM file WHERE id = ?1",
            "\n  insert or replace into meta ",
            "PRAGMA user_version",
            "CREATE UNIQUE INDEX a ON b(c)",
        ] {
            assert!(sql.is_match(statement), "{statement}");
        }
        for sentence in
            ["select a file", "Update the index", "create a table of contents", "delete it from the list"]
        {
            assert!(!sql.is_match(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_pack_is_named_by_literal_variant_or_identifier() {
        let everyday = ["go".to_owned()];
        assert!(names_pack(WordKind::Text, "go", "go", &everyday));
        assert!(!names_pack(WordKind::Text, "go on", "go", &everyday));
        assert!(names_pack(WordKind::Variant, "CSharp", "c-sharp", &everyday));
        assert!(names_pack(WordKind::Name, "is_ruby", "ruby", &everyday));
        assert!(!names_pack(WordKind::Name, "go_on", "go", &everyday));
    }
}
