//! `.evalratchet/blessings/*.toml`: what may be worse than main, one file for each `bless`, and why.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file::BaselineCase;
use crate::input::{Checker, Document, InputError, InputErrors, Pointer};
use crate::model::{Better, CaseId, Fingerprint, Rule, Status, SuiteId};
use crate::results::{CaseResult, Reason};

/// Something that may be worse, for a reason that reviewers see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Blessing {
    #[serde(flatten)]
    pub allowed: Allowed,
    /// Why it may be worse.
    pub reason: String,
    /// The file that says so, from the directory of the configuration; nothing if the baseline itself does.
    #[serde(skip)]
    pub file: Option<String>,
}

/// What a blessing allows: exactly what the gate named, and no worse than it was then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Allowed {
    /// The rule that would speak.
    pub rule: Rule,
    /// About which suite.
    pub suite: SuiteId,
    /// About which case.
    #[serde(default)]
    pub case: Option<CaseId>,
    /// About which metric.
    #[serde(default)]
    pub metric: Option<String>,
    /// The slice that it is about, such as `lane=code`.
    #[serde(default)]
    pub slice: Option<String>,
    /// About which part of the policy.
    #[serde(default)]
    pub policy: Option<String>,
    /// About which key of a case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Fingerprint>,
    /// How far it may go: no worse than this.
    #[serde(default)]
    pub to: Option<f64>,
    /// `baseline update` has taken it in; it is kept only because a floor is still missed without it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub taken_in: bool,
    /// Of a case: what it was in the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<CaseLevel>,
    /// Of a case: what it was in the run that was blessed; it may not be worse than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<CaseLevel>,
}

impl Allowed {
    /// Why these values contradict each other, if they do.
    fn is_impossible(&self) -> Option<&'static str> {
        let is_of_case = matches!(
            self.rule,
            Rule::UnsafeAnswer
                | Rule::CaseRegressed
                | Rule::ChangedFails
                | Rule::PassesOnlyByNewKey
                | Rule::KeyEdited
                | Rule::Flaky
                | Rule::CaseRemoved
                | Rule::ScenarioFailed
                | Rule::QuarantineExpired
        );
        let level_is_wrong = |level: &CaseLevel| {
            !(0.0..=1.0).contains(&level.score) || level.metrics.values().any(|value| !value.is_finite())
        };
        if !self.rule.is_blessable() || self.rule == Rule::BaselineEdited {
            Some("this rule cannot be blessed")
        } else if is_of_case && self.case.is_none() {
            Some("this rule is about a case, and `case` is missing")
        } else if self.was.iter().chain(&self.now).any(level_is_wrong) {
            Some("a score is between 0 and 1, and a metric is a finite number")
        } else if self.to.is_some_and(|to| !to.is_finite()) {
            Some("`to` is a finite number")
        } else {
            None
        }
    }
}

/// Whether a reason has a letter or a digit in it.
pub fn says_something(reason: &str) -> bool {
    reason.chars().any(char::is_alphanumeric)
}

/// How good a case is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseLevel {
    /// How it came out.
    pub status: Status,
    /// Its score, from 0 to 1.
    pub score: f64,
    /// What else was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A difference that is none.
const SLACK: f64 = 1e-9;

impl CaseLevel {
    /// What a case of the baseline is.
    pub fn before(case: &BaselineCase) -> Self {
        Self { status: case.status, score: case.score, metrics: case.metrics.clone() }
    }

    /// What a case is now; nothing if it was not measured.
    pub fn now(case: &CaseResult) -> Option<Self> {
        let score = case.score.filter(|_| case.status.is_measured())?;
        let now = Self { status: case.status, score, metrics: case.metrics.clone() };
        // Where main's key says something worse, that is what is compared.
        let by_main = case.key_edit.as_ref().and_then(|edit| edit.by_main.as_ref());
        let by_main = by_main.filter(|one| one.status == Status::Failed && case.status == Status::Passed);
        Some(match by_main {
            Some(one) => Self { status: one.status, score: one.score.unwrap_or(0.0), metrics: one.metrics.clone() },
            None => now,
        })
    }

    /// Whether this is nowhere worse than `other`.
    pub fn is_no_worse_than(&self, other: &Self, better_of: impl Fn(&str) -> Better) -> bool {
        let passes = self.status == Status::Passed || other.status != Status::Passed;
        let metrics = other.metrics.iter().all(|(name, then)| {
            let Some(now) = self.metrics.get(name) else { return false };
            match better_of(name) {
                Better::Higher => *now >= then - SLACK,
                Better::Lower => true,
            }
        });
        passes && self.score >= other.score - SLACK && metrics
    }
}

