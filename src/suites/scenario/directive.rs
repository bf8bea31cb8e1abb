//! What an agent task does to the working copy: directives, read and checked before a byte is written.

use super::format::{Instruction, InstructionItem};

/// One edit of the working copy. The path is relative and stays inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// The file has these contents afterwards.
    Write { path: String, contents: String },
    /// These contents come after what is there.
    Append { path: String, contents: String },
    /// The file is gone afterwards.
    Delete { path: String },
    /// One passage is another one afterwards.
    Replace {
        path: String,
        /// What must be there, once.
        old: String,
        /// What is there instead.
        new: String,
    },
}

/// What is asked of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Edits that the harness applies itself.
    Directives(Vec<Directive>),
    /// Text for the suite's agent.
    FreeText(String),
}

impl Directive {
    /// The file that it is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Write { path, .. }
            | Self::Append { path, .. }
            | Self::Delete { path }
            | Self::Replace { path, .. } => path,
        }
    }
}

/// What is wrong with the edit of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectiveError {
    #[error("an instruction must not be empty")]
    Empty,
    #[error("expected `WRITE|path|contents`")]
    NotAWrite,
    #[error("only directives can stand in a list: `WRITE|path|contents` or an object")]
    TextInAList,
    #[error("expected exactly one of `write`, `append`, `delete` and `replace`")]
    NotOne,
    #[error("`old` must not be empty")]
    EmptyOld,
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Why a path is not one inside of a directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("a path must not be empty")]
    Empty,
    #[error("the path `{}` {why}", path.escape_debug())]
    Refused { path: String, why: &'static str },
}

/// Reads an instruction; `Err` gives what is wrong, with the index of the item where there are several.
pub fn read(instruction: &Instruction) -> Result<Task, Vec<(Option<usize>, DirectiveError)>> {
    match instruction {
        Instruction::Text(text) => match parse_write(text) {
            Some(directive) => check(directive).map(|one| Task::Directives(vec![one])).map_err(|why| vec![(None, why)]),
            None if text.starts_with("WRITE|") => Err(vec![(None, DirectiveError::NotAWrite)]),
            None if text.trim().is_empty() => Err(vec![(None, DirectiveError::Empty)]),
            None => Ok(Task::FreeText(text.clone())),
        },
        Instruction::Items(items) => {
            let (mut directives, mut wrong) = (Vec::new(), Vec::new());
            for (index, item) in items.iter().enumerate() {
                match read_item(item) {
                    Ok(directive) => directives.push(directive),
                    Err(why) => wrong.push((Some(index), why)),
                }
            }
            if items.is_empty() {
                wrong.push((None, DirectiveError::Empty));
            }
            if wrong.is_empty() { Ok(Task::Directives(directives)) } else { Err(wrong) }
        }
    }
}

fn read_item(item: &InstructionItem) -> Result<Directive, DirectiveError> {
    match item {
        InstructionItem::Text(text) => parse_write(text).ok_or(DirectiveError::TextInAList).and_then(check),
        InstructionItem::Object(object) => {
            let given =
                [object.append.is_some(), object.delete.is_some(), object.replace.is_some(), object.write.is_some()];
            if given.iter().filter(|given| **given).count() != 1 {
                return Err(DirectiveError::NotOne);
            }
            let directive = if let Some(write) = &object.write {
                Directive::Write { path: write.path.clone(), contents: write.contents.clone() }
            } else if let Some(append) = &object.append {
                Directive::Append { path: append.path.clone(), contents: append.contents.clone() }
            } else if let Some(delete) = &object.delete {
                Directive::Delete { path: delete.path.clone() }
            } else if let Some(replace) = &object.replace {
                if replace.old.is_empty() {
                    return Err(DirectiveError::EmptyOld);
                }
                Directive::Replace { path: replace.path.clone(), old: replace.old.clone(), new: replace.new.clone() }
            } else {
                return Err(DirectiveError::NotOne);
            };
            check(directive)
        }
    }
}

/// `WRITE|path|contents`, contents to the end, bars and newlines included.
fn parse_write(text: &str) -> Option<Directive> {
    let (path, contents) = text.strip_prefix("WRITE|")?.split_once('|')?;
    Some(Directive::Write { path: path.trim().to_owned(), contents: contents.to_owned() })
}

fn check(directive: Directive) -> Result<Directive, DirectiveError> {
    check_path(directive.path())?;
    Ok(directive)
}

/// The same for a directory, which may be the one it is relative to.
pub fn check_directory(path: &str) -> Result<(), PathError> {
    if path == "." { Ok(()) } else { check_path(path.trim_end_matches('/')) }
}

/// A path must be relative and must not leave the directory it is relative to, on any platform.
pub fn check_path(path: &str) -> Result<(), PathError> {
    let refuse = |why: &'static str| Err(PathError::Refused { path: path.to_owned(), why });
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path == "." || path.ends_with(['/', '\\']) {
        return refuse("names a directory");
    }
    if path.contains('\0') {
        return refuse("contains a NUL character");
    }
    if path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':') {
        return refuse("is absolute; it must be relative");
    }
    for part in path.split(['/', '\\']) {
        if part == ".." {
            return refuse("leaves its directory");
        }
        if part.eq_ignore_ascii_case(".git") {
            return refuse("leads into .git");
        }
        let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
        let numbered = |name: &str| {
            stem.strip_prefix(name).is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt") {
            return refuse("contains a name that is reserved on Windows");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Result<Task, Vec<(Option<usize>, DirectiveError)>> {
        read(&Instruction::Text(text.to_owned()))
    }

    #[test]
    fn contents_go_to_the_end_with_bars_and_newlines() {
        let expected = Directive::Write { path: "src/a.ts".into(), contents: "a | b\n|c".into() };
        assert_eq!(text("WRITE|src/a.ts|a | b\n|c"), Ok(Task::Directives(vec![expected])));
    }

    #[test]
    fn any_other_text_is_for_the_agent() {
        assert_eq!(text("Make it fast"), Ok(Task::FreeText("Make it fast".into())));
        assert!(text("WRITE|no contents").is_err());
        assert!(text("  ").is_err());
    }

    #[test]
    fn a_path_that_leaves_the_copy_is_refused() {
        for path in [
            "../x",
            "a/../../x",
            "/etc/passwd",
            "C:\\x",
            "\\\\host\\x",
            "a\0b",
            "",
            "nul.txt",
            "a/COM1",
            ".git/hooks/x",
            "a\\..\\b",
        ] {
            assert!(text(&format!("WRITE|{path}|x")).is_err(), "{path}");
        }
        for path in ["a", "./a", "a/b.c", "..a", "a..b", "console.log"] {
            assert!(text(&format!("WRITE|{path}|x")).is_ok(), "{path}");
        }
    }
}
