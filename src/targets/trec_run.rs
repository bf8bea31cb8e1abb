//! TREC run files: `topic Q0 document rank score tag` in each line.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

/// Topic → retrieved documents, in the order of the file.
pub type Run<'a> = BTreeMap<&'a str, Vec<(&'a str, f32)>>;

/// Which of two documents with the same score comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Ties {
    /// The one whose id sorts last, as in trec_eval
    Trec,
    /// The one whose id sorts first
    Id,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    pub why: &'static str,
}

/// Reads `topic Q0 document rank score tag`; the rank is not looked at.
pub fn parse_run(text: &str) -> Result<Run<'_>, BadLine> {
    let mut topics: Run<'_> = BTreeMap::new();
    let (mut topic, mut current): (&str, Vec<(&str, f32)>) = ("", Vec::new());
    for (index, line) in text.lines().enumerate() {
        let bad = |why| BadLine { line: index + 1, why };
        let mut fields = line.split_ascii_whitespace();
        let Some(name) = fields.next() else { continue };
        let (Some(_), Some(document), Some(_), Some(score)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(bad("expected `topic Q0 document rank score tag`"));
        };
        let score: f32 = score.parse().map_err(|_| bad("the score is not a number"))?;
        if score.is_nan() {
            return Err(bad("the score is not a number"));
        }
        if name != topic {
            if !topic.is_empty() {
                topics.entry(topic).or_default().append(&mut current);
            }
            topic = name;
        }
        current.push((document, score));
    }
    if !topic.is_empty() {
        topics.entry(topic).or_default().append(&mut current);
    }
    Ok(topics)
}

/// The documents of a topic, best first, each once.
pub fn ranked<'a>(retrieved: &[(&'a str, f32)], ties: Ties) -> Vec<&'a str> {
    let by_id = |a: &str, b: &str| match ties {
        Ties::Trec => b.cmp(a),
        Ties::Id => a.cmp(b),
    };
    let mut sorted = retrieved.to_vec();
    sorted.sort_unstable_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then_with(|| by_id(a.0, b.0)));
    let mut seen = HashSet::with_capacity(sorted.len());
    sorted.into_iter().map(|(document, _)| document).filter(|document| seen.insert(*document)).collect()
}
