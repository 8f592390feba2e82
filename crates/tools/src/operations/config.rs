//! `config`: the settings in force and where each comes from.

use crate::answer::Answer;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_settings::{IgnoredEntry, Key};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Config;

/// What to show of the settings.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
pub(crate) struct ConfigArgs {
    /// Only this setting, or the settings of this section
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// Also say what each setting is for
    #[arg(long)]
    explain: bool,
}

/// The settings.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConfigOut {
    /// Each with its value and origin.
    settings: Vec<SettingLine>,
    /// The user's own file, whether it exists or not.
    user_file: Option<String>,
    /// The repository's file, whether it exists or not.
    repository_file: String,
    /// What stands in it and has no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<IgnoredLine>,
    #[serde(skip)]
    explain: bool,
}

/// A setting in force.
#[derive(Serialize, JsonSchema)]
struct SettingLine {
    /// Its full name.
    key: String,
    /// Its value as TOML; empty where it is not set.
    value: String,
    /// What kind of source the value comes from.
    source: &'static str,
    /// Where exactly; empty for a default.
    place: String,
    /// The variable that sets it.
    variable: String,
    /// What it is for.
    doc: String,
}

/// An entry of the repository's file that has no effect.
#[derive(Serialize, JsonSchema)]
struct IgnoredLine {
    /// The setting; absent where it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The file and the line.
    place: String,
    /// Why it is ignored, and what to do instead.
    why: String,
}

impl TypedOperation for Config {
    const NAME: &'static str = "config";
    const ABOUT: &'static str = "Print the settings in force and where each comes from";
    const DETAILS: &'static str = "\
Sources, weakest first: default, the user's file, .orient.toml in the repository, environment (ORIENT_SECTION_KEY), \
command line (--set SECTION.KEY=VALUE). A stronger source replaces the whole value; .orient.toml may only add to lists and \
lower limits, and what else it sets is ignored.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "config", about: "all settings" },
        Example { command: "config index --explain", about: "one section, with what each is for" },
        Example { command: "config limits.memory --set limits.memory=1GiB", about: "try a value" },
    ];
    const ASKS: bool = false;
    type Args = ConfigArgs;
    type Out = ConfigOut;

    fn run(session: &Session<'_>, args: ConfigArgs) -> Result<Answer<ConfigOut>, ToolError> {
        let loaded = session.loaded();
        let wanted =
            |key: &Key| args.key.as_ref().is_none_or(|word| key.section == word || key.path() == *word);
        let settings: Vec<SettingLine> = loaded
            .origins
            .iter()
            .filter(|setting| wanted(setting.key))
            .map(|setting| SettingLine {
                key: setting.key.path(),
                value: setting.value.clone(),
                source: setting.origin.source.as_str(),
                place: setting.origin.location.clone(),
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
        answer.notes.extend(loaded.ignored.iter().map(|one| format!("{}: {}", one.location, one.reason)));
        Ok(answer)
    }

    fn text(out: &ConfigOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let row = |setting: &SettingLine| {
            let (value, tone) = match setting.value.as_str() {
                "" => ("(not set)", Style::Dim),
                value => (value, Style::Plain),
            };
            let origin = if setting.place.is_empty() { setting.source } else { &setting.place };
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
        let IgnoredEntry { key, location: place, reason: why } = ignored;
        Self { key: key.map(Key::path), place: place.clone(), why: why.clone() }
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
    ToolError::new(Code::BadArgument, format!("there is no setting or section `{word}`")).hint(hint)
}
