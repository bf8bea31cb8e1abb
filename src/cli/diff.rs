//! `diff`: what to paste as `expectedDiff`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, console};
use crate::input::read_bytes;
use crate::model::ExitCode;
use crate::suites::scenario::matching::normalised;
use crate::suites::scenario::unified::{hunks, is_binary};

/// Flags of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The file as it was; /dev/null for none
    before: PathBuf,
    /// The file as it is; /dev/null for none
    after: PathBuf,
    /// With line numbers and functions in the hunk headers, as git shows them
    #[arg(long)]
    raw: bool,
}

pub(super) fn diff(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let read = |path: &Path| read_bytes(path, &path.display().to_string());
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    if before != after && (is_binary(&before) || is_binary(&after)) {
        console::print("binary files differ\n");
        return Ok(ExitCode::Passed);
    }
    let raw = hunks(&before, &after);
    if args.raw {
        console::print_bytes(&raw);
    } else {
        console::print(&normalised(&String::from_utf8_lossy(&raw)));
    }
    Ok(ExitCode::Passed)
}
