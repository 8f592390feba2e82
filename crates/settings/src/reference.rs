//! Generates the reference page of the settings from the table.

use crate::key::{Key, RepositoryPermission};
use crate::table::{Settings, keys};
use std::fmt::Write;

const OPENING: &str = "\
# Settings

All settings are optional. To change one, write it to your own file, `$XDG_CONFIG_HOME/orient/config.toml`
(`~/.config/orient/config.toml`; on macOS `~/Library/Application Support/orient/config.toml`, on Windows
`%APPDATA%\\orient\\config.toml`), or to `.orient.toml` at the root of a repository, which may set only a few of them.

Sources, in order of increasing precedence: default, user file, repository file, environment, command line
(`--set SECTION.KEY=VALUE`). A later source replaces the whole value, including lists; a repository file only adds to
lists and lowers limits. `orient config` prints the effective values and the source of each. An unknown name is an error
that suggests the most similar setting.

Sizes are written as `2MiB`, `512KB` or a plain number of bytes. In the environment, lists are separated by commas
(`a/,*.{x,y}`) and tables are written as `glob=language,glob=language`.
";

const REPOSITORY: &str = "
## What a repository may set

You may not trust the author of a repository, so `.orient.toml` can only restrict how its own files are handled. Every
other entry is ignored with a note: only you decide where files are written, how much indexing may cost, and who
receives your code.

| setting | a repository may | safe because |
|---|---|---|
";

/// The page, as Markdown.
pub fn reference() -> String {
    let defaults = Settings::default();
    let mut page = OPENING.to_owned();
    page.push_str(REPOSITORY);
    for key in keys() {
        let (may, reason) = match key.repository {
            RepositoryPermission::Deny => continue,
            RepositoryPermission::Add { reason } => ("add to it", reason),
            RepositoryPermission::Lower { reason } => ("lower it", reason),
        };
        let _ = writeln!(page, "| `{}` | {may} | {reason} |", key.path());
    }
    let denied = |key: &&Key| key.repository == RepositoryPermission::Deny;
    let others: Vec<String> = keys().iter().filter(denied).map(|key| format!("`{}`", key.path())).collect();
    let _ = write!(page, "\nOnly you may set {}.\n", others.join(", "));
    let mut section = "";
    for key in keys() {
        if key.section != section {
            section = key.section;
            let _ = write!(page, "\n## `[{section}]`\n\n{}\n", key.section_doc());
        }
        let default = match key.format(&defaults) {
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
            match key.repository {
                RepositoryPermission::Deny => "may not set it",
                RepositoryPermission::Add { .. } => "may add to it",
                RepositoryPermission::Lower { .. } => "may lower it",
            }
        );
    }
    page
}
