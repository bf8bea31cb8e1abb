//! `results.sarif`: SARIF 2.1.0, the part of it that code scanning reads.

use std::collections::{BTreeMap, HashMap};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::case_summary::{Changes, GateFailures, Standing};
use crate::model::Rule;
use crate::model::{CaseChange, CaseId, Check, Location, Status, SuiteId};
use crate::results::{CaseResult, Reason, Results, SuiteResult};
use crate::suites::Kind;
use crate::text::plain;
use crate::text::truncate_middle;

/// GitHub keeps so many results of a run.
const MOST: usize = 5000;
/// How long a message may be.
const LONGEST: usize = 4000;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: Value,
    automation_details: Value,
    invocations: Vec<Value>,
    column_kind: &'static str,
    original_uri_base_ids: Value,
    results: Vec<SarifFinding>,
}

/// One result, before it has its place among the rules.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFinding {
    rule_id: String,
    rule_index: usize,
    level: SarifLevel,
    message: Value,
    locations: [Value; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip)]
    is_about_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum SarifLevel {
    Error,
    Warning,
    Note,
}

/// The results as SARIF.
pub fn sarif(results: &Results) -> Result<String, serde_json::Error> {
    let (changes, failures) = (Changes::of(results), GateFailures::of(results));
    let mut places: HashMap<(&SuiteId, &CaseId), &Location> = HashMap::new();
    for suite in &results.suites {
        places.extend(suite.cases.iter().map(|case| ((&suite.id, &case.id), &case.location)));
    }
    let place = |reason: &Reason| places.get(&(reason.suite.as_ref()?, reason.case.as_ref()?)).copied();
    let reasons = results.gate.reasons.iter();
    let mut found: Vec<SarifFinding> = reasons.filter_map(|reason| of_reason(results, reason, place(reason))).collect();
    for suite in &results.suites {
        for case in &suite.cases {
            let state = CaseState {
                standing: changes.standing(suite, case),
                fails_gate: failures.has(&suite.id, &case.id),
                change: changes.get(&suite.id, &case.id),
            };
            found.extend(of_case(results, suite, case, &state));
        }
    }
    // A reason about no case, such as a suite that is gone, is said nowhere else in the file.
    found.sort_by_key(|one| (one.is_about_case, one.level));
    let cut = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let mut rules: Vec<String> = found.iter().map(|one| one.rule_id.clone()).collect();
    rules.sort();
    rules.dedup();
    for one in &mut found {
        one.rule_index = rules.binary_search(&one.rule_id).unwrap_or(0);
    }
    let notifications: Vec<Value> = (cut > 0)
        .then(|| {
            let text = format!("{cut} results of lesser weight are left out; report.html has all of them.");
            json!({"level": "warning", "message": {"text": text}})
        })
        .into_iter()
        .collect();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: json!({"driver": {
                "name": "evalratchet",
                "fullName": format!("evalratchet {}", results.tool.version),
                "semanticVersion": results.tool.version,
                "informationUri": "https://github.com/evalratchet/evalratchet",
                "rules": rules.iter().map(|id| rule(id)).collect::<Vec<Value>>(),
            }}),
            automation_details: json!({"id": format!("evalratchet/{}{}/", results.run.prefix, results.run.config)}),
            invocations: vec![json!({
                "executionSuccessful": results.gate.exit_code < 2,
                "toolExecutionNotifications": notifications,
            })],
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: json!({"%SRCROOT%": {"description": {"text": "The root of the repository."}}}),
            results: found,
        }],
    };
    let mut text = serde_json::to_string_pretty(&log)?;
    text.push('\n');
    Ok(text)
}

/// A text that says something in one line, and no more of it than is read.
fn message(text: &str) -> Value {
    // Even a plain text may hold a link in SARIF, unless something stands between its halves.
    let text = plain(text).replace("](", "]\u{200b}(");
    json!({"text": truncate_middle(&text, LONGEST)})
}

fn location(results: &Results, file: &str, line: usize) -> Value {
    let uri = percent_encoded(&format!("{}{file}", results.run.prefix));
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line.max(1)},
    }})
}

/// A path as a relative URI.
fn percent_encoded(path: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(path, KEPT).to_string()
}

/// A hash of what a result is about, so that edits elsewhere in the file do not make it another one.
fn fingerprint(parts: &[&str]) -> BTreeMap<&'static str, String> {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(format!("{}:{part}", part.len()));
    }
    let digest: String = hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    BTreeMap::from([("primaryLocationLineHash", format!("{digest}:1"))])
}

/// What is known of a case beside its own result.
struct CaseState<'a> {
    standing: Standing,
    /// Whether the gate fails because of it.
    fails_gate: bool,
    change: Option<&'a CaseChange>,
}

