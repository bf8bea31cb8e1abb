//! The gate as a specification: what main has, what the run has, what is allowed → verdict, exit code, reasons.
//!
//! A case is written `name` and how it came out: `a+` passed, `a-` failed, `a+.8` passed with the score 0.8, `a!` could not
//! be had, `a?` was not measured, `a~` was skipped by a filter, `a3/5` passed in three of five attempts, `a-safe` and `a-unsafe`
//! failed with an answer that is not or is beyond what the case allows. `a'` is another
//! question of the same name, and `b=a` the question of `a` under a new name.

use std::collections::BTreeMap;

use crate::aggregate;
use crate::baseline::{self, Allowed, Baseline, Blessing, from_results};
use crate::conclude::{Reference, conclude};
use crate::gate::GateContext;
use crate::model::Rule;
use crate::model::{
    BaselineInfo, CaseId, Fingerprint, Flips, Location, MaxErrors, Mode, Policy, Quarantine, Sha, Shard, Slice, Status,
    SuiteId, Threshold, Trend,
};
use crate::results::{Attempt, CaseResult, Gate, RESULTS_SCHEMA, Reason, Results, RunInfo, SuiteResult, Tool, Verdict};
use crate::suites::Kind;

/// A suite of cases that are written as above.
pub(crate) fn suite(cases: &str, policy: &Policy) -> SuiteResult {
    let varies = cases.contains('/');
    let cases: Vec<CaseResult> = cases.split_whitespace().enumerate().map(|(at, text)| case(at, text)).collect();
    let mut suite = SuiteResult {
        id: SuiteId::new("s"),
        kind: Kind::Command,
        status: Status::Unmeasured,
        replayed: false,
        source: None,
        untracked: Vec::new(),
        recorded_of: None,
        from_cache: 0,
        varies,
        affected: true,
        model: None,
        policy: policy.clone(),
        metrics: aggregate::metrics(Kind::Command, &cases),
        slices: aggregate::slices(Kind::Command, &cases),
        detail: None,
        cases,
    };
    suite.detail = suite.kind.summarise(&suite.views(), std::time::Duration::ZERO);
    suite
}

