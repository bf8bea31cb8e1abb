//! What a run says that could not begin: every mistake, at its place.

use super::annotations::{Annotation, Level};
use super::markdown;
use super::size_budget::{Block, fitted};
use super::templates::is_address;
use crate::results::{Mistake, Mistakes};
use crate::text::{counted, truncate_middle};

/// How much of a message is shown.
const MESSAGE: usize = 1500;
/// So many are shown open.
const OPEN: usize = 10;

/// What stays if not everything fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    Head,
    First,
    More,
}

/// Where the files of the repository can be seen, such as `https://github.com/o/r/blob/COMMIT`.
type FilesAddress<'a> = Option<&'a str>;

/// In one line, for titles and tables.
pub fn mistakes_line(mistakes: &Mistakes) -> String {
    let count = counted(mistakes.mistakes.len(), "mistake");
    let first = mistakes.mistakes.first();
    let first =
        first.map(|one| format!("{}{}", place(one).map(|at| format!("{at}: ")).unwrap_or_default(), one.message));
    let first = first.unwrap_or_default();
    format!("invalid: {count}, so nothing was measured: {}", first.lines().next().unwrap_or_default())
}

/// The comment, the summary and the text of the check.
pub fn mistakes_comment(mistakes: &Mistakes, files: FilesAddress<'_>, budget: usize) -> String {
    let count = mistakes.mistakes.len();
    let them = if count == 1 { "it" } else { "them" };
    let head = format!(
        "### ❌ Invalid: {}\n\nNothing was measured, so this says nothing about quality.\n\n**→** Fix {them} and push. `evalratchet check` finds {them} on your machine, too.\n",
        counted(count, "mistake")
    );
    let mut blocks = vec![Block { importance: Importance::Head, things: 1, text: head }];
    for (index, one) in mistakes.mistakes.iter().enumerate() {
        let importance = if index < OPEN { Importance::First } else { Importance::More };
        blocks.push(Block { importance, things: 1, text: block(one, files) });
    }
    fitted(&blocks, budget)
}

fn block(mistake: &Mistake, files: FilesAddress<'_>) -> String {
    let title = place(mistake).map(|at| {
        let address = files.zip(mistake.file.as_ref()).map(|(files, file)| {
            let line = mistake.line.map(|line| format!("#L{line}")).unwrap_or_default();
            (format!("{files}/{file}"), line)
        });
        let at = markdown::code(&at);
        match address {
            Some((address, line)) if is_address(&address) => format!("**[{at}]({address}{line})** "),
            Some(_) | None => format!("**{at}** "),
        }
    });
    let message = markdown::prose(&truncate_middle(&mistake.message, MESSAGE));
    let excerpt =
        mistake.excerpt.as_ref().map(|text| format!("\n{}\n", markdown::fence(&truncate_middle(text, MESSAGE), "")));
    let help = mistake.help.as_ref().map(|help| {
        let help = markdown::prose(&truncate_middle(help, MESSAGE));
        format!("\n→ {help}\n")
    });
    let parts = [title, Some(format!("{message}\n")), excerpt, help];
    format!("{}\n", parts.into_iter().flatten().collect::<String>())
}

/// `file:line:column`, as far as it is known.
fn place(mistake: &Mistake) -> Option<String> {
    let file = mistake.file.as_ref()?;
    Some(match (mistake.line, mistake.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.clone(),
    })
}

/// Each mistake on its line.
pub fn mistake_annotations(mistakes: &Mistakes) -> Vec<Annotation> {
    let config = format!("{}{}", mistakes.prefix, mistakes.config);
    let one = |mistake: &Mistake| {
        let help = mistake.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        Annotation {
            level: Level::Error,
            file: mistake.file.clone().unwrap_or_else(|| config.clone()),
            line: mistake.line.unwrap_or(1),
            title: "invalid".to_owned(),
            message: truncate_middle(&format!("{}{help}", mistake.message), 3000),
        }
    };
    mistakes.mistakes.iter().map(one).collect()
}
