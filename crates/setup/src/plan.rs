//! What an edit of a configuration comes to, and how it is taken back.

use crate::clients::{Client, Format, Shape};
use crate::error::Refusal;
use crate::{splice, tables};
use serde::{Deserialize, Serialize};

/// The name of our entry in every client.
pub const NAME: &str = "orient";

/// What a client must run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Entry {
    /// The entry that starts this program as a server for the client.
    pub fn of(command: impl Into<String>) -> Self {
        Self { command: command.into(), args: vec!["mcp".to_owned()] }
    }

    /// Its parts, in the order they are written in.
    pub(crate) fn parts(&self, shape: Shape) -> Vec<(&'static str, Part)> {
        let command = ("command", Part::Text(self.command.clone()));
        let args = ("args", Part::List(self.args.clone()));
        let word = |word: &str| Part::Text(word.to_owned());
        match shape {
            Shape::Plain => vec![command, args],
            Shape::Stdio => vec![("type", word("stdio")), command, args],
            Shape::LocalTools => {
                vec![("type", word("local")), command, args, ("tools", Part::List(vec!["*".to_owned()]))]
            }
            Shape::List => {
                let all = std::iter::once(&self.command).chain(&self.args).cloned().collect();
                vec![("type", word("local")), ("command", Part::List(all)), ("enabled", Part::True)]
            }
        }
    }
}

/// One part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    List(Vec<String>),
    True,
}

/// What our entry says in a configuration now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Registered {
    /// Whether it is what an entry would say.
    pub fn is(&self, entry: &Entry) -> bool {
        self.command == entry.command && self.args == entry.args
    }
}

/// What was put where, so that it can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Where, in bytes.
    pub at: usize,
    /// What was put there.
    pub inserted: String,
    /// What was there before.
    pub replaced: String,
}

/// What has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Planned {
    /// Nothing: the entry is there.
    Same,
    /// The new text, and how to take it back.
    Edit {
        /// All of the configuration.
        text: String,
        /// How to take it back.
        receipt: Receipt,
    },
}

impl Receipt {
    /// The text with the edit made.
    pub(crate) fn applied(&self, text: &str) -> String {
        let rest = &text[self.at + self.replaced.len()..];
        [&text[..self.at], &self.inserted, rest].concat()
    }

    /// The text with the edit taken back; none where the text no longer holds it, or not only once.
    fn taken_back(&self, text: &str) -> Option<String> {
        let here = text.get(self.at..).is_some_and(|rest| rest.starts_with(&self.inserted));
        let at = if here { self.at } else { text.find(&self.inserted)? };
        let rest = &text[at + self.inserted.len()..];
        if self.inserted.is_empty() || (!here && rest.contains(&self.inserted)) {
            return None;
        }
        Some([&text[..at], &self.replaced, rest].concat())
    }
}

/// What has to be done to a configuration so that the client starts us. An empty text is a configuration that is not
/// there yet.
pub fn plan(client: &Client, text: &str, entry: &Entry) -> Result<Planned, Refusal> {
    if registered(client, text)?.is_some_and(|registered| registered.is(entry)) {
        return Ok(Planned::Same);
    }
    let receipt = match client.format {
        Format::Json => splice::put(text, client.keys, &entry.parts(client.shape))?,
        Format::Toml => tables::put(text, client.keys, &entry.parts(client.shape))?,
    };
    let text = receipt.applied(text);
    // Whatever is wrong with an edit, it is not written.
    match registered(client, &text) {
        Ok(Some(now)) if now.is(entry) => Ok(Planned::Edit { text, receipt }),
        _ => {
            Err(Refusal::Unusual { what: "the configuration is written in a way we cannot edit".to_owned() })
        }
    }
}

/// The configuration without our entry; none where there is no such entry. With the receipt of the edit, every byte is as
/// it was before it.
pub fn undo(client: &Client, text: &str, receipt: Option<&Receipt>) -> Result<Option<String>, Refusal> {
    if registered(client, text)?.is_none() {
        return Ok(None);
    }
    let exact = receipt.and_then(|receipt| receipt.taken_back(text));
    if let Some(before) = exact
        && registered(client, &before).is_ok()
    {
        return Ok(Some(before));
    }
    let without = match client.format {
        Format::Json => splice::remove(text, client.keys)?,
        Format::Toml => tables::remove(text, client.keys)?,
    };
    match registered(client, &without) {
        Ok(None) => Ok(Some(without)),
        _ => Err(Refusal::Unusual { what: "the entry stands in a way we cannot remove".to_owned() }),
    }
}

/// What our entry says now; none where there is none.
pub fn registered(client: &Client, text: &str) -> Result<Option<Registered>, Refusal> {
    match client.format {
        Format::Json => splice::registered(text, client.keys),
        Format::Toml => tables::registered(text, client.keys),
    }
}

/// What a configuration with nothing else would say, to be copied by hand.
pub fn snippet(client: &Client, entry: &Entry) -> String {
    match plan(client, "", entry) {
        Ok(Planned::Edit { text, .. }) => text,
        Ok(Planned::Same) | Err(_) => String::new(),
    }
}
