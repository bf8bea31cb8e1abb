//! Our check run on a commit: what should be there × what is there → what to do.

use serde_json::{Value, json};

use crate::ci::{HeadSha, JobName, RunAttempt};
use crate::model::Fingerprint;

/// GitHub takes so many annotations at once.
pub const BATCH: usize = 50;
/// More would only cost requests; the report has all of them.
pub const MOST_ANNOTATIONS: usize = 500;
/// What a summary may hold, in bytes; GitHub allows 65,535.
pub const SUMMARY: usize = 65_000;
const TITLE: usize = 250;
/// What it is called, if nothing else tells it apart.
const NAME: &str = "evalratchet";

/// What makes a check run ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckIdentity {
    pub name: String,
    pub head: HeadSha,
    /// The run, whose check it is, and the job.
    pub external_id: String,
    /// The run and whose check it is, the same for all its jobs.
    of_run: String,
    /// The name with the job in it, for where another job of the run has the plain one.
    name_with_job: Option<String>,
}

impl CheckIdentity {
    /// The check run that a job of a run has for a key.
    pub fn new(key: &str, job: Option<&JobName>, head: HeadSha, run: RunAttempt) -> Self {
        let own_key = Some(key).filter(|key| *key != crate::settings::CONFIG_NAME);
        let named = |of_job: Option<&str>| {
            let words: Vec<&str> = own_key.into_iter().chain(of_job.filter(|text| !text.is_empty())).collect();
            let name = if words.is_empty() { NAME.to_owned() } else { format!("{NAME} ({})", words.join(", ")) };
            name.chars().take(200).collect::<String>()
        };
        let of_run: String = format!("{}-{}-{key}", run.id, run.attempt).chars().take(200).collect();
        let label = job.map(ToString::to_string);
        // Long names may be the same up to where they are cut.
        let mark = label.as_ref().map(|label| match label.len() {
            0..=40 => format!("#{label}"),
            _ => format!("#{}", Fingerprint::of(&json!(label)).as_str().chars().take(16).collect::<String>()),
        });
        Self {
            name: named(job.map(|job| job.matrix.as_str())),
            head,
            external_id: format!("{of_run}{}", mark.unwrap_or_default()),
            of_run,
            name_with_job: label.as_deref().map(|label| named(Some(label))),
        }
    }

    /// Whether it is known which job it is of.
    pub fn has_job(&self) -> bool {
        self.name_with_job.is_some()
    }

    /// The same, with the job in its name if another job of this run has the plain name already.
    #[must_use]
    pub fn told_apart(&self, existing: &[ExistingCheck]) -> Self {
        let is_other = |one: &ExistingCheck| {
            let rest = one.external_id.strip_prefix(&self.of_run);
            one.external_id != self.external_id && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        };
        let name = self.name_with_job.clone().filter(|_| {
            existing.iter().any(is_other) && !existing.iter().any(|one| one.external_id == self.external_id)
        });
        Self { name: name.unwrap_or_else(|| self.name.clone()), ..self.clone() }
    }
}

/// A check run of that name on that commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingCheck {
    /// The smaller, the older.
    pub id: u64,
    /// Which run it belongs to.
    pub external_id: String,
    /// Whether it has a conclusion.
    pub completed: bool,
    /// Which one; empty if it has none.
    pub conclusion: String,
    pub title: String,
    /// What it says below.
    pub summary: String,
    /// How many annotations it has.
    pub annotations: usize,
}

impl ExistingCheck {
    /// Reads what GitHub says of a check run.
    pub fn of(value: &Value) -> Option<Self> {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let annotations = value.pointer("/output/annotations_count").and_then(Value::as_u64).unwrap_or(0);
        Some(Self {
            id: value.get("id")?.as_u64()?,
            external_id: text("/external_id"),
            completed: text("/status") == "completed",
            conclusion: text("/conclusion"),
            title: text("/output/title"),
            summary: text("/output/summary"),
            annotations: usize::try_from(annotations).unwrap_or(usize::MAX),
        })
    }
}

/// How it came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// `success`, `failure`, `neutral` or `cancelled`.
    pub conclusion: &'static str,
    pub title: String,
    /// In Markdown.
    pub summary: String,
    /// The worst first, as GitHub wants them.
    pub annotations: Vec<Value>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckAction {
    /// Open one; what follows goes to it.
    Create(Value),
    Update(u64, Value),
}

/// The steps to a completed check run.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckPlan {
    /// In this order.
    pub steps: Vec<CheckAction>,
    /// More annotations, for the check run of the first step.
    pub more: Vec<Value>,
}

