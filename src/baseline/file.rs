//! `.evalratchet/baseline.json`: sorted, a case on each line, so that its diff reads well.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blessings::{Blessing, BlessingFile};
use super::history::{BaselineRun, CaseRun};
use crate::input::{Checker, Document, InputError, InputErrors, Pointer};
use crate::model::{Better, CaseId, Fingerprint, FlatPolicy, Mode, Sha, Slice, Status, SuiteId, SuiteSource};
use crate::results::CaseResult;
use crate::suites::Kind;

/// The value of `schema` in every baseline of this version.
pub const BASELINE_SCHEMA: &str = "evalratchet.baseline/v2";
/// What release 0.1 wrote; it is read as well.
const FIRST_SCHEMA: &str = "evalratchet.baseline/v1";
/// A larger file is not read.
const LARGEST: usize = 64 << 20;

/// What `main` has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(title = "evalratchet baseline")]
pub struct Baseline {
    /// `evalratchet.baseline/v2`.
    pub schema: String,
    /// Where it comes from.
    pub produced: Produced,
    /// Blessings as release 0.1 kept them; now they are files beside the baseline, and the next update moves these.
    #[serde(default)]
    pub blessings: Vec<Blessing>,
    /// The blessings that this version took in: what main lost on purpose since the version before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub took_in: Vec<BlessingFile>,
    /// The suites, by id.
    pub suites: BTreeMap<SuiteId, BaselineSuite>,
}

/// Where a baseline comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Produced {
    /// The commit that was evaluated.
    pub commit: Option<Sha>,
    /// When the run began, RFC 3339.
    #[serde(default)]
    pub time: String,
    /// The version of the tool.
    #[serde(default)]
    pub tool: String,
    /// Where answers came from.
    #[serde(default)]
    pub mode: Mode,
}

/// A suite as `main` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineSuite {
    /// What it evaluates.
    pub kind: Kind,
    /// Whether its answers vary from run to run.
    pub varies: bool,
    /// Whether its answers were recorded ones.
    pub replayed: bool,
    /// The model that was asked.
    #[serde(default)]
    pub model: Option<String>,
    /// How its answers came about; release 0.1 did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SuiteSource>,
    /// The thresholds that applied.
    pub policy: FlatPolicy,
    /// Of a suite that varies: main's last runs, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<BaselineRun>,
    /// Metric → value over all measured cases.
    pub metrics: BTreeMap<String, BaselineMetric>,
    /// Slice → metric → its value there.
    pub slices: BTreeMap<String, BTreeMap<String, BaselineMetric>>,
    /// The cases, by id.
    pub cases: BTreeMap<CaseId, BaselineCase>,
}

/// A metric as `main` has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineMetric {
    /// What was measured.
    pub value: f64,
    /// Which way is better.
    pub better: Better,
    /// Over how many cases.
    pub n: usize,
}

/// One case: main's latest result, and the best it ever had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineCase {
    /// How it came out.
    pub status: Status,
    /// Its score, from 0 to 1.
    pub score: f64,
    /// What else was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// The parts of its score: points of golden components, ranks of expected ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
    /// How often it was asked.
    pub attempts: usize,
    /// How often it passed.
    pub passes: usize,
    /// A hash of question and key together; only release 0.1 wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// A hash of what the target was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Fingerprint>,
    /// A hash of how the answer was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Fingerprint>,
    /// The slices that it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// Of a suite that varies: the number of a run before the latest → what the case was in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runs: BTreeMap<u64, CaseRun>,
    /// Since which commit it has had this status.
    #[serde(default)]
    pub since: Option<Sha>,
    /// The best it ever had; only where answers do not vary.
    pub best: Option<Best>,
}

/// The best that a case ever had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Best {
    /// How it came out.
    pub status: Status,
    /// Its score, from 0 to 1.
    pub score: f64,
    /// The commit that had it first.
    #[serde(default)]
    pub commit: Option<Sha>,
}

