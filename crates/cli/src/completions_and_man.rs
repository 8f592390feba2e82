//! `orient completions` and `orient man`: shell completions and manual pages.

use crate::args;
use crate::config::Config;
use crate::render::{self, written};
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use orient_tools::{Exit, ToolError};
use std::io;
use std::path::{Path, PathBuf};

/// The definition of `orient completions`.
pub(crate) fn completions_command() -> Command {
    Command::new("completions")
        .about("Print shell completions")
        .long_about(
            "Print shell completions to standard output.\n\n\
             bash:  orient completions bash > ~/.local/share/bash-completion/completions/orient\n\
             zsh:   orient completions zsh > DIR/_orient, where DIR is in $fpath\n\
             fish:  orient completions fish > ~/.config/fish/completions/orient.fish",
        )
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)))
}

/// Prints completions.
pub(crate) fn completions(_: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap requires it");
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "orient", &mut bytes);
    written(render::raw(|out| out.write_all(&bytes)))
}

/// The definition of `orient man`.
pub(crate) fn man_command() -> Command {
    Command::new("man")
        .about("Print the manual page")
        .long_about(
            "Print the manual page to standard output, or write one page per command into a directory.\n\n\
             orient man | man -l -                      read it now\n\
             orient man --dir ~/.local/share/man/man1   install all pages",
        )
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_hint(ValueHint::DirPath)
                .value_parser(value_parser!(PathBuf))
                .help("Write all pages into this directory"),
        )
}

/// Prints or writes manual pages.
pub(crate) fn man(_: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let command = args::command();
    match matches.get_one::<PathBuf>("dir") {
        None => {
            let mut bytes = Vec::new();
            let rendered = clap_mangen::Man::new(command).render(&mut bytes);
            written(rendered.and_then(|()| render::raw(|out| out.write_all(&bytes))))
        }
        Some(directory) => written(write_pages(command, directory)),
    }
}

/// Writes one page for the program, and one for each command.
fn write_pages(command: Command, directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(command, directory)
}
