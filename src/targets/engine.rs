//! Engines of retrieval suites: whoever is asked for a ranking.
//!
//! Asked `{"query","lane","k"}` they answer `{"ids": […]}`, with `scores` if they like. Asked `{"contains": […], "lane"}` they
//! answer `{"present": […]}`, the ids that they hold; one that cannot says so by any other answer.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use super::command::CommandTarget;
use super::worker::WorkerTarget;
use super::{Environment, http};
use crate::input::{Found, read_bytes, read_text};
use crate::model::{Answer, Ending, Lane, Request};
use crate::process::Stop;
use crate::settings::{IndexFiles, RankedFile, TargetSettings};
use crate::suites::retrieval::trec::{Ties, parse_run, ranked};
use crate::suites::retrieval::{Held, RetrievalQuestion, builtin, parse_recorded};
use crate::targets::index::{Index, parse_memories};

/// Whoever is asked for a ranking.
#[derive(Debug)]
pub enum Engine {
    /// The built-in engine.
    Index(Box<Index>),
    /// A process for each question.
    Command(CommandTarget),
    /// Long-lived processes that speak JSON lines.
    Worker(WorkerTarget),
    /// A service.
    Http(http::Service),
    /// Rankings that were made before, by case id.
    Ranked(HashMap<String, Vec<String>>),
}

#[derive(Deserialize)]
struct Present {
    present: Vec<String>,
}

impl Engine {
    /// Prepares an engine; the built-in one reads and indexes its files.
    pub fn new(settings: &TargetSettings, whole_environment: &[(OsString, OsString)]) -> Result<Self, String> {
        Ok(match settings {
            TargetSettings::Index(files) => Self::Index(Box::new(index(files)?)),
            TargetSettings::Command(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Self::Command(CommandTarget::new(invocation.clone(), environment))
            }
            TargetSettings::Worker(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Self::Worker(WorkerTarget::new(invocation.clone(), environment))
            }
            TargetSettings::Http(target) => Self::Http(http::Service::new(target.clone())),
            TargetSettings::Ranked(file) => Self::Ranked(ranked_before(file)?),
            TargetSettings::Agent(_) | TargetSettings::OpenAi(_) | TargetSettings::Nobody => {
                Self::Index(Box::new(builtin::index()?))
            }
        })
    }

    /// How many questions it is asked at the same time, unless the user says otherwise.
    pub const fn default_jobs(&self, cores: usize) -> usize {
        match self {
            Self::Index(_) | Self::Command(_) | Self::Ranked(_) => cores,
            Self::Worker(_) => 1,
            Self::Http(_) => 8,
        }
    }

    /// Asks for a ranking.
    pub async fn search(&self, id: &str, question: &RetrievalQuestion, stop: &Stop) -> Answer {
        let began = Instant::now();
        let body = json!({"query": question.query, "lane": question.lane, "k": question.k});
        match self {
            Self::Index(index) => {
                let found = index.search(question.lane, &question.query, question.k);
                let ids: Vec<&String> = found.iter().map(|(id, _)| id).collect();
                Answer { duration: began.elapsed(), ..Answer::text(json!({ "ids": ids }).to_string()) }
            }
            Self::Ranked(rankings) => match rankings.get(id) {
                Some(ids) => Answer { duration: began.elapsed(), ..Answer::text(json!({ "ids": ids }).to_string()) },
                None => {
                    Answer::ended(Ending::CouldNotStart { why: format!("there is no recorded ranking for `{id}`") })
                }
            },
            Self::Command(_) | Self::Worker(_) | Self::Http(_) => {
                let mut names = vec![("query", question.query.clone()), ("lane", question.lane.name().to_owned())];
                names.push(("k", question.k.to_string()));
                self.ask(id, body, names, stop).await
            }
        }
    }

    /// Asks which of these ids it holds.
    pub async fn held(&self, id: &str, lane: Lane, ids: &[String], stop: &Stop) -> Held {
        match self {
            Self::Index(index) => Held::Known(ids.iter().filter(|id| index.holds(lane, id)).cloned().collect()),
            Self::Ranked(_) => Held::CannotTell,
            Self::Command(target) if target.asks_by_argument() => Held::CannotTell,
            Self::Command(_) | Self::Worker(_) | Self::Http(_) => {
                let body = json!({"contains": ids, "lane": lane});
                let names = vec![("query", String::new()), ("lane", lane.name().to_owned()), ("k", "0".to_owned())];
                match self.ask(id, body, names, stop).await.ending {
                    Ending::Answered(text) => match serde_json::from_str::<Present>(&text) {
                        Ok(Present { present }) => Held::Known(present.into_iter().collect::<HashSet<_>>()),
                        Err(_) => Held::CannotTell,
                    },
                    Ending::Empty
                    | Ending::NotUtf8 { .. }
                    | Ending::Unreadable { .. }
                    | Ending::ExitCode(_)
                    | Ending::Signal(_)
                    | Ending::TimedOut { .. }
                    | Ending::CouldNotStart { .. }
                    | Ending::Unreachable { .. }
                    | Ending::Unasked { .. }
                    | Ending::Interrupted => Held::CannotTell,
                }
            }
        }
    }

    async fn ask(&self, id: &str, body: Value, names: Vec<(&'static str, String)>, stop: &Stop) -> Answer {
        let request = Request { names, ..Request::value(id, &body) };
        match self {
            Self::Command(target) => target.ask(request, stop).await,
            Self::Worker(target) => target.ask(request, stop).await,
            Self::Http(target) => target.post(&body, stop).await,
            Self::Index(_) | Self::Ranked(_) => Answer::ended(Ending::Empty),
        }
    }

    /// Ends whatever is still running.
    pub async fn close(&self) {
        if let Self::Worker(target) = self {
            target.close().await;
        }
    }
}

fn index(files: &IndexFiles) -> Result<Index, String> {
    let read = |found: &Found| read_text(&found.path, &found.shown).map_err(|mistake| mistake.to_string());
    // Source need not be UTF-8; what is not is still worth finding.
    let lossy = |found: &Found| -> Result<String, String> {
        let bytes = read_bytes(&found.path, &found.shown).map_err(|mistake| mistake.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let sources: Vec<(&str, String)> = files
        .code
        .found()
        .iter()
        .map(|found| Ok((found.shown.as_str(), lossy(found)?)))
        .collect::<Result<_, String>>()?;
    let mut memories = Vec::new();
    for found in files.memory.found() {
        let text = read(found)?;
        memories.extend(parse_memories(&found.shown, &text).map_err(|why| format!("{}: {why}", found.shown))?);
    }
    Ok(Index::build(sources.iter().map(|(path, text)| (*path, text.as_str())), &memories))
}

fn ranked_before(file: &RankedFile) -> Result<HashMap<String, Vec<String>>, String> {
    let (RankedFile::Trec(set) | RankedFile::Lines(set)) = file;
    let Some(found) = set.found().first() else { return Ok(HashMap::new()) };
    let text = read_text(&found.path, &found.shown).map_err(|mistake| mistake.to_string())?;
    match file {
        RankedFile::Trec(_) => {
            let run = parse_run(&text).map_err(|bad| format!("{}:{}: {}", found.shown, bad.line, bad.why))?;
            let ids = |retrieved: &[(&str, f32)]| ranked(retrieved, Ties::Id).into_iter().map(str::to_owned).collect();
            Ok(run.into_iter().map(|(topic, retrieved)| (topic.to_owned(), ids(&retrieved))).collect())
        }
        RankedFile::Lines(_) => parse_recorded(&text).map_err(|(line, why)| format!("{}:{line}: {why}", found.shown)),
    }
}
