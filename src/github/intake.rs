//! Reads the results directory of a run. What somebody else measured is data, and is held against what a run can leave.
#![expect(clippy::disallowed_methods, reason = "edge: reads files")]

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use crate::aggregate;
use crate::model::{CaseId, Shard, SuiteId};
use crate::results::{CaseResult, Mistakes, Results};
use crate::text::sha256;

/// A larger file of somebody else's is not read.
const LARGEST: u64 = 64 << 20;
/// Nor is a larger list of mistakes.
const LARGEST_MISTAKES: u64 = 1 << 20;
/// More is not what a run of evaluations has.
const MOST_CASES: usize = 500_000;
/// Names and messages are shorter.
const LONGEST_NAME: usize = 4096;

/// Why a directory holds no results that can be published.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// There is no file.
    #[error("there is no {0}")]
    Missing(String),
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable { path: String, error: std::io::Error },
    /// It is a link, a directory or a device.
    #[error("{0} is not a plain file")]
    NotAFile(String),
    /// It is larger than what is read of others.
    #[error("{path} has {bytes} bytes; of what others measured, at most {largest} are read")]
    TooLarge {
        path: String,
        /// How large it is.
        bytes: u64,
        largest: u64,
    },
    /// It is not the file that the run wrote.
    #[error("{0} is not what the run wrote: its SHA-256 is another. Something changed it after the run")]
    Altered(String),
    /// What it says cannot be so.
    #[error("{path} {}", .error.to_string().chars().take(400).collect::<String>())]
    Invalid {
        path: String,
        /// Why. It may be as long as what was read, so only its beginning is shown.
        error: ForeignResultsError,
    },
}

/// Why results are not what a run could have left.
#[derive(Debug, thiserror::Error)]
pub enum ForeignResultsError {
    /// They do not fit their schema.
    #[error("{0}")]
    Format(String),
    /// They are a part of a run.
    #[error("is of shard {0}; `evalratchet merge` joins shards, and the whole is published")]
    Shard(Shard),
    /// The prefix is no directory of the repository.
    #[error("has a prefix {0:?}, which is no directory of the repository")]
    Prefix(String),
    /// The configuration is no file name.
    #[error("has a configuration {0:?}, which is no file name")]
    Config(String),
    /// There are more cases than any run has.
    #[error("has {0} cases; at most {MOST_CASES} are read")]
    TooManyCases(usize),
    /// A name is empty or too long.
    #[error("has a name of {0} bytes")]
    Name(usize),
    /// Two suites have the same id.
    #[error("has two suites `{0}`")]
    SameSuite(SuiteId),
    /// Two cases of a suite have the same id.
    #[error("has two cases `{0}` in suite `{1}`")]
    SameCase(CaseId, SuiteId),
    /// A path leaves the repository.
    #[error("has a path {0:?} that leaves the repository")]
    Path(String),
    /// A metric is out of every range.
    #[error("has a metric of `{0}` that is beyond all measure")]
    Metric(CaseId),
    /// A score is out of range.
    #[error("has a score of `{0}` that is not between 0 and 1")]
    Score(CaseId),
    /// A case has a score without being measured, or the other way round.
    #[error("has a case `{0}` whose score does not fit its status")]
    Status(CaseId),
    /// A case came out otherwise than its attempts did.
    #[error("has a case `{0}` whose status or score does not fit its attempts")]
    Attempts(CaseId),
}

/// Whose results they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// This job's own run left them.
    Own,
    /// Somebody else's run did, such as a fork's.
    Foreign,
}

/// What a run left.
#[derive(Debug)]
pub enum Left {
    Results(Box<Results>),
    /// The run ended before it measured anything, and this is why.
    Mistakes(Mistakes),
}

/// What is in the directory of a run, or why that is nothing. With a `digest`, only the file that has it is read.
pub fn read(directory: &Path, whose: Whose, digest: Option<&str>) -> Result<Left, IntakeError> {
    // A run that could not begin leaves its mistakes, beside what an earlier one may have left.
    let path = directory.join("mistakes.json");
    let (path, bytes) = match bytes_of(&path, Whose::Foreign, LARGEST_MISTAKES) {
        Err(IntakeError::Missing(_)) => {
            let path = directory.join("results.json");
            let bytes = bytes_of(&path, whose, LARGEST)?;
            (path, bytes)
        }
        read => (path, read?),
    };
    let shown = path.display().to_string();
    if digest.is_some_and(|digest| !digest.eq_ignore_ascii_case(&sha256(&bytes))) {
        return Err(IntakeError::Altered(shown));
    }
    let invalid = |error: ForeignResultsError| IntakeError::Invalid { path: shown.clone(), error };
    if path.ends_with("mistakes.json") {
        let mistakes = Mistakes::parse(&bytes).map_err(|why| invalid(ForeignResultsError::Format(why)))?;
        inside(&mistakes.prefix).and_then(|()| inside(&mistakes.config)).map_err(invalid)?;
        return Ok(Left::Mistakes(mistakes));
    }
    let results = Results::parse(&bytes).map_err(|error| invalid(ForeignResultsError::Format(error.to_string())))?;
    check(&results).map_err(invalid)?;
    if whose == Whose::Foreign {
        check_foreign(&results).map_err(invalid)?;
    }
    Ok(Left::Results(Box::new(results)))
}