impl Blessing {
    /// Whether it covers a reason: what it names, and no worse than it says.
    pub fn covers(&self, reason: &Reason, better: Better) -> bool {
        let Allowed { rule, suite, case, metric, slice, policy, key, to, taken_in, was, now } = &self.allowed;
        let named = *rule == reason.rule
            && Some(suite) == reason.suite.as_ref()
            && *case == reason.case
            && *metric == reason.metric
            && *slice == reason.slice
            && *policy == reason.policy
            && *key == reason.key;
        let to = to.or(now.as_ref().map(|now| now.score));
        let no_worse = match (to, reason.value) {
            (Some(to), Some(value)) => match better {
                Better::Higher => value >= to - SLACK,
                Better::Lower => value <= to + SLACK,
            },
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        // What main has made better since must not be lost unseen.
        let from_there = match (was, reason.before) {
            (Some(was), Some(before)) => before <= was.score + SLACK,
            (None, _) | (_, None) => true,
        };
        // A case that was blessed as passing may not fail.
        let may_flip = now.as_ref().is_none_or(|now| now.status != Status::Passed);
        named && no_worse && from_there && may_flip && !taken_in
    }
}

/// A file of blessings, as people read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(title = "evalratchet blessing")]
pub struct BlessingFile {
    /// Why all of this may be worse.
    pub reason: String,
    /// What the file allows, one entry each.
    #[serde(default)]
    pub allows: Vec<Allowed>,
}

static CHECKER: LazyLock<Checker<BlessingFile>> = LazyLock::new(Checker::new);

impl BlessingFile {
    /// Reads a file; what is wrong with it is pointed at.
    pub fn parse(file: &str, text: String) -> Result<Vec<Blessing>, InputErrors> {
        if super::is_conflicted(&text) {
            return Err(InputError::in_file(file, "has the conflict markers of git")
                .with_help("keep what is still meant, or delete the file and run `evalratchet baseline bless` again")
                .into());
        }
        let document = Document::toml(file, text)?;
        let own = CHECKER.read(&document)?;
        own.validate(&document)?;
        Ok(own.blessings().map(|one| Blessing { file: Some(file.to_owned()), ..one }).collect())
    }

    /// What could never allow anything, or allows more than can be meant, is a mistake.
    fn validate(&self, document: &Document) -> Result<(), InputErrors> {
        let mut errors = InputErrors::new();
        let root = Pointer::root();
        if !says_something(&self.reason) {
            errors.push(document.error(&root.join("reason"), "a reason must say something"));
        }
        if self.allows.is_empty() {
            errors.push(document.error(&root, "allows nothing").with_help("delete the file"));
        }
        for (index, allowed) in self.allows.iter().enumerate() {
            let at = root.join("allows").join(index);
            if let Some(why) = allowed.is_impossible() {
                errors.push(document.error(&at, why));
            }
        }
        errors.into_result()
    }

    /// Each thing that it allows.
    pub fn blessings(&self) -> impl Iterator<Item = Blessing> + '_ {
        let one = |allowed: &Allowed| Blessing { allowed: allowed.clone(), reason: self.reason.clone(), file: None };
        self.allows.iter().map(one)
    }

    /// The file's text.
    pub fn render(&self) -> Result<String, toml::ser::Error> {
        const HEAD: &str = "# What may be worse than main, and why. It is reviewed like code;\n# `evalratchet baseline update` on main takes it in and deletes this file.\n\n";
        Ok(format!("{HEAD}{}", toml::to_string(self)?))
    }

    /// A name that says what it is about, and that no other content has.
    pub fn name(&self) -> Result<String, toml::ser::Error> {
        const WORDS: usize = 40;
        let mut slug = String::new();
        for character in self.reason.chars() {
            if character.is_ascii_alphanumeric() {
                slug.push(character.to_ascii_lowercase());
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() >= WORDS {
                break;
            }
        }
        let digest = Sha256::digest(toml::to_string(self)?.as_bytes());
        let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let slug = slug.trim_end_matches('-');
        Ok(if slug.is_empty() { format!("{hash}.toml") } else { format!("{slug}-{hash}.toml") })
    }
}

/// Blessings as files again: one for each file they come from, and one for each reason of those that come from none.
pub(super) fn as_files(blessings: &[Blessing]) -> BTreeMap<(Option<String>, String), BlessingFile> {
    let mut files: BTreeMap<(Option<String>, String), BlessingFile> = BTreeMap::new();
    for Blessing { allowed, reason, file } in blessings {
        let file = files
            .entry((file.clone(), reason.clone()))
            .or_insert_with(|| BlessingFile { reason: reason.clone(), allows: Vec::new() });
        file.allows.push(allowed.clone());
    }
    files
}

/// A file that is to be written, or deleted if there is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path, as the blessings name theirs.
    pub path: String,
    /// What it is to hold.
    pub text: Option<String>,
}

/// What becomes of the files in `folder` when only some blessings remain. Those that come from no file get one.
pub fn file_changes(
    folder: &str,
    all: &[Blessing],
    remaining: &[Blessing],
) -> Result<Vec<FileChange>, toml::ser::Error> {
    let (before, after) = (as_files(all), as_files(remaining));
    let mut changes = Vec::new();
    for (key, _) in before.iter().filter(|(key, _)| !after.contains_key(key)) {
        changes.extend(key.0.clone().map(|path| FileChange { path, text: None }));
    }
    for (key, file) in &after {
        let path = match &key.0 {
            Some(_) if before.get(key) == Some(file) => continue,
            Some(path) => path.clone(),
            None => format!("{folder}/{}", file.name()?),
        };
        changes.push(FileChange { path, text: Some(file.render()?) });
    }
    Ok(changes)
}

/// The folder of the blessings of a baseline. A repository with several baselines keeps them apart.
pub fn blessings_folder(baseline_path: &str) -> String {
    let (folder, name) = baseline_path.rsplit_once('/').map_or(("", baseline_path), |(folder, name)| (folder, name));
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let own = if stem == "baseline" { "blessings".to_owned() } else { format!("{stem}-blessings") };
    if folder.is_empty() { own } else { format!("{folder}/{own}") }
}
