//! `index`: the built-in engine as a target.
//!
//! Asked `{"query","lane","k"}` it answers `{"ids": […]}`. Asked `{"contains": […], "lane"}` it answers
//! `{"present": […]}`, the ids that it holds. Every other engine is asked the same.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::collections::HashSet;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{CodeUnit, Index, Memory, UnitKind, parse_memories};
use crate::input::{FileSet, Found, InputError, InputErrors, Place, read_bytes, read_text};
use crate::model::{Answer, Ending, Lane, Request};
use crate::process::Stop;
use crate::targets::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties,
};

/// What the built-in engine indexes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IndexSection {
    /// Source files or patterns.
    #[serde(default)]
    pub code: Vec<String>,
    /// JSON or Markdown files or patterns.
    #[serde(default)]
    pub memory: Vec<String>,
}

/// What the built-in engine indexes, checked.
#[derive(Debug, Clone, Default)]
pub struct IndexSettings {
    code: FileSet,
    memory: FileSet,
    /// A corpus in the binary, which takes the place of files.
    corpus: Option<&'static str>,
}

impl IndexSettings {
    /// An index over a corpus in the binary: JSON with `code`, a list of `{"id","text"}`, and `memory`.
    pub fn of_corpus(corpus: &'static str) -> Self {
        Self { corpus: Some(corpus), ..Self::default() }
    }
}

impl TargetProperties for IndexSettings {
    fn asks_outside(&self) -> bool {
        false
    }

    fn file_sets(&self) -> Vec<&FileSet> {
        vec![&self.code, &self.memory]
    }

    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        vec![&mut self.code, &mut self.memory]
    }

    fn lanes(&self) -> Option<Vec<Lane>> {
        let both = [(Lane::Code, self.code.globs().is_empty()), (Lane::Memory, self.memory.globs().is_empty())];
        let has = both.into_iter().filter(|(_, is_empty)| !is_empty || self.corpus.is_some());
        Some(has.map(|(lane, _)| lane).collect())
    }

    fn ids(&self) -> Option<Result<Vec<(Lane, String)>, String>> {
        Some(self.index().map(|index| index.ids()).map_err(|error| error.to_string()))
    }

    fn check(&self) -> Result<(), InputErrors> {
        let mut errors = InputErrors::new();
        let mut ids = HashSet::new();
        for found in self.memory.found() {
            match memories(found) {
                Ok(memories) => {
                    for Memory { id, .. } in memories {
                        if !ids.insert(id.clone()) {
                            let why = format!("a second memory is called `{id}`");
                            errors.push(InputError::in_file(&found.shown, why));
                        }
                    }
                }
                Err(TargetError::File(error)) => errors.push(error),
                Err(TargetError::Content { file, why } | TargetError::Line { file, why, .. }) => {
                    errors.push(InputError::in_file(file, why));
                }
            }
        }
        errors.into_result()
    }
}

impl TargetConfig for IndexSettings {
    type Section = IndexSection;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Query];

    fn validate(section: IndexSection, _: ProcessKeys, _: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        let (IndexSection { code, memory }, place) = (section, place.join("index"));
        if code.is_empty() && memory.is_empty() {
            place.error_with_help("indexes nothing", "say `code` or `memory`");
        }
        Self {
            code: FileSet::sources(&place.join("code"), code),
            memory: FileSet::sources(&place.join("memory"), memory),
            corpus: None,
        }
    }
}

impl BuildTarget for IndexSettings {
    type Target = Index;

    fn build(&self, _: &BuildContext) -> Result<Index, TargetError> {
        self.index()
    }
}

impl IndexSettings {
    fn index(&self) -> Result<Index, TargetError> {
        if let Some(corpus) = self.corpus {
            return of_corpus(corpus);
        }
        let mut sources = Vec::new();
        for found in self.code.found() {
            // Source need not be UTF-8; what is not is still worth finding.
            let bytes = read_bytes(&found.path, &found.shown)?;
            sources.push((found.shown.as_str(), String::from_utf8_lossy(&bytes).into_owned()));
        }
        let mut all = Vec::new();
        for found in self.memory.found() {
            all.extend(memories(found)?);
        }
        Ok(Index::build(sources.iter().map(|(path, text)| (*path, text.as_str())), &all))
    }
}

fn memories(found: &Found) -> Result<Vec<Memory>, TargetError> {
    let text = read_text(&found.path, &found.shown)?;
    parse_memories(&found.shown, &text)
        .map_err(|error| TargetError::Content { file: found.shown.clone(), why: error.to_string() })
}

#[derive(Deserialize)]
struct Corpus {
    code: Vec<Snippet>,
    memory: Vec<Memory>,
}

#[derive(Deserialize)]
struct Snippet {
    id: String,
    text: String,
}

impl Index {
    /// An index over a corpus: JSON with `code`, a list of `{"id","text"}`, and `memory`.
    pub fn of_corpus(text: &str) -> Result<Self, TargetError> {
        of_corpus(text)
    }
}

fn of_corpus(text: &str) -> Result<Index, TargetError> {
    let corpus: Corpus = serde_json::from_str(text)
        .map_err(|error| TargetError::Content { file: "(built in)".to_owned(), why: error.to_string() })?;
    let units = corpus.code.into_iter().map(|Snippet { id, text }| {
        let bare = id.trim_start_matches("code:");
        let (path, symbol) = bare.split_once("::").unwrap_or((bare, bare));
        let (path, symbol) = (path.to_owned(), symbol.to_owned());
        vec![CodeUnit { id, symbol, path, doc: String::new(), body: text, kind: UnitKind::Function, is_test: false }]
    });
    Ok(Index::of_units(units.collect(), &corpus.memory))
}

/// What an engine is asked.
#[derive(Deserialize)]
#[serde(untagged)]
enum Query {
    Search { query: String, lane: Lane, k: usize },
    Contains { contains: Vec<String>, lane: Lane },
}

impl Askable for Index {
    async fn ask(&self, request: Request, _: &Stop) -> Answer {
        let began = Instant::now();
        let answer = match Query::deserialize(&request.input) {
            Ok(Query::Search { query, lane, k }) => {
                let found = self.search(lane, &query, k);
                let ids: Vec<&String> = found.iter().map(|(id, _)| id).collect();
                json!({ "ids": ids })
            }
            Ok(Query::Contains { contains, lane }) => {
                let present: Vec<&String> = contains.iter().filter(|id| self.holds(lane, id)).collect();
                json!({ "present": present })
            }
            Err(error) => return Answer::ended(Ending::Unreadable { why: format!("the index was asked: {error}") }),
        };
        Answer { duration: began.elapsed(), ..Answer::text(answer.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: &str = r#"{"code": [{"id": "code:a.rs::close_file", "text": "closes the file"},
        {"id": "code:b.rs::open_door", "text": "opens the door"}], "memory": []}"#;

    fn asked(input: serde_json::Value) -> Ending {
        let index = of_corpus(CORPUS).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(index.ask(Request::value("a", &input), &Stop::new().1)).ending
    }

    #[test]
    fn the_index_ranks_and_says_what_it_holds() {
        let found = asked(json!({"query": "open the door", "lane": "code", "k": 1}));
        assert_eq!(found, Ending::Answered(r#"{"ids":["code:b.rs::open_door"]}"#.into()));
        let held = asked(json!({"contains": ["code:a.rs::close_file", "code:c.rs::x"], "lane": "code"}));
        assert_eq!(held, Ending::Answered(r#"{"present":["code:a.rs::close_file"]}"#.into()));
        assert!(matches!(asked(json!("what?")), Ending::Unreadable { .. }));
    }
}
