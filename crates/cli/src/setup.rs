//! `orient setup`: adds our entry to the configuration of a client, or removes it.

use crate::atomic_write::{self, Links};
use crate::config::{Config, OutputFormat};
use crate::render;
use crate::setup_undo_log::{UndoLog, UndoRecord};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use orient_engine::{Cancel, NoProgress};
use orient_setup::{
    CLIENTS, Client, ConfigDirs, GUARD_HOOKS, GuardHooks, Plan, Scope, ServerEntry, TextEdit, diff, plan,
    registered, snippet, undo,
};
use orient_tools::{Code, Exit, Session, Style, TextWriter, ToolError, write_json};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The name under which the hook of a repository is set up.
const GIT: &str = "git";

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    let ids = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.id).chain([GIT]));
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("setup")
        .about("Register orient with an agent's client, or remove it")
        .long_about(
            "Register orient with an agent's client, or remove it.\n\n\
             Shows the change, then writes one entry into the client's own configuration file; everything else, \
             including comments and formatting, stays as it is. Without a client, lists the installed clients and \
             whether they are set up. For a client that is not listed, --print shows the entry to add.",
        )
        .arg(Arg::new("client").value_name("CLIENT").num_args(0..).value_parser(ids).help("Clients to set up"))
        .arg(flag("all", "Set up every installed client").conflicts_with("client"))
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .default_value("user")
                .value_parser(PossibleValuesParser::new(["user", "project"]))
                .help("For all your projects, or in this project for everyone who works on it"),
        )
        .arg(flag("guard", "Install the hook that asks the current task before a file is written").conflicts_with("all"))
        .arg(flag("skill", "Install a short skill or rule file that teaches the flow of a task").conflicts_with("all"))
        .arg(flag("undo", "Remove our entry"))
        .arg(flag("dry-run", "Show the change without writing it"))
        .arg(flag("print", "Print the entry without changing any file"))
        .arg(flag("yes", "Do not ask before writing").short('y'))
        .arg(
            Arg::new("command")
                .long("command")
                .value_name("PATH")
                .help("Program that the client runs [default: this one; `orient` with --scope project]"),
        )
        .after_help(
            "Examples:\n  orient setup                        list clients and whether they are set up\n  \
             orient setup claude-code            set up for all your projects\n  \
             orient setup cursor --scope project  set up for everyone who works on this project\n  \
             orient setup --all --dry-run        show what would change\n  \
             orient setup cursor --undo          remove the entry\n  \
             orient setup claude-code --guard    ask the current task before a file is written\n  \
             orient setup git --guard            the same before a commit",
        )
}

