//! What the environment is like, and what to add to a workflow for what is missing.

use crate::ci::{Event, EventError, EventKind, Origin};
use crate::github::{May, Permission};
use crate::model::Sha;
use crate::text::plain;

/// Everything that was found out.
#[derive(Debug)]
pub struct Findings {
    /// The event, or why there is none.
    pub event: Result<Event, EventError>,
    /// The commit that is checked out, and whether its history is there; or why git did not say.
    pub checkout: Result<Option<(Sha, History)>, Obstacle>,
    /// The configuration and how much is in it, or what is wrong with it.
    pub config: Result<String, Obstacle>,
    /// Where the baseline comes from, or why there is none.
    pub baseline: Result<String, Obstacle>,
    /// The programs that suites start.
    pub tools: Vec<ToolCheck>,
    /// The variables that suites want.
    pub variables: Vec<Variable>,
    /// What the token may do; nothing without one.
    pub token: Option<Vec<Permission>>,
}

/// Why something could not be found out or is not there, in the words of whoever was asked.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    #[error("{0}")]
    Git(String),
    #[error("{0}")]
    Config(String),
    #[error("{0}")]
    NoBaseline(String),
    #[error("not looked for, as the configuration cannot be read")]
    NotLookedFor,
    #[error("none is wanted")]
    NotWanted,
}

/// How much of its history a checkout has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    Whole,
    Shallow,
}

/// A program that a suite starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolCheck {
    pub program: String,
    pub wanted_by: String,
    /// What must be installed, for one that is missing.
    pub needs: String,
    /// Whether it is there.
    pub there: bool,
}

/// A variable that a suite wants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable {
    pub name: String,
    /// The suite that wants it.
    pub wanted_by: String,
    /// Whether it is set.
    pub set: bool,
    /// Whether the suite needs it as it is run here; a replay needs no key.
    pub needed: bool,
}

/// All of it, for people.
pub fn report(findings: &Findings) -> String {
    let Findings { event, checkout, config, baseline, tools, variables, token } = findings;
    let mut out = String::new();
    let mut line = |label: &str, text: &str| out.push_str(&format!("{label:<10} {}\n", plain(text)));
    match event {
        Ok(event) => {
            line("event", &event_line(event));
            line("head", &head_line(event));
            let base = event.base.as_ref().map_or("none", |base| base.0.short());
            let branch = event.base_branch.as_ref().map(|branch| format!(" on `{branch}`")).unwrap_or_default();
            line("base", &format!("{base}{branch}"));
        }
        Err(why) => line("event", &format!("none: {why}")),
    }
    match checkout {
        Ok(Some((commit, history))) => {
            let commit = commit.short();
            let words = match history {
                History::Whole => "with its history",
                History::Shallow => "shallow: without its history",
            };
            line("checkout", &format!("{commit}, {words}"));
        }
        Ok(None) => line("checkout", "no git repository with a commit"),
        Err(why) => line("checkout", &sign(false, &why.to_string())),
    }
    for (label, finding) in [("config", config), ("baseline", baseline)] {
        line(label, &finding.as_ref().map_or_else(|why| sign(false, &why.to_string()), |text| sign(true, text)));
    }
    for (index, tool) in tools.iter().enumerate() {
        let ToolCheck { program, wanted_by, needs, there } = tool;
        let missing = if *there { String::new() } else { format!(", is missing; {needs}") };
        line(if index == 0 { "tools" } else { "" }, &sign(*there, &format!("{program} for {wanted_by}{missing}")));
    }
    for (index, variable) in variables.iter().enumerate() {
        let Variable { name, wanted_by, set, needed } = variable;
        let missing = match (set, needed) {
            (true, _) => "",
            (false, true) => ", is not set",
            (false, false) => ", is not set, and not needed as answers are replayed",
        };
        let text = format!("{name} for {wanted_by}{missing}");
        line(if index == 0 { "variables" } else { "" }, &sign(*set || !needed, &text));
    }
    match token {
        None => line("token", "none: GITHUB_TOKEN is not set"),
        Some(permissions) => {
            for (index, permission) in permissions.iter().enumerate() {
                let Permission { line: name, purpose, may } = permission;
                let (sign, word) = match may {
                    May::Yes => ('✓', ""),
                    May::No => ('✗', ", not granted"),
                    May::NotAccepted => ('✗', ", the token is not accepted"),
                    May::Unknown => ('?', ", unknown"),
                };
                line(if index == 0 { "token" } else { "" }, &format!("{sign} {name} for {purpose}{word}"));
            }
        }
    }
    let advice = advice(findings);
    if advice.is_empty() {
        out.push_str("\nNothing is missing.\n");
    }
    for (what, lines) in advice {
        out.push_str(&format!("\n{}\n", plain(&what)));
        out.extend(lines.iter().map(|line| format!("    {}\n", plain(line))));
    }
    out
}

