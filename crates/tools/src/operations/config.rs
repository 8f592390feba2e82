//! `config`: the effective settings and their origins.

use crate::answer::Answer;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_settings::{IgnoredEntry, Key};
use serde::Serialize;
use std::io;

pub(crate) struct Config;

/// Arguments of `config`.
#[derive(Args)]
pub(crate) struct ConfigArgs {
    /// Only this setting, or the settings of this section
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// Also print the documentation of each setting
    #[arg(long)]
    explain: bool,
}

/// The settings.
#[derive(Serialize)]
pub(crate) struct ConfigOut {
    /// Each with its value and origin.
    settings: Vec<SettingLine>,
    /// The user's own file, whether it exists or not.
    user_file: Option<String>,
    /// The repository's file, whether it exists or not.
    repository_file: String,
    /// Entries of the repository's file that have no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<IgnoredLine>,
    #[serde(skip)]
    explain: bool,
}

/// An effective setting.
#[derive(Serialize)]
struct SettingLine {
    /// Its full name.
    key: String,
    /// Its value as TOML; empty if it is not set.
    value: String,
    /// The kind of source that sets it.
    source: &'static str,
    /// The file and line, variable or flag; empty for a default.
    location: String,
    /// The environment variable that sets it.
    variable: String,
    /// Its documentation.
    doc: String,
}

/// An entry of the repository's file that has no effect.
#[derive(Serialize)]
struct IgnoredLine {
    /// The setting; absent if there is no such setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The file and line.
    location: String,
    /// Why it is ignored, and what to do instead.
    reason: String,
}

impl TypedOperation for Config {
    const NAME: &'static str = "config";
    const ABOUT: &'static str = "Print the effective settings and their origins";
    const DETAILS: &'static str = "\
Sources, lowest precedence first: default, the user's file, .orient.toml in the repository, environment \
(ORIENT_SECTION_KEY), command line (--set SECTION.KEY=VALUE). A source with higher precedence replaces the whole value; \
.orient.toml may only add to lists and lower limits, and its other entries are ignored.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "config", about: "all settings" },
        Example { command: "config index --explain", about: "one section, with documentation" },
        Example { command: "config limits.memory --set limits.memory=1GiB", about: "test a value" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = ConfigArgs;
    type Out = ConfigOut;

    fn run(session: &Session<'_>, args: ConfigArgs) -> Result<Answer<ConfigOut>, ToolError> {
        let loaded = session.loaded();
        let is_selected =
            |key: &Key| args.key.as_ref().is_none_or(|word| key.section == word || key.path() == *word);
        let settings: Vec<SettingLine> = loaded
            .origins
            .iter()
            .filter(|setting| is_selected(setting.key))
            .map(|setting| SettingLine {
                key: setting.key.path(),
                value: setting.value.clone(),
                source: setting.origin.source.as_str(),
                location: setting.origin.location.clone(),
                variable: setting.key.env(),
                doc: setting.key.doc(),
            })
            .collect();
        if let Some(word) = args.key.filter(|_| settings.is_empty()) {
            return Err(unknown(&word));
        }
        let mut answer = Answer::new(ConfigOut {
            settings,
            user_file: orient_settings::user_file().map(|path| path.display().to_string()),
            repository_file: session.root().join(orient_settings::REPOSITORY_FILE).display().to_string(),
            ignored: loaded.ignored.iter().map(IgnoredLine::of).collect(),
            explain: args.explain,
        });
        answer.add_notes(loaded.ignored.iter().map(|one| format!("{}: {}", one.location, one.reason)));
        Ok(answer)
    }

    fn text(out: &ConfigOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let row = |setting: &SettingLine| {
            let (value, tone) = match setting.value.as_str() {
                "" => ("(not set)", Style::Dim),
                value => (value, Style::Plain),
            };
            let origin = if setting.location.is_empty() { setting.source } else { &setting.location };
            vec![Cell::new(Style::Name, &setting.key), Cell::new(tone, value), Cell::new(Style::Dim, origin)]
        };
        if !out.explain {
            return writer.table(0, &out.settings.iter().map(row).collect::<Vec<_>>());
        }
        for (index, setting) in out.settings.iter().enumerate() {
            if index > 0 {
                writer.end_line()?;
            }
            writer.table(0, &[row(setting)])?;
            writer.line(Style::Plain, &format!("  {}", setting.doc))?;
            writer.line(Style::Dim, &format!("  {}", setting.variable))?;
        }
        Ok(())
    }
}

impl IgnoredLine {
    fn of(ignored: &IgnoredEntry) -> Self {
        let IgnoredEntry { key, location, reason } = ignored;
        Self { key: key.map(Key::path), location: location.clone(), reason: reason.clone() }
    }
}

fn unknown(word: &str) -> ToolError {
    let mut names: Vec<String> = Vec::new();
    for key in orient_settings::keys() {
        if names.last().is_none_or(|last| !last.starts_with(key.section)) {
            names.push(key.section.to_owned());
        }
        names.push(key.path());
    }
    let hint = match orient_model::nearest(word, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`orient config` lists all settings".to_owned(),
    };
    ToolError::new(Code::BadArgument, format!("unknown setting or section `{word}`")).hint(hint)
}
