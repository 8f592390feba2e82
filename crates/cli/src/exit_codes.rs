//! How the process ends. The codes themselves are listed in [`orient_tools::Exit`], for every surface.

use orient_tools::Exit;
use std::process::ExitCode;

/// The code the operating system gets.
pub(crate) fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
