//! Small histories and hostile ones, through every format.

use std::collections::BTreeMap;

use super::release_report::{Direction, Gaps, ReleaseReport};
use super::{Named, RELEASE_BUDGET, Range, html, json, markdown, release, summary};
use crate::baseline::{Allowed, Baseline, BaselineMetric, Blessing};
use crate::gate::spec::allowed;
use crate::gate::spec::{baseline_of, suite};
use crate::input::{Checker, Document};
use crate::model::Rule;
use crate::model::{Better, CaseId, Change, Policy, Quarantine, Sha, SuiteId, Threshold};
use crate::report::corpus::HOSTILE;
use crate::report::tests::{alive, is_ours};
use crate::results::SuiteResult;

fn named(id: &str, cases: &str, policy: &Policy) -> SuiteResult {
    SuiteResult { id: SuiteId::new(id), ..suite(cases, policy) }
}

fn floor(min: f64) -> Policy {
    let threshold = Threshold { min: Some(min), ..Threshold::default() };
    Policy { metrics: BTreeMap::from([("accuracy".to_owned(), threshold)]), ..Policy::default() }
}

fn quarantined(case: &str) -> Policy {
    let quarantine = Quarantine { owner: "o".into(), until: "2027-01-31".into(), reason: None };
    Policy { quarantine: BTreeMap::from([(CaseId::new(case), quarantine)]), ..Policy::default() }
}

fn blessing(rule: Rule, case: Option<&str>, policy: Option<&str>, reason: &str) -> Blessing {
    let (case, policy) = (case.map(CaseId::new), policy.map(str::to_owned));
    let allowed = Allowed { suite: SuiteId::new("shell"), case, policy, ..allowed(rule) };
    Blessing { allowed, reason: reason.to_owned(), file: None }
}

fn commit(digit: &str) -> Sha {
    Sha::parse(&digit.repeat(40)).unwrap()
}

fn range(versions: Vec<Baseline>) -> Range {
    let versions: Vec<(Sha, Baseline)> =
        versions.into_iter().enumerate().map(|(at, version)| (commit(&format!("{}", at + 1)), version)).collect();
    Range {
        from: Some(Named { name: "v1.2.0".into(), commit: commit("a") }),
        to: Named { name: "v1.3.0".into(), commit: commit("b") },
        versions,
        gaps: Gaps::default(),
    }
}

/// A release in which everything happens: better, worse, renamed, changed, new, gone; a floor lowered with a reason, one
/// without; a blessing absorbed; a quarantine that ended and one that stands.
fn small() -> Range {
    let mut first = baseline_of(vec![
        named("shell", "net:a+ net:b+ c- d+ e+ gone+ known-", &floor(0.9)),
        named("old", "x+ y-", &quarantined("y")),
        named("chat", "a5/5 b4/5 c5/5", &Policy::default()),
    ]);
    first.produced.time = "2026-01-05T00:00:00Z".into();
    let mut second = first.clone();
    second.blessings = vec![
        blessing(Rule::CaseRegressed, Some("b"), None, "b needs the new parser, see the plan"),
        blessing(Rule::WeakenedGate, None, Some("min accuracy"), "new data is harder"),
    ];
    let mut policy = floor(0.5);
    policy.max_drop = 0.05;
    policy.quarantine = quarantined("known").quarantine;
    let third = baseline_of(vec![
        named("shell", "net:a+ net:b- c+ f=d+ e'+ fresh- known-", &policy),
        named("chat", "a5/5 b5/5 c3/5", &Policy::default()),
        named("search", "q+ r-", &Policy::default()),
    ]);
    range(vec![first, second, third])
}

fn report(range: &Range) -> ReleaseReport {
    release(range).unwrap()
}

#[test]
fn a_small_history_reads_as_it_is_written_down_here() {
    let report = report(&small());
    insta::assert_snapshot!("small_markdown", markdown(&report, RELEASE_BUDGET).unwrap());
    insta::assert_snapshot!("small_json", json(&report).unwrap());
    insta::assert_snapshot!("small_summary", summary(&report, None).unwrap());
    let page = html(&report).unwrap();
    let (head, body) = page.split_once("<body>").unwrap();
    assert!(head.starts_with("<!DOCTYPE html>"), "{head:.80}");
    insta::assert_snapshot!("small_page", body);
}

#[test]
fn without_an_earlier_release_values_are_absolute() {
    let mut range = small();
    range.from = None;
    range.versions.drain(..2);
    let report = report(&range);
    assert_eq!((report.direction, report.counts.len(), report.weakened.len()), (Direction::Alone, 0, 0));
    insta::assert_snapshot!("alone_markdown", markdown(&report, RELEASE_BUDGET).unwrap());
}