fn case(position: usize, text: &str) -> CaseResult {
    let end = text.find(['+', '-', '!', '?', '~', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).unwrap();
    let (name, how) = text.split_at(end);
    let (id, question) = name.split_once('=').unwrap_or((name, name));
    let (id, category) = id.split_once(':').map_or((id, None), |(category, id)| (id, Some(category)));
    let question = question.split_once(':').map_or(question, |(_, question)| question);
    // `a'` asks something else than `a`, and `a"` is judged by another key.
    let id = id.trim_end_matches(['\'', '"']);
    let (asked, key) = (question.trim_end_matches('"'), question.trim_end_matches('\''));
    let (status, score, attempts) = match how.split_at(1) {
        ("-", "safe" | "unsafe") => (Status::Failed, Some(0.0), vec![false]),
        ("+", "") => (Status::Passed, Some(1.0), vec![true]),
        ("-", "") => (Status::Failed, Some(0.0), vec![false]),
        ("+", score) => (Status::Passed, Some(score.parse().unwrap()), vec![true]),
        ("-", score) => (Status::Failed, Some(score.parse().unwrap()), vec![false]),
        ("!", _) => (Status::Error, None, vec![]),
        ("?", _) => (Status::Unmeasured, None, vec![]),
        ("~", _) => (Status::Skipped, None, vec![]),
        _ => {
            let (passed, all) = how.split_once('/').unwrap();
            let (passed, all): (usize, usize) = (passed.parse().unwrap(), all.parse().unwrap());
            let share = passed as f64 / all as f64;
            let status = if share >= 0.5 { Status::Passed } else { Status::Failed };
            (status, Some(share), (0..all).map(|attempt| attempt < passed).collect())
        }
    };
    let attempt = |status: Status| Attempt {
        status,
        score,
        duration_ms: 1.0,
        usage: None,
        ending: crate::model::EndingKind::Answered,
    };
    let mut attempts: Vec<Attempt> =
        attempts.into_iter().map(|passed| attempt(if passed { Status::Passed } else { Status::Failed })).collect();
    if status == Status::Error {
        attempts.push(attempt(Status::Error));
    }
    CaseResult {
        id: CaseId::new(id),
        position,
        status,
        flaky: false,
        passed_again: false,
        score,
        metrics: match how {
            "-safe" => BTreeMap::from([("unsafe-rate".to_owned(), 0.0)]),
            "-unsafe" => BTreeMap::from([("unsafe-rate".to_owned(), 1.0)]),
            _ => BTreeMap::new(),
        },
        checks: Vec::new(),
        fingerprint: Fingerprint::of(&question.into()),
        question: Some(Fingerprint::of(&asked.into())),
        key: Some(Fingerprint::of(&key.into())),
        key_edit: None,
        location: Location { file: "cases.json".into(), line: position + 1 },
        duration_ms: 1.0,
        attempts,
        diff: None,
        output: None,
        reproduce: String::new(),
        slices: category.map(|category| Slice::new("category", category)).into_iter().collect(),
        detail: None,
    }
}

pub(crate) fn run_info() -> RunInfo {
    RunInfo {
        id: "run".into(),
        started_at: "2026-01-02T00:00:00Z".into(),
        duration_ms: 1.0,
        commit: Sha::parse(&"c".repeat(40)),
        branch: None,
        dirty: false,
        url: None,
        config: "evalratchet.toml".into(),
        prefix: String::new(),
        known_failures: crate::results::KnownFailures::Show,
        mode: Mode::Auto,
        shard: None,
        seed: 0,
        partial: false,
        filtered: false,
        attempt: 1,
        overrides: Vec::new(),
        window: crate::results::USUAL_WINDOW,
        config_hash: "x".into(),
        cases_hash: "y".into(),
    }
}

/// Results of one suite, judged by themselves.
pub(crate) fn results(suites: Vec<SuiteResult>) -> Results {
    conclude(suites, run_info(), None, &GateContext::default())
}

pub(crate) fn baseline_of(suites: Vec<SuiteResult>) -> Baseline {
    let mut results = results(suites);
    results.run.commit = Sha::parse(&"b".repeat(40));
    from_results(&results)
}

/// What a run is compared with.
pub(crate) fn reference(baseline: Baseline) -> Reference {
    let info = BaselineInfo {
        source: "main".into(),
        commit: baseline.produced.commit.clone(),
        time: baseline.produced.time.clone(),
        tool: baseline.produced.tool.clone(),
        mode: Mode::Auto,
        base: None,
        instead_of: None,
    };
    Reference { baseline, info, trend: Trend::new() }
}

pub(super) struct World {
    name: &'static str,
    main: Option<&'static str>,
    run: &'static str,
    main_policy: Policy,
    policy: Policy,
    circumstances: GateContext,
}

pub(super) fn world(name: &'static str, main: impl Into<Option<&'static str>>, run: &'static str) -> World {
    let policy = Policy { max_drop: 1.0, ..Policy::default() };
    let circumstances = GateContext { today: "2026-01-02".into(), ..GateContext::default() };
    World { name, main: main.into(), run, main_policy: policy.clone(), policy, circumstances }
}

impl World {
    /// Both sides have this policy.
    pub(super) fn policy(mut self, change: impl Fn(&mut Policy)) -> Self {
        change(&mut self.main_policy);
        change(&mut self.policy);
        self
    }

    /// Only the run has this policy.
    fn weakened(mut self, change: impl Fn(&mut Policy)) -> Self {
        change(&mut self.policy);
        self
    }

    pub(super) fn given(mut self, change: impl Fn(&mut GateContext)) -> Self {
        change(&mut self.circumstances);
        self
    }

    /// What main allows to be worse.
    fn blessed(mut self, rule: Rule, what: &str, to: Option<f64>) -> Self {
        let named = |prefix: &str| what.strip_prefix(prefix).map(str::to_owned);
        let allowed = Allowed {
            case: named("case ").map(CaseId::new),
            metric: named("metric "),
            policy: named("policy "),
            to,
            ..allowed(rule)
        };
        self.circumstances.blessings.push(on_purpose(allowed));
        self
    }

    pub(super) fn blessing(mut self, blessings: &[Blessing]) -> Self {
        self.circumstances.blessings.extend_from_slice(blessings);
        self
    }

    pub(super) fn judged(&self) -> Gate {
        self.results().gate
    }

    pub(super) fn results(&self) -> Results {
        let main = self.main.map(|main| {
            let (first, second) = main.split_once(" | ").map_or((main, None), |(first, second)| (first, Some(second)));
            let mut suites = vec![suite(first, &self.main_policy)];
            suites.extend(second.map(|cases| SuiteResult { id: SuiteId::new("t"), ..suite(cases, &self.main_policy) }));
            let baseline = baseline_of(suites);
            reference(baseline)
        });
        let mut circumstances = self.circumstances.clone();
        if main.is_none() {
            circumstances.no_baseline = Some("no baseline".into());
        }
        let mut run = run_info();
        run.filtered = circumstances.filtered;
        conclude(vec![suite(self.run, &self.policy)], run, main.as_ref(), &circumstances)
    }

    /// The verdict, the exit code, and what fails.
    #[track_caller]
    fn gives(self, verdict: Verdict, exit_code: u8, failing: &[&str]) -> Gate {
        let gate = self.judged();
        let failed: Vec<String> = gate.reasons.iter().filter(|reason| reason.fails).map(short).collect();
        assert_eq!((gate.verdict, gate.exit_code), (verdict, exit_code), "{}: {:#?}", self.name, gate.reasons);
        assert_eq!(failed, failing, "{}", self.name);
        gate
    }

    #[track_caller]
    pub(super) fn passes(self) -> Gate {
        self.gives(Verdict::Passed, 0, &[])
    }

    #[track_caller]
    pub(super) fn fails(self, failing: &[&str]) -> Gate {
        self.gives(Verdict::Failed, 1, failing)
    }
}

/// A reason in short: its rule, and what it is about.
pub(super) fn short(reason: &Reason) -> String {
    let rule = serde_json::to_value(reason.rule).unwrap().as_str().unwrap().to_owned();
    let about = [
        reason.case.as_ref().map(ToString::to_string),
        reason.slice.clone(),
        reason.metric.clone(),
        reason.policy.clone(),
    ];
    let about: Vec<String> = about.into_iter().flatten().collect();
    format!("{rule} {}", about.join(" ")).trim_end().to_owned()
}

/// What informs, in short.
fn informs(gate: &Gate) -> Vec<String> {
    gate.reasons.iter().filter(|reason| !reason.fails).map(short).collect()
}

pub(super) fn floor(metric: &'static str, min: f64) -> impl Fn(&mut Policy) {
    move |policy| {
        policy.metrics.entry(metric.into()).or_default().min = Some(min);
    }
}

fn drop_of(metric: &'static str, most: f64) -> impl Fn(&mut Policy) {
    move |policy| {
        policy.metrics.entry(metric.into()).or_default().max_drop = Some(most);
    }
}

fn quarantined(case: &'static str, until: &'static str) -> impl Fn(&mut Policy) {
    move |policy| {
        let quarantine = Quarantine { owner: "search team".into(), until: until.into(), reason: None };
        policy.quarantine.insert(CaseId::new(case), quarantine);
    }
}

#[test]
fn without_a_baseline() {
    world("a suite without a floor is not gated", None, "a+ b-").gives(Verdict::NoBaseline, 0, &[]);
    world("a floor that holds", None, "a+ b-").policy(floor("accuracy", 0.5)).gives(Verdict::NoBaseline, 0, &[]);
    world("a floor that does not", None, "a+ b-").policy(floor("accuracy", 0.6)).fails(&["below-min accuracy"]);
    world("a floor that is exactly met", None, "a+ b-").policy(floor("mean-score", 0.5)).gives(
        Verdict::NoBaseline,
        0,
        &[],
    );
    world("a floor that rounding would miss", None, "a+.7 b+.7 c+.7").policy(floor("mean-score", 0.7)).gives(
        Verdict::NoBaseline,
        0,
        &[],
    );
    world("a floor that is missed by little", None, "a+.7 b+.7 c+.6999")
        .policy(floor("mean-score", 0.7))
        .fails(&["below-min mean-score"]);
    world("a shard is below a floor", None, "a+ b-").policy(floor("accuracy", 0.6)).given(|c| c.shard = true).gives(
        Verdict::NotJudged,
        0,
        &[],
    );
    world("a floor on what was not measured", None, "a+")
        .policy(floor("exact-rate", 0.5))
        .fails(&["missing-metric exact-rate"]);
    world("a ceiling that holds", None, "a+").policy(floor("latency-p50-ms", 5.0)).gives(Verdict::NoBaseline, 0, &[]);
    world("a ceiling that does not", None, "a+")
        .policy(floor("latency-p50-ms", 0.5))
        .fails(&["below-min latency-p50-ms"]);
    world("nothing was measured", None, "a? b?").gives(
        Verdict::NothingMeasured,
        3,
        &["nothing-measured", "nothing-measured"],
    );
    world("one ended in an error", None, "a+ b!").gives(Verdict::Broken, 4, &["too-many-errors"]);
    world("one error is allowed", None, "a+ b!").policy(|p| p.max_errors = MaxErrors::Count(1)).gives(
        Verdict::NoBaseline,
        0,
        &[],
    );
    world("a floor and an error: broken wins", None, "a- b!").policy(floor("accuracy", 0.6)).gives(
        Verdict::Broken,
        4,
        &["too-many-errors", "below-min accuracy"],
    );
    world("strict, and one was not measured", None, "a+ b?").given(|c| c.strict = true).fails(&["unmeasured"]);
    world("interrupted", None, "a+").given(|c| c.interrupted = true).gives(Verdict::Interrupted, 130, &["interrupted"]);
    world("a shard judges nothing", "a+", "a-").given(|c| c.shard = true).gives(Verdict::NotJudged, 0, &[]);
    let gate = world("what was not measured is said", None, "a+ b?").gives(Verdict::NoBaseline, 0, &[]);
    assert!(!informs(&gate).is_empty());
}

#[test]
fn cases_against_the_baseline() {
    world("as it was", "a+ b-", "a+ b-").passes();
    world("failed before, and its answer is unsafe now", "a-safe b+", "a-unsafe b+").fails(&["unsafe-answer a"]);
    world("unsafe as before", "a-unsafe b+", "a-unsafe b+").passes();
    world("passed and now fails", "a+ b+", "a+ b-").fails(&["case-regressed b"]);
    world("passed and now fails, though the mean rose", "a+ b-.1 c-.1", "a-.8 b+.9 c+.9").fails(&["case-regressed a"]);
    world("scores less but still passes", "a+.9 b+", "a+.8 b+").passes();
    world("better", "a- b+", "a+ b+").passes();
    let gate = world("fails as it did", "a+ b-", "a+ b-").passes();
    assert_eq!(informs(&gate), ["known-failures"]);
    world("a new case that fails", "a+", "a+ b-").passes();
    world("a case is gone", "a+ b+", "a+").fails(&["case-removed b"]);
    world("a failing case is gone", "a+ b-", "a+").fails(&["case-removed b"]);
    world("a case is gone that may", "a+ b+", "a+").policy(|p| p.allow_removed = vec!["b".into()]).passes();
    world("all may go", "a+ b+ c+", "a+").policy(|p| p.allow_removed = vec!["*".into()]).passes();
    world("another is gone than may", "a+ b+ c+", "a+")
        .policy(|p| p.allow_removed = vec!["b".into()])
        .fails(&["case-removed c"]);
    world("renamed", "a+ b+", "a+ c=b+").passes();
    world("renamed, and now fails", "a+ b+", "a+ c=b-").fails(&["case-regressed c"]);
    world("changed, and still passes", "a+ b+", "a+ b'+").passes();
    world("changed, and now fails", "a+ b+", "a+ b'-").fails(&["changed-fails b"]);
    world("changed, and failed before", "a+ b-", "a+ b'-").passes();
    world("not measured any more", "a+ b+", "a+ b?").fails(&["lost b"]);
    world("never measured", "a+ b?", "a+ b?").passes();
    world("an error within what may be", "a+ b+", "a+ b!").policy(|p| p.max_errors = MaxErrors::Count(1)).passes();
    world("a filter leaves a whole slice out", "x:a+ y:b+", "x:a+ y:b~").given(|c| c.filtered = true).passes();
    world("skipped by a filter", "a+ b+", "a+ b~").given(|c| c.filtered = true).passes();
    world("a filter that leaves what regressed", "a+ b+", "a~ b-")
        .given(|c| c.filtered = true)
        .fails(&["case-regressed b"]);
    let gate = world("flips are reported", "a+ b+", "a+ b-").policy(|p| p.flips = Flips::Report).passes();
    assert_eq!(informs(&gate), ["flipped b"]);
    world("every question is another", "a+ b+", "a'+ b'+").passes();
    world("every question is another and fails", "a+", "a'-").fails(&["changed-fails a"]);
    world("no case is in the baseline", "a+ b+", "c+").gives(
        Verdict::NoCommonCase,
        3,
        &["no-common-case", "case-removed a", "case-removed b"],
    );
    world("broken wins over no common case", "a+", "c+ b!").gives(
        Verdict::Broken,
        4,
        &["too-many-errors", "no-common-case", "case-removed a"],
    );
    world("a suite is gone", "a+ | x+", "a+").fails(&["suite-removed"]);
    world("a filter leaves a suite out", "a+ | x+", "a+").given(|c| c.filtered = true).passes();
}

#[test]
fn metrics_against_the_baseline() {
    let strict = |p: &mut Policy| p.max_drop = 0.01;
    world("a mean falls more than it may", "a+ b+", "a+ b+.9").policy(strict).fails(&["metric-dropped mean-score"]);
    world("a mean falls a little", "a+ b+", "a+ b+.99").policy(strict).passes();
    world("a mean falls exactly as much as it may", "a+ b+", "a+ b+.98").policy(strict).passes();
    world("a metric may fall further", "a+ b+", "a+ b+.9").policy(strict).policy(drop_of("mean-score", 0.1)).passes();
    world("a metric may fall less", "a+ b+", "a+ b+.9")
        .policy(drop_of("mean-score", 0.02))
        .fails(&["metric-dropped mean-score"]);
    world("a case that is new does not count", "a+", "a+ b-").policy(strict).passes();
    world("a case that is changed counts", "a+ b+.9", "a+ b'+.1").policy(strict).fails(&["metric-dropped mean-score"]);
    world("a case that is gone does not count", "a+ b-", "a+")
        .policy(strict)
        .policy(|p| p.allow_removed = vec!["b".into()])
        .passes();
    world("a slice falls though the mean holds", "x:a+.9 y:b+.1", "x:a+.8 y:b+.2")
        .policy(strict)
        .fails(&["slice-dropped category=x mean-score"]);
    world("a slice has its own word", "x:a+.9 y:b+.1", "x:a+.8 y:b+.2")
        .policy(strict)
        .policy(|p| {
            let own = Threshold { max_drop: Some(0.2), ..Threshold::default() };
            p.slices.entry("category=x".into()).or_default().insert("mean-score".into(), own);
        })
        .passes();
    world("a slice has a floor", None, "x:a+.5 y:b+")
        .policy(|p| {
            let own = Threshold { min: Some(0.6), ..Threshold::default() };
            p.slices.entry("category=x".into()).or_default().insert("mean-score".into(), own);
        })
        .fails(&["below-min category=x mean-score"]);
    world("a floor holds against main's own value", "a+ b-", "a+ b-")
        .policy(floor("accuracy", 0.6))
        .fails(&["below-min accuracy"]);
    world("time does not count", "a+", "a+").policy(strict).passes();
    let gate = world("everything that got worse is reported", "x:a+ y:b+", "x:a- y:b+").policy(strict).fails(&[
        "case-regressed a",
        "metric-dropped accuracy",
        "metric-dropped mean-score",
        "slice-dropped category=x accuracy",
        "slice-dropped category=x mean-score",
    ]);
    assert_eq!(gate.reasons[1].before, Some(1.0));
    assert_eq!(gate.reasons[1].value, Some(0.5));
}

#[test]
fn what_varies() {
    let strict = |p: &mut Policy| p.max_drop = 0.01;
    let gate = world("one flip among few may be chance", "a5/5 b5/5 c5/5", "a2/5 b5/5 c5/5").policy(strict).passes();
    assert!(informs(&gate).contains(&"inconclusive accuracy".to_owned()), "{:?}", informs(&gate));
    let message = &gate.reasons.iter().find(|reason| reason.rule == Rule::Inconclusive).unwrap().message;
    assert!(message.contains("no repeats would decide, but about"), "{message}");
    let eight = ("a5/5 b5/5 c5/5 d5/5 e5/5 f5/5 g5/5 h5/5", "a1/5 b5/5 c5/5 d5/5 e5/5 f5/5 g5/5 h4/5");
    let gate = world("with more cases, more repeats would tell", eight.0, eight.1).policy(strict).passes();
    let message = &gate.reasons.iter().find(|reason| reason.rule == Rule::Inconclusive).unwrap().message;
    assert!(message.contains("repeats of each case would decide"), "{message}");
    let (before, now) =
        ("a5/5 b5/5 c5/5 d5/5 e5/5 f5/5 g5/5 h5/5 i5/5 j5/5", "a3/5 b4/5 c3/5 d4/5 e3/5 f4/5 g3/5 h4/5 i4/5 j3/5");
    world("ten of ten fell", before, now)
        .policy(strict)
        .fails(&["metric-dropped accuracy", "metric-dropped mean-score"]);
    world("ten of ten fell, but by less than an effect", before, now).policy(|p| p.min_effect = 0.5).passes();
    world("ten of ten rose", now, before).policy(strict).passes();
    world("a case is gone all the same", "a5/5 b5/5", "a5/5").fails(&["case-removed b"]);
    world("not measured any more all the same", "a5/5 b5/5", "a5/5 b?").fails(&["lost b"]);
    world("a floor holds all the same", "a1/5 b5/5", "a1/5 b5/5")
        .policy(floor("accuracy", 0.6))
        .fails(&["below-min accuracy"]);
}

#[test]
fn the_gate_itself() {
    world("answers are said to vary now", "a+ b+", "a5/5 b2/5").fails(&["weakened-gate exact"]);
    world("a limit on time is removed", "a+", "a+")
        .policy(drop_of("latency-p50-ms", 50.0))
        .weakened(|p| p.metrics.clear())
        .fails(&["weakened-gate max-drop latency-p50-ms"]);
    world("a limit on time is new", "a+", "a+").weakened(drop_of("latency-p50-ms", 50.0)).passes();
    world("a quarantine is longer", "a+ b-", "a+ b-")
        .policy(quarantined("b", "2026-02-01"))
        .weakened(quarantined("b", "2099-02-01"))
        .fails(&["weakened-gate quarantine b"]);
    world("a quarantine is shorter", "a+ b-", "a+ b-")
        .policy(quarantined("b", "2026-03-01"))
        .weakened(quarantined("b", "2026-02-01"))
        .passes();
    world("errors as a share, and then fewer as a count", "a+", "a+")
        .policy(|p| p.max_errors = MaxErrors::Share(0.5))
        .weakened(|p| p.max_errors = MaxErrors::Count(0))
        .passes();
    world("a slice loses its own word to a wider one", "x:a+", "x:a+")
        .policy(drop_of("accuracy", 0.9))
        .policy(|p| {
            let own = Threshold { max_drop: Some(0.05), ..Threshold::default() };
            p.slices.entry("category=x".into()).or_default().insert("accuracy".into(), own);
        })
        .weakened(|p| p.slices.clear())
        .fails(&["weakened-gate max-drop accuracy category=x"]);
    let lower = |p: &mut Policy| p.metrics.entry("accuracy".into()).or_default().min = Some(0.1);
    world("a floor is lowered", "a+ b-", "a+ b-")
        .policy(floor("accuracy", 0.5))
        .weakened(lower)
        .fails(&["weakened-gate min accuracy"]);
    world("a floor is removed", "a+ b-", "a+ b-")
        .policy(floor("accuracy", 0.5))
        .weakened(|p| p.metrics.clear())
        .fails(&["weakened-gate min accuracy"]);
    world("a floor is raised", "a+ b+", "a+ b+")
        .policy(floor("accuracy", 0.5))
        .weakened(floor("accuracy", 0.9))
        .passes();
    world("a ceiling is raised", "a+", "a+")
        .policy(floor("latency-p50-ms", 5.0))
        .weakened(floor("latency-p50-ms", 50.0))
        .fails(&["weakened-gate ceiling latency-p50-ms"]);
    world("a drop is widened", "a+", "a+")
        .policy(drop_of("accuracy", 0.1))
        .weakened(drop_of("accuracy", 0.2))
        .fails(&["weakened-gate max-drop accuracy"]);
    world("a drop is narrowed", "a+", "a+")
        .policy(drop_of("accuracy", 0.1))
        .weakened(drop_of("accuracy", 0.05))
        .passes();
    world("a drop loses its own word to a wider one", "a+", "a+")
        .policy(drop_of("accuracy", 0.1))
        .weakened(|p| p.metrics.clear())
        .fails(&["weakened-gate max-drop accuracy"]);
    world("all drops are widened", "a+", "a+")
        .policy(|p| p.max_drop = 0.01)
        .weakened(|p| p.max_drop = 0.5)
        .fails(&["weakened-gate max-drop"]);
    world("more errors may be", "a+", "a+")
        .weakened(|p| p.max_errors = MaxErrors::Count(5))
        .fails(&["weakened-gate max-errors"]);
    let share = |percent: f64| move |p: &mut Policy| p.max_errors = MaxErrors::Share(percent / 100.0);
    let count = |count: usize| move |p: &mut Policy| p.max_errors = MaxErrors::Count(count);
    let two_hundred = || -> &'static str {
        let name = |n: usize| n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>();
        (0..200).map(|n| format!("{}+", name(n))).collect::<Vec<_>>().join(" ").leak()
    };
    world("a share allows more than the count that it was", two_hundred(), two_hundred())
        .policy(count(2))
        .weakened(share(2.0))
        .fails(&["weakened-gate max-errors"]);
    world("a count allows more than the share that it was", "a+ b+", "a+ b+")
        .policy(share(50.0))
        .weakened(count(2))
        .fails(&["weakened-gate max-errors"]);
    world("a share that allows as many here", two_hundred(), two_hundred())
        .policy(count(4))
        .weakened(share(2.0))
        .passes();
    world("a count that allows as many here", two_hundred(), two_hundred())
        .policy(share(2.0))
        .weakened(count(4))
        .passes();
    world("no errors, as a share", "a+ b+", "a+ b+").policy(count(0)).weakened(share(0.0)).passes();
    world("a larger share, though it allows as many here", "a+ b+", "a+ b+")
        .policy(share(1.0))
        .weakened(share(40.0))
        .fails(&["weakened-gate max-errors"]);
    world("a larger count, though there are fewer cases", "a+ b+", "a+ b+")
        .policy(count(2))
        .weakened(count(20))
        .fails(&["weakened-gate max-errors"]);
    world("all may go, then only one", "a+ b+", "a+ b+")
        .policy(|p| p.allow_removed = vec!["*".into()])
        .weakened(|p| p.allow_removed = vec!["a".into()])
        .passes();
    world("one may go, then all", "a+ b+", "a+ b+")
        .policy(|p| p.allow_removed = vec!["a".into(), "b".into()])
        .weakened(|p| p.allow_removed = vec!["*".into()])
        .fails(&["weakened-gate allow-removed *"]);
    world("what was the default is written out", "a+ b-", "a+ b-")
        .weakened(|p| {
            p.metrics.insert("accuracy".into(), Threshold { max_drop: Some(0.01), ..Threshold::default() });
            p.slices.insert("category=x".into(), p.metrics.clone());
        })
        .passes();
    world("a slice may fall further than its metric", "a+ b-", "a+ b-")
        .policy(drop_of("accuracy", 0.02))
        .weakened(|p| {
            let threshold = Threshold { max_drop: Some(0.03), ..Threshold::default() };
            p.slices.insert("category=x".into(), BTreeMap::from([("accuracy".to_owned(), threshold)]));
        })
        .fails(&["weakened-gate max-drop accuracy category=x"]);
    world("flips only reported", "a+", "a+").weakened(|p| p.flips = Flips::Report).fails(&["weakened-gate flips"]);
    world("fewer attempts must pass", "a+", "a+").weakened(|p| p.pass_share = 0.1).fails(&["weakened-gate pass-share"]);
    world("an effect must be larger", "a+", "a+").weakened(|p| p.min_effect = 0.3).fails(&["weakened-gate min-effect"]);
    world("less must be significant", "a+", "a+").weakened(|p| p.alpha = 0.001).fails(&["weakened-gate alpha"]);
    world("a case is put into quarantine", "a+ b-", "a+ b-")
        .weakened(quarantined("b", "2026-02-01"))
        .fails(&["weakened-gate quarantine b"]);
    world("a removal is allowed by the one who removes", "a+ b+", "a+")
        .weakened(|p| p.allow_removed = vec!["b".into()])
        .fails(&["weakened-gate allow-removed b"]);
    world("a lower floor and a regression: the gate first", "a+ b+", "a+ b-")
        .policy(floor("accuracy", 1.0))
        .weakened(lower)
        .fails(&["weakened-gate min accuracy", "case-regressed b"]);
}

