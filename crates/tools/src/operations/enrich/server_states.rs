//! The servers for the languages of a repository: whether they are installed and allowed, and what they run.

use super::allow_hint;
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use orient_engine::Snapshot;
use orient_enrich::{EnrichError, Permission, Program, Server, allowed, find, permission, servers};
use orient_model::ServiceError;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// A language server.
#[derive(Serialize)]
pub(super) struct ServerLine {
    /// Its name.
    name: String,
    /// Its languages in this repository.
    languages: Vec<String>,
    /// Number of files of these languages.
    files: u64,
    /// Whether it may be started.
    pub(super) state: ServerState,
    /// The error of its files, if it may not: `plugin_blocked` or `semantic_unavailable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    /// Why not, and what to do; empty if it may.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// The program, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// Its arguments.
    arguments: Vec<String>,
    /// The version that was allowed; empty if it prints none.
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    /// What is turned off.
    off: Vec<String>,
    /// What it is known to run nevertheless.
    runs: Vec<String>,
}

/// Whether a server may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServerState {
    /// The user has allowed it.
    Allowed,
    /// The user has not.
    NotAllowed,
    /// The user has allowed something else under this name.
    Changed,
    /// It is not installed.
    NotInstalled,
    /// It is a part of the repository.
    Blocked,
    /// The setting enrich.exclude names it.
    Excluded,
}

impl ServerState {
    /// Why files of its languages are not asked about.
    fn error(self) -> Option<ServiceError> {
        match self {
            Self::Allowed => None,
            Self::Blocked => Some(ServiceError::PluginBlocked),
            _ => Some(ServiceError::SemanticUnavailable),
        }
    }
}

/// The servers that concern a repository, or a request.
pub(super) struct KnownServers {
    servers: Vec<Server>,
    excluded: Vec<String>,
    /// Number of files by language.
    files: BTreeMap<String, u64>,
    wanted: BTreeSet<String>,
}

impl KnownServers {
    /// The servers for the languages of a repository, or the named ones.
    pub(super) fn of(
        session: &Session<'_>,
        snapshot: &Snapshot,
        names: &[String],
        languages: &[String],
    ) -> Result<Self, ToolError> {
        let settings = &session.loaded().settings.enrich;
        let all = servers(&settings.servers.0)?;
        let known = || all.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(name) = names.iter().find(|name| !all.iter().any(|server| server.name == **name)) {
            return Err(EnrichError::UnknownServer { name: name.clone(), known: known() }.into());
        }
        let has = |language: &String| all.iter().any(|server| server.languages.contains_key(language));
        if let Some(language) = languages.iter().find(|language| !has(language)) {
            let error = ToolError::new(Code::BadArgument, format!("no server is known for {language:?}"));
            return Err(error.hint("enrich.servers of your settings can name one"));
        }
        let mut files = BTreeMap::new();
        for counted in snapshot.status()?.languages {
            if let Some(language) = counted.language.filter(|_| counted.files > 0) {
                files.insert(language, counted.files);
            }
        }
        let wanted: BTreeSet<String> = languages.iter().cloned().collect();
        let concerns = |server: &Server| {
            let is_wanted = |language: &&String| wanted.is_empty() || wanted.contains(*language);
            let mut own = server.languages.keys().filter(is_wanted);
            if names.is_empty() {
                own.any(|language| files.contains_key(language))
            } else {
                names.contains(&server.name)
            }
        };
        let servers = all.iter().filter(|server| concerns(server)).cloned().collect();
        Ok(Self { servers, excluded: settings.exclude.clone(), files, wanted })
    }

    fn is_excluded(&self, server: &Server) -> bool {
        self.excluded.iter().any(|name| *name == server.name || name == "*")
    }

