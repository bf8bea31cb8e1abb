//! What is shown beside the lines of a pull request, and the workflow commands that show it.

use super::case_summary::{Changes, GateFailures, Standing, why};
use super::causes;
use crate::model::Status;
use crate::results::Results;
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
    let causes = causes(results);
    for cause in causes.iter().flat_map(|suite| &suite.causes).filter(|cause| cause.fails && !cause.names_cases) {
        let annotation = Annotation {
            level: Level::Error,
            file: format!("{}{}", results.run.prefix, results.run.config),
            line: 1,
            title: "evalratchet".to_owned(),
            message: truncate_middle(&cause.sentence, LONGEST),
        };
        // Cases say more than what follows from them.
        all.push((Level::Error, 2.0, annotation));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all.into_iter().map(|(_, _, annotation)| annotation).collect()
}

/// A workflow command for each of the worst, errors before warnings.
pub fn annotations(results: &Results) -> String {
    let all = worst(results);
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