fn sign(is_fine: bool, text: &str) -> String {
    format!("{} {text}", if is_fine { '✓' } else { '✗' })
}

fn event_line(event: &Event) -> String {
    let number = event.pull_request.map(|number| format!(" #{number}")).unwrap_or_default();
    let mut line =
        format!("{}{number} in {}, run {}.{}", event.kind.name(), event.repository, event.run.id, event.run.attempt);
    if event.draft {
        line.push_str(", a draft");
    }
    if event.dependabot {
        line.push_str(", by Dependabot");
    }
    if let Some(tag) = &event.tag {
        line.push_str(&format!(", tag {tag}"));
    }
    if !event.labels.is_empty() {
        let labels: Vec<&str> = event.labels.iter().map(String::as_str).collect();
        line.push_str(&format!(", labels: {}", labels.join(", ")));
    }
    line
}

fn head_line(event: &Event) -> String {
    let head = event.head.as_ref().map_or("none", |head| head.0.short());
    let branch = event.head_branch.as_ref().map(|branch| format!(" on `{branch}`")).unwrap_or_default();
    let whose = match &event.origin {
        Origin::Own => String::new(),
        Origin::Fork(Some(name)) => format!(" of the fork {name}"),
        Origin::Fork(None) => " of a fork that is gone".to_owned(),
    };
    format!("{head}{branch}{whose}")
}