#[test]
fn only_certain_changes_decide_the_direction() {
    for (then, now, direction) in [
        ("a+ b-", "a+ b+", Direction::Better),
        ("a+ b+", "a+ b-", Direction::Worse),
        ("a+ b-", "a- b+", Direction::Mixed),
        ("a+ b-", "a+ b-", Direction::Same),
        ("a+ b-", "a+ b- c+", Direction::Same),
        ("a+", "b+", Direction::NoCommonCase),
        ("a+", "a'-", Direction::Worse),
        ("a+", "b=a-", Direction::Worse),
        // One case of three came out otherwise, and answers vary.
        ("a5/5 b5/5 c5/5", "a5/5 b5/5 c2/5", Direction::Same),
    ] {
        let versions = [then, now].map(|cases| baseline_of(vec![named("s", cases, &Policy::default())]));
        assert_eq!(report(&range(versions.to_vec())).direction, direction, "{then} | {now}");
    }
}

#[test]
fn a_case_is_matched_by_its_question_whatever_it_is_called() {
    let report = report(&small());
    let shell = report.suites.iter().find(|suite| suite.id.as_str() == "shell").unwrap();
    let case = |id: &str| shell.changes.iter().find(|one| one.id.as_str() == id).unwrap();
    assert_eq!(case("f").renamed_from, Some(CaseId::new("d")));
    let expected = [
        ("b", Change::Regressed),
        ("c", Change::Improved),
        ("e", Change::Changed),
        ("fresh", Change::Added),
        ("gone", Change::Removed),
        ("known", Change::Unchanged),
    ];
    for (id, change) in expected {
        assert_eq!(case(id).change, change, "{id}");
    }
    assert!(shell.changes.iter().all(|one| one.id.as_str() != "a" && one.id.as_str() != "d"));
}

#[test]
fn blessings_of_any_version_are_reported_with_their_end() {
    let report = report(&small());
    let stood: Vec<(&str, bool, Option<&str>, Option<&str>)> = report
        .blessings
        .iter()
        .map(|one| (&one.blessing.reason, &one.stood))
        .map(|(reason, stood)| {
            (
                reason.as_str(),
                stood.before,
                stood.since.as_ref().map(|commit| &commit.as_str()[..1]),
                stood.until.as_ref().map(|commit| &commit.as_str()[..1]),
            )
        })
        .collect();
    assert_eq!(
        stood,
        [
            ("b needs the new parser, see the plan", false, Some("2"), Some("3")),
            ("new data is harder", false, Some("2"), Some("3"))
        ]
    );
    let quarantines: Vec<(&str, bool, bool)> =
        report.quarantines.iter().map(|one| (one.case.as_str(), one.stood.before, one.stood.until.is_none())).collect();
    assert_eq!(quarantines, [("y", true, false), ("known", false, true)]);
    let weakened: Vec<(&str, Option<&str>)> =
        report.weakened.iter().map(|one| (one.key.as_str(), one.reason.as_deref())).collect();
    let expected = [("max-drop", None), ("min accuracy", Some("new data is harder")), ("quarantine known", None)];
    assert_eq!(weakened, expected);
}

#[test]
fn the_json_fits_its_schema_and_reads_back() {
    for range in [small(), hostile(|text| text.to_owned())] {
        let report = report(&range);
        let text = json(&report).unwrap();
        let document = Document::json("release.json", text).unwrap();
        assert_eq!(Checker::<ReleaseReport>::new().read(&document).unwrap(), report);
    }
}

/// Every text that a baseline and a tag can hold, made by `tell` from a hostile one.
fn hostile(tell: impl Fn(&str) -> String) -> Range {
    let mut versions = Vec::new();
    for turn in 0..3 {
        let mut all = baseline_of(Vec::new());
        for (at, text) in HOSTILE.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let text = tell(text);
            let cases = ["a+ b- c+ d=q+ e-", "a- b+ c'+ d+ e-", "a- b+ c'+ f=q+ n+ e-"][turn];
            let mut one = baseline_of(vec![named("s", cases, &Policy::default())]);
            let mut suite = one.suites.remove(&SuiteId::new("s")).unwrap();
            suite.cases =
                suite.cases.into_iter().map(|(id, case)| (CaseId::new(format!("{text}{id}")), case)).collect();
            for case in suite.cases.values_mut() {
                case.since = Sha::parse(&"e".repeat(40));
            }
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let value = turn as f64;
            suite.metrics.insert(text.clone(), BaselineMetric { value, better: Better::Higher, n: 1 });
            suite.slices.insert(text.clone(), suite.metrics.clone());
            suite.model = Some(format!("{turn}{text}"));
            for key in ["quarantine", "min"] {
                suite.policy.insert(format!("{key} {text}"), 20_270_131.0 - value);
            }
            all.suites.insert(SuiteId::new(format!("{at}{text}")), suite);
            let allowed = Allowed {
                suite: SuiteId::new(text.clone()),
                case: Some(CaseId::new(text.clone())),
                metric: Some(text.clone()),
                slice: Some(text.clone()),
                policy: Some(text.clone()),
                to: Some(0.5),
                ..allowed(Rule::CaseRegressed)
            };
            all.blessings.push(Blessing { allowed, reason: text.clone(), file: None });
            (all.produced.time, all.produced.tool) = (text.clone(), text.clone());
        }
        versions.push(all);
    }
    let mut range = range(versions);
    range.from = Some(Named { name: tell(HOSTILE[0]), commit: commit("c") });
    range.to = Named { name: tell(HOSTILE[1]), commit: commit("d") };
    range
}

