//! Judges what was seen when a scenario ran.

use std::collections::BTreeMap;

use super::format::{ScenarioQuestion, Scope};
use super::observation::{GoalOutcome, GoalStatus, Observation};
use super::{AssertionDetail, GoalDetail, ScenarioDetail};
use crate::model::{CheckName as _, Score, Status, check_names, milliseconds};
use crate::suites::{CaseDetail, Evaluation};

check_names! {
    /// The parts of a scenario, and every type of assertion.
    ScenarioCheck {
        Goal = "goal",
        Agent = "agent",
        Scenario = "scenario",
        FileExists = "file-exists",
        FileContains = "file-contains",
        DiffMatch = "diff-match",
        FileAbsent = "file-absent",
        FileLacks = "file-lacks",
        OnlyChanged = "only-changed",
    }
}

/// Judges an observation; runs nothing.
pub fn evaluate(question: &ScenarioQuestion, seen: &Observation) -> Evaluation {
    let mut checks = Vec::new();
    let mut details = detail(question);
    details.changed.clone_from(&seen.changed);
    details.working_copy.clone_from(&seen.kept);
    details.goals = seen.goals.iter().map(goal_detail).collect();
    for goal in &seen.goals {
        checks.push(ScenarioCheck::Goal.check_of(&goal.goal, goal_status(goal.status), goal_message(goal)));
    }
    let mut diff = String::new();
    for (assertion, shown) in question.assertions.iter().zip(&mut details.pattern_assertions) {
        let (status, why) = match (&seen.broken, assertion.check(seen)) {
            (Some(_), _) => {
                (Status::Unmeasured, Some("not evaluated: the scenario could not be carried out".to_owned()))
            }
            (None, Ok(())) => (Status::Passed, None),
            (None, Err(finding)) => {
                shown.preview.clone_from(&finding.preview);
                if let Some(preview) = finding.preview {
                    diff.push_str(&format!(
                        "{} {}\n{preview}",
                        assertion.kind.type_name(),
                        assertion.kind.path().unwrap_or_default()
                    ));
                }
                (Status::Failed, Some(finding.why))
            }
        };
        shown.status = status;
        shown.details.clone_from(&why);
        let note = assertion.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        checks.push(assertion.kind.check(status, why.map(|why| format!("{why}{note}"))));
    }
    let declared = question.goals.len() + question.assertions.len();
    let passed = checks.iter().filter(|check| check.status == Status::Passed).count();
    if let Some(why) = &seen.agent_fault {
        checks.push(ScenarioCheck::Agent.check(Status::Failed, Some(why.clone())));
    }
    if let Some(why) = &seen.broken {
        checks.insert(0, ScenarioCheck::Scenario.check(Status::Error, Some(why.clone())));
    }
    let status = if seen.interrupted {
        Status::Unmeasured
    } else if checks.iter().any(|check| check.status == Status::Error) {
        Status::Error
    } else if checks.iter().all(|check| check.status == Status::Passed) {
        Status::Passed
    } else {
        Status::Failed
    };
    // An agent that failed has not done what it was asked, whatever holds anyway.
    let reward = if seen.agent_fault.is_some() { 0.0 } else { reward(passed, declared) };
    Evaluation {
        status,
        score: status.is_measured().then_some(Score::clamped(reward)),
        metrics: BTreeMap::from([("reward", reward)]),
        checks,
        diff: (!diff.is_empty()).then_some(diff),
        detail: CaseDetail::Scenario(details),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of goals and assertions")]
fn reward(passed: usize, declared: usize) -> f64 {
    passed as f64 / declared.max(1) as f64
}

/// The question as a report shows it, nothing run yet.
pub fn detail(question: &ScenarioQuestion) -> ScenarioDetail {
    let assertions = question.assertions.iter().map(|assertion| AssertionDetail {
        kind: assertion.kind.type_name().to_owned(),
        path: assertion.kind.path().map(str::to_owned),
        scope: match assertion.scope {
            Scope::Fixture => "fixture".to_owned(),
            Scope::Repo => "repo".to_owned(),
        },
        status: Status::Unmeasured,
        details: None,
        note: assertion.note.clone(),
        preview: None,
    });
    ScenarioDetail {
        title: question.title.clone(),
        adapter_id: question.adapter.id.clone(),
        goals: question
            .goals
            .iter()
            .map(|goal| GoalDetail {
                goal: goal.name.clone(),
                status: GoalStatus::NotRun,
                command: String::new(),
                exit_code: None,
                duration_ms: 0.0,
                stdout: String::new(),
                stderr: String::new(),
                error: None,
            })
            .collect(),
        pattern_assertions: assertions.collect(),
        changed: Vec::new(),
        working_copy: None,
    }
}

fn goal_detail(goal: &GoalOutcome) -> GoalDetail {
    let GoalOutcome { goal: name, status, command, exit_code, duration, stdout, stderr, error } = goal;
    GoalDetail {
        goal: name.clone(),
        status: *status,
        command: command.clone(),
        exit_code: *exit_code,
        duration_ms: milliseconds(*duration),
        stdout: stdout.clone(),
        stderr: stderr.clone(),
        error: error.clone(),
    }
}

const fn goal_status(status: GoalStatus) -> Status {
    match status {
        GoalStatus::Passed => Status::Passed,
        GoalStatus::Failed | GoalStatus::TimedOut => Status::Failed,
        GoalStatus::NotRun => Status::Unmeasured,
        GoalStatus::Error => Status::Error,
    }
}

fn goal_message(goal: &GoalOutcome) -> Option<String> {
    match goal.status {
        GoalStatus::Passed => None,
        GoalStatus::Failed | GoalStatus::TimedOut | GoalStatus::NotRun | GoalStatus::Error => {
            Some(goal.error.clone().unwrap_or_else(|| goal.status.word().to_owned()))
        }
    }
}
