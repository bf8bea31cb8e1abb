//! `junit.xml`, in the shape that CI systems read.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::SuiteVerdict;
use super::case_summary::{Changes, Standing, why};
use crate::model::{Metric, Status};
use crate::results::{CaseResult, KnownFailures, Results, SuiteResult};
use crate::text::truncate_middle;

/// How much of a body or of a stream is kept.
const KEPT: usize = 16 * 1024;

/// The results as JUnit XML. Characters that XML forbids and ANSI codes are taken out by `quick-junit`.
pub fn junit(results: &Results) -> Result<String, quick_junit::SerializeError> {
    let changes = Changes::of(results);
    let mut report = Report::new("evalratchet");
    report.set_time(milliseconds(results.run.duration_ms));
    for suite in &results.suites {
        let mut out = TestSuite::new(suite.id.as_str());
        out.set_time(milliseconds(suite.cases.iter().map(|case| case.duration_ms).sum()));
        out.add_property(("gate", SuiteVerdict::of(results, suite).text().as_str()));
        for (name, metric) in &suite.metrics {
            add_metric(&mut out, name, metric);
        }
        for (slice, metrics) in &suite.slices {
            for (name, metric) in metrics {
                add_metric(&mut out, &format!("{slice} {name}"), metric);
            }
        }
        for case in &suite.cases {
            let standing = changes.standing(suite, case);
            out.add_test_case(test_case(results, suite, case, standing, &changes));
        }
        report.add_test_suite(out);
    }
    // Two characters that XML forbids pass through the library.
    report.to_string().map(|text| text.replace(['\u{fffe}', '\u{ffff}'], ""))
}

fn add_metric(suite: &mut TestSuite, name: &str, metric: &Metric) {
    if let Some(value) = metric.value {
        suite.add_property((name, value.to_string().as_str()));
    }
}

fn milliseconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value / 1000.0).unwrap_or_default()
}

fn test_case(
    results: &Results,
    suite: &SuiteResult,
    case: &CaseResult,
    standing: Standing,
    changes: &Changes<'_>,
) -> TestCase {
    let body = || body(results, suite, case, changes);
    let skip = |reason: &str| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(reason);
        status
    };
    let status = match case.status {
        Status::Passed => {
            let mut status = TestCaseStatus::success();
            status.add_reruns(failed_attempts(case));
            status
        }
        Status::Failed if standing == Standing::Known && results.run.known_failures == KnownFailures::Skip => {
            let since = changes.get(&suite.id, &case.id).and_then(|one| one.since.as_ref());
            let since = since.map(|since| format!(" since {}", since.short())).unwrap_or_default();
            skip(&format!("already fails in the baseline{since}: {}", why(case)))
        }
        Status::Failed | Status::Error => {
            let failed = case.status == Status::Failed;
            let kind = if failed { NonSuccessKind::Failure } else { NonSuccessKind::Error };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(why(case)).set_type(case.status.word()).set_description(body());
            // The first attempt is the failure itself.
            status.add_reruns(failed_attempts(case).into_iter().skip(1));
            status
        }
        Status::Unmeasured => skip(&format!("not measured: {}", why(case))),
        Status::Skipped if !suite.affected => skip("not affected by what changed"),
        Status::Skipped => skip("left out by a filter"),
    };
    let mut out = TestCase::new(case.id.as_str(), status);
    out.set_classname(suite.id.as_str()).set_time(milliseconds(case.duration_ms));
    let file = format!("{}{}", results.run.prefix, case.location.file);
    out.extra.insert("file".into(), file.as_str().into());
    out.extra.insert("line".into(), case.location.line.to_string().as_str().into());
    if let Some(output) = &case.output {
        if !output.stdout.is_empty() {
            out.set_system_out(truncate_middle(&output.stdout, KEPT));
        }
        if !output.stderr.is_empty() {
            out.set_system_err(truncate_middle(&output.stderr, KEPT));
        }
    }
    out
}

/// Attempts that did not pass, where others did or failed again.
fn failed_attempts(case: &CaseResult) -> Vec<TestRerun> {
    let failed = case.attempts.iter().filter(|attempt| matches!(attempt.status, Status::Failed | Status::Error));
    failed
        .map(|attempt| {
            let kind = if attempt.status == Status::Error { NonSuccessKind::Error } else { NonSuccessKind::Failure };
            let mut rerun = TestRerun::new(kind);
            rerun.set_time(milliseconds(attempt.duration_ms)).set_message(format!("attempt {}", attempt.ending.name()));
            rerun
        })
        .collect()
}

/// Everything that helps to see what is wrong.
fn body(results: &Results, suite: &SuiteResult, case: &CaseResult, changes: &Changes<'_>) -> String {
    let mut text = String::new();
    for check in case.checks.iter().filter(|check| check.status != Status::Passed) {
        text.push_str(&format!("{} {}: {}\n", check.status, check.name(), check.details.as_deref().unwrap_or("")));
    }
    if let Some(note) = case.detail.as_ref().and_then(|detail| detail.report().note()) {
        text.push_str(&format!("{note}\n"));
    }
    if let Some(preview) = case.view().preview(changes.get(&suite.id, &case.id)) {
        text.push_str(&format!("\n{preview}"));
    }
    if let Some(diff) = case.diff.as_ref().filter(|_| case.detail.as_ref().is_some_and(|one| one.report().adds_diff()))
    {
        text.push_str(&format!("\n{diff}"));
    }
    text.push_str(&format!("\n{}{}:{}\n", results.run.prefix, case.location.file, case.location.line));
    text.push_str(&format!("reproduce: {}\n", case.reproduce));
    truncate_middle(&text, KEPT)
}