/// Opens a check run before anything is known.
pub fn start(identity: &CheckIdentity, existing: &[ExistingCheck], details: Option<&str>) -> Vec<CheckAction> {
    if ours(identity, existing).next().is_some() {
        return Vec::new();
    }
    let output = json!({"title": "Evaluating", "summary": "The evaluations are running."});
    let mut body = json!({
        "name": identity.name, "head_sha": identity.head.0.as_str(), "external_id": identity.external_id,
        "status": "in_progress", "output": output,
    });
    link(&mut body, details);
    vec![CheckAction::Create(body)]
}

/// Completes the check run that was opened, or makes one that is complete.
pub fn finish(
    identity: &CheckIdentity,
    existing: &[ExistingCheck],
    report: &CheckReport,
    details: Option<&str>,
) -> CheckPlan {
    let CheckReport { conclusion, title, summary, annotations } = report;
    let title: String = title.chars().take(TITLE).collect();
    let output = |annotations: &[Value]| {
        let mut output = json!({"title": title, "summary": summary});
        if !annotations.is_empty() {
            output["annotations"] = annotations.into();
        }
        output
    };
    let annotations = &annotations[..annotations.len().min(MOST_ANNOTATIONS)];
    let batches = |from: usize| annotations.get(from..).unwrap_or_default().chunks(BATCH);
    let complete = |annotations: &[Value]| {
        let mut body = json!({"status": "completed", "conclusion": conclusion, "output": output(annotations)});
        link(&mut body, details);
        body
    };
    let left_open = left_open(identity, existing);
    let mut ours: Vec<&ExistingCheck> = ours(identity, existing).collect();
    ours.sort_by_key(|one| one.id);
    let open: Vec<&&ExistingCheck> = ours.iter().filter(|one| !one.completed).collect();
    if let Some(first) = open.first() {
        let mut batches = batches(0);
        let mut steps = vec![CheckAction::Update(first.id, complete(batches.next().unwrap_or_default()))];
        // One whose opening was answered too late to be seen would stay open for ever.
        steps.extend(open.iter().skip(1).map(|one| CheckAction::Update(one.id, complete(&[]))));
        steps.extend(left_open);
        return CheckPlan { steps, more: batches.map(|batch| json!({"output": output(batch)})).collect() };
    }
    if let Some(last) = ours.last().filter(|last| last.title == title && last.summary.trim() == summary.trim()) {
        // Only annotations can be missing.
        let mut rest = batches(last.annotations).map(|batch| json!({"output": output(batch)}));
        let first = rest.next().map(|body| CheckAction::Update(last.id, body));
        return CheckPlan { steps: first.into_iter().chain(left_open).collect(), more: rest.collect() };
    }
    // Jobs that cannot be told apart must not hide each other's failure.
    if *conclusion != "failure" && ours.last().is_some_and(|last| last.conclusion == "failure") {
        return CheckPlan { steps: left_open, more: Vec::new() };
    }
    let mut batches = batches(0);
    let mut body = complete(batches.next().unwrap_or_default());
    body["name"] = identity.name.as_str().into();
    body["head_sha"] = identity.head.0.as_str().into();
    body["external_id"] = identity.external_id.as_str().into();
    CheckPlan {
        steps: std::iter::once(CheckAction::Create(body)).chain(left_open).collect(),
        more: batches.map(|batch| json!({"output": output(batch)})).collect(),
    }
}

/// Closes what an earlier attempt of the same run opened and never completed.
fn left_open(identity: &CheckIdentity, existing: &[ExistingCheck]) -> Vec<CheckAction> {
    let parts = |id: &str| {
        let mut parts = id.splitn(3, '-').map(str::to_owned);
        Some((parts.next()?, parts.next()?.parse::<u64>().ok()?, parts.next()?))
    };
    let Some((run, attempt, key)) = parts(&identity.external_id) else { return Vec::new() };
    let earlier = |one: &&ExistingCheck| {
        let theirs = parts(&one.external_id);
        !one.completed && theirs.is_some_and(|theirs| theirs.0 == run && theirs.1 < attempt && theirs.2 == key)
    };
    let output = json!({"title": "Superseded", "summary": "A later attempt of this run has ended."});
    let body = json!({"status": "completed", "conclusion": "cancelled", "output": output});
    existing.iter().filter(earlier).map(|one| CheckAction::Update(one.id, body.clone())).collect()
}

fn ours<'a>(identity: &'a CheckIdentity, existing: &'a [ExistingCheck]) -> impl Iterator<Item = &'a ExistingCheck> {
    existing.iter().filter(|one| one.external_id == identity.external_id)
}

fn link(body: &mut Value, details: Option<&str>) {
    if let Some(details) = details {
        body["details_url"] = details.into();
    }
}