/// The result for one client.
#[derive(Serialize)]
struct ClientOutcome {
    client: &'static str,
    name: &'static str,
    scope: &'static str,
    file: String,
    /// `added`, `updated`, `removed`, `unchanged`, `absent`, `set_up`, `not_set_up`, `declined` or `refused`.
    state: &'static str,
    /// Whether nothing was written.
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diff: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Whether to write a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteMode {
    DryRun,
    AfterConfirmation,
    Immediate,
}

/// The options and the state of one run.
struct SetupRun {
    dirs: ConfigDirs,
    scope: Scope,
    command: Option<String>,
    write_mode: WriteMode,
    undo: bool,
    colour: bool,
    format: OutputFormat,
    undo_log: UndoLog,
    root: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let (format, colour, quiet) = (config.format, config.colour, config.quiet);
    let cancel = Cancel::default();
    let session = Session::open(config.setup, &NoProgress, &cancel)?;
    let dirs = ConfigDirs::detect(session.root()).ok_or_else(|| {
        ToolError::new(Code::BadArgument, "there is no home directory for configuration files")
            .hint("orient setup --print shows the entry to add")
    })?;
    let scope = match matches.get_one::<String>("scope").map(String::as_str) {
        Some("project") => Scope::Project,
        _ => Scope::User,
    };
    let is_interactive =
        io::stdin().is_terminal() && io::stdout().is_terminal() && format == OutputFormat::Text;
    let store = session.loaded().settings.store.dir.clone().or_else(orient_settings::store_root);
    let mut run = SetupRun {
        dirs,
        scope,
        command: matches.get_one::<String>("command").cloned(),
        write_mode: match (matches.get_flag("dry-run"), is_interactive && !matches.get_flag("yes") && !quiet)
        {
            (true, _) => WriteMode::DryRun,
            (false, true) => WriteMode::AfterConfirmation,
            (false, false) => WriteMode::Immediate,
        },
        undo: matches.get_flag("undo"),
        colour,
        format,
        undo_log: UndoLog::open(store, session.root()),
        root: session.root().to_owned(),
    };
    let named: Vec<&'static Client> = matches
        .get_many::<String>("client")
        .map(|ids| ids.filter_map(|id| Client::by_id(id)).collect())
        .unwrap_or_default();
    if matches.get_flag("guard") || matches.get_flag("skill") {
        let ids: Vec<&str> =
            matches.get_many::<String>("client").into_iter().flatten().map(String::as_str).collect();
        return run.install_files(&ids, matches.get_flag("guard"));
    }
    if matches.get_many::<String>("client").into_iter().flatten().any(|id| id == GIT) {
        return Err(ToolError::new(Code::BadArgument, "git has a hook, and no server entry")
            .hint("`orient setup git --guard`"));
    }
    if matches.get_flag("print") {
        return run.print(&named);
    }
    let clients: Vec<&'static Client> = if matches.get_flag("all") {
        CLIENTS.iter().filter(|client| client.is_installed(&run.dirs, Path::exists)).collect()
    } else {
        named
    };
    if clients.is_empty() {
        return run.overview(matches.get_flag("all"));
    }
    let mut outcomes = Vec::new();
    for client in clients {
        let outcome = run.apply(client);
        if format == OutputFormat::Text {
            written(render::page(colour, |page| outcome.text(page)))?;
        }
        outcomes.push(outcome);
    }
    if format == OutputFormat::Json {
        written(render::raw(|out| write_json(&outcomes, out)))?;
    }
    let refused = outcomes.iter().any(|outcome| outcome.state == "refused");
    Ok(if refused { Exit::Failed } else { Exit::Ok })
}

impl SetupRun {
    fn entry(&self) -> ServerEntry {
        let ours = || std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
        let named = self.command.clone();
        // A shared configuration must not contain a path of one machine.
        let own = if self.scope == Scope::User { ours() } else { None };
        ServerEntry::new(named.or(own).unwrap_or_else(|| "orient".to_owned()))
    }

    fn file(&self, client: &Client) -> Option<PathBuf> {
        client.config_file(self.scope, &self.dirs, Path::exists)
    }

    fn outcome(&self, client: &Client, state: &'static str) -> ClientOutcome {
        self.outcome_of(client.id, client.name, self.file(client).as_deref(), state)
    }

    fn outcome_of(
        &self,
        client: &'static str,
        name: &'static str,
        file: Option<&Path>,
        state: &'static str,
    ) -> ClientOutcome {
        ClientOutcome {
            client,
            name,
            scope: self.scope.as_str(),
            file: file.map(|file| file.display().to_string()).unwrap_or_default(),
            state,
            dry_run: self.write_mode == WriteMode::DryRun,
            diff: Vec::new(),
            message: None,
        }
    }

    /// Sets up one client or removes our entry. After an error, the file is unchanged.
    fn apply(&mut self, client: &Client) -> ClientOutcome {
        let Some(file) = self.file(client) else {
            let message = format!("{} has no {} configuration", client.name, self.scope.as_str());
            return ClientOutcome { message: Some(message), ..self.outcome(client, "refused") };
        };
        self.edit(client, &file).unwrap_or_else(|message| ClientOutcome {
            message: Some(format!("{}: {message}", file.display())),
            ..self.outcome(client, "refused")
        })
    }

