//! Converts [`orient_tools::Exit`], which lists all exit codes, to the exit code of the process.

use orient_tools::Exit;
use std::process::ExitCode;

/// The exit code for the operating system.
pub(crate) fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
