//! Recorded answers: canonical JSON lines, keyed by the request that was sent.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::TextDiff;

use crate::input::{Checker, Document, InputErrors, Pointer};
use crate::model::{CaseId, Fingerprint, Usage};
use crate::text::truncate_middle;

/// One recorded answer, a line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(title = "evalratchet recording")]
pub struct Recording {
    /// Whose answer it is.
    pub case: CaseId,
    /// Which time it was asked, from 0.
    #[serde(default)]
    pub repeat: usize,
    /// Whose opinion it is, if it is a judge's.
    #[serde(default)]
    pub component: Option<String>,
    /// A hash of the request.
    pub key: Fingerprint,
    /// What was answered; empty where it failed.
    pub answer: String,
    /// How the system under test failed, if it did.
    pub failure: Option<String>,
    /// How long it took.
    pub latency_ms: f64,
    /// What it consumed.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// The request as it was sent.
    pub request: Value,
    /// Of a process: a hash of its own files that git tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Fingerprint>,
}

/// The recorded answers of a suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recordings(BTreeMap<RecordingId, Recording>);

/// Whose answer: case, component, repeat.
type RecordingId = (CaseId, Option<String>, usize);

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct RecordingKey<'a> {
    pub case: &'a CaseId,
    /// Which time, from 0.
    pub repeat: usize,
    /// Whose opinion, if it is a judge's.
    pub component: Option<&'a str>,
    /// What would be sent.
    pub request: &'a Value,
}

static CHECKER: LazyLock<Checker<Recording>> = LazyLock::new(Checker::of_own_format);

impl Recordings {
    /// Reads the lines of a file.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputErrors> {
        let mut errors = InputErrors::new();
        let mut all = BTreeMap::new();
        for line in Document::json_lines(file, text)? {
            let root = Pointer::root();
            let recording = match CHECKER.read(&line) {
                Ok(recording) => recording,
                Err(wrong) => {
                    errors.extend(wrong);
                    continue;
                }
            };
            if recording.key != Fingerprint::of(&recording.request) {
                let message = "this is not the key of the request beside it";
                errors.push(line.error(&root.join("key"), message).with_help("re-record it"));
            }
            let place = (recording.case.clone(), recording.component.clone(), recording.repeat);
            if let Some(first) = all.insert(place, recording) {
                let message = format!("a second recording for `{}`", first.case);
                errors.push(line.error(&root.join("case"), message).with_help("keep one of them"));
            }
        }
        errors.into_result().map(|()| Self(all))
    }

    /// The lines, sorted by case, component and repeat.
    pub fn render(&self) -> Result<String, serde_json::Error> {
        let mut text = String::new();
        for recording in self.0.values() {
            text.push_str(&serde_json::to_string(recording)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// The answer to exactly this request.
    pub fn find(&self, key: RecordingKey<'_>) -> Option<&Recording> {
        self.0.get(&key.id()).filter(|one| one.key == Fingerprint::of(key.request))
    }

    pub fn all(&self) -> impl Iterator<Item = &Recording> {
        self.0.values()
    }

    /// Puts a recording in the place of the one it supersedes.
    pub fn put(&mut self, recording: Recording) {
        self.0.insert((recording.case.clone(), recording.component.clone(), recording.repeat), recording);
    }

    /// Keeps only the recordings of some cases.
    pub fn keep(&mut self, is_kept: impl Fn(&CaseId) -> bool) {
        self.0.retain(|(case, _, _), _| is_kept(case));
    }

    /// Why there is no answer to this request: what of the nearest recorded one differs.
    pub fn why_not(&self, key: RecordingKey<'_>) -> String {
        let mut what = format!("`{}`", key.case);
        if let Some(component) = key.component {
            what = format!("the judge `{component}` of {what}");
        }
        if key.repeat > 0 {
            what = format!("{what}, repeat {}", key.repeat + 1);
        }
        let now = readable(key.request);
        let same_place = self.0.get(&key.id());
        let nearest = same_place.or_else(|| {
            let fitting = self.0.values().filter(|one| one.component.as_deref() == key.component);
            fitting.max_by(|a, b| {
                let likeness = |one: &Recording| strsim::sorensen_dice(&short(&readable(&one.request)), &short(&now));
                likeness(a).total_cmp(&likeness(b))
            })
        });
        let Some(nearest) = nearest else { return format!("there is no recording for {what}, nor any other") };
        let before = readable(&nearest.request);
        if before == now {
            return format!("there is no recording for {what}; `{}` was asked the same", nearest.case);
        }
        let diff = TextDiff::from_lines(&before, &now).unified_diff().context_radius(1).to_string();
        let diff = truncate_middle(diff.trim_end(), 2000).replace('\n', "\n    ");
        let head = if same_place.is_some() {
            format!("the recording for {what} is stale: the request has changed")
        } else {
            format!("there is no recording for {what}; the nearest is of `{}`", nearest.case)
        };
        format!("{head}\n    {diff}")
    }
}

impl RecordingKey<'_> {
    fn id(&self) -> RecordingId {
        (self.case.clone(), self.component.map(str::to_owned), self.repeat)
    }
}

/// A request as people read it: a line for each line of its texts.
fn readable(request: &Value) -> String {
    format!("{request:#}\n").replace("\\n", "\n").replace("\\\"", "\"")
}

/// The beginning of a text; that is enough to see which is alike.
fn short(text: &str) -> String {
    text.chars().take(4000).collect()
}
