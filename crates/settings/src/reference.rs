//! The reference page of the settings, written from the table.

use crate::key::Scope;
use crate::table::{Settings, keys};
use std::fmt::Write;

const OPENING: &str = "\
# Settings

None is needed. Where you want one, write it to your own file, `$XDG_CONFIG_HOME/orient/config.toml`
(`~/.config/orient/config.toml`; on macOS `~/Library/Application Support/orient/config.toml`, on Windows
`%APPDATA%\\orient\\config.toml`), or, as far as the list below allows, to `.orient.toml` at the root of a repository.

Sources, weakest first: default, user file, repository file, environment, command line (`--set SECTION.KEY=VALUE`). A
stronger source replaces the whole value, lists too; but a repository file only adds to lists and lowers limits.
`orient config` prints the values in force and where each comes from. An unknown name is an error that names the nearest
known one.

Sizes are written as `2MiB`, `512KB` or a plain number of bytes. In the environment, lists are separated by commas
(`a/,*.{x,y}`) and tables are written as `glob=language,glob=language`.
";

const REPOSITORY: &str = "
## What a repository may set

Whoever wrote `.orient.toml` may be a stranger, so a repository may narrow what is done with its own files and nothing else.
Every other entry of its file is ignored, and said to be: where files are written, what indexing may cost, and who is sent
code are for you alone to say.

| setting | a repository may | harmless because |
|---|---|---|
";

/// The page, as Markdown.
pub fn reference() -> String {
    let defaults = Settings::default();
    let mut page = OPENING.to_owned();
    page.push_str(REPOSITORY);
    for key in keys() {
        let (may, why) = match key.scope {
            Scope::User => continue,
            Scope::RepositoryMayAdd { why } => ("add to it", why),
            Scope::RepositoryMayLower { why } => ("lower it", why),
        };
        let _ = writeln!(page, "| `{}` | {may} | {why} |", key.path());
    }
    let others: Vec<String> =
        keys().iter().filter(|key| key.scope == Scope::User).map(|key| format!("`{}`", key.path())).collect();
    let _ = write!(page, "\nOnly you may set {}.\n", others.join(", "));
    let mut section = "";
    for key in keys() {
        if key.section != section {
            section = key.section;
            let _ = write!(page, "\n## `[{section}]`\n\n{}\n", key.section_doc());
        }
        let default = match key.shown(&defaults) {
            shown if shown.is_empty() => "not set".to_owned(),
            shown => format!("`{shown}`"),
        };
        let _ = write!(
            page,
            "\n### `{}`\n\n{}\n\n- Type: {}\n- Default: {default}\n- Variable: `{}`\n- Example: `{} = {}`\n- Repository: {}\n",
            key.path(),
            key.doc(),
            key.kind,
            key.env(),
            key.name,
            key.example,
            match key.scope {
                Scope::User => "may not set it",
                Scope::RepositoryMayAdd { .. } => "may add to it",
                Scope::RepositoryMayLower { .. } => "may lower it",
            }
        );
    }
    page
}
