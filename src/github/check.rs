//! Our check run on a commit: what should be there × what is there → what to do.

use serde_json::{Value, json};

use crate::ci::{HeadSha, RunAttempt};

/// GitHub takes so many annotations at once.
pub const BATCH: usize = 50;
/// More would only cost requests; the report has all of them.
pub const MOST_ANNOTATIONS: usize = 500;
/// What a summary may hold, in bytes; GitHub allows 65,535.
pub const SUMMARY: usize = 65_000;
const TITLE: usize = 250;

/// What makes a check run ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckIdentity {
    pub name: String,
    pub head: HeadSha,
    /// The run, and whose check it is.
    pub external_id: String,
}

impl CheckIdentity {
    /// The check run of a run for a key.
    pub fn new(key: &str, head: HeadSha, run: RunAttempt) -> Self {
        let name =
            if key == crate::settings::CONFIG_NAME { "evalratchet".to_owned() } else { format!("evalratchet ({key})") };
        let name = name.chars().take(200).collect();
        let external_id = format!("{}-{}-{key}", run.id, run.attempt).chars().take(200).collect();
        Self { name, head, external_id }
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