#[test]
fn quarantine() {
    world("fails in quarantine", "a+ b+", "a+ b-").policy(quarantined("b", "2026-01-02")).passes();
    world("another fails", "a+ b+", "a- b-").policy(quarantined("b", "2026-01-02")).fails(&["case-regressed a"]);
    world("the quarantine has expired", "a+ b-", "a+ b-")
        .policy(quarantined("b", "2026-01-01"))
        .fails(&["quarantine-expired b"]);
    world("expired, though it passes", "a+ b+", "a+ b+")
        .policy(quarantined("b", "2026-01-01"))
        .fails(&["quarantine-expired b"]);
    world("its metrics do not count", "a+ b+", "a+ b-")
        .policy(|p| p.max_drop = 0.01)
        .policy(quarantined("b", "2026-01-02"))
        .passes();
    let gate = world("it is always reported", "a+ b+", "a+ b+").policy(quarantined("b", "2026-01-02")).passes();
    assert_eq!(informs(&gate), ["quarantined"]);
}

#[test]
fn blessings() {
    let fell = || world("a flip is blessed", "a+ b+ c+", "a+ b- c+");
    let gate = fell().blessed(Rule::CaseRegressed, "case b", Some(0.0)).passes();
    assert_eq!(gate.reasons[0].blessed.as_deref(), Some("on purpose"));
    fell().blessed(Rule::CaseRegressed, "case a", Some(0.0)).fails(&["case-regressed b"]);
    fell().blessed(Rule::CaseRegressed, "case b", Some(0.5)).fails(&["case-regressed b"]);
    fell().blessed(Rule::CaseRemoved, "case b", None).fails(&["case-regressed b"]);
    let metric = || world("a drop is blessed", "a+ b+", "a+ b+.8").policy(|p| p.max_drop = 0.01);
    metric().blessed(Rule::MetricDropped, "metric mean-score", Some(0.9)).passes();
    metric().blessed(Rule::MetricDropped, "metric mean-score", Some(0.95)).fails(&["metric-dropped mean-score"]);
    metric().blessed(Rule::MetricDropped, "metric accuracy", Some(0.0)).fails(&["metric-dropped mean-score"]);
    let lower = || {
        world("a lower floor is blessed", "a+ b-", "a+ b-")
            .policy(floor("accuracy", 0.5))
            .weakened(floor("accuracy", 0.3))
    };
    lower().blessed(Rule::WeakenedGate, "policy min accuracy", Some(0.3)).passes();
    lower().blessed(Rule::WeakenedGate, "policy min accuracy", Some(0.4)).fails(&["weakened-gate min accuracy"]);
    lower().blessed(Rule::WeakenedGate, "policy min accuracy", Some(0.1)).fails(&["weakened-gate min accuracy"]);
    world("a removal is blessed", "a+ b+", "a+").blessed(Rule::CaseRemoved, "case b", None).passes();
    world("errors cannot be blessed", None, "a+ b!").blessed(Rule::TooManyErrors, "", None).gives(
        Verdict::Broken,
        4,
        &["too-many-errors"],
    );
    world("a suite that is gone is not this one", "a+ | x+", "a+")
        .blessed(Rule::SuiteRemoved, "", None)
        .fails(&["suite-removed"]);
}

