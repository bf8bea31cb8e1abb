//! What is shown beside the lines of a pull request, and the workflow commands that show it.

use super::case_summary::{Changes, GateFailures, Standing, why};
use super::{CauseLine, causes};
use crate::model::{Rule, Status, SuiteId};
use crate::results::{CaseResult, Reason, Results};
use crate::text::plain;
use crate::text::truncate_middle;

/// GitHub shows so many of each level in a step.
const MOST: usize = 10;
/// How long a message may be.
const LONGEST: usize = 3000;

/// How grave it is, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The gate fails because of it.
    Error,
    /// There is no answer, or nothing gates it.
    Warning,
}

/// A remark on a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// How grave it is.
    pub level: Level,
    /// The file, from the root of the repository.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In a few words.
    pub title: String,
    /// What there is to say.
    pub message: String,
}

/// Every new failure, the worst first.
pub fn worst(results: &Results) -> Vec<Annotation> {
    let (changes, failures) = (Changes::of(results), GateFailures::of(results));
    let mut all: Vec<(Level, f64, Annotation)> = Vec::new();
    for suite in &results.suites {
        for case in &suite.cases {
            if changes.standing(suite, case) != Standing::New {
                continue;
            }
            let is_error = case.status == Status::Failed && failures.has(&suite.id, &case.id);
            let level = if is_error { Level::Error } else { Level::Warning };
            let annotation = Annotation {
                level,
                file: case.location.in_repository(&results.run.prefix).unwrap_or_else(|| case.location.file.clone()),
                line: case.location.line,
                title: format!("{}/{}", suite.id, case.id),
                message: truncate_middle(&format!("{}\nreproduce: {}", why(case), case.reproduce), LONGEST),
            };
            all.push((level, case.score.unwrap_or(0.0), annotation));
        }
    }
    // Cases say more than what follows from them.
    all.extend(causes_alone(results).into_iter().map(|annotation| (Level::Error, 2.0, annotation)));
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all.into_iter().map(|(_, _, annotation)| annotation).collect()
}

/// What fails and is about no case that has an annotation of its own: on the line of the case that explains it best. What no
/// case explains stands together on the configuration.
fn causes_alone(results: &Results) -> Vec<Annotation> {
    let annotation = |file: String, line: usize, message: &str| Annotation {
        level: Level::Error,
        file,
        line,
        title: "evalratchet".to_owned(),
        message: truncate_middle(message, LONGEST),
    };
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    let causes = causes(results);
    for suite in &causes {
        for cause in suite.causes.iter().filter(|cause| cause.fails && !cause.names_cases) {
            match explaining(results, suite.suite, cause) {
                Some(case) => {
                    let file = case.location.in_repository(&results.run.prefix);
                    let file = file.unwrap_or_else(|| case.location.file.clone());
                    all.push(annotation(file, case.location.line, &cause.sentence));
                }
                None => rest.push(cause.sentence.as_str()),
            }
        }
    }
    if !rest.is_empty() {
        let config = format!("{}{}", results.run.prefix, results.run.config);
        all.push(annotation(config, 1, &rest.join("\n")));
    }
    all
}

/// The case that a cause is best looked at in: the one it names, the first that explains it, or the worst of the suite.
fn explaining<'a>(results: &'a Results, suite: Option<&SuiteId>, cause: &CauseLine<'_>) -> Option<&'a CaseResult> {
    // These are about what is written in the configuration.
    if matches!(cause.rule, Rule::WeakenedGate | Rule::BaselineEdited | Rule::SuiteRemoved) {
        return None;
    }
    let result = results.suites.iter().find(|one| Some(&one.id) == suite)?;
    let is_same = |reason: &&Reason| reason.fails && reason.rule == cause.rule && reason.suite.as_ref() == suite;
    let reasons = results.gate.reasons.iter().filter(is_same);
    let named = cause.case.or_else(|| reasons.flat_map(|reason| &reason.cause.cases).next());
    let named = named.and_then(|id| result.cases.iter().find(|case| case.id == *id));
    let wrong = result.cases.iter().filter(|case| matches!(case.status, Status::Failed | Status::Error));
    let score = |case: &CaseResult| case.score.unwrap_or(0.0);
    named.or_else(|| wrong.min_by(|a, b| score(a).total_cmp(&score(b))))
}

/// A workflow command for each of the worst, errors before warnings.
pub fn annotations(results: &Results) -> String {
    workflow_commands(&worst(results))
}

/// The commands that show annotations where no check run does.
pub fn workflow_commands(all: &[Annotation]) -> String {
    let mut out = String::new();
    for (level, word) in [(Level::Error, "error"), (Level::Warning, "warning")] {
        for one in all.iter().filter(|one| one.level == level).take(MOST) {
            let (file, title) = (property(&one.file), property(&one.title));
            out.push_str(&format!("::{word} file={file},line={},title={title}::{}\n", one.line, data(&one.message)));
        }
    }
    out
}

/// The text after the second `::`.
pub fn data(text: &str) -> String {
    plain(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, where `:` and `,` have a meaning as well.
pub fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
