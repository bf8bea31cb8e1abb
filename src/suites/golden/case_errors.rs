//! What is wrong with the cases of a module, each idea once.

use std::fmt;

use super::measures::NEITHER;
use crate::input::{InputError, InputErrors};
use crate::text::counted;

/// Mistakes in cases. One that many cases or components share is reported for the first, and the others are counted.
#[derive(Debug, Default)]
pub(super) struct CaseErrors {
    ideas: Vec<Idea>,
}

/// A mistake, and where else it was made.
#[derive(Debug)]
struct Idea {
    key: String,
    error: InputError,
    cases: Vec<String>,
    components: Vec<String>,
}

impl CaseErrors {
    /// A mistake in a case. Those with the same `key` are one idea.
    pub(super) fn push(&mut self, key: impl Into<String>, case: &str, error: InputError) {
        self.push_of("", key, case, error);
    }

    /// The same, as a component of the scorer sees it.
    pub(super) fn push_of(&mut self, component: &str, key: impl Into<String>, case: &str, error: InputError) {
        let key = key.into();
        let (case, component) = (case.to_owned(), component.to_owned());
        match self.ideas.iter_mut().find(|idea| idea.key == key) {
            None => self.ideas.push(Idea { key, error, cases: vec![case], components: vec![component] }),
            Some(idea) => {
                if !idea.cases.contains(&case) {
                    idea.cases.push(case);
                }
                if !idea.components.contains(&component) {
                    idea.components.push(component);
                }
            }
        }
    }

    /// How many different ones there are, and in how many places.
    pub(super) fn count(&self) -> usize {
        self.ideas.iter().map(|idea| idea.cases.len() + idea.components.len()).sum()
    }

    /// One error for each idea.
    pub(super) fn into_errors(self) -> InputErrors {
        let mut errors = InputErrors::new();
        for Idea { key: _, mut error, cases, components } in self.ideas {
            let more = |all: &[String], noun: &str| {
                let rest = all.len() - 1;
                let named: Vec<String> = all.iter().skip(1).take(3).map(|name| format!("`{name}`")).collect();
                let dots = if rest > named.len() { ", …" } else { "" };
                (rest > 0).then(|| format!("{} ({}{dots})", counted(rest, noun), named.join(", ")))
            };
            let others = [more(&components, "more component"), more(&cases, "more case")];
            let others: Vec<String> = others.into_iter().flatten().collect();
            if !others.is_empty() {
                error.message = format!("{}; the same in {}", error.message, others.join(" and "));
            }
            errors.push(error);
        }
        errors
    }
}

/// What a message is about, whichever path, case and count it names: on golden itself `$.actual` is `$.golden`.
pub(super) fn idea_of(why: &impl fmt::Display) -> String {
    let text = why.to_string().replace("$.actual", "$.golden");
    let text = match text.split_once(NEITHER) {
        // An empty list is empty for all that is in its items.
        Some((_, paths)) => format!("{NEITHER}{}", paths.split(['[', '`']).next().unwrap_or(paths)),
        None => text.split_once("`: ").map_or(text.clone(), |(_, rest)| rest.to_owned()),
    };
    text.chars().filter(|character| !character.is_ascii_digit()).collect()
}