impl BaselineCase {
    /// Whether a run asked the same of this case. Release 0.1 hashed question and key together.
    pub fn has_question_of(&self, case: &CaseResult) -> bool {
        match (&self.question, &case.question) {
            (Some(then), Some(now)) => then == now,
            (None, _) | (_, None) => self.fingerprint.as_ref() == Some(&case.fingerprint),
        }
    }

    /// Whether a run judged this case in the same way.
    pub fn has_key_of(&self, case: &CaseResult) -> bool {
        match (&self.key, &case.key) {
            (Some(then), Some(now)) => then == now,
            (None, _) | (_, None) => self.fingerprint.as_ref() == Some(&case.fingerprint),
        }
    }

    /// Whether two versions of the baseline judged this case in the same way.
    pub fn has_same_key(&self, other: &Self) -> bool {
        match (&self.key, &other.key) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => self.fingerprint.is_some() && self.fingerprint == other.fingerprint,
        }
    }

    /// Whether it is the same case in everything but its name.
    pub fn is_same_case(&self, other: &Self) -> bool {
        let same_question = match (&self.question, &other.question) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => self.fingerprint.is_some() && self.fingerprint == other.fingerprint,
        };
        same_question && self.has_same_key(other)
    }

    /// Why these values contradict each other, if they do.
    fn is_impossible(&self) -> Option<&'static str> {
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        let best = self.best.as_ref();
        if !is_share(self.score) || best.is_some_and(|best| !is_share(best.score)) {
            Some("a score is between 0 and 1")
        } else if self.passes > self.attempts {
            Some("more attempts passed than there were")
        } else if !self.status.is_measured() || best.is_some_and(|best| !best.status.is_measured()) {
            Some("a case of a baseline passed or failed")
        } else if self.runs.values().any(|run| run.passes > run.attempts || run.attempts == 0) {
            Some("in an earlier run more attempts passed than there were, or there was none")
        } else if self.runs.values().filter_map(|run| run.score).any(|score| !is_share(score)) {
            Some("a score of an earlier run is between 0 and 1")
        } else if self.metrics.values().any(|value| !value.is_finite()) {
            Some("a metric is a finite number")
        } else {
            None
        }
    }
}

/// A version of the format that can be read.
enum SchemaVersion {
    /// As v2, but a case has one `fingerprint` instead of `question`, `key` and `slices`.
    V1,
    V2,
}

impl SchemaVersion {
    fn of(schema: &str) -> Option<Self> {
        match schema {
            FIRST_SCHEMA => Some(Self::V1),
            BASELINE_SCHEMA => Some(Self::V2),
            _ => None,
        }
    }
}

static CHECKER: LazyLock<Checker<Baseline>> = LazyLock::new(Checker::of_own_format);

impl Baseline {
    /// Reads a baseline; what is wrong with it is pointed at.
    pub fn parse(file: &str, text: String) -> Result<Self, InputErrors> {
        if text.len() > LARGEST {
            let message = format!("is {} bytes long; a baseline has at most {LARGEST}", text.len());
            return Err(InputError::in_file(file, message).into());
        }
        if is_conflicted(&text) {
            let help = "`evalratchet baseline resolve` takes main's side; blessings are files of their own";
            return Err(InputError::in_file(file, "has the conflict markers of git").with_help(help).into());
        }
        let document = Document::json(file, text)?;
        let schema = document.value["schema"].as_str().unwrap_or_default();
        let baseline = match SchemaVersion::of(schema) {
            Some(SchemaVersion::V1 | SchemaVersion::V2) => CHECKER.read(&document)?,
            None => {
                let message = format!("`{schema}` is not `{BASELINE_SCHEMA}`");
                let help = "it was written by another version, or is no baseline";
                return Err(document.error(&Pointer::root().join("schema"), message).with_help(help).into());
            }
        };
        let mut errors = InputErrors::new();
        for (id, suite) in &baseline.suites {
            let at = Pointer::root().join("suites").join(id).join("cases");
            for (case, one) in &suite.cases {
                if let Some(why) = one.is_impossible() {
                    errors.push(document.error(&at.join(case), why));
                }
            }
        }
        errors.into_result().map(|()| baseline)
    }