    /// The servers that the settings do not exclude.
    pub(super) fn startable(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| !self.is_excluded(server))
    }

    /// The servers that may be started, with the languages they are asked about. An error says what to type if there is none.
    pub(super) fn permitted(
        &self,
        session: &Session<'_>,
        directory: &Path,
    ) -> Result<Vec<(Permission, BTreeSet<String>)>, ToolError> {
        let (mut permitted, mut refused) = (Vec::new(), None);
        for server in self.startable() {
            let right = program(session, server)
                .and_then(|program| permission(directory, session.root(), server, program));
            let languages = server.languages.keys().filter(|language| {
                (self.wanted.is_empty() || self.wanted.contains(*language))
                    && self.files.contains_key(*language)
            });
            match right {
                Ok(right) => permitted.push((right, languages.cloned().collect())),
                // What only needs a consent is more helpful than what needs an installation.
                Err(error) => {
                    if matches!(refused, None | Some(EnrichError::NotInstalled { .. })) {
                        refused = Some(error);
                    }
                }
            }
        }
        match refused {
            _ if !permitted.is_empty() => Ok(permitted),
            None => Err(self.nothing_to_start()),
            Some(EnrichError::NotAllowed { .. }) => {
                let error =
                    ToolError::new(Code::NotAllowed, "no language server is allowed for this repository");
                Err(error.hint("`orient enrich status` shows what each would run; `orient enrich allow` allows those that are installed"))
            }
            Some(error) => Err(error.into()),
        }
    }

    /// No server can be started, whatever the user allows.
    pub(super) fn nothing_to_start(&self) -> ToolError {
        let installs: Vec<String> =
            self.startable().map(|server| format!("{} ({})", server.name, server.install)).collect();
        if installs.is_empty() {
            let error =
                ToolError::new(Code::NotFound, "no server is known for the languages of this repository");
            return error.hint(
                "enrich.servers of your settings can name one, and enrich.exclude must not exclude it",
            );
        }
        let error =
            ToolError::new(Code::NotFound, "no server for the languages of this repository is installed");
        error.hint(format!("install one: {}", installs.join("; ")))
    }

    /// The servers as an answer.
    pub(super) fn lines(&self, session: &Session<'_>, directory: &Path) -> Vec<ServerLine> {
        self.servers.iter().map(|server| self.line(session, directory, server)).collect()
    }

    fn line(&self, session: &Session<'_>, directory: &Path, server: &Server) -> ServerLine {
        let consents = allowed(directory, session.root());
        let consent = consents.iter().find(|consent| consent.name == server.name);
        let found = program(session, server);
        let program = found.as_ref().ok().map(|program| program.path.display().to_string());
        let right = found.and_then(|program| permission(directory, session.root(), server, program));
        let (state, reason) = match right {
            _ if self.is_excluded(server) => {
                (ServerState::Excluded, "the setting enrich.exclude names it".to_owned())
            }
            Ok(_) => (ServerState::Allowed, String::new()),
            Err(error) => {
                let text = error.to_string();
                match error {
                    EnrichError::NotInstalled { install, .. } => {
                        (ServerState::NotInstalled, format!("not installed: {install}"))
                    }
                    EnrichError::Incomplete { install, .. } => {
                        (ServerState::NotInstalled, format!("{text}: {install}"))
                    }
                    EnrichError::InsideRepository(_) => (ServerState::Blocked, text),
                    EnrichError::Changed { .. } => {
                        (ServerState::Changed, format!("{text}; {}", allow_hint(&server.name)))
                    }
                    _ => (
                        ServerState::NotAllowed,
                        format!("not allowed; `orient enrich allow {}` allows it", server.name),
                    ),
                }
            }
        };
        let own = server.languages.keys().filter_map(|language| Some((language, *self.files.get(language)?)));
        ServerLine {
            name: server.name.clone(),
            languages: own.clone().map(|(language, _)| language.clone()).collect(),
            files: own.map(|(_, files)| files).sum(),
            state,
            error: state.error().map(ServiceError::as_str),
            reason,
            program,
            arguments: server.args.clone(),
            version: consent.map(|consent| consent.version.clone()).unwrap_or_default(),
            off: server.off.clone(),
            runs: server.runs.clone(),
        }
    }
}

/// The program of a server.
pub(super) fn program(session: &Session<'_>, server: &Server) -> Result<Program, EnrichError> {
    find(server, session.root(), std::env::var_os("PATH"))
}

impl ServerLine {
    /// Writes what it is, whether it may run, and what it runs.
    pub(super) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Name, &self.name)?;
        let files = plural(self.files, "file", "files");
        writer.plain(&format!("  {}, {files}  ", self.languages.join(", ")))?;
        match self.state {
            ServerState::Allowed => writer.line(Style::Head, "allowed")?,
            _ => writer.line(Style::Warn, &self.reason)?,
        }
        if let Some(program) = &self.program {
            let command = [std::slice::from_ref(program), &self.arguments].concat().join(" ");
            let version =
                if self.version.is_empty() { String::new() } else { format!("  ({})", self.version) };
            writer.line(Style::Dim, &format!("  starts: {command}{version}"))?;
        }
        if !self.off.is_empty() {
            writer.line(Style::Dim, &format!("  turned off: {}", self.off.join(", ")))?;
        }
        writer.line(Style::Plain, &format!("  runs: {}", self.runs.join("; ")))
    }

    /// Writes why it was not asked.
    pub(super) fn write_reason(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Name, &self.name)?;
        writer.line(Style::Dim, &format!("  not asked: {}", self.reason))
    }
}
