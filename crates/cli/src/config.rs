//! From what was typed to what the program needs: the terminal is looked at here, and nowhere else.

use crate::args::Globals;
use crate::progress::Style;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail};
use orient_settings::Override;
use orient_tools::SessionOptions;
use std::io::IsTerminal;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Compact, for people.
    Text,
    /// Exact, for programs.
    Json,
}

/// How the folder to work on was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// By name.
    Named,
    /// It is the one the user stands in.
    Here,
}

/// Everything the command needs to know of its surroundings.
pub(crate) struct Config {
    /// What to work on, and how.
    pub(crate) setup: SessionOptions,
    /// How the folder was chosen.
    pub(crate) root: Root,
    /// How answers are written.
    pub(crate) form: Form,
    /// Whether to leave out remarks.
    pub(crate) quiet: bool,
    /// Whether answers are coloured.
    pub(crate) colour: bool,
    /// Whether remarks and errors are coloured.
    pub(crate) colour_remarks: bool,
    /// How progress is shown.
    pub(crate) progress: Style,
    /// How many lines the screen has, where what is longer is paged.
    pub(crate) screen: Option<usize>,
}

impl Form {
    /// By whether JSON was asked for.
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

impl Config {
    /// Resolves what was typed.
    pub(crate) fn resolve(globals: Globals) -> anyhow::Result<Self> {
        let folder = std::env::current_dir().context("the current folder is gone")?;
        let mut overrides =
            globals.set.iter().map(|text| setting(text)).collect::<anyhow::Result<Vec<_>>>()?;
        if let Some(store) = &globals.store {
            let Some(value) = store.to_str() else {
                bail!("the folder given with --store is not valid UTF-8; choose one that is");
            };
            overrides.push(Override { key: "store.dir".into(), value: value.into(), flag: "--store".into() });
        }
        let root = if globals.root.is_some() { Root::Named } else { Root::Here };
        let start = globals.root.map_or_else(|| folder.clone(), |root| folder.join(root));
        let colour = |auto: ColorChoice| match globals.color.as_str() {
            "always" => true,
            "never" => false,
            _ => auto != ColorChoice::Never,
        };
        let progress = match (globals.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::None,
            // A bar would be drawn over the lines of the log.
            (false, true) if !globals.verbose => Style::Bar,
            (false, _) => Style::Lines,
        };
        let person = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        let screen = terminal_size::terminal_size().map(|(_, rows)| usize::from(rows.0));
        let screen = screen.filter(|rows| person && !globals.no_pager && *rows > 1);
        Ok(Self {
            setup: SessionOptions {
                start,
                folder,
                overrides,
                force: globals.force,
                refresh: !globals.no_refresh,
            },
            root,
            form: Form::of(globals.json),
            quiet: globals.quiet,
            colour: colour(AutoStream::choice(&std::io::stdout())),
            colour_remarks: colour(AutoStream::choice(&std::io::stderr())),
            progress,
            screen,
        })
    }
}

fn setting(text: &str) -> anyhow::Result<Override> {
    let Some((key, value)) = text.split_once('=') else {
        bail!("--set {text}: a setting is made with SECTION.KEY=VALUE, for example --set index.threads=2");
    };
    Ok(Override { key: key.trim().into(), value: value.into(), flag: format!("--set {}", key.trim()) })
}
