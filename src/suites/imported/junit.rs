//! JUnit XML, in whatever shape a tool writes it.

use std::collections::HashMap;
use std::time::Duration;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use super::format::{ImportedCase, ImportedQuestion};
use crate::model::Status;
use crate::text::truncate_middle;

/// Why a file is not read as JUnit XML.
#[derive(Debug, thiserror::Error)]
pub(super) enum JunitError {
    #[error("is not XML: {0}")]
    Xml(#[from] roxmltree::Error),
    #[error("expected <testsuites> or <testsuite>, found <{0}>")]
    Root(String),
}

/// Reads every test case. Its id is its class name and its name.
pub(super) fn read(text: &str) -> Result<Vec<ImportedCase>, JunitError> {
    // Entities are how a small file becomes a large one; JUnit has no use for them.
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let root = document.root_element().tag_name().name();
    if root != "testsuites" && root != "testsuite" {
        return Err(JunitError::Root(root.to_owned()));
    }
    let mut cases = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    for node in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let name = node.attribute("name").unwrap_or_default().trim();
        let class = node.attribute("classname").map(str::trim).filter(|class| !class.is_empty());
        let full = class.map_or(name.to_owned(), |class| format!("{class}::{name}"));
        let full: String = full.chars().filter(|c| !c.is_control()).collect();
        let full = if full.trim().is_empty() { "test".to_owned() } else { full.trim().to_owned() };
        let count = names.entry(full.clone()).and_modify(|count| *count += 1).or_insert(1);
        let id = if *count > 1 { format!("{full} #{count}") } else { full };
        let (status, details) = outcome(node);
        let seconds = node.attribute("time").and_then(|time| time.replace(',', "").parse::<f64>().ok());
        cases.push(ImportedCase {
            id,
            line: usize::try_from(document.text_pos_at(node.range().start).row).unwrap_or(1),
            tags: Vec::new(),
            asked: Value::Null,
            question: ImportedQuestion {
                status,
                score: f64::from(u8::from(status == Status::Passed)),
                details,
                duration: seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()),
                format: "junit",
            },
        });
    }
    Ok(cases)
}

fn outcome(node: Node<'_, '_>) -> (Status, Option<String>) {
    let child = |name: &str| node.children().find(|child| child.has_tag_name(name));
    let said = |child: Node<'_, '_>| {
        let message = child.attribute("message").filter(|message| !message.is_empty());
        let body = child.text().map(str::trim).filter(|body| !body.is_empty());
        message.or(body).map(|text| truncate_middle(text, 2000))
    };
    // An assertion that failed is a failure, whatever else is said; a broken test is an error.
    for (name, status) in [("failure", Status::Failed), ("error", Status::Error), ("skipped", Status::Unmeasured)] {
        if let Some(child) = child(name) {
            return (status, said(child).or_else(|| Some(name.to_owned())));
        }
    }
    (Status::Passed, None)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cases = read(text).unwrap();
        let read_cases: Vec<_> = cases.iter().map(|one| (one.id.as_str(), one.question.status, one.line)).collect();
        assert_eq!(
            read_cases,
            [
                ("x.Y::works", Status::Passed, 3),
                ("x.Y::works #2", Status::Passed, 4),
                ("fails", Status::Failed, 5),
                ("breaks", Status::Error, 6),
                ("later", Status::Unmeasured, 7),
            ]
        );
        assert_eq!(cases[2].question.details.as_deref(), Some("expected 1 < 0"));
        assert_eq!(cases[0].question.duration, Some(Duration::from_millis(500)));
        assert_eq!(cases[1].question.duration, None);
    }

    #[test]
    fn other_xml_and_entity_bombs_are_refused() {
        assert!(read("<html/>").is_err());
        assert!(read("<testsuite>").is_err());
        assert!(read("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>").is_err());
    }
}
