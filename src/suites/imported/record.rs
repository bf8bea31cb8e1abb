//! What every format gives: results with their place in the file, one for each time that a case was asked.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::{Fingerprint, Status, Usage};
use crate::text::truncate_middle;

/// How much of an output or of a reason is kept.
const KEPT: usize = 8 * 1024;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    JsonLines,
    Promptfoo,
    DeepEval,
    Inspect,
    Junit,
}

impl ImportFormat {
    /// The name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonLines => "json-lines",
            Self::Promptfoo => "promptfoo",
            Self::DeepEval => "deepeval",
            Self::Inspect => "inspect",
            Self::Junit => "junit",
        }
    }

    /// Whether the tool behind it asks models, whose answers vary from run to run.
    pub const fn varies(self) -> bool {
        match self {
            Self::Promptfoo | Self::DeepEval | Self::Inspect => true,
            Self::JsonLines | Self::Junit => false,
        }
    }
}

/// One time that the other tool asked a case.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedAttempt {
    pub status: Status,
    pub score: f64,
    /// Why, as the other tool says it; perhaps several lines.
    pub details: Option<String>,
    /// How long it took, if the other tool says so.
    pub duration: Option<Duration>,
    /// What the system under test answered.
    pub output: Option<String>,
    pub tokens: Option<Tokens>,
    pub cost: Option<f64>,
    /// Further scores under the other tool's names.
    pub metrics: BTreeMap<String, f64>,
    /// The assertions or metrics that the outcome is made of.
    pub components: Vec<ImportedComponent>,
    /// What was changed when it was read.
    pub note: Option<String>,
}

/// How many tokens an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    Split { input: u64, output: u64 },
    Total(u64),
}

/// One assertion or metric of another tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ImportedComponent {
    /// What it is called over there.
    pub name: String,
    /// How the assertion or metric came out.
    pub status: Status,
    /// The score that the other tool gave, where it gave one.
    pub score: Option<f64>,
    /// The reason that the other tool gave.
    pub reason: Option<String>,
}

impl Tokens {
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
    pub fn total(self) -> f64 {
        match self {
            Self::Split { input, output } => (input + output) as f64,
            Self::Total(total) => total as f64,
        }
    }
}

impl ImportedAttempt {
    /// An attempt that came out like this, of which nothing else is known.
    pub fn new(status: Status, score: f64) -> Self {
        Self {
            status,
            score,
            details: None,
            duration: None,
            output: None,
            tokens: None,
            cost: None,
            metrics: BTreeMap::new(),
            components: Vec::new(),
            note: None,
        }
    }

    /// What the answer consumed, where the file tells tokens in from tokens out.
    pub fn usage(&self) -> Option<Usage> {
        match self.tokens? {
            Tokens::Split { input, output } => {
                Some(Usage { input_tokens: input, output_tokens: output, cost: self.cost })
            }
            Tokens::Total(_) => None,
        }
    }
}

/// One result as a file has it.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) id: String,
    /// Where it stands in the text.
    pub(super) at: Range<usize>,
    pub(super) tags: Vec<String>,
    /// What was asked, if the format knows it.
    pub(super) question: Value,
    /// What is expected, if the format knows it.
    pub(super) key: Value,
    /// Whether another record of the same id is another attempt at the same case.
    pub(super) repeats: bool,
    /// The command of the other tool that runs this case alone.
    pub(super) reproduce: Option<String>,
    pub(super) attempt: ImportedAttempt,
}

/// A file of results, read.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) format: ImportFormat,
    pub(super) records: Vec<Record>,
    /// What is worth a word although everything can be read.
    pub(super) notes: Vec<(Range<usize>, String)>,
}

/// The records of one case.
#[derive(Debug)]
pub(super) struct RecordedCase {
    pub(super) first: Record,
    pub(super) attempts: Arc<Vec<ImportedAttempt>>,
}

/// Puts records of the same case together. The order is that of the first record of each.
pub(super) fn by_case(records: Vec<Record>) -> Vec<RecordedCase> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut cases: Vec<(Record, Vec<ImportedAttempt>)> = Vec::new();
    for mut record in records {
        let attempt = std::mem::replace(&mut record.attempt, ImportedAttempt::new(Status::Unmeasured, 0.0));
        match places.get(&record.id).filter(|_| record.repeats) {
            Some(place) => cases[*place].1.push(attempt),
            None => {
                places.insert(record.id.clone(), cases.len());
                cases.push((record, vec![attempt]));
            }
        }
    }
    cases.into_iter().map(|(first, attempts)| RecordedCase { first, attempts: Arc::new(attempts) }).collect()
}