    fn edit(&mut self, client: &Client, file: &Path) -> Result<ClientOutcome, String> {
        links(self.scope, &self.root).resolve(file).map_err(|error| error.to_string())?;
        let before =
            atomic_write::read(file, links(self.scope, &self.root)).map_err(|error| error.to_string())?;
        let text = before.as_deref().unwrap_or_default();
        let was = registered(client, text).map_err(|error| error.to_string())?;
        let (after, edit, state) = if self.undo {
            let record = self.undo_log.get(file);
            let after =
                undo(client, text, record.map(|record| &record.edit)).map_err(|error| error.to_string())?;
            match after {
                None => return Ok(self.outcome(client, "no_entry")),
                Some(after) => (after, None, "removed"),
            }
        } else {
            match plan(client, text, &self.entry()).map_err(|error| error.to_string())? {
                Plan::UpToDate => return Ok(self.outcome(client, "unchanged")),
                Plan::Edit { text, edit } => {
                    (text, Some(edit), if was.is_some() { "updated" } else { "added" })
                }
            }
        };
        let outcome = ClientOutcome { diff: diff(text, &after), ..self.outcome(client, state) };
        self.show_and_write(outcome, file, file, (before.as_deref(), &after), edit)
    }

    /// Shows a change and writes it, unless the user declines or wants to see it only. `key` is its name in the undo log.
    fn show_and_write(
        &mut self,
        outcome: ClientOutcome,
        file: &Path,
        key: &Path,
        (before, after): (Option<&str>, &str),
        edit: Option<TextEdit>,
    ) -> Result<ClientOutcome, String> {
        if self.write_mode == WriteMode::DryRun {
            return Ok(outcome);
        }
        let ask = self.write_mode == WriteMode::AfterConfirmation;
        if ask && !self.confirmed(&outcome).map_err(|error| error.to_string())? {
            return Ok(ClientOutcome { state: "declined", diff: Vec::new(), ..outcome });
        }
        self.write(file, key, before, after, edit).map_err(|error| error.to_string())?;
        // The change was shown for confirmation already.
        Ok(if ask { ClientOutcome { diff: Vec::new(), ..outcome } } else { outcome })
    }

    /// Installs or removes the hooks of the write guard, or the skill file, of some clients.
    fn install_files(&mut self, ids: &[&str], guard: bool) -> Result<Exit, ToolError> {
        let mut outcomes = Vec::new();
        for id in ids {
            let outcome = if guard { self.install_guard(id) } else { self.install_skill(id) };
            let outcome = outcome.map_err(|message| ToolError::new(Code::BadArgument, message))?;
            if self.format == OutputFormat::Text {
                written(render::page(self.colour, |page| outcome.text(page)))?;
            }
            outcomes.push(outcome);
        }
        if outcomes.is_empty() {
            let error = ToolError::new(Code::BadArgument, "name a client, or git");
            return Err(error.hint("for example `orient setup claude-code --guard`"));
        }
        if self.format == OutputFormat::Json {
            written(render::raw(|out| write_json(&outcomes, out)))?;
        }
        Ok(Exit::Ok)
    }

