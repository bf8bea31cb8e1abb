//! JUnit XML, in whatever shape a tool writes it.

use std::ops::Range;
use std::time::Duration;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use super::junit_names::{JunitNames, reproduce};
use super::record::{
    ImportFormat, ImportedAttempt, ImportedComponent, Record, Records, clamped, in_id, kept, metric_name,
};
use crate::model::Status;
use crate::stats::mean;
use crate::text::counted;

/// Why a file is not read as JUnit XML.
#[derive(Debug, thiserror::Error)]
pub(super) enum JunitError {
    #[error("is not XML: {0}")]
    Xml(#[from] roxmltree::Error),
    #[error("is XML with the root <{0}>")]
    Root(String),
    /// Results were lost on the way.
    #[error("{what}")]
    Count { at: Range<usize>, what: String },
}

/// Reads every test case.
pub(super) fn read(text: &str) -> Result<Records, JunitError> {
    // Entities are how a small file becomes a large one; JUnit has no use for them.
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let root = document.root_element();
    if !is_suite(root) {
        return Err(JunitError::Root(root.tag_name().name().to_owned()));
    }
    let mut notes = Vec::new();
    for suite in document.descendants().filter(|node| is_suite(*node)) {
        notes.extend(check_counts(suite)?.map(|note| (start_tag(suite), note)));
    }
    let mut names = JunitNames::default();
    let mut records: Vec<Record> = Vec::new();
    for node in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let attempt = attempt(node);
        names.add(node);
        // pytest writes a test that fails and whose fixtures fail afterwards twice.
        if let Some(before) = records.last_mut().filter(|_| is_second_half(node)) {
            join(&mut before.attempt, attempt);
            names.drop_last();
            continue;
        }
        notes.extend(attempt.note.clone().map(|note| (start_tag(node), note)));
        records.push(Record {
            id: String::new(),
            at: start_tag(node),
            tags: Vec::new(),
            question: Value::Null,
            key: Value::Null,
            repeats: false,
            reproduce: reproduce(node),
            attempt,
        });
    }
    for (record, id) in records.iter_mut().zip(names.into_ids()) {
        record.id = id;
    }
    Ok(Records { format: ImportFormat::Junit, records, notes })
}

fn is_suite(node: Node<'_, '_>) -> bool {
    node.has_tag_name("testsuites") || node.has_tag_name("testsuite")
}

/// Where an element begins, without what is in it.
fn start_tag(node: Node<'_, '_>) -> Range<usize> {
    let range = node.range();
    let name = node.tag_name().name().len() + 1;
    range.start..(range.start + name).min(range.end)
}

/// A suite that declares more than it has lost something. One that declares less does not count what it lists, as
/// jest-junit does with tests that are still to be written; that is worth a word.
fn check_counts(suite: Node<'_, '_>) -> Result<Option<String>, JunitError> {
    let declared = |name: &str| suite.attribute(name).and_then(|count| count.trim().parse::<usize>().ok());
    let cases: Vec<Node<'_, '_>> = suite.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    // Node counts a nested suite as one test of the suite around it.
    let nested = suite.children().filter(|child| child.has_tag_name("testsuite")).count();
    let with = |name: &str| cases.iter().filter(|case| case.children().any(|child| child.has_tag_name(name))).count();
    let slack = if suite.has_tag_name("testsuite") { nested } else { 0 };
    let more = |declared: usize, found: usize, noun: &str| {
        let (says, has) = (counted(declared, noun), counted(found, "test case"));
        let what = format!("declares {says}, but has only {has} of them: the file is not whole");
        JunitError::Count { at: start_tag(suite), what }
    };
    let tests = declared("tests");
    if let Some(tests) = tests.filter(|tests| *tests > cases.len() + slack) {
        let what = format!(
            "declares {}, but has {}: the file is not whole",
            counted(tests, "test"),
            counted(cases.len(), "test case")
        );
        return Err(JunitError::Count { at: start_tag(suite), what });
    }
    let wrong = with("failure") + with("error");
    for (name, noun) in [("failures", "failure"), ("errors", "error")] {
        // Tools disagree on which of the two a broken test is.
        if let Some(count) = declared(name).filter(|count| *count > wrong + slack) {
            return Err(more(count, with(noun), noun));
        }
    }
    let is_less = tests.is_some_and(|tests| tests < cases.len() && (nested == 0 || suite.has_tag_name("testsuites")));
    let has_nested =
        cases.iter().any(|case| case.ancestors().skip(1).filter(|one| one.has_tag_name("testsuite")).count() > 1);
    Ok((is_less && !has_nested).then(|| {
        let tests = counted(tests.unwrap_or_default(), "test");
        format!("declares {tests} and has {}; all of them count", counted(cases.len(), "test case"))
    }))
}

