//! Reads the results directory of a run as what it is: data that somebody else wrote.
#![expect(clippy::disallowed_methods, reason = "edge: reads files")]

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use crate::results::Results;

/// A larger file is not read.
const LARGEST: u64 = 64 << 20;
/// More is not what a run of evaluations has.
const MOST_CASES: usize = 500_000;
/// Names and messages are shorter.
const LONGEST_NAME: usize = 4096;

/// The results in a directory, or why they are none.
pub fn read(directory: &Path) -> Result<Results, String> {
    let path = directory.join("results.json");
    let shown = path.display();
    let about = std::fs::symlink_metadata(&path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            return format!("there is no {shown}");
        }
        format!("{shown} cannot be read: {error}")
    })?;
    if !about.is_file() {
        return Err(format!("{shown} is not a plain file"));
    }
    if about.len() > LARGEST {
        return Err(format!("{shown} has {} bytes; at most {LARGEST} are read", about.len()));
    }
    let file = std::fs::File::open(&path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    // What is wrong may be as long as what is read.
    parse(&bytes).map_err(|why| format!("{shown} {}", why.chars().take(400).collect::<String>()))
}

/// Reads and checks a results file.
pub fn parse(bytes: &[u8]) -> Result<Results, String> {
    let results = Results::parse(bytes).map_err(|error| error.to_string())?;
    check(&results)?;
    Ok(results)
}

/// Whether results are what a run could have left.
pub fn check(results: &Results) -> Result<(), String> {
    if let Some(shard) = results.run.shard {
        return Err(format!("is of shard {shard}; `evalratchet merge` joins shards, and the whole is published"));
    }
    let run = &results.run;
    let is_directory = run.prefix.is_empty()
        || run
            .prefix
            .strip_suffix('/')
            .is_some_and(|path| path.split('/').all(|part| !["", ".", ".."].contains(&part)));
    if !is_directory {
        return Err(format!("has a prefix {:?}, which is no directory of the repository", shown(&run.prefix)));
    }
    inside(&run.prefix)?;
    inside(&run.config)?;
    if run.config.is_empty() || run.config.contains(['/', '\\']) {
        return Err(format!("has a configuration {:?}, which is no file name", shown(&run.config)));
    }
    let cases: usize = results.suites.iter().map(|suite| suite.cases.len()).sum();
    if cases > MOST_CASES {
        return Err(format!("has {cases} cases; at most {MOST_CASES} are read"));
    }
    let mut suites = HashSet::new();
    for suite in &results.suites {
        name(suite.id.as_str())?;
        if !suites.insert(&suite.id) {
            return Err(format!("has two suites `{}`", suite.id));
        }
        let mut ids = HashSet::new();
        for case in &suite.cases {
            name(case.id.as_str())?;
            if !ids.insert(&case.id) {
                return Err(format!("has two cases `{}` in suite `{}`", case.id, suite.id));
            }
            if case.location.file.len() > LONGEST_NAME || case.location.in_repository(&run.prefix).is_none() {
                return Err(format!("has a path {:?} that leaves the repository", shown(&case.location.file)));
            }
            if case.metrics.values().any(|value| !(-1e9..=1e9).contains(value)) {
                return Err(format!("has a metric of `{}` that is beyond all measure", case.id));
            }
            if case.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
                return Err(format!("has a score of `{}` that is not between 0 and 1", case.id));
            }
            if case.status.is_measured() != case.score.is_some() {
                return Err(format!("has a case `{}` whose score does not fit its status", case.id));
            }
        }
    }
    Ok(())
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

fn name(text: &str) -> Result<(), String> {
    if text.is_empty() || text.len() > LONGEST_NAME {
        return Err(format!("has a name of {} bytes", text.len()));
    }
    Ok(())
}

/// A path that stays in the repository.
fn inside(path: &str) -> Result<(), String> {
    let leaves = path.len() > LONGEST_NAME
        || path.starts_with(['/', '\\'])
        || path.contains(['\0', '\n', '\r'])
        || path.get(1..2) == Some(":")
        || path.split(['/', '\\']).any(|part| part == "..");
    if leaves {
        return Err(format!("has a path {:?} that leaves the repository", shown(path)));
    }
    Ok(())
}
