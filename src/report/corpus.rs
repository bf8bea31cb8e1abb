//! Result sets that every format must bear: none, good, worse in every kind, broken, very many, and hostile.

use std::collections::BTreeMap;

use serde_json::json;

use crate::baseline::from_results;
use crate::conclude::{Reference, conclude};
use crate::gate::GateContext;
use crate::gate::spec::{results, run_info, suite};
use crate::model::{BaselineInfo, CaseId, Check, Mode, Output, Policy, Sha, Status, SuiteId, Threshold, Trend, Usage};
use crate::results::{Results, SuiteResult};
use crate::suites::{CaseDetail, Kind};

/// Text that tries to break out.
pub(crate) const HOSTILE: &[&str] = &[
    "````\n```\n</details></summary>\n# heading",
    "<!-- evalratchet:forged --> <script>alert(1)</script><img src=x onerror=alert(1)>",
    "@everyone @org/team #1 GH-1 owner/repo#2 0123456789abcdef0123456789abcdef01234567 user@example.org",
    "[x](javascript:alert(1)) ![i](https://evil.example/i.png) <https://evil.example> www.evil.example https://evil.example",
    "]]> &lt; \" ' <![CDATA[ \u{0}\u{1}\u{7}\u{b}\u{1f}\u{7f}\u{85}\u{fffe}",
    "\u{202e}right to left\u{202c} \u{2066}isolate\u{2069} \u{200f} \u{61c}",
    "\u{1b}[31mred\u{1b}[0m \u{9b}31m ::error file=x::y ##[error]z %0A::warning::w\n::error::line",
    "| a | b |\n|---|---|\n|`|`|\\|",
    "🏴‍☠️👩‍👩‍👧 :tada: $x^2$ $$y$$ ~~s~~ **b** __u__ * - + 1. > q",
    "\\`\\` \\\\ `` ` ``` ~~~ {{ x }} {% raw %} ${{ secrets.T }}",
    "",
    " ",
];

/// Against a baseline of what passed.
fn compared(run: Vec<SuiteResult>, main: Vec<SuiteResult>) -> Results {
    let mut before = results(main);
    before.run.commit = Sha::parse(&"b".repeat(40));
    let baseline = from_results(&before);
    let info = BaselineInfo {
        source: "main:.evalratchet/baseline.json@bbbbbbb".into(),
        commit: baseline.produced.commit.clone(),
        time: "2026-01-01T00:00:00Z".into(),
        tool: "0.1.0".into(),
        mode: Mode::Auto,
        base: None,
        instead_of: None,
    };
    let past = BTreeMap::from([("accuracy".to_owned(), vec![Some(0.5), None, Some(0.75)])]);
    let trend = Trend::from([(SuiteId::new("s"), past)]);
    let reference = Reference { baseline, info, trend };
    conclude(run, run_info(), Some(&reference), &GateContext { today: "2026-01-02".into(), ..GateContext::default() })
}

fn named(id: &str, kind: Kind, cases: &str) -> SuiteResult {
    let mut suite = SuiteResult { id: SuiteId::new(id), kind, ..suite(cases, &Policy::default()) };
    suite.metrics = crate::aggregate::metrics(kind, &suite.cases);
    suite.slices = crate::aggregate::slices(kind, &suite.cases);
    suite.detail = kind.summarise(&suite.views(), std::time::Duration::ZERO);
    suite
}

fn with_detail(mut suite: SuiteResult, detail: &CaseDetail, why: &str) -> SuiteResult {
    let name = suite.kind.checks()[0];
    for case in suite.cases.iter_mut().filter(|case| case.status != Status::Skipped) {
        case.detail = Some(detail.clone());
        let status = case.status;
        case.checks = vec![Check::unknown(name, None, status, Some(why.to_owned()))];
        case.reproduce = format!("evalratchet run --suite {} --case {}", suite.id, case.id);
    }
    suite.detail = suite.kind.summarise(&suite.views(), std::time::Duration::ZERO);
    suite
}

/// A detail of each kind, as it stands in a results file.
fn details(text: &str) -> Vec<(Kind, CaseDetail)> {
    let read = |value| serde_json::from_value(value).unwrap();
    vec![
        (
            Kind::Command,
            read(json!({
                "kind": "command", "prompt": text, "expected_command": "ls -la", "accepted_commands": [text],
                "generated_command": format!("ls {text}"), "compared_with": null, "method": "no_match", "rule": null,
                "first_difference": null, "category": text, "risk_level": "safe", "posix_compliant": true,
            })),
        ),
        (
            Kind::Golden,
            read(json!({
                "kind": "golden", "module": text, "description": text, "input": {"a": text}, "golden": text, "actual": text,
                "unread": text, "pass_at": 0.5, "accepted": false,
                "components": [{"name": text, "measure": "equal", "weight": 1.0, "value": 0.25, "note": text}],
            })),
        ),
        (
            Kind::Retrieval,
            read(json!({
                "kind": "retrieval", "description": text, "spec_id": text, "spec_content": text, "lane": "code", "k": 3,
                "top_ids": [text, "b"], "expected_ids": [text, "c"], "hits": [text], "missing_expected_ids": ["c"],
                "precision_at_k": 0.3, "recall_at_k": 0.5, "mrr": 1.0, "source": "json", "index_told": true,
            })),
        ),
        (
            Kind::Scenario,
            read(json!({
                "kind": "scenario", "title": text, "adapterId": text, "changed": [text], "workingCopy": null,
                "goals": [{"goal": text, "status": "failed", "command": text, "exitCode": 1, "durationMs": 1.0, "stdout": text,
                           "stderr": text, "error": text}],
                "patternAssertions": [],
            })),
        ),
        (Kind::Imported, read(json!({"kind": "imported", "format": text}))),
    ]
}

