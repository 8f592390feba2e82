//! The table of language servers, and those that the user's settings name.

use crate::EnrichError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The known servers.
const TABLE: &str = include_str!("../servers.toml");

/// A language server: how it is started, and what it runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Our names of its languages, with their identifiers in the protocol.
    pub languages: BTreeMap<String, String>,
    /// The program.
    pub program: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments that print its version; empty if there are none.
    #[serde(default)]
    pub version: Vec<String>,
    /// How to install it.
    #[serde(default)]
    pub install: String,
    /// Variables that are set for it.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The initialization options.
    #[serde(default)]
    pub(crate) initialization: Value,
    /// Its settings by section.
    #[serde(default)]
    pub(crate) configuration: Value,
    /// The notification that says that the project is loaded.
    #[serde(default)]
    pub(crate) ready: Option<ReadyNotification>,
    /// What is turned off.
    #[serde(default)]
    pub off: Vec<String>,
    /// What it is known to run nevertheless.
    #[serde(default)]
    pub runs: Vec<String>,
}

/// A notification that says that the project is loaded.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadyNotification {
    pub(crate) method: String,
    pub(crate) field: String,
    pub(crate) value: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    server: Vec<Server>,
}

/// The servers by name: the known ones, and those of the user's settings, which map languages to commands and replace the known server of
/// a language.
///
/// # Panics
///
/// Never: the table is part of the program, and a test parses it.
pub fn servers(commands: &BTreeMap<String, String>) -> Result<Vec<Server>, EnrichError> {
    let Table { server: mut servers } = toml::from_str(TABLE)
        .map_err(|error| EnrichError::BadCommand(format!("the table of servers is malformed: {error}")))?;
    for (language, command) in commands {
        let mut words = command.split_whitespace().map(str::to_owned);
        let Some(program) = words.next() else {
            return Err(EnrichError::BadCommand(format!("the command for {language:?} is empty")));
        };
        for server in &mut servers {
            server.languages.remove(language);
        }
        let args: Vec<String> = words.collect();
        let name = program.rsplit(['/', '\\']).next().unwrap_or(&program).to_owned();
        let same =
            |server: &&mut Server| server.name == name && server.args == args && server.is_of_settings();
        if let Some(known) = servers.iter_mut().find(same) {
            known.languages.insert(language.clone(), language.clone());
            continue;
        }
        servers.retain(|server| server.name != name || !server.languages.is_empty());
        if servers.iter().any(|server| server.name == name) {
            return Err(EnrichError::BadCommand(format!("two servers are called {name:?}")));
        }
        servers.push(Server::of_settings(name, program, args, language));
    }
    servers.retain(|server| !server.languages.is_empty());
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(servers)
}

impl Server {
    /// A server that only the user knows.
    fn of_settings(name: String, program: String, args: Vec<String>, language: &str) -> Self {
        Self {
            name,
            languages: BTreeMap::from([(language.to_owned(), language.to_owned())]),
            program,
            args,
            version: Vec::new(),
            install: "it is named by enrich.servers of your settings".to_owned(),
            environment: BTreeMap::new(),
            initialization: Value::Null,
            configuration: Value::Null,
            ready: None,
            off: Vec::new(),
            runs: vec!["unknown: it is named by enrich.servers of your settings".to_owned()],
        }
    }

    fn is_of_settings(&self) -> bool {
        self.version.is_empty() && self.off.is_empty() && self.environment.is_empty()
    }

    /// The files that must be beside the program, as initialization options name them.
    pub(crate) fn needed_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        each_text(&self.initialization, &mut |text| found.extend(beside(text).map(str::to_owned)));
        found
    }

    /// The initialization options, with the paths of needed files.
    pub(crate) fn options(&self, files: &BTreeMap<String, String>) -> Value {
        let mut options = self.initialization.clone();
        replace_texts(&mut options, &|text| beside(text).and_then(|file| files.get(file)).cloned());
        options
    }

    /// The settings of a section; null if it has none.
    pub(crate) fn section(&self, section: &str) -> Value {
        let mut parts = section.split('.').filter(|part| !part.is_empty());
        let found = parts.try_fold(&self.configuration, |value, part| value.get(part));
        found.cloned().unwrap_or_default()
    }
}

/// The file of a text such as `{beside:typescript/lib/tsserver.js}`.
fn beside(text: &str) -> Option<&str> {
    text.strip_prefix("{beside:")?.strip_suffix('}')
}

fn each_text(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, see)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, see)),
        _ => {}
    }
}

fn replace_texts(value: &mut Value, replace: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(new) = replace(text) {
                *text = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_texts(item, replace)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace_texts(field, replace)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_server_says_what_it_runs_and_how_to_install_it() {
        let servers = servers(&BTreeMap::new()).expect("the table is well formed");
        assert!(servers.len() >= 10);
        let mut languages: Vec<&String> = servers.iter().flat_map(|server| server.languages.keys()).collect();
        let count = languages.len();
        languages.sort();
        languages.dedup();
        assert_eq!(languages.len(), count, "a language has one server");
        for server in &servers {
            assert!(!server.runs.is_empty() && !server.install.is_empty(), "{}", server.name);
        }
    }

    #[test]
    fn settings_replace_the_server_of_a_language() {
        let commands = BTreeMap::from([
            ("python".to_owned(), "basedpyright-langserver --stdio".to_owned()),
            ("zig".to_owned(), "/opt/zls".to_owned()),
        ]);
        let servers = servers(&commands).expect("two commands");
        let of = |language: &str| servers.iter().find(|server| server.languages.contains_key(language));
        let replaced = of("python").expect("a server");
        assert_eq!(
            (replaced.name.as_str(), &replaced.args[..]),
            ("basedpyright-langserver", &["--stdio".to_owned()][..])
        );
        assert_eq!(of("zig").expect("a server").name, "zls");
        assert!(!servers.iter().any(|server| server.name == "pyright"), "it has no language left");
    }

    #[test]
    fn sections_and_needed_files_are_found() {
        let servers = servers(&BTreeMap::new()).expect("the table is well formed");
        let named = |name: &str| servers.iter().find(|server| server.name == name).expect("known");
        assert_eq!(named("rust-analyzer").section("rust-analyzer.procMacro.enable"), Value::Bool(false));
        assert_eq!(named("gopls").section("other"), Value::Null);
        let needs = named("typescript-language-server");
        assert_eq!(needs.needed_files(), ["typescript/lib/tsserver.js"]);
        let files = BTreeMap::from([(needs.needed_files().remove(0), "/x/tsserver.js".to_owned())]);
        assert_eq!(needs.options(&files)["tsserver"]["path"], "/x/tsserver.js");
    }
}