/// What a rule says of suite `s`, and nothing else.
pub(crate) fn allowed(rule: Rule) -> Allowed {
    Allowed {
        rule,
        suite: SuiteId::new("s"),
        case: None,
        metric: None,
        slice: None,
        policy: None,
        key: None,
        to: None,
        taken_in: false,
        was: None,
        now: None,
    }
}

fn on_purpose(allowed: Allowed) -> Blessing {
    Blessing { allowed, reason: "on purpose".into(), file: None }
}

/// What a run makes of a baseline that no files of blessings stand beside.
pub(crate) fn update(old: Option<&Baseline>, results: &Results) -> Result<Option<Baseline>, baseline::UpdateError> {
    Ok(baseline::update(old, &[], results)?.map(|updated| updated.baseline))
}

/// Main after these runs, one after another.
fn main_after(runs: &[&str]) -> Baseline {
    let policy = Policy { max_drop: 1.0, ..Policy::default() };
    let mut main: Option<Baseline> = None;
    for (index, run) in runs.iter().enumerate() {
        let mut results = results(vec![suite(run, &policy)]);
        results.run.commit = Sha::parse(&format!("{}", index + 1).repeat(40));
        if let Some(new) = update(main.as_ref(), &results).unwrap() {
            main = Some(new);
        }
    }
    main.unwrap()
}