#[test]
fn a_hostile_history_reads_as_it_is_written_down_here() {
    let report = report(&hostile(|text| text.to_owned()));
    insta::assert_snapshot!("hostile_markdown", markdown(&report, RELEASE_BUDGET).unwrap());
    insta::assert_snapshot!("hostile_json", json(&report).unwrap());
}

#[test]
fn foreign_text_is_not_rendered_as_markdown() {
    let report = report(&hostile(|text| text.to_owned()));
    for text in
        [markdown(&report, usize::MAX).unwrap(), markdown(&report, 9_000).unwrap(), summary(&report, None).unwrap()]
    {
        let (shown, found) = alive(&text);
        for one in &found {
            assert!(is_ours(one), "{one:.300}");
        }
        for wrong in ["@everyone", "@org", "#1", "GH-1", "https://", "www.evil", "01234567", "user@example", ":tada:"] {
            assert!(!shown.contains(wrong), "{wrong} is alive");
        }
        assert!(!text.contains("<!--"), "a marker can be forged");
        for control in ['\u{0}', '\u{7}', '\u{1b}', '\u{202e}', '\u{2066}', '\u{61c}', '\u{85}'] {
            assert!(!text.contains(control), "{control:?}");
        }
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "a workflow command");
    }
}

#[test]
fn foreign_text_is_not_markup_in_the_page() {
    let page = html(&report(&hostile(|text| text.to_owned()))).unwrap();
    let harmless = html(&report(&hostile(|text| {
        let at = HOSTILE.iter().position(|one| *one == text).unwrap();
        format!("harmless{at}")
    })))
    .unwrap();
    for character in ['<', '>', '"', '\''] {
        assert_eq!(page.matches(character).count(), harmless.matches(character).count(), "{character}");
    }
    for hidden in ['\u{0}', '\u{1b}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{85}'] {
        assert!(!page.contains(hidden), "{hidden:?}");
    }
    let (_, style) = page.split_once("<style>").unwrap();
    let (_, hash) = crate::report::html::style();
    assert!(style.split_once("</style>").unwrap().0 == crate::report::html::style().0);
    assert!(page.contains(&format!("style-src '{hash}'")) && !page.contains("<script") && !page.contains(" style="));
}

#[test]
fn a_report_fits_any_budget_and_keeps_its_first_line() {
    let cases = |sign: &str| (0..3000).map(|at| format!("case{}{sign}", word(at))).collect::<Vec<_>>().join(" ");
    let versions = ["+", "-"].map(|sign| baseline_of(vec![named("s", &cases(sign), &Policy::default())]));
    let report = report(&range(versions.to_vec()));
    let whole = markdown(&report, usize::MAX).unwrap();
    assert!(whole.len() > RELEASE_BUDGET);
    for budget in [1_000, 5_000, RELEASE_BUDGET, whole.len()] {
        let text = markdown(&report, budget).unwrap();
        assert!(text.len() <= budget, "{} in {budget}", text.len());
        assert!(
            text.starts_with("> [!CAUTION]\n> **`v1.3.0` is worse than `v1.2.0`** · 0 of 3000 cases pass"),
            "{text:.200}"
        );
        assert_eq!(text.contains("left out here for want of room"), budget < whole.len(), "{budget}");
    }
    assert!(
        markdown(&report, 10).unwrap().starts_with("> [!CAUTION]"),
        "the first line stays even if it alone is too long"
    );
    assert!(summary(&report, None).unwrap().len() <= super::markdown::RELEASE_SUMMARY_BUDGET);
    // The page has all of it.
    assert_eq!(html(&report).unwrap().matches("<code>s/case").count(), 3000);
    let long = "x".repeat(1_000_000);
    let mut range = small();
    range.to.name = long.clone();
    range.versions[1].1.blessings[0].reason = long;
    let report = release(&range).unwrap();
    assert!(markdown(&report, RELEASE_BUDGET).unwrap().len() < 20_000);
}

/// A number in letters: digits say how a case came out.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

#[test]
fn versions_that_could_not_be_read_are_reported() {
    let mut range = small();
    range.gaps = Gaps { shallow: true, unreadable: vec![commit("f")], left_out: 7 };
    let text = markdown(&report(&range), RELEASE_BUDGET).unwrap();
    for said in ["shallow", "1 version of the baseline in between cannot be read", "7 older versions"] {
        assert!(text.contains(said), "{said} in {text}");
    }
    range.versions.truncate(1);
    assert!(markdown(&report(&range), RELEASE_BUDGET).unwrap().contains("Both carry the same baseline"));
    range.versions.clear();
    assert_eq!(release(&range), None);
}
