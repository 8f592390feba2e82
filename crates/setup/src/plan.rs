//! Plans and undoes the edit that registers this program with a client.

use crate::clients::{Client, EntryShape, Format};
use crate::error::EditError;
use crate::{edit_jsonc, edit_toml};
use serde::{Deserialize, Serialize};

/// The key of our entry in every configuration.
pub const NAME: &str = "orient";

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The command a client runs to start a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEntry {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl ServerEntry {
    /// The entry that starts `command` as an MCP server.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), args: vec!["mcp".to_owned()] }
    }

    /// The keys and values of the entry, in the order they are written.
    pub(crate) fn fields(&self, shape: EntryShape) -> Vec<(&'static str, Field)> {
        let command = ("command", Field::String(self.command.clone()));
        let args = ("args", Field::List(self.args.clone()));
        let transport = |name: &str| ("type", Field::String(name.to_owned()));
        match shape {
            EntryShape::Command => vec![command, args],
            EntryShape::Stdio => vec![transport("stdio"), command, args],
            EntryShape::Local => {
                vec![transport("local"), command, args, ("tools", Field::List(vec!["*".to_owned()]))]
            }
            EntryShape::CommandList => {
                let all = std::iter::once(&self.command).chain(&self.args).cloned().collect();
                vec![transport("local"), ("command", Field::List(all)), ("enabled", Field::True)]
            }
        }
    }
}

/// A value in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    String(String),
    List(Vec<String>),
    True,
}

/// The replacement of one range of a text. Stored by the caller, it undoes the edit exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// The byte offset of the range.
    pub at: usize,
    /// The new text.
    pub inserted: String,
    /// The old text.
    pub replaced: String,
}

impl TextEdit {
    /// An edit that replaces nothing.
    pub(crate) fn insertion(at: usize, inserted: String) -> Self {
        Self { at, inserted, replaced: String::new() }
    }

    fn apply(&self, text: &str) -> String {
        let rest = &text[self.at + self.replaced.len()..];
        [&text[..self.at], &self.inserted, rest].concat()
    }

    /// The text before the edit. `None` if the text does not contain the insertion any more, or more than once.
    pub(crate) fn revert(&self, text: &str) -> Option<String> {
        let is_in_place = text.get(self.at..).is_some_and(|rest| rest.starts_with(&self.inserted));
        let at = if is_in_place { self.at } else { text.find(&self.inserted)? };
        let rest = &text[at + self.inserted.len()..];
        if self.inserted.is_empty() || (!is_in_place && rest.contains(&self.inserted)) {
            return None;
        }
        Some([&text[..at], &self.replaced, rest].concat())
    }
}

/// What `orient setup` has to do to a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing: the entry exists and is the same.
    UpToDate,
    /// Write a new text.
    Edit {
        /// The whole new configuration.
        text: String,
        /// The edit, for [`undo`].
        edit: TextEdit,
    },
}

/// Plans the edit after which the client starts `entry`. The empty text stands for a file that does not exist.
pub fn plan(client: &Client, text: &str, entry: &ServerEntry) -> Result<Plan, EditError> {
    if registered(client, text)?.as_ref() == Some(entry) {
        return Ok(Plan::UpToDate);
    }
    let (body, fields) = (without_bom(text), entry.fields(client.shape));
    let mut edit = match client.format {
        Format::Json => edit_jsonc::put(body, client.servers_path, &fields)?,
        Format::Toml => edit_toml::put(body, client.servers_path, &fields)?,
    };
    edit.at += text.len() - body.len();
    let text = edit.apply(text);
    // An edit that does not read back is never written.
    match registered(client, &text) {
        Ok(Some(written)) if written == *entry => Ok(Plan::Edit { text, edit }),
        _ => Err(EditError::Unsupported { message: "this file cannot be edited automatically".to_owned() }),
    }
}

/// Removes our entry; `None` if there is none. With the edit that added it, the result is the text before it, byte for
/// byte.
pub fn undo(client: &Client, text: &str, edit: Option<&TextEdit>) -> Result<Option<String>, EditError> {
    let now = registered(client, text)?;
    if now.is_none() {
        return Ok(None);
    }
    // An insertion found elsewhere in a file that has changed since may not be ours: reverting ours changes our entry.
    let reverted = edit.and_then(|edit| edit.revert(text));
    if let Some(before) = reverted.filter(|before| registered(client, before).is_ok_and(|was| was != now)) {
        return Ok(Some(before));
    }
    let body = without_bom(text);
    let removed = match client.format {
        Format::Json => edit_jsonc::remove(body, client.servers_path)?,
        Format::Toml => edit_toml::remove(body, client.servers_path)?,
    };
    let removed = [&text[..text.len() - body.len()], &removed].concat();
    match registered(client, &removed) {
        Ok(None) => Ok(Some(removed)),
        _ => Err(EditError::Unsupported { message: "the entry cannot be removed automatically".to_owned() }),
    }
}

/// Our entry in a configuration; `None` if there is none.
pub fn registered(client: &Client, text: &str) -> Result<Option<ServerEntry>, EditError> {
    let body = without_bom(text);
    match client.format {
        Format::Json => edit_jsonc::registered(body, client.servers_path),
        Format::Toml => edit_toml::registered(body, client.servers_path),
    }
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// A configuration that contains only our entry, to copy by hand.
pub fn snippet(client: &Client, entry: &ServerEntry) -> String {
    match plan(client, "", entry) {
        Ok(Plan::Edit { text, .. }) => text,
        Ok(Plan::UpToDate) | Err(_) => String::new(),
    }
}
