//! Links between pages: every relative link in Markdown leads to a file or directory of the repository, every anchor to
//! a heading, and every path in backticks exists.

use super::Repository;
use crate::report::Findings;
use crate::workspace;
use anyhow::Result;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The target of an inline link or image; a title may follow it.
const LINK: &str = r#"\]\(([^()\s]+)(?:\s+"[^"]*")?\)"#;

/// A path of the repository in backticks: it begins with a top directory and has no placeholder.
const CODE_PATH: &str = r"`((?:crates|docs|evals|fuzz|packaging|training|xtask|\.ci|\.github)/[\w./-]*)`";

/// Checks every page that is not a fixture or a test document.
pub(super) fn check(repository: &Repository, findings: &mut Findings) -> Result<()> {
    let (link, code_path) = (Regex::new(LINK)?, Regex::new(CODE_PATH)?);
    let files: BTreeSet<String> =
        workspace::files()?.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    let is_free =
        |path: &str| repository.policy.links.free.iter().any(|free| path.starts_with(free.as_str()));
    let pages: BTreeMap<&str, &str> = repository
        .texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .filter(|(path, _)| Path::new(path).extension().is_some_and(|extension| extension == "md"))
        .collect();
    for (&path, &text) in pages.iter().filter(|(path, _)| !is_free(path)) {
        for (line, prose) in prose_lines(text) {
            for target in link.captures_iter(&without_code(prose)).filter_map(|found| found.get(1)) {
                if let Some(what) = broken(path, target.as_str(), &files, &pages) {
                    findings.fail(path, line, what);
                }
            }
            for named in code_path.captures_iter(prose).filter_map(|found| found.get(1)) {
                if !exists(named.as_str().trim_end_matches('/'), &files) {
                    findings.fail(path, line, format!("`{}` does not exist", named.as_str()));
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with a link from a page, if anything.
fn broken(
    page: &str,
    target: &str,
    files: &BTreeSet<String>,
    pages: &BTreeMap<&str, &str>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { page.to_owned() } else { join(page, path) };
    if !exists(&file, files) {
        return Some(format!("`{target}` leads nowhere: there is no {file}"));
    }
    let anchor = anchor?;
    let is_heading = pages.get(file.as_str()).is_none_or(|text| anchors(text).contains(anchor));
    (!is_heading).then(|| format!("`{target}` leads nowhere: {file} has no heading `{anchor}`"))
}

/// Whether the repository has a file or a directory.
fn exists(path: &str, files: &BTreeSet<String>) -> bool {
    let directory = format!("{path}/");
    files.contains(path)
        || files.range(directory.clone()..).next().is_some_and(|it| it.starts_with(&directory))
}

/// A path relative to a page, from the root.
fn join(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The lines outside of code blocks, numbered.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut open: Option<&str> = None;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let start = line.trim_start();
        let fence = &start[..start.len() - start.trim_start_matches('`').len()];
        match open {
            Some(opened) if fence.len() >= opened.len() && start.trim_end() == fence => open = None,
            None if fence.len() >= 3 => open = Some(fence),
            None => return true,
            Some(_) => {}
        }
        false
    })
}

/// A line without its inline code, in which brackets are no links.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// The anchors of a page's headings, formed as GitHub forms them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose_lines(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let slug: String =
            kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect::<String>().to_lowercase();
        let mut unique = slug.clone();
        for count in 1.. {
            if anchors.insert(unique) {
                break;
            }
            unique = format!("{slug}-{count}");
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_formed_as_github_forms_them() {
        let page = "# The crates\n## `orient index`\n```\n# no heading\n```\n## Notes\n## Notes\n";
        let expected = ["notes", "notes-1", "orient-index", "the-crates"];
        assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn broken_links_and_anchors_are_found() {
        let files = BTreeSet::from(["README.md".to_owned(), "docs/tour.md".to_owned()]);
        let pages = BTreeMap::from([("README.md", "# Orient\n"), ("docs/tour.md", "# Tour\n## First\n")]);
        for sound in ["tour.md", "../README.md#orient", "#first", "../docs", "https://example.org/#x"] {
            assert_eq!(broken("docs/tour.md", sound, &files, &pages), None, "{sound}");
        }
        for wrong in ["other.md", "../README.md#none", "#second"] {
            assert!(broken("docs/tour.md", wrong, &files, &pages).is_some(), "{wrong}");
        }
    }

    #[test]
    fn code_is_not_searched_for_links() {
        let page = "a [b](c)\n````text\n```\n[d](e)\n````\nf\n";
        assert_eq!(prose_lines(page).map(|(line, _)| line).collect::<Vec<_>>(), [1, 6]);
        assert_eq!(without_code("x `[a](b)` y"), "x `` y");
    }
}