/// How main judges itself.
fn main_judges(main: Baseline, run: &str, on_main: bool) -> Vec<String> {
    let policy = Policy { max_drop: 1.0, ..Policy::default() };
    let circumstances = GateContext { on_main, today: "2026-01-02".into(), ..GateContext::default() };
    let gate = conclude(vec![suite(run, &policy)], run_info(), Some(&reference(main)), &circumstances).gate;
    gate.reasons.iter().filter(|reason| reason.fails).map(short).collect()
}

#[test]
fn main_stays_red_until_it_is_fixed_and_a_pull_request_does_not() {
    let main = main_after(&["a+ b+", "a+ b-"]);
    let (a, b) = (
        &main.suites[&SuiteId::new("s")].cases[&CaseId::new("a")],
        &main.suites[&SuiteId::new("s")].cases[&CaseId::new("b")],
    );
    assert_eq!(a.since, Sha::parse(&"1".repeat(40)));
    assert_eq!(b.since, Sha::parse(&"2".repeat(40)));
    assert_eq!((b.status, b.best.as_ref().unwrap().status), (Status::Failed, Status::Passed));
    assert_eq!(main_judges(main.clone(), "a+ b-", false), Vec::<String>::new());
    assert_eq!(main_judges(main.clone(), "a+ b-", true), ["below-best b"]);
    assert_eq!(main_judges(main, "a+ b+", true), Vec::<String>::new());
    // A new name is no way out, and where flips are only reported nothing is owed.
    assert_eq!(main_judges(main_after(&["a+ b+", "a+ b-"]), "a+ c=b-", true), ["below-best c"]);
    // What never passed is not owed.
    assert_eq!(main_judges(main_after(&["a+ b-", "a+ b-"]), "a+ b-", true), Vec::<String>::new());
}