    fn install_guard(&mut self, id: &str) -> Result<ClientOutcome, String> {
        let hooks = GuardHooks::by_client(id).ok_or_else(|| {
            let known: Vec<&str> = GUARD_HOOKS.iter().map(|hooks| hooks.client).collect();
            format!("{id} has no hooks that we know; clients with hooks: {}", known.join(", "))
        })?;
        if hooks.client == GIT {
            self.scope = Scope::Project;
        }
        let file = hooks.file(self.scope, &self.dirs).ok_or("there is no file for this scope")?;
        // One file may hold the entry of the server and the hooks; each is undone on its own.
        let key = file.with_extension("guard");
        let before =
            atomic_write::read(&file, links(self.scope, &self.root)).map_err(|error| error.to_string())?;
        let text = before.as_deref().unwrap_or_default();
        let outcome = |run: &Self, state| run.outcome_of(hooks.client, hooks.name, Some(&file), state);
        let (after, edit, state) = if self.undo {
            let record = self.undo_log.get(&key);
            match hooks.undo(text, record.map(|record| &record.edit)).map_err(|error| error.to_string())? {
                None => return Ok(outcome(self, "no_entry")),
                Some(after) => (after, None, "removed"),
            }
        } else {
            match hooks.plan(text, &self.entry().command).map_err(|error| error.to_string())? {
                Plan::UpToDate => return Ok(outcome(self, "unchanged")),
                Plan::Edit { text, edit } => (text, Some(edit), "added"),
            }
        };
        let shown = ClientOutcome { diff: diff(text, &after), ..outcome(self, state) };
        let done = self.show_and_write(shown, &file, &key, (before.as_deref(), &after), edit)?;
        #[cfg(unix)]
        if hooks.is_program() && file.exists() {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&file, mode).map_err(|error| error.to_string())?;
        }
        Ok(done)
    }

    fn install_skill(&mut self, id: &str) -> Result<ClientOutcome, String> {
        let client = Client::by_id(id).ok_or_else(|| format!("{id} reads no skill files"))?;
        let file = client
            .skill_file(self.scope, &self.dirs)
            .ok_or_else(|| format!("{} reads no skill files that we know", client.name))?;
        let before =
            atomic_write::read(&file, links(self.scope, &self.root)).map_err(|error| error.to_string())?;
        let text = before.as_deref().unwrap_or_default();
        let ours = orient_tools::skill_text();
        let outcome = |run: &Self, state| run.outcome_of(client.id, client.name, Some(&file), state);
        let (after, edit, state) = match (self.undo, text) {
            (true, "") => return Ok(outcome(self, "no_entry")),
            (true, _) => (String::new(), None, "removed"),
            (false, text) if text == ours => return Ok(outcome(self, "unchanged")),
            (false, text) => {
                let edit = TextEdit { at: 0, inserted: ours.clone(), replaced: text.to_owned() };
                (ours, Some(edit), if text.is_empty() { "added" } else { "updated" })
            }
        };
        let shown = ClientOutcome { diff: diff(text, &after), ..outcome(self, state) };
        self.show_and_write(shown, &file, &file, (before.as_deref(), &after), edit)
    }

    fn write(
        &mut self,
        file: &Path,
        key: &Path,
        before: Option<&str>,
        after: &str,
        edit: Option<TextEdit>,
    ) -> io::Result<()> {
        let root = self.root.clone();
        let links = links(self.scope, &root);
        let Some(edit) = edit else {
            let record = self.undo_log.remove(key);
            let ours = record.filter(|record| record.created && after.trim().is_empty());
            match (ours, before) {
                (Some(record), Some(before)) => {
                    atomic_write::remove(file, before, &record.directories, links)?;
                }
                _ => atomic_write::replace(file, before, after, links).map(drop)?,
            }
            return self.undo_log.save();
        };
        let earlier = self.undo_log.remove(key);
        let directories = atomic_write::replace(file, before, after, links)?;
        let created = before.is_none() || earlier.as_ref().is_some_and(|earlier| earlier.created);
        let directories = earlier.map_or(directories, |earlier| earlier.directories);
        self.undo_log.put(key, UndoRecord { edit, created, directories });
        self.undo_log.save()
    }

    fn confirmed(&self, outcome: &ClientOutcome) -> io::Result<bool> {
        render::page(self.colour, |page| outcome.changes(page))?;
        print_now("Write this? [y/N] ")?;
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        Ok(matches!(line.trim(), "y" | "Y" | "yes"))
    }

    /// Prints the entries for configuration files.
    fn print(&self, named: &[&'static Client]) -> Result<Exit, ToolError> {
        let entry = self.entry();
        if let [client] = named {
            let text = snippet(client, &entry);
            written(render::raw(|out| out.write_all(text.as_bytes())))?;
            return Ok(Exit::Ok);
        }
        written(render::page(self.colour, |page| {
            let all: Vec<&Client> = if named.is_empty() { CLIENTS.iter().collect() } else { named.to_vec() };
            if named.is_empty() {
                page.line(
                    Style::Plain,
                    &format!("Any client: run `{}` with the argument `mcp`, over stdio.", entry.command),
                )?;
            }
            for client in all {
                page.end_line()?;
                page.put(Style::Head, client.name)?;
                for scope in client.scopes() {
                    let file = client.config_file(scope, &self.dirs, Path::exists).unwrap_or_default();
                    page.put(Style::Dim, &format!("  {}: ", scope.as_str()))?;
                    page.put(Style::Path, &file.display().to_string())?;
                }
                page.end_line()?;
                for line in snippet(client, &entry).lines() {
                    page.line(Style::Plain, &format!("  {line}"))?;
                }
            }
            Ok(())
        }))?;
        Ok(Exit::Ok)
    }

    /// Lists the installed clients and whether they are set up.
    fn overview(&mut self, all: bool) -> Result<Exit, ToolError> {
        let mut outcomes = Vec::new();
        for client in CLIENTS {
            for scope in client.scopes() {
                self.scope = scope;
                let Some(file) = self.file(client) else { continue };
                let text = atomic_write::read(&file, links(self.scope, &self.root))
                    .ok()
                    .flatten()
                    .unwrap_or_default();
                let set_up = registered(client, &text).is_ok_and(|registered| registered.is_some());
                if set_up || (scope == Scope::User && client.is_installed(&self.dirs, Path::exists)) {
                    let state = if set_up { "set_up" } else { "not_set_up" };
                    outcomes.push(self.outcome(client, state));
                }
            }
        }
        let none = outcomes.is_empty();
        if self.format == OutputFormat::Json {
            written(render::raw(|out| write_json(&outcomes, out)))?;
            return Ok(Exit::Ok);
        }
        written(render::page(self.colour, |page| {
            for outcome in &outcomes {
                outcome.text(page)?;
            }
            let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
            if none {
                page.line(Style::Plain, "no client was found")?;
            }
            page.line(Style::Dim, &format!("set one up with `orient setup CLIENT`: {}", ids.join(", ")))?;
            page.line(Style::Dim, "for any other client, `orient setup --print` shows the entry to add")
        }))?;
        Ok(if all && none { Exit::Nothing } else { Exit::Ok })
    }
}

