//! `run` and `recorded`: rankings that were made before, by case id.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::collections::HashMap;
use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use super::trec_run::{Ties, parse_run, ranked};
use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties,
};
use crate::input::{FileSet, InputError, InputErrors, Place, read_text};
use crate::model::{Answer, Ending, Request};
use crate::process::Stop;

/// A TREC run file; its topics are case ids.
#[derive(Debug, Clone)]
pub struct RunSettings(FileSet);

/// A file with a line `{"id","ids"}` for each case.
#[derive(Debug, Clone)]
pub struct RecordedSettings(FileSet);

/// RankedTarget by case id.
#[derive(Debug)]
pub struct RankedTarget(HashMap<String, Vec<String>>);

type Parsed = Result<HashMap<String, Vec<String>>, LineError>;

/// A line of a file of rankings that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{line}: {why}")]
struct LineError {
    /// Counted from 1.
    line: usize,
    why: String,
}

impl TargetProperties for RunSettings {
    fn asks_outside(&self) -> bool {
        false
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn file_sets(&self) -> Vec<&FileSet> {
        vec![&self.0]
    }

    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        vec![&mut self.0]
    }

    fn check(&self) -> Result<(), InputErrors> {
        check(&self.0, parse_trec)
    }
}

impl TargetConfig for RunSettings {
    type Section = String;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Query];

    fn validate(path: String, _: ProcessKeys, _: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        Self(FileSet::one_file(&place.join("run"), path))
    }
}

impl BuildTarget for RunSettings {
    type Target = RankedTarget;

    fn build(&self, _: &BuildContext) -> Result<RankedTarget, TargetError> {
        build(&self.0, parse_trec)
    }
}

impl TargetProperties for RecordedSettings {
    fn asks_outside(&self) -> bool {
        false
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn file_sets(&self) -> Vec<&FileSet> {
        vec![&self.0]
    }

    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        vec![&mut self.0]
    }

    fn check(&self) -> Result<(), InputErrors> {
        check(&self.0, parse_lines)
    }
}

impl TargetConfig for RecordedSettings {
    type Section = String;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Query];

    fn validate(path: String, _: ProcessKeys, _: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        Self(FileSet::one_file(&place.join("recorded"), path))
    }
}

impl BuildTarget for RecordedSettings {
    type Target = RankedTarget;

    fn build(&self, _: &BuildContext) -> Result<RankedTarget, TargetError> {
        build(&self.0, parse_lines)
    }
}

impl Askable for RankedTarget {
    async fn ask(&self, request: Request, _: &Stop) -> Answer {
        let began = Instant::now();
        if request.input.get("query").is_none() {
            return Answer::ended(Ending::Unasked { why: "rankings do not say what an index holds".into() });
        }
        match self.0.get(&request.id) {
            Some(ids) => Answer { duration: began.elapsed(), ..Answer::text(json!({ "ids": ids }).to_string()) },
            None => {
                let why = format!("there is no recorded ranking for `{}`", request.id);
                Answer::ended(Ending::CouldNotStart { why })
            }
        }
    }
}

fn build(file: &FileSet, parse: fn(&str) -> Parsed) -> Result<RankedTarget, TargetError> {
    let Some(found) = file.found().first() else { return Ok(RankedTarget(HashMap::new())) };
    let text = read_text(&found.path, &found.shown)?;
    let rankings =
        parse(&text).map_err(|LineError { line, why }| TargetError::Line { file: found.shown.clone(), line, why })?;
    Ok(RankedTarget(rankings))
}

fn check(file: &FileSet, parse: fn(&str) -> Parsed) -> Result<(), InputErrors> {
    for found in file.found() {
        let text = read_text(&found.path, &found.shown)?;
        parse(&text).map_err(|LineError { line, why }| InputError::in_file(format!("{}:{line}", found.shown), why))?;
    }
    Ok(())
}

fn parse_trec(text: &str) -> Parsed {
    let run = parse_run(text).map_err(|bad| LineError { line: bad.line, why: bad.why.to_owned() })?;
    let ids = |retrieved: &[(&str, f32)]| ranked(retrieved, Ties::Id).into_iter().map(str::to_owned).collect();
    Ok(run.into_iter().map(|(topic, retrieved)| (topic.to_owned(), ids(&retrieved))).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    ids: Vec<String>,
}

fn parse_lines(text: &str) -> Parsed {
    let mut rankings = HashMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| LineError { line: index + 1, why };
        let Line { id, ids } = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if rankings.contains_key(&id) {
            return Err(wrong(format!("a second ranking for `{id}`")));
        }
        rankings.insert(id, ids);
    }
    Ok(rankings)
}