#[test]
fn an_update_turns_one_way() {
    let id = |name: &str| CaseId::new(name);
    let cases = |main: &Baseline| main.suites[&SuiteId::new("s")].cases.clone();
    let main = main_after(&["a+.5 b+", "a+.8 b+", "a+.6 b+ c-"]);
    let a = &cases(&main)[&id("a")];
    assert_eq!((a.score, a.best.as_ref().unwrap().score), (0.6, 0.8));
    assert!(cases(&main).contains_key(&id("c")), "added cases enter");
    assert!(cases(&main_after(&["a+ b+", "a+"])).contains_key(&id("b")), "removed ones stay until that is allowed");
    let asked = main_after(&["a+.9", "a'+.2"]);
    assert_eq!(cases(&asked)[&id("a")].best.as_ref().unwrap().score, 0.9, "another question is the same case");
    let judged = main_after(&["a+.9", "a\"+.2"]);
    assert_eq!(cases(&judged)[&id("a")].best.as_ref().unwrap().score, 0.2, "the best by another key is none");
    let renamed = main_after(&["a+.9", "b=a+.5"]);
    assert_eq!(cases(&renamed).keys().map(CaseId::as_str).collect::<Vec<_>>(), ["b"]);
    assert_eq!(cases(&renamed)[&id("b")].best.as_ref().unwrap().score, 0.9, "a new name keeps the best");
    let lost = main_after(&["a+.9 b+", "a? b+"]);
    assert_eq!(cases(&lost)[&id("a")].score, 0.9, "what is not measured stays as it was");
    let varies = main_after(&["a5/5 b5/5", "a2/5 b5/5"]);
    assert_eq!((cases(&varies)[&id("a")].score, &cases(&varies)[&id("a")].best), (0.4, &None), "no maximum of noise");
    let noisy = main_after(&["a+ b+", "a2/5 b5/5", "a- b+"]);
    assert_eq!(cases(&noisy)[&id("a")].best.as_ref().unwrap().status, Status::Passed, "noise does not undo the best");
    let suite = &main_after(&["a+ b+", "a+ b-"]).suites[&SuiteId::new("s")];
    assert_eq!(suite.metrics["accuracy"].value, 0.5, "metrics are computed again");
}

