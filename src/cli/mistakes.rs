//! Leaves `mistakes.json` where a run would have left its results, so that `publish` can show each mistake on its line.
#![expect(clippy::disallowed_methods, reason = "edge: files, and where the process is")]

use std::path::{Path, PathBuf};

use super::{ConfigArgs, Failure, config_path, console};
use crate::ci::CiContext;
use crate::input::{InputError, write_atomically};
use crate::model::ExitCode;
use crate::repository::{Checkout, Git};
use crate::results::{MISTAKES_SCHEMA, Mistake, Mistakes, Tool};

/// The name of the file.
pub(super) const FILE: &str = "mistakes.json";

/// Writes why a run measured nothing. On a developer's machine a slip makes no directory that was not there.
pub(super) fn leave(out: &Path, config: &ConfigArgs, failure: &Failure, ci: &CiContext) {
    if !ci.is_job() && !out.is_dir() {
        return;
    }
    let path = config_path(config).unwrap_or_else(|_| PathBuf::from(crate::settings::CONFIG_NAME));
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    let checkout = Checkout::of(&directory, "").unwrap_or_default();
    let top = Git::open(&directory).ok().flatten().and_then(|git| git.answer(&["rev-parse", "--show-toplevel"]).ok());
    let top = top.map_or_else(|| directory.clone(), PathBuf::from);
    let mistakes = match failure {
        Failure::InputErrors(errors) => errors.clone().into_iter().map(|one| mistake(&one, &directory, &top)).collect(),
        Failure::Write { .. } | Failure::Git(_) | Failure::Event(_) | Failure::Usage(_) => vec![of_text(failure)],
    };
    let mistakes = Mistakes {
        schema: MISTAKES_SCHEMA.to_owned(),
        tool: Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        commit: checkout.commit,
        config: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        prefix: checkout.prefix,
        exit_code: ExitCode::Invalid.code(),
        mistakes,
    };
    let written = serde_json::to_string_pretty(&mistakes).map_err(std::io::Error::other);
    let written = written.and_then(|text| write_atomically(&out.join(FILE), format!("{text}\n").as_bytes()));
    if let Err(error) = written {
        console::error(&format!("cannot write {}: {error}", out.join(FILE).display()));
    }
}

fn mistake(error: &InputError, directory: &Path, top: &Path) -> Mistake {
    let InputError { file, position, message, help } = error;
    let in_repository = in_repository(file, directory, top);
    // What is about no file of the repository is told with its name, such as that of a flag.
    let message = if in_repository.is_some() { message.clone() } else { format!("{file}: {message}") };
    let excerpt = position.as_ref().map(|at| {
        let number = at.line.to_string();
        let margin = " ".repeat(number.len());
        let mark = format!("{}{}", " ".repeat(at.indent), "^".repeat(at.width));
        format!("{number} | {}\n{margin} | {mark}", at.excerpt)
    });
    Mistake {
        file: in_repository,
        line: position.as_ref().map(|at| at.line),
        column: position.as_ref().map(|at| at.column),
        message,
        excerpt,
        help: help.clone(),
    }
}

/// A failure that names no place.
fn of_text(failure: &Failure) -> Mistake {
    let text = failure.to_string();
    let (message, help) = match text.split_once("\n  = ") {
        Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
        None => (text, None),
    };
    Mistake { file: None, line: None, column: None, message, excerpt: None, help }
}

/// A file as the repository names it. Messages name it as seen from the configuration, or from where the process is.
fn in_repository(file: &str, directory: &Path, top: &Path) -> Option<String> {
    let top = top.canonicalize().ok()?;
    [directory, Path::new(".")].iter().find_map(|base| {
        let path = base.join(file);
        let real = path.canonicalize().ok().filter(|real| real.is_file())?;
        Some(real.strip_prefix(&top).ok()?.to_string_lossy().replace('\\', "/"))
    })
}