/// Whether a test case only says that what comes after a test failed, and the test itself stands before it.
fn is_second_half(node: Node<'_, '_>) -> bool {
    let is_error = node.children().any(|child| child.has_tag_name("error"));
    let before = node.prev_sibling_element().filter(|before| before.has_tag_name("testcase"));
    let same =
        |before: &Node<'_, '_>| ["classname", "name"].iter().all(|key| before.attribute(*key) == node.attribute(*key));
    is_error && before.is_some_and(|before| same(&before) && before.children().any(|one| one.has_tag_name("failure")))
}

/// What came after a test, beside the test.
fn join(test: &mut ImportedAttempt, after: ImportedAttempt) {
    let both: Vec<String> = [test.details.take(), after.details].into_iter().flatten().collect();
    test.details = kept(&both.join("\n"));
}

fn attempt(node: Node<'_, '_>) -> ImportedAttempt {
    let (status, details) = outcome(node);
    let passed = f64::from(u8::from(status == Status::Passed));
    let properties: Vec<(String, f64)> = properties(node);
    let own = properties.iter().find(|(name, _)| name == "score").map(|(_, value)| *value);
    let own = own.or_else(|| node.attribute("score").and_then(|score| score.parse().ok()));
    let said = deepeval_scores(details.as_deref().unwrap_or_default());
    let of_metrics = mean(&said.iter().filter_map(|one| one.score).collect::<Vec<f64>>());
    let (score, note) = clamped(own.or(of_metrics).unwrap_or(passed));
    let seconds = node.attribute("time").and_then(|time| time.replace(',', "").parse::<f64>().ok());
    let mut metrics: std::collections::BTreeMap<String, f64> =
        said.iter().filter_map(|one| Some((metric_name(&one.name), one.score?))).collect();
    metrics.extend(
        properties.into_iter().filter(|(name, _)| name != "score").map(|(name, value)| (metric_name(&name), value)),
    );
    let output = node.children().find(|child| child.has_tag_name("system-out")).and_then(|child| kept(&text_of(child)));
    ImportedAttempt {
        details,
        duration: seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()),
        output,
        metrics,
        components: said,
        note,
        ..ImportedAttempt::new(status, score)
    }
}

/// Numbers that a test recorded, such as with pytest's `record_property`.
fn properties(node: Node<'_, '_>) -> Vec<(String, f64)> {
    let all = node.children().filter(|child| child.has_tag_name("properties"));
    let all = all.flat_map(|list| list.children()).filter(|child| child.has_tag_name("property"));
    let number = |one: Node<'_, '_>| {
        let value = one.attribute("value").map_or_else(|| text_of(one), str::to_owned);
        let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite())?;
        Some((in_id(one.attribute("name")?), value))
    };
    all.filter_map(number).collect()
}

/// What DeepEval's `assert_test` says of each metric that failed: `Name (score: 0.2, threshold: 0.5, …, reason: …)`.
fn deepeval_scores(details: &str) -> Vec<ImportedComponent> {
    let said = details.lines().next().unwrap_or_default();
    let Some((_, mut rest)) = said.split_once("Metrics: ").filter(|_| said.contains(") failed.")) else {
        return Vec::new();
    };
    let mut components = Vec::new();
    while let Some((before, after)) = rest.split_once(" (score: ") {
        let name = before.rsplit("), ").next().unwrap_or(before).trim_start_matches(", ");
        let (score, _) = after.split_once(", threshold: ").unwrap_or((after, ""));
        let reason = after.split_once("reason: ").map(|(_, reason)| reason.split(") failed.").next().unwrap_or(reason));
        let reason = reason.map(|reason| reason.split_once("), ").map_or(reason, |(one, _)| one));
        components.push(ImportedComponent {
            name: in_id(name),
            status: Status::Failed,
            score: score.trim().parse().ok(),
            reason: reason.and_then(kept),
        });
        rest = after;
    }
    components
}

fn outcome(node: Node<'_, '_>) -> (Status, Option<String>) {
    let child = |name: &str| node.children().find(|child| child.has_tag_name(name));
    // An assertion that failed is a failure, whatever else is said; a broken test is an error.
    for (name, status) in [("failure", Status::Failed), ("error", Status::Error), ("skipped", Status::Unmeasured)] {
        if let Some(child) = child(name) {
            return (status, said(child).or_else(|| Some(name.to_owned())));
        }
    }
    (Status::Passed, None)
}