/// Each check of a case that does not hold.
fn of_case(results: &Results, suite: &SuiteResult, case: &CaseResult, state: &CaseState<'_>) -> Vec<SarifFinding> {
    let CaseState { standing, fails_gate, change } = *state;
    let wrong = |status: Status| matches!(status, Status::Failed | Status::Error);
    if standing == Standing::Fine {
        return Vec::new();
    }
    let state = results.comparison.as_ref().map(|_| if standing == Standing::Known { "unchanged" } else { "new" });
    let mut found = Vec::new();
    for check in case.checks.iter().filter(|check| wrong(check.status)) {
        // A component without a word of its own only repeats what is said of the score.
        let Some(details) = &check.details else { continue };
        let mut text = format!("{}/{} {}: {details}", suite.id, case.id, check.name());
        if let Some(preview) = case.view().preview(change).filter(|_| found.is_empty()) {
            text.push_str(&format!("\n\n{preview}"));
        }
        text.push_str(&format!("\nReproduce: {}", case.reproduce));
        found.push(SarifFinding {
            rule_id: format!("{}-{}", suite.kind, kind_of_check(suite.kind, check)),
            rule_index: 0,
            level: match (standing, check.status) {
                (Standing::Known, _) => SarifLevel::Note,
                (Standing::New | Standing::Fine, Status::Error) => SarifLevel::Warning,
                (Standing::New | Standing::Fine, _) if fails_gate => SarifLevel::Error,
                (Standing::New | Standing::Fine, _) => SarifLevel::Warning,
            },
            message: message(&text),
            locations: [location(results, &case.location.file, case.location.line)],
            partial_fingerprints: fingerprint(&[suite.id.as_str(), case.id.as_str(), check.name()]),
            baseline_state: state,
            is_about_case: true,
        });
    }
    found
}

/// The name of a check without what it is about; one that its kind does not list is a `check`.
fn kind_of_check(kind: Kind, check: &Check) -> &'static str {
    kind.checks().iter().find(|known| check.is(known)).copied().unwrap_or("check")
}

/// A reason of the gate; what only informs is none, unless it was blessed.
fn of_reason(results: &Results, reason: &Reason, place: Option<&Location>) -> Option<SarifFinding> {
    if !reason.fails && reason.blessed.is_none() {
        return None;
    }
    let place = match place {
        Some(place) => location(results, &place.file, place.line),
        None => location(results, &results.run.config, 1),
    };
    let rule = rule_name(reason.rule);
    let blessed = reason.blessed.as_ref().map(|why| format!(" (blessed: {why})")).unwrap_or_default();
    let about = [
        reason.suite.as_ref().map(|suite| suite.as_str()),
        reason.case.as_ref().map(|case| case.as_str()),
        reason.metric.as_deref(),
        reason.slice.as_deref(),
        reason.policy.as_deref(),
    ];
    let mut parts = vec!["gate", rule.as_str()];
    parts.extend(about.iter().map(|part| part.unwrap_or("")));
    Some(SarifFinding {
        rule_id: format!("gate-{rule}"),
        rule_index: 0,
        level: if reason.fails { SarifLevel::Error } else { SarifLevel::Note },
        message: message(&format!("{}{blessed}", reason.message)),
        locations: [place],
        partial_fingerprints: fingerprint(&parts),
        baseline_state: results.comparison.as_ref().map(|_| "new"),
        is_about_case: reason.case.is_some(),
    })
}

fn rule_name(rule: Rule) -> String {
    serde_json::to_value(rule).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What a rule is about.
fn rule(id: &str) -> Value {
    let (what, help) = match id.split_once('-') {
        Some(("gate", rule)) => (
            format!("The gate refuses: {}.", rule.replace('-', " ")),
            "Something is worse than it may be. Fix it, or accept it with `evalratchet baseline bless --reason \"…\"`.",
        ),
        Some((kind, check)) => (
            format!("{} {kind} case does not hold: {}.", article(kind), check.replace('-', " ")),
            "The answer is not what the case expects. The message has the difference and the command that runs this case alone.",
        ),
        None => (format!("A case does not hold: {id}."), "See the message."),
    };
    let name: String = id.split('-').map(capitalised).collect();
    json!({
        "id": id,
        "name": name,
        "shortDescription": {"text": what},
        "fullDescription": {"text": format!("{what} {help}")},
        "help": {"text": help, "markdown": help},
        "helpUri": "https://github.com/evalratchet/evalratchet/blob/main/docs/baselines.md",
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["evaluation"]},
    })
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "An" } else { "A" }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}