fn bytes_of(path: &Path, whose: Whose, largest: u64) -> Result<Vec<u8>, IntakeError> {
    let shown = path.display().to_string();
    let unreadable = |error: std::io::Error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            return IntakeError::Missing(shown.clone());
        }
        IntakeError::Unreadable { path: shown.clone(), error }
    };
    let about = std::fs::symlink_metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(IntakeError::NotAFile(shown));
    }
    let largest = if whose == Whose::Own { u64::MAX } else { largest };
    if about.len() > largest {
        return Err(IntakeError::TooLarge { path: shown, bytes: about.len(), largest });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(largest).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Whether what somebody else measured fits together: a case is what its attempts make it.
fn check_foreign(results: &Results) -> Result<(), ForeignResultsError> {
    let cases: usize = results.suites.iter().map(|suite| suite.cases.len()).sum();
    if cases > MOST_CASES {
        return Err(ForeignResultsError::TooManyCases(cases));
    }
    for suite in &results.suites {
        let is_wrong = |case: &&CaseResult| !aggregate::fits_attempts(case, suite.policy.pass_share);
        if let Some(case) = suite.cases.iter().find(is_wrong) {
            return Err(ForeignResultsError::Attempts(case.id.clone()));
        }
    }
    Ok(())
}

/// Whether results are what a run could have left.
pub fn check(results: &Results) -> Result<(), ForeignResultsError> {
    if let Some(shard) = results.run.shard {
        return Err(ForeignResultsError::Shard(shard));
    }
    let run = &results.run;
    let is_directory = run.prefix.is_empty()
        || run
            .prefix
            .strip_suffix('/')
            .is_some_and(|path| path.split('/').all(|part| !["", ".", ".."].contains(&part)));
    if !is_directory {
        return Err(ForeignResultsError::Prefix(shown(&run.prefix)));
    }
    inside(&run.prefix)?;
    inside(&run.config)?;
    if run.config.is_empty() || run.config.contains(['/', '\\']) {
        return Err(ForeignResultsError::Config(shown(&run.config)));
    }
    let mut suites = HashSet::new();
    for suite in &results.suites {
        name(suite.id.as_str())?;
        if !suites.insert(&suite.id) {
            return Err(ForeignResultsError::SameSuite(suite.id.clone()));
        }
        let mut ids = HashSet::new();
        for case in &suite.cases {
            name(case.id.as_str())?;
            if !ids.insert(&case.id) {
                return Err(ForeignResultsError::SameCase(case.id.clone(), suite.id.clone()));
            }
            if case.location.file.len() > LONGEST_NAME || case.location.in_repository(&run.prefix).is_none() {
                return Err(ForeignResultsError::Path(shown(&case.location.file)));
            }
            if case.metrics.values().any(|value| !(-1e9..=1e9).contains(value)) {
                return Err(ForeignResultsError::Metric(case.id.clone()));
            }
            if case.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
                return Err(ForeignResultsError::Score(case.id.clone()));
            }
            if case.status.is_measured() != case.score.is_some() {
                return Err(ForeignResultsError::Status(case.id.clone()));
            }
        }
    }
    Ok(())
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

fn name(text: &str) -> Result<(), ForeignResultsError> {
    if text.is_empty() || text.len() > LONGEST_NAME {
        return Err(ForeignResultsError::Name(text.len()));
    }
    Ok(())
}

/// A path that stays in the repository.
fn inside(path: &str) -> Result<(), ForeignResultsError> {
    let leaves = path.len() > LONGEST_NAME
        || path.starts_with(['/', '\\'])
        || path.contains(['\0', '\n', '\r'])
        || path.get(1..2) == Some(":")
        || path.split(['/', '\\']).any(|part| part == "..");
    if leaves {
        return Err(ForeignResultsError::Path(shown(path)));
    }
    Ok(())
}