/// The message, and the text beside it unless it only says the same.
fn said(child: Node<'_, '_>) -> Option<String> {
    // Node writes `true` where there is nothing to say.
    let message = child.attribute("message").map(str::trim).filter(|message| !message.is_empty() && *message != "true");
    let body = text_of(child);
    let body = body.trim();
    match (message, body) {
        (None, "") => child.attribute("type").map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned),
        (Some(message), "") => kept(message),
        (None, body) => kept(body),
        (Some(message), body) if in_id(body).starts_with(&in_id(message)) => kept(body),
        (Some(message), body) => kept(&format!("{message}\n{body}")),
    }
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(|one| one.is_text()).filter_map(|one| one.text()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        read(text).unwrap().records.into_iter().map(|one| one.id).collect()
    }

    #[test]
    fn nested_suites_repeated_names_and_every_outcome_are_read() {
        let text = r#"<?xml version="1.0"?>
<testsuites><testsuite name="a"><testsuite name="b">
  <testcase classname="x.Y" name="works" time="0.5"/>
  <testcase classname="x.Y" name="works"/>
  <testcase name="fails"><failure message="expected 1 &lt; 0">trace</failure></testcase>
  <testcase name="breaks"><error>boom</error></testcase>
  <testcase name="later"><skipped/></testcase>
</testsuite></testsuite></testsuites>"#;
        let cases = read(text).unwrap().records;
        let read_cases: Vec<_> = cases.iter().map(|one| (one.id.as_str(), one.attempt.status)).collect();
        assert_eq!(
            read_cases,
            [
                ("x.Y::works", Status::Passed),
                ("x.Y::works #2", Status::Passed),
                ("a › b › fails", Status::Failed),
                ("a › b › breaks", Status::Error),
                ("a › b › later", Status::Unmeasured),
            ]
        );
        assert_eq!(cases[2].attempt.details.as_deref(), Some("expected 1 < 0\ntrace"));
        assert_eq!(cases[0].attempt.duration, Some(Duration::from_millis(500)));
        assert_eq!(cases[1].attempt.duration, None);
    }

    #[test]
    fn other_xml_and_entity_bombs_are_refused() {
        assert!(read("<html/>").is_err());
        assert!(read("<testsuite>").is_err());
        assert!(read("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>").is_err());
    }

    #[test]
    fn a_file_that_declares_more_than_it_has_is_not_whole() {
        for (text, why) in [
            (r#"<testsuite tests="2"><testcase name="a"/></testsuite>"#, "declares 2 tests, but has 1 test case"),
            (r#"<testsuites tests="3"><testsuite tests="1"><testcase name="a"/></testsuite></testsuites>"#, "3 tests"),
            (r#"<testsuite failures="1"><testcase name="a"/></testsuite>"#, "declares 1 failure"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let less = read(r#"<testsuite tests="1"><testcase name="a"/><testcase name="b"/></testsuite>"#).unwrap();
        assert_eq!(less.notes.len(), 1);
        // Node counts the nested suite and not what is in it.
        let node = r#"<testsuite name="m" tests="2" failures="1"><testcase name="a"/>
            <testsuite name="n" tests="2" failures="1"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuite>"#;
        assert_eq!(read(node).unwrap().notes.len(), 0);
        assert_eq!(ids(node), ["m › a", "m › n › a", "m › n › b"]);
    }

    #[test]
    fn the_scores_that_deepeval_asserts_are_components() {
        let text = r#"<testsuite name="pytest"><testcase classname="t" name="a"><failure message="AssertionError: Metrics: Has Lima (score: 0.2, threshold: 0.5, strict: False, error: None, reason: because), Other One (score: 0.4, threshold: 0.5, strict: False, error: None, reason: it is) failed."/></testcase></testsuite>"#;
        let one = &read(text).unwrap().records[0].attempt;
        let said: Vec<_> = one.components.iter().map(|c| (c.name.as_str(), c.score, c.reason.as_deref())).collect();
        assert_eq!(said, [("Has Lima", Some(0.2), Some("because")), ("Other One", Some(0.4), Some("it is"))]);
        assert!((one.score - 0.3).abs() < 1e-9);
    }

    #[test]
    fn a_test_and_its_broken_teardown_are_one_case() {
        let text = r#"<testsuite name="pytest" tests="2" failures="1" errors="1"><testcase classname="t" name="a"><failure message="no"/></testcase><testcase classname="t" name="a"><error message="failed on teardown"/></testcase></testsuite>"#;
        let cases = read(text).unwrap().records;
        assert_eq!((cases.len(), cases[0].attempt.status), (1, Status::Failed));
        assert_eq!(cases[0].attempt.details.as_deref(), Some("no\nfailed on teardown"));
    }
}
