//! The workflows: one for pull requests and the default branch, one that publishes what pull requests of forks measured.

use crate::settings::CONFIG_NAME;
use crate::suites::starter::{NewFile, ResultTool, Survey};
use crate::text::shell_quoted;

/// The action, at the commit that a fresh workflow uses. There is no release yet; from then on it is that of a release.
const ACTION: &str = "evalratchet/evalratchet@eff39469a7b3a29cfc53ad2d796a3931d57e92d5";
/// Its part that only puts the program on the `PATH`.
const INSTALL: &str = "evalratchet/evalratchet/action/install@eff39469a7b3a29cfc53ad2d796a3931d57e92d5";
/// How the action calls the results that it uploads; a key is added to it.
const ARTIFACT: &str = "evalratchet";

const EVALUATE: &str = include_str!("templates/github/evaluate.yml");
const PUBLISH: &str = include_str!("templates/github/publish.yml");

/// Both workflows, at the root of the repository. In a subdirectory they have names of their own.
pub(super) fn workflows(survey: &Survey) -> Vec<NewFile> {
    if survey.workflow.is_some() {
        return Vec::new();
    }
    let (branch, prefix) = survey
        .repository
        .as_ref()
        .map_or(("main", ""), |repository| (repository.branch.as_str(), repository.prefix.trim_end_matches('/')));
    let depth = prefix.split('/').filter(|part| !part.is_empty()).count();
    let key = key(prefix);
    let name = if prefix.is_empty() { "evalratchet".to_owned() } else { format!("evalratchet ({prefix})") };
    let suffix = if key.is_empty() { String::new() } else { format!("-{key}") };
    let place = [format!("working-directory: {}", quoted(prefix)), format!("comment-key: {}", quoted(&key))];
    let render = |template: &str| {
        let mut text = String::new();
        for line in template.lines() {
            let indent = &line[..line.len() - line.trim_start().len()];
            // What is said of a place is left out at the root.
            match line.trim() {
                "@PLACE@" | "@WORKING-DIRECTORY@" if prefix.is_empty() => {}
                "@TOOLS@" => survey.tools.iter().for_each(|tool| text.push_str(&tool_step(tool, prefix, indent))),
                "@PLACE@" => place.iter().for_each(|one| text.push_str(&format!("{indent}{one}\n"))),
                "@WORKING-DIRECTORY@" => text.push_str(&format!("{indent}{}\n", place[0])),
                _ => text.push_str(&format!("{line}\n")),
            }
        }
        // Whose results these are is not for a fork to say.
        let config = if prefix.is_empty() { CONFIG_NAME.to_owned() } else { format!("{prefix}/{CONFIG_NAME}") };
        let config = shell_quoted(&config).replace('\'', "''");
        let named = if key.is_empty() { String::new() } else { format!(" --comment-key {key}") };
        let option = format!(" --config {config}{named}");
        text.replace("@PUBLISH-NAME@", &quoted(&format!("{name} publish")))
            .replace("@NAME@", &quoted(&name))
            .replace("@BRANCH@", &quoted(&escaped(branch)))
            .replace("@ARTIFACT@", &format!("{ARTIFACT}{suffix}"))
            .replace("@INSTALL@", INSTALL)
            .replace("@ACTION@", ACTION)
            .replace("@KEY@", &option)
    };
    let up = "../".repeat(depth);
    vec![
        NewFile::new(format!("{up}.github/workflows/evalratchet{suffix}.yml"), render(EVALUATE)),
        NewFile::new(format!("{up}.github/workflows/evalratchet{suffix}-publish.yml"), render(PUBLISH)),
    ]
}

/// The step that writes the results of another tool. Whether they are good enough is not for that tool to say.
fn tool_step(tool: &ResultTool, prefix: &str, indent: &str) -> String {
    let place =
        if prefix.is_empty() { String::new() } else { format!("{indent}  working-directory: {}\n", quoted(prefix)) };
    let command = serde_json::json!(format!("{} || true # evalratchet decides", tool.command));
    format!("{indent}- name: Run {}\n{indent}  run: {command}\n{place}", tool.name)
}

/// A directory as a key: letters, digits, dots, dashes and underscores only.
fn key(prefix: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    prefix.split(|c| !fits(c)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// A text as YAML has it: plain where nothing in it could mean anything else.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = ["true", "false", "yes", "no", "on", "off", "null"].contains(&text.to_lowercase().as_str());
    if begins && !is_word && text.chars().all(plain) { text.to_owned() } else { serde_json::json!(text).to_string() }
}

/// A branch as a filter that matches nothing else.
fn escaped(branch: &str) -> String {
    let mut text = String::new();
    for c in branch.chars() {
        if matches!(c, '+' | '!' | '*' | '?' | '[' | ']') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::starter::SurveyedRepository;

    fn survey(branch: &str, prefix: &str) -> Survey {
        let repository = SurveyedRepository { branch: branch.into(), prefix: prefix.into(), ignores_results: true };
        Survey { repository: Some(repository), ..Survey::default() }
    }

    #[test]
    fn at_the_root_they_watch_the_default_branch() {
        let files = workflows(&survey("trunk", ""));
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, [".github/workflows/evalratchet.yml", ".github/workflows/evalratchet-publish.yml"]);
        assert!(files[0].text.contains("branches: [trunk]"), "{}", files[0].text);
        insta::assert_snapshot!(files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn below_the_root_they_stand_at_the_root_and_say_where_to_run() {
        let files = workflows(&survey("main", "packages/api/"));
        assert_eq!(files[0].path, "../../.github/workflows/evalratchet-packages-api.yml");
        assert!(files[0].text.contains("working-directory: packages/api"));
        assert!(files[1].text.contains("workflows: [\"evalratchet (packages/api)\"]"), "{}", files[1].text);
        insta::assert_snapshot!(files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn templates_are_filled_in_completely_for_odd_branch_names_too() {
        for survey in [Survey::default(), survey("main", ""), survey("release+1", "a b/c")] {
            for file in workflows(&survey) {
                let is_left = |line: &&str| {
                    line.split('@')
                        .skip(1)
                        .any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase() || c == '-'))
                };
                let left = file.text.lines().find(is_left);
                assert_eq!(left, None, "{}", file.path);
            }
        }
        assert!(workflows(&survey("release+1", ""))[0].text.contains(r#"branches: ["release\\+1"]"#));
        assert_eq!((quoted("on").as_str(), quoted("v1.x").as_str()), ("\"on\"", "v1.x"));
    }

    #[test]
    fn the_action_is_named_by_a_commit_here_and_in_the_readme() {
        let commit = ACTION.strip_prefix("evalratchet/evalratchet@").unwrap();
        assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
        assert!(INSTALL.ends_with(commit));
        let readme = include_str!("../../README.md");
        assert!(readme.contains(ACTION) && !readme.contains("@v0"));
    }

    #[test]
    fn a_repository_that_uses_the_action_already_gets_no_second_workflow() {
        let survey = Survey { workflow: Some(".github/workflows/ci.yml".into()), ..survey("main", "") };
        assert!(workflows(&survey).is_empty());
    }
}
