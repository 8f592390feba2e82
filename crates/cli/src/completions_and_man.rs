//! `orient completions` and `orient man`: the table of commands for shells and for `man`.

use crate::args;
use crate::config::Config;
use crate::render;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use orient_tools::{Code, Exit, ToolError};
use std::io;
use std::path::{Path, PathBuf};

/// The subcommand for shells.
pub(crate) fn completions_command() -> Command {
    Command::new("completions")
        .about("Write what a shell needs to complete commands")
        .long_about(
            "Write what a shell needs to complete commands, to the standard output.\n\n\
             bash:  orient completions bash > ~/.local/share/bash-completion/completions/orient\n\
             zsh:   orient completions zsh > a folder of $fpath, as _orient\n\
             fish:  orient completions fish > ~/.config/fish/completions/orient.fish",
        )
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)))
}

/// Writes completions.
pub(crate) fn completions(_: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap asks for it");
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "orient", &mut bytes);
    written(render::raw(|out| out.write_all(&bytes)))
}

/// The subcommand for manual pages.
pub(crate) fn man_command() -> Command {
    Command::new("man")
        .about("Write the manual page")
        .long_about(
            "Write the manual page, to the standard output or, one page for each command, into a folder.\n\n\
             orient man | man -l -               reads it now\n\
             orient man --dir ~/.local/share/man/man1   keeps all pages",
        )
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_hint(ValueHint::DirPath)
                .value_parser(value_parser!(PathBuf))
                .help("Write every page into this folder"),
        )
}

/// Writes manual pages.
pub(crate) fn man(_: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let command = args::command();
    match matches.get_one::<PathBuf>("dir") {
        None => {
            let mut bytes = Vec::new();
            let rendered = clap_mangen::Man::new(command).render(&mut bytes);
            written(rendered.and_then(|()| render::raw(|out| out.write_all(&bytes))))
        }
        Some(folder) => written(pages(command, folder)),
    }
}

/// One page for the whole, and one for each command.
fn pages(command: Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)
}

fn written(result: io::Result<()>) -> Result<Exit, ToolError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(ToolError::new(Code::Io, format!("cannot write: {error}")))
        }
        _ => Ok(Exit::Ok),
    }
}