/// What to do, and the lines to add.
fn advice(findings: &Findings) -> Vec<(String, Vec<String>)> {
    let mut advice: Vec<(String, Vec<String>)> = Vec::new();
    let mut say = |what: &str, lines: &[&str]| {
        advice.push((what.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect()));
    };
    let read_only = findings
        .event
        .as_ref()
        .is_ok_and(|event| event.kind == EventKind::PullRequest && (event.is_fork() || event.dependabot));
    if findings.token.is_none() && findings.event.is_ok() {
        say("Give the step that publishes the job's token:", &["env:", "  GITHUB_TOKEN: ${{ github.token }}"]);
    }
    let is = |may: May| findings.token.iter().flatten().filter(move |one| one.may == may);
    if is(May::NotAccepted).next().is_some() {
        let lines = ["env:", "  GITHUB_TOKEN: ${{ github.token }}"];
        say("GitHub does not know this token. Give the step the one of its job:", &lines);
    }
    if findings.token.as_ref().is_some_and(|all| all.iter().all(|one| one.may == May::Unknown)) {
        say("GitHub does not say what the token may do: is GITHUB_REPOSITORY right, and may the token see it?", &[]);
    }
    let missing: Vec<&str> = is(May::No).map(|one| one.line).collect();
    // `contents: write` is only for runs on the branch that has the baseline.
    let on_branch = findings
        .event
        .as_ref()
        .is_ok_and(|event| matches!(event.kind, EventKind::Push | EventKind::Schedule | EventKind::WorkflowDispatch));
    let missing: Vec<&str> = missing.into_iter().filter(|line| *line != "contents: write" || on_branch).collect();
    if read_only && !missing.is_empty() {
        say(
            "The token of this pull request is read-only, whatever `permissions:` says. Publish it from a workflow of its own (docs/publishing.md):",
            &["on:", "  workflow_run:", "    workflows: [Evaluations]", "    types: [completed]"],
        );
    } else if !missing.is_empty() {
        let contents = if on_branch { "  contents: write" } else { "  contents: read" };
        let mut lines = vec!["permissions:", contents, "  checks: write", "  pull-requests: write"];
        // What downloads the results of another run needs its permission, too.
        if findings.event.as_ref().is_ok_and(|event| event.kind == EventKind::WorkflowRun) {
            lines.insert(1, "  actions: read");
        }
        say(&format!("Give the job what its token lacks ({}):", missing.join(", ")), &lines);
    }
    if findings.baseline.is_err() && matches!(findings.checkout, Ok(Some((_, History::Shallow)))) {
        say(
            "The history is not here. Fetch the baseline through the API before `run`:",
            &["- run: evalratchet baseline fetch", "- run: evalratchet run --baseline evalratchet-out/baseline.json"],
        );
        say(
            "Or check out all of it:",
            &[
                "- uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
                "  with:",
                "    fetch-depth: 0",
            ],
        );
    }
    let unset: Vec<String> = findings
        .variables
        .iter()
        .filter(|one| !one.set && one.needed)
        .map(|one| format!("  {0}: ${{{{ secrets.{0} }}}}", one.name))
        .collect();
    if !unset.is_empty() {
        let mut lines = vec!["env:"];
        lines.extend(unset.iter().map(String::as_str));
        say("Give the step that runs the variables that suites want:", &lines);
    }
    for tool in findings.tools.iter().filter(|tool| !tool.there) {
        let lines: &[&str] = match tool.program.as_str() {
            "npm" | "npx" | "node" => &["- uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0"],
            "python" | "python3" | "pytest" | "pip" => {
                &["- uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"]
            }
            "go" => &["- uses: actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e # v7.0.0"],
            _ => &[],
        };
        say(&format!("Install {} before `run` ({}).", tool.program, tool.wanted_by), lines);
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::Variables;

    fn event(name: &str, payload: &str) -> Event {
        let variables =
            Variables::of([("GITHUB_EVENT_NAME", name), ("GITHUB_REPOSITORY", "o/r"), ("GITHUB_RUN_ID", "5")]);
        Event::of_github(&variables, Some(payload)).unwrap()
    }

    fn pull_request(from: &str) -> Event {
        let (head, base) = ("a".repeat(40), "b".repeat(40));
        let payload = format!(
            r#"{{"pull_request": {{"number": 7, "draft": true, "labels": [{{"name": "evals"}}],
                "head": {{"sha": "{head}", "ref": "topic", "repo": {{"full_name": "{from}"}}}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#
        );
        event("pull_request", &payload)
    }

    fn permission(line: &'static str, purpose: &'static str, may: May) -> Permission {
        Permission { line, purpose, may }
    }

    #[test]
    fn everything_missing_comes_with_the_lines_to_add() {
        let findings = Findings {
            event: Ok(pull_request("o/r")),
            checkout: Ok(Sha::parse(&"c".repeat(40)).map(|commit| (commit, History::Shallow))),
            config: Ok("evalratchet.toml: 2 suites, 9 cases".to_owned()),
            baseline: Err(Obstacle::NoBaseline("no baseline: there is no branch `main` here".to_owned())),
            tools: vec![
                ToolCheck {
                    program: "go".into(),
                    wanted_by: "agents (go-module)".into(),
                    needs: "install Go".into(),
                    there: false,
                },
                ToolCheck {
                    program: "npm".into(),
                    wanted_by: "agents (typescript-default)".into(),
                    needs: "install Node.js".into(),
                    there: true,
                },
            ],
            variables: vec![Variable {
                name: "OPENAI_API_KEY".into(),
                wanted_by: "planner".into(),
                set: false,
                needed: true,
            }],
            token: Some(vec![
                permission("contents: read", "finding the baseline", May::Yes),
                permission("pull-requests: write", "the comment", May::No),
                permission("checks: write", "the check run", May::Unknown),
                permission("contents: write", "`baseline update --push`", May::No),
            ]),
        };
        insta::assert_snapshot!(report(&findings));
    }

    #[test]
    fn a_fork_is_not_advised_to_add_permissions_it_cannot_have() {
        let findings = Findings {
            event: Ok(pull_request("x/r")),
            checkout: Ok(Sha::parse(&"c".repeat(40)).map(|commit| (commit, History::Whole))),
            config: Ok("evalratchet.toml: 1 suite, 1 case".to_owned()),
            baseline: Ok("main:.evalratchet/baseline.json@1234567".to_owned()),
            tools: Vec::new(),
            variables: Vec::new(),
            token: Some(vec![permission("checks: write", "the check run", May::No)]),
        };
        let text = report(&findings);
        assert!(text.contains("workflow_run") && !text.contains("permissions:\n"), "{text}");
    }

    #[test]
    fn a_complete_environment_is_reported_as_complete() {
        let findings = Findings {
            event: Err(EventError::Missing("GITHUB_REPOSITORY")),
            checkout: Ok(None),
            config: Ok("evalratchet.toml: 1 suite, 1 case".to_owned()),
            baseline: Ok("main".to_owned()),
            tools: Vec::new(),
            variables: Vec::new(),
            token: None,
        };
        assert!(report(&findings).ends_with("\nNothing is missing.\n"));
    }
}