    /// The canonical text: the same baseline is always the same bytes.
    pub fn render(&self) -> Result<String, serde_json::Error> {
        let mut out = String::from("{\n");
        let _ = writeln!(out, "  \"schema\": {},", line(&self.schema)?);
        let _ = writeln!(out, "  \"produced\": {},", line(&self.produced)?);
        for (name, mut entries) in [("blessings", lines(&self.blessings)?), ("took_in", lines(&self.took_in)?)] {
            entries.sort();
            // Release 0.1 always wrote the first.
            if !entries.is_empty() || name == "blessings" {
                list(&mut out, 2, name, '[', &entries, ']', ",");
            }
        }
        out.push_str("  \"suites\": {\n");
        for (index, (id, suite)) in self.suites.iter().enumerate() {
            let _ = writeln!(out, "    {}: {{", line(id)?);
            let BaselineSuite { kind, varies, replayed, model, source, policy, runs, metrics, slices, cases } = suite;
            let _ = writeln!(out, "      \"kind\": {},", line(kind)?);
            let _ = writeln!(out, "      \"varies\": {varies},");
            let _ = writeln!(out, "      \"replayed\": {replayed},");
            let _ = writeln!(out, "      \"model\": {},", line(model)?);
            if let Some(source) = source {
                let _ = writeln!(out, "      \"source\": {},", line(source)?);
            }
            list(&mut out, 6, "policy", '{', &entries(policy)?, '}', ",");
            if !runs.is_empty() {
                list(&mut out, 6, "runs", '[', &lines(runs)?, ']', ",");
            }
            list(&mut out, 6, "metrics", '{', &entries(metrics)?, '}', ",");
            list(&mut out, 6, "slices", '{', &entries(slices)?, '}', ",");
            list(&mut out, 6, "cases", '{', &entries(cases)?, '}', "");
            out.push_str(if index + 1 < self.suites.len() { "    },\n" } else { "    }\n" });
        }
        out.push_str("  }\n}\n");
        Ok(out)
    }

    /// The suites, without the commits that had something first.
    pub fn without_commits(&self) -> BTreeMap<SuiteId, BaselineSuite> {
        let mut suites = self.suites.clone();
        for run in suites.values_mut().flat_map(|suite| &mut suite.runs) {
            run.commit = None;
        }
        for case in suites.values_mut().flat_map(|suite| suite.cases.values_mut()) {
            case.since = None;
            if let Some(best) = &mut case.best {
                best.commit = None;
            }
        }
        suites
    }

    /// How many cases it has.
    pub fn cases(&self) -> usize {
        self.suites.values().map(|suite| suite.cases.len()).sum()
    }
}

/// Whether git left its conflict markers in a text.
pub(crate) fn is_conflicted(text: &str) -> bool {
    let is_mark = |line: &str| ["<<<<<<<", ">>>>>>>"].iter().any(|mark| line.starts_with(mark));
    text.lines().any(is_mark)
}

fn line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}

fn lines<T: Serialize>(values: &[T]) -> Result<Vec<String>, serde_json::Error> {
    values.iter().map(line).collect()
}

fn entries<K: Serialize, V: Serialize>(map: &BTreeMap<K, V>) -> Result<Vec<String>, serde_json::Error> {
    map.iter().map(|(key, value)| Ok(format!("{}: {}", line(key)?, line(value)?))).collect()
}

/// A list with an entry on each line.
fn list(out: &mut String, indent: usize, name: &str, open: char, entries: &[String], close: char, end: &str) {
    let pad = " ".repeat(indent);
    if entries.is_empty() {
        let _ = writeln!(out, "{pad}\"{name}\": {open}{close}{end}");
        return;
    }
    let _ = writeln!(out, "{pad}\"{name}\": {open}");
    for (index, entry) in entries.iter().enumerate() {
        let comma = if index + 1 < entries.len() { "," } else { "" };
        let _ = writeln!(out, "{pad}  {entry}{comma}");
    }
    let _ = writeln!(out, "{pad}{close}{end}");
}