/// Links of a project are refused; links of the user are followed.
fn links(scope: Scope, root: &Path) -> Links<'_> {
    match scope {
        Scope::User => Links::Follow,
        Scope::Project => Links::RefuseBelow(root),
    }
}

impl ClientOutcome {
    fn text(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        if !self.diff.is_empty() {
            self.changes(page)?;
        }
        let would = if self.dry_run { "would be " } else { "" };
        let (tone, words) = match self.state {
            "added" => (Style::Plain, format!("{would}added; restart {} to use it", self.name)),
            "updated" => (Style::Plain, format!("{would}updated; restart {} to use it", self.name)),
            "removed" => (Style::Plain, format!("{would}removed")),
            "unchanged" => (Style::Plain, "is already set up".to_owned()),
            "no_entry" => (Style::Plain, "has no entry of ours".to_owned()),
            "declined" => (Style::Plain, "unchanged".to_owned()),
            "set_up" => (Style::Plain, "is set up".to_owned()),
            "not_set_up" => (Style::Dim, format!("is not set up; run `orient setup {}`", self.client)),
            _ => (Style::Warn, format!("unchanged: {}", self.message.as_deref().unwrap_or_default())),
        };
        page.put(Style::Name, self.name)?;
        page.put(Style::Dim, &format!(" ({}) ", self.scope))?;
        page.line(tone, &words)
    }

    fn changes(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.line(Style::Path, &self.file)?;
        for line in &self.diff {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Style::Number,
                Some(b'-') => Style::Warn,
                _ => Style::Dim,
            };
            page.line(tone, &format!("  {line}"))?;
        }
        Ok(())
    }
}

fn print_now(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn written(result: io::Result<()>) -> Result<(), ToolError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(ToolError::new(Code::Io, format!("cannot write: {error}")))
        }
        _ => Ok(()),
    }
}
