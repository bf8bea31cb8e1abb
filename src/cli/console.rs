//! The standard streams. A reader that goes away is no error.
#![expect(clippy::disallowed_methods, reason = "edge: the standard streams and the environment")]

use std::io::{IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::input::InputErrors;
use crate::report::Style;
use crate::text::{Redactor, plain};

/// Writes a result to standard output.
pub(super) fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// Writes bytes to standard output as they are.
pub(super) fn print_bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush())
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        self::error(&format!("cannot write to standard output: {error}"));
    }
}

/// Whether something that should have been printed was not.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether something that should have been printed was not.
pub(super) fn output_was_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Says something worth knowing on standard error.
pub(super) fn note(text: &str) {
    writeln!(std::io::stderr(), "{}", harmless(text)).ok();
}

/// A text of which no line is a command to a runner, and no character one to a terminal.
fn harmless(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start();
        let indent = &line[..line.len() - rest.len()];
        rest.strip_prefix("::").map_or_else(|| line.to_owned(), |rest| format!("{indent}:\u{200b}:{rest}"))
    };
    let lines: Vec<String> = plain(text).lines().map(line).collect();
    lines.join("\n")
}

/// Says what went wrong on standard error.
pub(super) fn error(text: &str) {
    writeln!(std::io::stderr(), "error: {}", harmless(text)).ok();
}

/// Whether the user wants to read more.
static VERBOSE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// From now on more is said, if the user wants it.
pub(super) fn set_verbose(verbose: bool) {
    VERBOSE.store(verbose, std::sync::atomic::Ordering::Relaxed);
}

/// Whether the user wants to read more.
pub(super) fn is_verbose() -> bool {
    VERBOSE.load(std::sync::atomic::Ordering::Relaxed)
}

/// Says on standard error what is worth a word and no mistake.
pub(super) fn notes(notes: &InputErrors) {
    for one in notes.clone() {
        writeln!(std::io::stderr(), "note: {}", harmless(&one.to_string())).ok();
    }
}

/// What must not stand in the log, once that is known.
static CONFIDED: OnceLock<Redactor> = OnceLock::new();

/// From now on the log does not have these values.
pub(super) fn redact_log(redactor: Redactor) {
    CONFIDED.set(redactor).ok();
}

/// Where the log goes: standard error, without what was confided to targets.
pub(super) struct LogWriter;

impl std::io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match CONFIDED.get() {
            Some(redactor) => std::io::stderr().write_all(redactor.text(&String::from_utf8_lossy(bytes)).as_bytes())?,
            None => std::io::stderr().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// How standard output wants its text.
pub(super) fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns.unwrap_or_else(|| match console::Term::stdout().size_checked() {
        Some((_, width)) if terminal => width,
        Some(_) | None => 100,
    });
    Style { color: terminal && !no_color, width: width.clamp(40, 200) }
}