/// Gives records that are called the same, but ask something else, names of their own. `more` adds what tells them apart;
/// where that is the same as well, they are counted.
pub(super) fn tell_apart(records: &mut [Record], more: impl Fn(usize) -> Option<String>) {
    let same = |one: &Record| Fingerprint::of(&json!([one.question, one.key]));
    let mut of_name: HashMap<String, Vec<(Fingerprint, Vec<usize>)>> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        let groups = of_name.entry(record.id.clone()).or_default();
        let question = same(record);
        match groups.iter_mut().find(|(one, _)| record.repeats && *one == question) {
            Some((_, members)) => members.push(index),
            None => groups.push((question, vec![index])),
        }
    }
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<(usize, String)> = Vec::new();
    for (name, groups) in of_name {
        let is_alone = groups.len() == 1;
        for (_, members) in groups {
            let added = if is_alone { None } else { members.first().and_then(|first| more(*first)) };
            let full = added.map_or_else(|| name.clone(), |added| format!("{name} · {added}"));
            names.extend(members.iter().map(|member| (*member, full.clone())));
        }
    }
    // In the order of the file, so that the first keeps its name.
    names.sort();
    let mut numbered: HashMap<(String, Fingerprint), String> = HashMap::new();
    for (index, full) in names {
        let record = &mut records[index];
        let question = same(record);
        if record.repeats
            && let Some(known) = numbered.get(&(full.clone(), question.clone()))
        {
            record.id.clone_from(known);
            continue;
        }
        let count = taken.entry(full.clone()).and_modify(|count| *count += 1).or_insert(1);
        record.id = if *count > 1 { format!("{full} #{count}") } else { full.clone() };
        numbered.insert((full, question), record.id.clone());
    }
}

/// A text as a part of an id: one line, without control characters and blanks at its ends.
pub(super) fn in_id(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The same of a text that may be long. What is cut off still tells two texts apart.
pub(super) fn short_in_id(text: &str, most: usize) -> String {
    let line = in_id(text);
    if line.chars().count() <= most {
        return line;
    }
    let short: String = line.chars().take(most).collect();
    let hash = Fingerprint::of(&Value::String(text.to_owned()));
    format!("{}… {}", short.trim_end(), &hash.as_str()[..6])
}

/// A text as it is kept, if it says anything.
pub(super) fn kept(text: &str) -> Option<String> {
    let text = text.trim_end();
    (!text.trim().is_empty()).then(|| truncate_middle(text, KEPT))
}

/// Milliseconds as a duration, where they are one.
pub(super) fn milliseconds(time: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(time / 1000.0).ok()
}

/// A score between 0 and 1, with what to say if it was none.
pub(super) fn clamped(score: f64) -> (f64, Option<String>) {
    if (0.0..=1.0).contains(&score) {
        return (score, None);
    }
    let nearest = if score > 1.0 { 1.0 } else { 0.0 };
    (nearest, Some(format!("the score {score} is not between 0 and 1, so it counts as {nearest}")))
}

/// Names that mean something here already.
const RESERVED: [&str; 8] = [
    "pass-rate",
    "mean-score",
    "latency-p50-ms",
    "latency-p95-ms",
    "tokens-per-answer",
    "cost-per-answer",
    "pass-share",
    "score-spread",
];

/// The name of a metric of another tool, where it cannot be taken for one of ours.
pub(super) fn metric_name(name: &str) -> String {
    let name = in_id(name);
    let is_ours = RESERVED.contains(&name.as_str()) || name.starts_with("pass-at-") || name.starts_with("pass-hat-");
    if is_ours || name.is_empty() { format!("imported {name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, question: &str, key: &str, repeats: bool) -> Record {
        Record {
            id: id.to_owned(),
            at: 0..0,
            tags: Vec::new(),
            question: json!(question),
            key: json!(key),
            repeats,
            reproduce: None,
            attempt: ImportedAttempt::new(Status::Passed, 1.0),
        }
    }

    fn ids(mut records: Vec<Record>) -> Vec<String> {
        let questions: Vec<String> =
            records.iter().map(|one| one.question.as_str().unwrap_or_default().to_owned()).collect();
        tell_apart(&mut records, |index| Some(questions[index].clone()));
        records.into_iter().map(|one| one.id).collect()
    }

    #[test]
    fn the_same_question_is_another_attempt_and_another_one_another_case() {
        let all = vec![record("a", "x", "1", true), record("a", "x", "1", true), record("b", "y", "1", true)];
        assert_eq!(ids(all), ["a", "a", "b"]);
        let all = vec![record("a", "x", "1", true), record("a", "y", "1", true), record("a", "x", "1", true)];
        assert_eq!(ids(all), ["a · x", "a · y", "a · x"]);
        let all = vec![record("a", "x", "1", true), record("a", "x", "2", true), record("a", "x", "1", true)];
        assert_eq!(ids(all), ["a · x", "a · x #2", "a · x"]);
        let all = vec![record("a", "", "", false), record("a", "", "", false)];
        assert_eq!(ids(all), ["a · ", "a ·  #2"]);
    }

    #[test]
    fn long_texts_are_cut_and_still_told_apart() {
        let (a, b) = (format!("{} a", "x".repeat(50)), format!("{} b", "x".repeat(50)));
        assert_ne!(short_in_id(&a, 40), short_in_id(&b, 40));
        assert_eq!(short_in_id(" a\n b\t", 40), "a b");
    }

    #[test]
    fn scores_outside_of_0_to_1_are_clamped_and_said_to_be() {
        assert_eq!(clamped(0.5), (0.5, None));
        assert_eq!(clamped(7.0).0, 1.0);
        assert_eq!(clamped(-1.0).0, 0.0);
        assert_eq!(clamped(f64::NAN).0, 0.0);
        assert!(clamped(7.0).1.is_some_and(|note| note.contains("the score 7 is not between 0 and 1")));
    }
}
