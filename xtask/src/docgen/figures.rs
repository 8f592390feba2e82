//! Figures in hand-written pages: replaces what is between `<!-- docgen: NAME -->` and `<!-- /docgen -->`.

use crate::workspace;
use anyhow::{Context, Result, bail};
use orient_lang::Registry;
use orient_providers::KINDS;
use orient_setup::{CLIENTS, ConfigDirs, Os, Scope};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Renders a block.
type Render = fn() -> Result<String>;

/// The blocks by name.
const BLOCKS: &[(&str, Render)] = &[
    ("clients", || Ok(clients())),
    ("languages", languages),
    ("providers", || Ok(providers())),
    ("retrieval", retrieval),
    ("servers", servers),
    ("tokens", tokens),
    ("web routes", || Ok(orient_web::reference())),
];

const OPEN: &str = "<!-- docgen: ";
const CLOSE: &str = "<!-- /docgen -->";

/// A page with its generated blocks replaced.
pub(super) fn fill(page: &str) -> Result<String> {
    replace_blocks(page, |name| {
        let block = BLOCKS.iter().find(|(known, _)| *known == name);
        block.with_context(|| format!("no generated block is called `{name}`"))?.1()
    })
}

fn replace_blocks(page: &str, render: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut result = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let (name, body) = after.split_once(" -->").context("`<!-- docgen:` is not closed")?;
        let (_, tail) = body.split_once(CLOSE).with_context(|| format!("`{name}` has no {CLOSE}"))?;
        let _ = write!(result, "{before}{OPEN}{name} -->\n{}\n{CLOSE}", render(name)?.trim_end());
        rest = tail;
    }
    result.push_str(rest);
    Ok(result)
}

/// The clients that `orient setup` knows, with their configuration files on Linux.
fn clients() -> String {
    let dirs = ConfigDirs {
        project: PathBuf::new(),
        home: PathBuf::from("~"),
        xdg_config: None,
        app_data: None,
        os: Os::Unix,
    };
    let mut table =
        String::from("| client | name | all projects (Linux) | one project |\n|---|---|---|---|\n");
    for client in CLIENTS {
        let file = |scope| match client.config_file(scope, &dirs, |_| false) {
            Some(path) => format!("`{}`", path.display()),
            None => String::new(),
        };
        let (user, project) = (file(Scope::User), file(Scope::Project));
        let _ = writeln!(table, "| {} | `{}` | {user} | {project} |", client.name, client.id);
    }
    table
}

/// The language servers.
fn servers() -> Result<String> {
    let mut table = String::from(
        "| server | languages | install | turned off | runs nevertheless |\n|---|---|---|---|---|\n",
    );
    for server in orient_enrich::servers(&BTreeMap::new())? {
        let languages: Vec<&str> = server.languages.keys().map(String::as_str).collect();
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} | {} |",
            server.name,
            languages.join(", "),
            server.install,
            server.off.join(", "),
            server.runs.join("; ")
        );
    }
    Ok(table)
}

/// The embedding providers.
fn providers() -> String {
    let mut table = String::from("| provider | default URL | default model | key |\n|---|---|---|---|\n");
    for kind in KINDS {
        let code = |text: Option<&str>| text.map_or_else(String::new, |text| format!("`{text}`"));
        let need = if kind.key.needed { "" } else { " (optional)" };
        let (url, model) = (code(kind.url), code(kind.model));
        let _ = writeln!(table, "| `{}` | {url} | {model} | `{}`{need} |", kind.name, kind.key.variable);
    }
    table
}

/// How many languages are read, and how.
fn languages() -> Result<String> {
    let page = orient_lang::languages_reference(Registry::builtin());
    let names = |level: &str| -> Vec<String> {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            (cells.get(5) == Some(&level)).then(|| cells[1].to_owned())
        };
        page.lines().filter_map(row).collect()
    };
    let (deep, shallow) = (names("deep"), names("shallow"));
    if deep.is_empty() || shallow.is_empty() {
        bail!("docs/languages.md no longer says which languages are deep and which are shallow");
    }
    Ok(format!(
        "Deep ({}): {}. Symbols, scopes, types, references and calls across files.\n\n\
         Shallow ({}): {}. Symbols, documentation, imports, and references by name.",
        deep.len(),
        deep.join(", "),
        shallow.len(),
        shallow.join(", ")
    ))
}

/// How well the search answers questions with known answers, from the recorded results.
fn retrieval() -> Result<String> {
    let measures = [
        ("NDCG@10", "NDCG@10"),
        ("success@1", "the first hit is right"),
        ("files@10", "the file is among ten hits"),
        ("recall+also", "the lines are a hit or named beside one"),
        ("tokens to first", "tokens up to the first right hit"),
    ];
    let mut table = String::from("| | Orient | word search (BM25) |\n|---|---:|---:|\n");
    for (column, title) in measures {
        let (orient, words) = recorded(column)?;
        let _ = writeln!(table, "| {title} | {orient} | {words} |");
    }
    Ok(table)
}

/// What an agent reads before it has its answer.
fn tokens() -> Result<String> {
    let (orient, words) = recorded("tokens to first")?;
    Ok(format!(
        "On our questions the first right hit ends after {orient} tokens of output, against {words} with a plain word search\n\
         ([results](../evals/RESULTS.md))."
    ))
}

/// The values of a measure in `evals/RESULTS.md`: ours, and those of a plain word search.
fn recorded(measure: &str) -> Result<(String, String)> {
    let results = workspace::text("evals/RESULTS.md")?;
    let cells = |start: &str| -> Result<Vec<String>> {
        let line = results.lines().find(|line| line.starts_with(start));
        let line = line.with_context(|| format!("evals/RESULTS.md has no row `{start}`"))?;
        Ok(line.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let at = cells("|  | NDCG@10 |")?.iter().position(|cell| cell == measure);
    let at = at.with_context(|| format!("evals/RESULTS.md has no column `{measure}`"))?;
    let cell = |row: Vec<String>| row.get(at).cloned().with_context(|| format!("no {measure}"));
    Ok((cell(cells("| orient |")?)?, cell(cells("| words |")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_replaced_and_keep_their_marks() {
        let page = "a\n<!-- docgen: x -->\nold\n<!-- /docgen -->\nb\n";
        let fresh = replace_blocks(page, |name| Ok(format!("new {name}\n"))).expect("a sound page");
        assert_eq!(fresh, "a\n<!-- docgen: x -->\nnew x\n<!-- /docgen -->\nb\n");
        assert!(replace_blocks("<!-- docgen: x -->\n", |_| Ok(String::new())).is_err());
    }

    #[test]
    fn the_recorded_results_have_every_measure() {
        assert!(retrieval().expect("the results are sound").contains("NDCG@10"));
        assert!(languages().expect("the table is sound").contains("Python"));
    }
}