#[test]
fn a_run_that_is_not_whole_cannot_become_a_baseline() {
    let policy = Policy::default();
    let whole = results(vec![suite("a+ b+", &policy)]);
    let refused = |change: &dyn Fn(&mut Results)| {
        let mut results = whole.clone();
        change(&mut results);
        update(None, &results).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.run.filtered = true).contains("a filter left something out"));
    assert!(refused(&|r| r.run.partial = true).contains("partial"));
    assert!(refused(&|r| r.run.shard = Some(Shard { index: 1, total: 2 })).contains("merge them first"));
    assert!(refused(&|r| r.gate.verdict = Verdict::Interrupted).contains("interrupted"));
    assert!(refused(&|r| r.suites[0].cases[0].status = Status::Error).contains("ended in an error"));
    assert!(
        refused(&|r| r.suites[0].cases.iter_mut().for_each(|case| case.status = Status::Unmeasured))
            .contains("measured nothing")
    );
    assert_eq!(whole.schema, RESULTS_SCHEMA);
    assert_eq!(whole.tool, Tool { name: "evalratchet".into(), version: env!("CARGO_PKG_VERSION").into() });
}

#[test]
fn an_update_absorbs_what_was_blessed_and_nothing_else() {
    let bless = |mut main: Baseline, rule: Rule, case: Option<&str>, policy: Option<&str>, to: Option<f64>| {
        let (case, policy) = (case.map(CaseId::new), policy.map(str::to_owned));
        main.blessings.push(on_purpose(Allowed { case, policy, to, ..allowed(rule) }));
        main
    };
    // What main makes of a run is judged against main.
    let update = |main: &Baseline, run: &Results| {
        let circumstances = GateContext { blessings: main.blessings.clone(), ..GateContext::default() };
        let judged = conclude(run.suites.clone(), run.run.clone(), Some(&reference(main.clone())), &circumstances);
        update(Some(main), &judged).unwrap()
    };
    let cases = |main: &Baseline| main.suites[&SuiteId::new("s")].cases.clone();
    let lax = Policy { max_drop: 1.0, ..Policy::default() };
    let run = results(vec![suite("a- b-", &lax)]);
    let main = bless(main_after(&["a+ b+"]), Rule::CaseRegressed, Some("a"), None, Some(0.0));
    let after = update(&main, &run).unwrap();
    assert_eq!(cases(&after)[&CaseId::new("a")].best.as_ref().unwrap().status, Status::Failed);
    assert_eq!(cases(&after)[&CaseId::new("b")].best.as_ref().unwrap().status, Status::Passed);
    assert!(after.blessings.is_empty());

    let gone = results(vec![suite("a+", &lax)]);
    assert!(
        cases(&update(&main_after(&["a+ b+"]), &gone).unwrap_or_else(|| main_after(&["a+ b+"])))
            .contains_key(&CaseId::new("b"))
    );
    let main = bless(main_after(&["a+ b+"]), Rule::CaseRemoved, Some("b"), None, None);
    assert!(!cases(&update(&main, &gone).unwrap()).contains_key(&CaseId::new("b")));

    // A gate that became weaker without a word stays as strict in the baseline.
    let mut weak = lax.clone();
    weak.min_effect = 0.5;
    let weaker = results(vec![suite("a+ b+ c+", &weak)]);
    let kept = update(&main_after(&["a+ b+"]), &weaker).unwrap();
    assert_eq!(kept.suites[&SuiteId::new("s")].policy["min-effect"], 0.02);
    let main = bless(main_after(&["a+ b+"]), Rule::WeakenedGate, None, Some("min-effect"), Some(0.3));
    assert_eq!(
        update(&main, &weaker).unwrap().suites[&SuiteId::new("s")].policy["min-effect"],
        0.02,
        "weaker than that"
    );
    let main = bless(main_after(&["a+ b+"]), Rule::WeakenedGate, None, Some("min-effect"), Some(0.5));
    assert_eq!(update(&main, &weaker).unwrap().suites[&SuiteId::new("s")].policy["min-effect"], 0.5);
}
