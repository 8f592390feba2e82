//! Resolves the command line to a configuration. The only place that inspects the terminal.

use crate::args::Globals;
use crate::progress::ProgressStyle;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail};
use orient_settings::Override;
use orient_tools::SessionOptions;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The format of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// Compact, for people.
    Text,
    /// Exact, for programs.
    Json,
}

/// How the directory to work on was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootSource {
    /// With `--root`.
    Flag,
    /// It is the current directory.
    CurrentDir,
}

/// The resolved configuration of a command.
pub(crate) struct Config {
    /// What to work on, and how.
    pub(crate) setup: SessionOptions,
    /// The other roots of a workspace that flags name.
    pub(crate) other_roots: Vec<PathBuf>,
    /// How the directory was chosen.
    pub(crate) root: RootSource,
    /// The format of answers.
    pub(crate) format: OutputFormat,
    /// Whether to omit notes.
    pub(crate) quiet: bool,
    /// Whether to colour answers.
    pub(crate) colour: bool,
    /// Whether to colour notes and errors.
    pub(crate) colour_stderr: bool,
    /// How to show progress.
    pub(crate) progress: ProgressStyle,
    /// Height of the terminal if long output goes to a pager.
    pub(crate) screen: Option<usize>,
}

impl OutputFormat {
    /// JSON if requested, text otherwise.
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

impl Config {
    /// Resolves the global flags.
    pub(crate) fn resolve(globals: Globals) -> anyhow::Result<Self> {
        let directory = std::env::current_dir().context("the current directory does not exist")?;
        let mut overrides =
            globals.set.iter().map(|text| parse_override(text)).collect::<anyhow::Result<Vec<_>>>()?;
        if let Some(store) = &globals.store {
            let Some(value) = store.to_str() else {
                bail!("the directory given with --store is not valid UTF-8");
            };
            overrides.push(Override { key: "store.dir".into(), value: value.into(), flag: "--store".into() });
        }
        let root = if globals.root.is_empty() { RootSource::CurrentDir } else { RootSource::Flag };
        let mut roots = globals.root.into_iter().map(|root| directory.join(root));
        let start = roots.next().unwrap_or_else(|| directory.clone());
        let other_roots = roots.collect();
        let colour = |auto: ColorChoice| match globals.color.as_str() {
            "always" => true,
            "never" => false,
            _ => auto != ColorChoice::Never,
        };
        let progress = match (globals.quiet, std::io::stderr().is_terminal()) {
            (true, _) => ProgressStyle::None,
            // A bar would overwrite log lines.
            (false, true) if !globals.verbose => ProgressStyle::Bar,
            (false, _) => ProgressStyle::Lines,
        };
        let is_interactive = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        let screen = terminal_size::terminal_size().map(|(_, rows)| usize::from(rows.0));
        let screen = screen.filter(|rows| is_interactive && !globals.no_pager && *rows > 1);
        Ok(Self {
            setup: SessionOptions {
                start,
                directory,
                overrides,
                force: globals.force,
                refresh: !globals.no_refresh,
            },
            other_roots,
            root,
            format: OutputFormat::of(globals.json),
            quiet: globals.quiet,
            colour: colour(AutoStream::choice(&std::io::stdout())),
            colour_stderr: colour(AutoStream::choice(&std::io::stderr())),
            progress,
            screen,
        })
    }
}

fn parse_override(text: &str) -> anyhow::Result<Override> {
    let Some((key, value)) = text.split_once('=') else {
        bail!("--set {text}: expected SECTION.KEY=VALUE, for example --set index.threads=2");
    };
    Ok(Override { key: key.trim().into(), value: value.into(), flag: format!("--set {}", key.trim()) })
}
