//! The ids of JUnit's test cases: the class or the suites, and the name, each said once.

use std::collections::HashMap;

use roxmltree::Node;

use super::record::in_id;
use crate::text::shell_quoted;

/// The ids of a file, in the making.
#[derive(Default)]
pub(super) struct JunitNames {
    /// The short name, and the suites around it.
    all: Vec<(String, String)>,
}

impl JunitNames {
    pub(super) fn add(&mut self, node: Node<'_, '_>) {
        let suites = suites(node);
        let name = node.attribute("name").map(in_id).unwrap_or_default();
        let class = node.attribute("classname").map(in_id).filter(|class| !class.is_empty() && !is_no_class(class));
        let short = match class {
            Some(class) => joined(&class, &name, "::"),
            None => joined(&suites.join(" › "), &name, " › "),
        };
        let short = if short.is_empty() { "test".to_owned() } else { short };
        self.all.push((short, suites.join(" › ")));
    }

    /// Takes the last one back.
    pub(super) fn drop_last(&mut self) {
        self.all.pop();
    }

    /// Where two are called the same, the suites around them tell them apart; where these are the same, they are counted.
    pub(super) fn into_ids(self) -> Vec<String> {
        let mut suites_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for (short, suites) in &self.all {
            let known = suites_of.entry(short).or_default();
            if !known.contains(&suites.as_str()) {
                known.push(suites);
            }
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut ids = Vec::new();
        for (short, suites) in &self.all {
            let is_ambiguous = suites_of.get(short.as_str()).is_some_and(|all| all.len() > 1);
            let full = if is_ambiguous { joined(suites, short, " › ") } else { short.clone() };
            let count = counts.entry(full.clone()).and_modify(|count| *count += 1).or_insert(1);
            ids.push(if *count > 1 { format!("{full} #{count}") } else { full });
        }
        ids
    }
}

/// Node writes the same class for every test.
fn is_no_class(class: &str) -> bool {
    class == "test"
}

/// The names of the suites around a test case, outermost first. Runners call the whole of a run by their own name.
fn suites(node: Node<'_, '_>) -> Vec<String> {
    let around = node.ancestors().skip(1).filter(|one| one.has_tag_name("testsuite"));
    let mut names: Vec<String> = around.filter_map(|one| one.attribute("name")).map(in_id).collect();
    names.reverse();
    names.retain(|name| !name.is_empty() && !matches!(name.as_str(), "pytest" | "undefined" | "root" | "Root Suite"));
    names.dedup();
    names
}

/// A prefix and a name; the prefix only where the name does not begin with it already.
fn joined(prefix: &str, name: &str, between: &str) -> String {
    let is_said =
        name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let is_class =
        prefix.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '.', ':', '>', '/']));
    match (prefix.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => prefix.to_owned(),
        (false, false) if is_said => name.to_owned(),
        // mocha's reporters write the title as the class, and everything as the name; others the other way round.
        (false, false) if is_class => prefix.to_owned(),
        (false, false) if name.ends_with(prefix) => name.to_owned(),
        (false, false) => format!("{prefix}{between}{name}"),
    }
}

/// The command that runs a test case alone, for runners that the file tells.
pub(super) fn reproduce(node: Node<'_, '_>) -> Option<String> {
    let outermost = node.ancestors().filter(|one| one.has_tag_name("testsuites")).last();
    let run = outermost.and_then(|root| root.attribute("name")).unwrap_or_default();
    let nearest = node.ancestors().skip(1).find(|one| one.has_tag_name("testsuite"));
    let suite = nearest.and_then(|suite| suite.attribute("name")).unwrap_or_default();
    let name = node.attribute("name")?.trim();
    if suite == "pytest" || run == "pytest tests" {
        let class = node.attribute("classname").unwrap_or_default();
        return pytest_id(class, name, node.attribute("file")).map(|id| format!("pytest {}", shell_quoted(&id)));
    }
    if run == "jest tests" {
        return Some(format!("npx jest -t {}", shell_quoted(&regex::escape(name))));
    }
    if node.attribute("classname") == Some("test") {
        let file = node.attribute("file").map(|file| format!(" {}", shell_quoted(file))).unwrap_or_default();
        return Some(format!(
            "node --test --test-name-pattern {}{file}",
            shell_quoted(&format!("^{}$", regex::escape(name)))
        ));
    }
    None
}

/// pytest's own id of a test: the file, the classes and the name. Classes begin with a capital letter.
fn pytest_id(class: &str, name: &str, file: Option<&str>) -> Option<String> {
    let parts: Vec<&str> = class.split('.').filter(|part| !part.is_empty()).collect();
    let is_class = |part: &&&str| part.starts_with(|c: char| c.is_uppercase());
    let classes = parts.iter().rev().take_while(|part| is_class(part)).count();
    let (module, classes) = parts.split_at(parts.len() - classes);
    if module.is_empty() && file.is_none() {
        return None;
    }
    let file = file.map_or_else(|| format!("{}.py", module.join("/")), str::to_owned);
    let inside: Vec<&str> = classes.iter().copied().chain([name]).collect();
    Some(format!("{file}::{}", inside.join("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_said_once() {
        for (prefix, name, expected) in [
            ("test_m.TestA", "test_p[1]", "test_m.TestA::test_p[1]"),
            ("Math adds", "Math adds", "Math adds"),
            ("Math", "Math adds", "Math adds"),
            ("Math", "Mathematics", "Math::Mathematics"),
            ("adds", "Math adds", "Math adds"),
            ("com.example.Calc", "adds", "com.example.Calc::adds"),
            ("", "adds", "adds"),
            ("Math", "", "Math"),
        ] {
            assert_eq!(joined(prefix, name, "::"), expected, "{prefix} {name}");
        }
    }

    #[test]
    fn pytest_is_told_the_file_the_class_and_the_name() {
        assert_eq!(
            pytest_id("tests.test_m.TestA", "test_p[1]", None).as_deref(),
            Some("tests/test_m.py::TestA::test_p[1]")
        );
        assert_eq!(pytest_id("test_m", "test_p", None).as_deref(), Some("test_m.py::test_p"));
        assert_eq!(pytest_id("", "test_p", None), None);
    }
}
