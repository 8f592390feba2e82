//! The reference page of the settings, written from the table.

use crate::table::{Settings, keys};
use std::fmt::Write;

const OPENING: &str = "\
# Settings

None is needed. Where you want one, write it to `.orient.toml` at the root of a repository, or for all repositories to
`$XDG_CONFIG_HOME/orient/config.toml` (`~/.config/orient/config.toml`; on macOS
`~/Library/Application Support/orient/config.toml`, on Windows `%APPDATA%\\orient\\config.toml`).

Sources, weakest first: default, user file, repository file, environment, command line (`--set SECTION.KEY=VALUE`). A
stronger source replaces the whole value, lists too. `orient config` prints the values in force and where each comes
from. An unknown name is an error that names the nearest known one.

Sizes are written as `2MiB`, `512KB` or a plain number of bytes. In the environment, lists are separated by commas
(`a/,*.{x,y}`) and tables are written as `glob=language,glob=language`.
";

/// The page, as Markdown.
pub fn reference() -> String {
    let defaults = Settings::default();
    let mut page = OPENING.to_owned();
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
            "\n### `{}`\n\n{}\n\n- Type: {}\n- Default: {default}\n- Variable: `{}`\n- Example: `{} = {}`\n",
            key.path(),
            key.doc(),
            key.kind,
            key.env(),
            key.name,
            key.example
        );
    }
    page
}
