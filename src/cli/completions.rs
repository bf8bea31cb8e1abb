//! `completions`: scripts that complete commands in a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Failure, console};
use crate::model::ExitCode;

/// Flags of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "evalratchet", &mut script);
    console::print_bytes(&script);
    Ok(ExitCode::Passed)
}
