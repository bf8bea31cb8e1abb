//! Workflow commands: what GitHub shows beside the lines of a pull request.

use super::facts::{Changes, Standing, why};
use super::plain;
use crate::model::{Results, Status, truncate_middle};

/// GitHub shows so many of each level in a step.
const MOST: usize = 10;
/// How long a message may be.
const LONGEST: usize = 3000;

/// A line for each of the worst new failures, errors before warnings.
pub fn annotations(results: &Results) -> String {
    let changes = Changes::of(results);
    let mut wrong: Vec<(&str, f64, String)> = Vec::new();
    for suite in &results.suites {
        for case in &suite.cases {
            if changes.standing(suite, case) != Standing::New {
                continue;
            }
            let level = if case.status == Status::Failed { "error" } else { "warning" };
            let file = property(&format!("{}{}", results.run.prefix, case.location.file));
            let title = property(&format!("{}/{}", suite.id, case.id));
            let text = data(&truncate_middle(&format!("{}\nreproduce: {}", why(case), case.reproduce), LONGEST));
            let line = format!("::{level} file={file},line={},title={title}::{text}\n", case.location.line);
            wrong.push((level, case.score.unwrap_or(0.0), line));
        }
    }
    for reason in results.gate.reasons.iter().filter(|reason| reason.fails && reason.case.is_none()) {
        let (file, title) = (property(&format!("{}{}", results.run.prefix, results.run.config)), "evalratchet");
        let text = data(&truncate_middle(&reason.message, LONGEST));
        // Cases say more than what follows from them.
        wrong.push(("error", 2.0, format!("::error file={file},line=1,title={title}::{text}\n")));
    }
    wrong.sort_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(&b.1)));
    let mut out = String::new();
    for level in ["error", "warning"] {
        let lines = wrong.iter().filter(|one| one.0 == level).take(MOST);
        out.extend(lines.map(|(_, _, line)| line.as_str()));
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