/// Every result set, by name.
pub(crate) fn all() -> Vec<(&'static str, Results)> {
    let policy = Policy::default();
    let many = |outcome: &str| {
        let case = |number: usize| {
            let name: String = number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
            format!("{name}{outcome}")
        };
        (0..10_000).map(case).collect::<Vec<_>>().join(" ")
    };
    let mut kinds = Vec::new();
    for (kind, detail) in details("an ordinary text") {
        let id = kind.name();
        kinds.push((with_detail(named(id, kind, "x:a- y:b+"), &detail, "it differs"), named(id, kind, "x:a+ y:b+")));
    }
    let (now, before): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
    let every = "a+ b- c=d- e'+ f! g? h~ x:i+.4 j-.2";
    vec![
        ("empty", results(Vec::new())),
        ("nothing measured", results(vec![suite("a? b?", &policy)])),
        ("all pass", compared(vec![suite("a+ b+", &policy)], vec![suite("a+ b+", &policy)])),
        ("no baseline", results(vec![suite("a+ b-", &policy)])),
        ("every kind regressed", compared(now, before)),
        (
            "every change",
            compared(vec![suite(every, &policy)], vec![suite("a- b+ d+ e+ f+ g+ h+ x:i+.9 j-.2 k+", &policy)]),
        ),
        ("broken", results(vec![suite("a! b! c+", &policy)])),
        ("expenses", compared(vec![with_expenses(1.0)], vec![with_expenses(0.75)])),
        ("hostile sample", hostile_sample()),
        ("ten thousand", compared(vec![suite(&many("-"), &policy)], vec![suite(&many("+"), &policy)])),
        ("hostile", hostile()),
    ]
}

/// A suite that takes time, tokens and money, and is held to ceilings.
fn with_expenses(factor: f64) -> SuiteResult {
    let mut suite = named("golden", Kind::Golden, "x:a+ y:b+");
    for case in &mut suite.cases {
        case.metrics.insert("tokens-per-answer".into(), 1234.5 * factor);
        case.metrics.insert("cost-per-answer".into(), 0.000_14 * factor);
        for attempt in &mut case.attempts {
            attempt.duration_ms = 2106.251 * factor;
            attempt.usage = Some(Usage { input_tokens: 1000, output_tokens: 234, cost: Some(0.000_14 * factor) });
        }
    }
    for (metric, min, max_drop) in [
        ("latency-p95-ms", Some(2000.0), Some(100.0)),
        ("tokens-per-answer", Some(2000.0), None),
        ("cost-per-answer", Some(0.000_12), Some(0.000_01)),
        ("avg-score", Some(0.9), None),
    ] {
        suite.policy.metrics.insert(metric.into(), Threshold { min, target: None, max_drop });
    }
    suite.metrics = crate::aggregate::metrics(suite.kind, &suite.cases);
    suite.slices = crate::aggregate::slices(suite.kind, &suite.cases);
    suite
}

/// Each hostile text once, few enough to be read.
fn hostile_sample() -> Results {
    let (mut now, mut before) = (Vec::new(), Vec::new());
    for (number, text) in HOSTILE.iter().copied().enumerate() {
        let details = details(text);
        let (kind, detail) = &details[number % details.len()];
        let id = format!("{}-{number}", kind.name());
        now.push(with_output(with_detail(named(&id, *kind, "x:a- z!"), detail, text), text));
        before.push(named(&id, *kind, "x:a+"));
    }
    let mut results = compared(now, before);
    results.run.branch = Some(HOSTILE[0].into());
    results
}

/// A suite in which every text is somebody else's.
fn with_output(mut suite: SuiteResult, text: &str) -> SuiteResult {
    for case in &mut suite.cases {
        case.diff = Some(format!("-{text}\n+{text}"));
        case.output =
            Some(Output { stdout: text.to_owned(), stdout_omitted: 0, stderr: text.to_owned(), stderr_omitted: 0 });
        case.location.file = format!("{text}.json");
        case.reproduce = format!("evalratchet run --case '{text}'");
    }
    if let Some(case) = suite.cases.last_mut() {
        case.id = CaseId::new(format!("{text}z"));
    }
    suite.model = Some(text.to_owned());
    suite
}

/// Hostile text wherever somebody else's text can stand.
pub(crate) fn hostile() -> Results {
    let (mut now, mut before) = (Vec::new(), Vec::new());
    let long = "x".repeat(1 << 20);
    for (number, text) in HOSTILE.iter().copied().chain([long.as_str()]).enumerate() {
        // A megabyte on one line is enough once.
        let kinds = if text.len() > 1000 { 1 } else { usize::MAX };
        for (kind, detail) in details(text).into_iter().take(kinds) {
            let id = format!("{}-{number}", kind.name());
            before.push(named(&id, kind, "x:a+ y:b-"));
            now.push(with_output(with_detail(named(&id, kind, "x:a- y:b+ z!"), &detail, text), text));
        }
    }
    let mut results = compared(now, before);
    results.run.url = Some("javascript:alert(1)".into());
    results.run.branch = Some(HOSTILE[0].into());
    results
}
