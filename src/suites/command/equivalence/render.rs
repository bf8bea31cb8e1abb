//! A normal form as text, for patterns: names of options as the table has them first, in the normal order, without quotes.

use super::form::{Atom, Form, Piece, Word};
use super::program::Tables;
use super::shell::read;

/// The normal form of a command as one line; a command that cannot be parsed stands as it is, with single blanks.
pub fn normal_text(command: &str, tables: &Tables) -> String {
    match read(command, tables) {
        Ok(read) => render(&read.form),
        Err(_) => command.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn render(form: &Form) -> String {
    let mut at = 0;
    let mut lists = Vec::new();
    while at < form.len() {
        lists.push(part(form, &mut at));
    }
    lists.join("; ")
}

/// One bracketed part, or one atom.
fn part(form: &Form, at: &mut usize) -> String {
    let atom = &form[*at];
    *at += 1;
    let sort = match atom {
        Atom::Word(word) => return shown(word),
        Atom::Name(name) => return name.clone(),
        Atom::Close => return String::new(),
        Atom::Open(sort) => *sort,
    };
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    while *at < form.len() && form[*at] != Atom::Close {
        let inner = match &form[*at] {
            Atom::Open(sort) => sort,
            Atom::Close | Atom::Name(_) | Atom::Word(_) => "",
        };
        parts.push((inner, part(form, at)));
    }
    *at += 1;
    let texts = |parts: &[(&str, String)]| {
        parts.iter().map(|(_, text)| text.clone()).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    match sort {
        "pipeline" => joined_pipeline(&parts),
        "background" => format!("{} &", texts(&parts).join(" ")),
        "program" => program(&parts),
        "option" => texts(&parts).join(" "),
        "redirect" => texts(&parts).concat(),
        "substitution" => format!("$({})", texts(&parts).join("; ")),
        "subshell" => format!("({})", texts(&parts).join("; ")),
        "group" => format!("{{ {}; }}", texts(&parts).join("; ")),
        "any" => format!("( {} )", texts(&parts).join(" -o ")),
        "not" => format!("! {}", texts(&parts).join(" ")),
        _ => texts(&parts).join(" "),
    }
}

fn joined_pipeline(parts: &[(&'static str, String)]) -> String {
    let (names, stages): (Vec<_>, Vec<_>) = parts.iter().partition(|(sort, _)| sort.is_empty());
    let texts = |parts: Vec<&(&str, String)>| parts.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
    let mut text = texts(names).join(" ");
    if !text.is_empty() {
        text.push(' ');
    }
    text + &texts(stages).join(" | ")
}

/// The name, then each subcommand after the options that belong before it.
fn program(parts: &[(&'static str, String)]) -> String {
    let mut words = Vec::new();
    let mut scope = 0;
    let options = |scope: usize| {
        let prefix = format!("{scope}:");
        parts
            .iter()
            .filter(|(sort, _)| *sort == "option")
            .filter_map(|(_, text)| text.strip_prefix(&prefix).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    for (index, (sort, text)) in parts.iter().enumerate() {
        match *sort {
            "option" => {}
            "subcommand" => {
                words.extend(options(scope));
                scope += 1;
                words.push(text.clone());
            }
            _ if index == 0 => words.push(text.clone()),
            _ => {
                words.extend(options(scope));
                scope += 100;
                words.push(text.clone());
            }
        }
    }
    if scope < 100 {
        words.extend(options(scope));
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

fn shown(word: &Word) -> String {
    word.0
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Special(character) if character.is_control() => String::new(),
            Piece::Special(character) => character.to_string(),
            Piece::Dynamic { form, .. } => dynamic(form),
        })
        .collect()
}

fn dynamic(form: &Form) -> String {
    match form.as_slice() {
        [Atom::Open("tilde"), ..] => "~".to_owned(),
        [Atom::Open("parameter" | "parameters"), Atom::Name(text), ..] => {
            let name = text.split("Named(\"").nth(1).and_then(|rest| rest.split('"').next());
            name.map_or_else(|| "$…".to_owned(), |name| format!("${name}"))
        }
        [Atom::Open("substitution"), ..] => part(form, &mut 0),
        [Atom::Open(_), Atom::Name(text), ..] => text.clone(),
        _ => "$…".to_owned(),
    }
}
