//! What the templates show, as plain values.

use std::collections::BTreeMap;

use minijinja::value::Value;
use serde::Serialize;

use super::sections::{CommentSection, ListOf};
use crate::model::{CaseChange, Change, Nature, Rule, Sha, Status, Usage, format_score};
use crate::report::case_summary::{Changes, Standing, why};
use crate::report::templates::{is_address, value_of};
use crate::report::{self};
use crate::report::{CauseLine, OPEN, VerdictSummary, age, causes, markdown};
use crate::results::{CaseResult, Reason, Results, SuiteResult, Verdict};
use crate::suites::Listed;
use crate::text::counted;
use crate::text::truncate_middle;

/// Something that a template shows.
pub(super) trait View {
    /// As minijinja wants it.
    fn value(&self) -> Value;
}

impl<T: Serialize> View for T {
    fn value(&self) -> Value {
        value_of(self)
    }
}

/// How much of a diff a comment shows.
const PREVIEW: usize = 1500;
/// How much of a line.
const LINE: usize = 300;

#[derive(Debug, Serialize)]
pub(super) struct VerdictView {
    sign: &'static str,
    word: &'static str,
    /// The cause that decides, if something fails.
    because: Option<String>,
    /// Everything that qualifies the word, escaped.
    qualified: String,
    lines: Vec<String>,
    todo: &'static str,
}

pub(super) fn verdict(results: &Results) -> VerdictView {
    let gate = &results.gate;
    let (sign, word) = match gate.verdict {
        Verdict::Passed => ("✅", "Passed"),
        Verdict::NoBaseline => ("🆕", "No baseline yet"),
        Verdict::NotJudged => ("⚪", "Not judged: one shard"),
        Verdict::Failed => ("❌", "Failed"),
        Verdict::Broken => ("⚠️", "Broken"),
        Verdict::NothingMeasured => ("⚠️", "Nothing was measured"),
        Verdict::NoCommonCase => ("⚠️", "Not comparable with the baseline"),
        Verdict::Interrupted => ("⚠️", "Interrupted"),
    };
    let failing: Vec<&Reason> = gate.reasons.iter().filter(|reason| reason.fails).collect();
    let causes = causes(results);
    let can_bless = causes.iter().any(|suite| suite.bless.is_some());
    let causes: Vec<&CauseLine<'_>> =
        causes.iter().flat_map(|suite| &suite.causes).filter(|cause| cause.fails).collect();
    let mut lines = Vec::new();
    if causes.len() > 1 {
        lines.push(format!("and {} below", counted(causes.len() - 1, "more cause")));
    }
    lines.extend(
        gate.reasons.iter().find(|reason| reason.rule == Rule::NoBaseline).map(|reason| reason.message.clone()),
    );
    let todo = match gate.verdict {
        Verdict::Failed if failing.iter().all(|reason| reason.rule == Rule::BaselineEdited) => {
            "Put the baseline back as it is on the branch; `evalratchet baseline update` changes it there."
        }
        Verdict::Failed if can_bless => "Fix it, or accept it with the `bless` command below and a reason.",
        Verdict::Failed => "Fix it. Only a whole run can be blessed.",
        Verdict::Broken => "This says nothing about quality: fix the errors below and run again.",
        Verdict::NothingMeasured => "A pass would mean nothing here: look at why nothing was measured.",
        Verdict::NoCommonCase => {
            "No case can be compared. Merge what is right, then run `evalratchet baseline update` on the branch."
        }
        Verdict::Passed | Verdict::NoBaseline | Verdict::NotJudged | Verdict::Interrupted => "",
    };
    VerdictView {
        sign,
        word,
        // What follows from it stands below.
        because: causes.first().map(|cause| short(cause.sentence.split("; ").next().unwrap_or(&cause.sentence))),
        qualified: VerdictSummary::of(results).qualified(&markdown::text),
        lines,
        todo,
    }
}

/// A sentence that stands in one line.
fn short(sentence: &str) -> String {
    truncate_middle(sentence, 2 * LINE).replace('\n', " ")
}

#[derive(Debug, Serialize)]
pub(super) struct CausesView {
    title: String,
    folded: bool,
    suites: Vec<SuiteCausesView>,
}

#[derive(Debug, Serialize)]
struct SuiteCausesView {
    lines: Vec<CauseView>,
    bless: Option<String>,
}

#[derive(Debug, Serialize)]
struct CauseView {
    sign: &'static str,
    text: String,
    blessed: Option<String>,
    cases: Vec<String>,
    more: usize,
}

impl CausesView {
    pub(super) fn len(&self) -> usize {
        self.suites.iter().map(|suite| suite.lines.len()).sum()
    }
}

/// What changes about the gate, and why it fails: the gravest causes open, the rest in folds that can be left out.
pub(super) fn cause_sections(results: &Results) -> Vec<(CommentSection, Vec<CausesView>)> {
    const PIECE: usize = 20;
    let of_gate = |rule: Rule| matches!(rule, Rule::WeakenedGate | Rule::BaselineEdited | Rule::SuiteRemoved);
    let all = causes(results);
    let mut room = OPEN;
    let mut section = |title: &str, is_of_gate: bool| {
        let mut lines = Vec::new();
        for suite in &all {
            let own: Vec<&CauseLine<'_>> =
                suite.causes.iter().filter(|cause| of_gate(cause.rule) == is_of_gate).collect();
            let last = own.iter().rposition(|cause| cause.fails);
            for (at, cause) in own.iter().enumerate() {
                lines.push((*cause, suite.bless.as_ref().filter(|_| last == Some(at))));
            }
        }
        let (open, folded) = lines.split_at(lines.len().min(room));
        room -= open.len();
        let more = format!("{} more", counted(folded.len(), "cause"));
        let mut views = Vec::new();
        views.extend((!open.is_empty()).then(|| causes_view(title, false, open)));
        views.extend(folded.chunks(PIECE).map(|piece| causes_view(&more, true, piece)));
        views
    };
    vec![
        (CommentSection::GateChanges, section("What this changes about the gate", true)),
        (CommentSection::Reasons, section("Why", false)),
    ]
}

fn causes_view(title: &str, folded: bool, lines: &[(&CauseLine<'_>, Option<&String>)]) -> CausesView {
    let mut suites: Vec<SuiteCausesView> = vec![SuiteCausesView { lines: Vec::new(), bless: None }];
    for (cause, bless) in lines {
        let view = CauseView {
            sign: if cause.fails { "❌" } else { "🟡" },
            text: short(&cause.sentence),
            blessed: (!cause.blessed.is_empty()).then(|| cause.blessed.join("; ")),
            cases: cause.cases.iter().map(|case| short(case)).collect(),
            more: if cause.cases.is_empty() { 0 } else { cause.more },
        };
        if let Some(last) = suites.last_mut() {
            last.lines.push(view);
            last.bless = bless.cloned();
        }
        if bless.is_some() {
            suites.push(SuiteCausesView { lines: Vec::new(), bless: None });
        }
    }
    suites.retain(|suite| !suite.lines.is_empty());
    CausesView { title: title.to_owned(), folded, suites }
}

#[derive(Debug, Serialize)]
pub(super) struct RemarksView {
    title: &'static str,
    pub(super) lines: Vec<String>,
}

/// What informs and does not fail; what fails as it did and what was not gated have a place of their own.
pub(super) fn remarks(results: &Results) -> Vec<RemarksView> {
    const PIECE: usize = 20;
    let elsewhere =
        |rule: Rule| matches!(rule, Rule::KnownFailures | Rule::NotGated | Rule::NoBaseline | Rule::NotAffected);
    let informing = report::remarks(results).into_iter().filter(|(rule, _)| !elsewhere(*rule));
    let lines: Vec<String> = informing.map(|(_, text)| short(&text)).collect();
    let piece = |(index, piece): (usize, &[String])| RemarksView {
        title: if index == 0 { "Worth knowing" } else { "… and more" },
        lines: piece.to_vec(),
    };
    lines.chunks(PIECE).enumerate().map(piece).collect()
}

/// A heading and its cases.
pub(super) struct CasesView {
    pub(super) section: CommentSection,
    pub(super) heading: Heading,
    pub(super) cases: Vec<CaseCard>,
}

#[derive(Debug, Serialize)]
pub(super) struct Heading {
    title: String,
}

#[derive(Debug, Serialize)]
pub(super) struct CaseCard {
    /// Whether it is shown without a fold.
    #[serde(skip)]
    pub(super) open: bool,
    /// What was asked, expected and given.
    lines: Vec<CaseText>,
    sign: &'static str,
    name: String,
    score: String,
    note: String,
    why: String,
    preview: Option<String>,
    place: String,
    reproduce: String,
}

#[derive(Debug, Serialize)]
struct CaseText {
    label: &'static str,
    text: String,
    /// Whether it has several lines.
    block: bool,
    /// Whether it is a sentence of our own.
    sentence: bool,
}

/// So many failing cases are shown without a fold.
const OPEN_CASES: usize = 3;
/// How much of what a case was asked, or answered, is shown.
const SHOWN: usize = 600;
/// How many lines of it.
const SHOWN_LINES: usize = 12;

/// What a reviewer needs to see of a case that fails.
fn case_texts(case: &CaseResult) -> Vec<CaseText> {
    let shown = |(label, text): (&'static str, String)| {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        // Of what a program says while it fails, the end says why.
        let kept = if label == "stderr" { lines.len().saturating_sub(SHOWN_LINES).. } else { 0.. };
        let text: Vec<&str> = lines.get(kept).unwrap_or_default().iter().take(SHOWN_LINES).copied().collect();
        let text = truncate_middle(&text.join("\n"), SHOWN);
        CaseText { label, block: text.contains('\n'), sentence: matches!(label, "because" | "score"), text }
    };
    let texts = case.view().explain().into_iter().filter(|(_, text)| !text.trim().is_empty());
    texts.map(shown).collect()
}

/// The cases that flipped, regressions first; without a baseline, those that fail.
pub(super) fn cases(results: &Results) -> Vec<CasesView> {
    let changes = Changes::of(results);
    let mut worse = Vec::new();
    let mut errors = Vec::new();
    let mut better = Vec::new();
    for suite in &results.suites {
        for case in &suite.cases {
            let change = changes.get(&suite.id, &case.id);
            let view = |sign: &'static str| case_view(results, suite, case, change, sign);
            match (case.status, changes.standing(suite, case), change.map(|one| one.change)) {
                (Status::Error, _, _) => errors.push((0.0, view("⚠️"))),
                (Status::Failed, Standing::New, _) => worse.push((case.score.unwrap_or(0.0), view("❌"))),
                (Status::Passed, _, Some(Change::Improved)) if flipped(change) => better.push((0.0, view("✅"))),
                (Status::Passed | Status::Failed | Status::Unmeasured | Status::Skipped, _, _) => {}
            }
        }
    }
    worse.sort_by(|a, b| a.0.total_cmp(&b.0));
    let title = if results.comparison.is_none() { "failing" } else { "newly failing" };
    let mut room = OPEN_CASES;
    let mut views = Vec::new();
    let edited = edited_keys(results, &changes);
    if !edited.is_empty() {
        let edits = results.gate.reasons.iter().filter(|one| one.fails && EDITS.contains(&one.rule)).count();
        let first = if edits > edited.len() { format!(", the first {}", edited.len()) } else { String::new() };
        let heading = Heading { title: format!("{} with an edited key{first}", counted(edits, "case")) };
        views.push(CasesView { section: CommentSection::EditedKeys, heading, cases: edited });
    }
    for (open, further, title, cases) in [
        (CommentSection::NewlyFailing, CommentSection::FurtherFailing, title, worse),
        (CommentSection::Unanswered, CommentSection::FurtherUnanswered, "without an answer", errors),
    ] {
        let mut cases: Vec<CaseCard> = cases.into_iter().map(|(_, view)| view).collect();
        let count = cases.len();
        let rest = cases.split_off(room.min(count));
        room -= cases.len();
        cases.iter_mut().for_each(|case| case.open = true);
        let more = if cases.is_empty() { "" } else { "more " };
        let heading = |count: usize, more: &str| {
            let cases = if count == 1 { "case" } else { "cases" };
            Heading { title: format!("{count} {more}{cases} {title}") }
        };
        if !cases.is_empty() {
            views.push(CasesView { section: open, heading: heading(count, ""), cases });
        }
        if !rest.is_empty() {
            views.push(CasesView { section: further, heading: heading(rest.len(), more), cases: rest });
        }
    }
    if !better.is_empty() {
        let heading = Heading { title: format!("{} now passing", counted(better.len(), "case")) };
        let cases = better.into_iter().map(|(_, view)| view).collect();
        views.push(CasesView { section: CommentSection::NowPassing, heading, cases });
    }
    views
}

/// The rules about keys that a change edits.
const EDITS: [Rule; 2] = [Rule::PassesOnlyByNewKey, Rule::KeyEdited];

/// The first cases whose edited keys fail the gate: both keys, and the answer that is judged by them.
fn edited_keys(results: &Results, changes: &Changes<'_>) -> Vec<CaseCard> {
    const MOST: usize = 3;
    let mut cards = Vec::new();
    for reason in results.gate.reasons.iter().filter(|one| one.fails && EDITS.contains(&one.rule)).take(MOST) {
        let suite = results.suites.iter().find(|suite| Some(&suite.id) == reason.suite.as_ref());
        let case = suite.and_then(|suite| suite.cases.iter().find(|case| Some(&case.id) == reason.case.as_ref()));
        let Some((suite, case)) = suite.zip(case) else { continue };
        let mut card = case_view(results, suite, case, changes.get(&suite.id, &case.id), "🔑");
        let mut preview = case.key_edit.as_ref().and_then(|edit| edit.diff.clone()).unwrap_or_default();
        if let Some(answer) = case.detail.as_ref().and_then(|detail| detail.report().answer()) {
            preview.push_str(&format!("\nanswer: {}\n", truncate_middle(&answer, LINE)));
        }
        card.preview = Some(truncate_middle(&preview, PREVIEW)).filter(|text| !text.trim().is_empty());
        card.lines = vec![CaseText { label: "because", text: short(&reason.message), block: false, sentence: true }];
        card.open = true;
        cards.push(card);
    }
    cards
}

/// Whether a case changed sides.
fn flipped(change: Option<&CaseChange>) -> bool {
    change.is_some_and(|one| one.was == Some(Status::Failed) && one.now == Some(Status::Passed))
}

fn case_view(
    results: &Results,
    suite: &SuiteResult,
    case: &CaseResult,
    change: Option<&CaseChange>,
    sign: &'static str,
) -> CaseCard {
    let score = match (change.and_then(|one| one.score_was), case.score) {
        (Some(was), Some(now)) => format!("{} → {}", format_score(was), format_score(now)),
        (_, Some(now)) => format_score(now),
        (_, None) => String::new(),
    };
    let mut notes = Vec::new();
    if case.flaky {
        notes.push("flaky".to_owned());
    }
    if suite.policy.quarantine.contains_key(&case.id) {
        notes.push("in quarantine".to_owned());
    }
    match change.map(|one| one.change) {
        Some(Change::Added) => notes.push("new".to_owned()),
        Some(Change::Changed) => notes.push("changed".to_owned()),
        Some(Change::Regressed | Change::Lost | Change::Removed | Change::Improved | Change::Unchanged) | None => {}
    }
    CaseCard {
        open: false,
        lines: if sign == "✅" { Vec::new() } else { case_texts(case) },
        sign,
        name: format!("{}/{}", suite.id, case.id),
        score,
        note: notes.join(", "),
        why: truncate_middle(&why(case), LINE).replace('\n', " "),
        preview: case
            .view()
            .preview(change)
            .filter(|text| !text.trim().is_empty())
            .map(|text| truncate_middle(&text, PREVIEW)),
        place: format!("{}{}:{}", results.run.prefix, case.location.file, case.location.line),
        reproduce: truncate_middle(&case.reproduce, LINE),
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ListView {
    title: String,
    pub(super) entries: Vec<ListEntry>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ListEntry {
    name: String,
    note: String,
}

/// What is listed in folds: what is new, gone, changed, missing, flaky, known.
pub(super) fn lists(results: &Results) -> Vec<(ListOf, Vec<ListView>)> {
    const PIECE: usize = 50;
    let changes = Changes::of(results);
    let mut lists: BTreeMap<ListOf, Vec<ListEntry>> = BTreeMap::new();
    for suite in results.comparison.iter().flat_map(|all| &all.suites) {
        for one in &suite.cases {
            let list = match one.change {
                Change::Removed => ListOf::Removed,
                Change::Lost => ListOf::Lost,
                Change::Changed => ListOf::Changed,
                Change::Added => ListOf::Added,
                Change::Improved if !flipped(Some(one)) => ListOf::ScoringMore,
                Change::Regressed if one.now == Some(Status::Passed) => ListOf::ScoringLess,
                Change::Regressed | Change::Improved | Change::Unchanged => continue,
            };
            let note = match (one.score_was, one.score_now) {
                (Some(was), Some(now)) if one.change != Change::Changed => {
                    format!("{} → {}", format_score(was), format_score(now))
                }
                _ => one.now.or(one.was).map(|status| status.word().to_owned()).unwrap_or_default(),
            };
            let name = format!("{}/{}", suite.id, one.id);
            lists.entry(list).or_default().push(ListEntry { name, note });
        }
    }
    for suite in &results.suites {
        for case in &suite.cases {
            let name = format!("{}/{}", suite.id, case.id);
            if changes.standing(suite, case) == Standing::Known {
                let since = changes.get(&suite.id, &case.id).and_then(|one| one.since.as_ref());
                let note = since.map(|since| format!("since {}", since.short())).unwrap_or_default();
                lists.entry(ListOf::KnownFailures).or_default().push(ListEntry { name: name.clone(), note });
            }
            if case.flaky {
                let passed = case.attempts.iter().filter(|attempt| attempt.status == Status::Passed).count();
                let note = format!("{passed} of {} attempts pass", case.attempts.len());
                lists.entry(ListOf::Flaky).or_default().push(ListEntry { name: name.clone(), note });
            }
            if let Some(quarantine) = suite.policy.quarantine.get(&case.id) {
                let note = format!("until {}, {}", quarantine.until, quarantine.owner);
                lists.entry(ListOf::Quarantined).or_default().push(ListEntry { name, note });
            }
        }
        if let Some(Listed { noun, title, entries, .. }) = suite.detail.as_ref().and_then(|one| one.report().listed()) {
            for name in entries {
                let entry = ListEntry { name: name.clone(), note: format!("of {}", suite.id) };
                lists.entry(ListOf::OfSuite { noun, title }).or_default().push(entry);
            }
        }
    }
    let pieces = |list: ListOf, entries: &[ListEntry]| -> Vec<ListView> {
        let (noun, title) = list.title();
        let piece = |(index, piece): (usize, &[ListEntry])| ListView {
            title: match index {
                0 => format!("{} {title}", counted(entries.len(), noun)),
                _ => format!("… more {title}"),
            },
            entries: piece.to_vec(),
        };
        entries.chunks(PIECE).enumerate().map(piece).collect()
    };
    lists.iter().map(|(list, entries)| (*list, pieces(*list, entries))).collect()
}

#[derive(Debug, Serialize)]
pub(super) struct FooterView {
    lines: Vec<String>,
}

/// Both commits, the age of the baseline, which suites were not asked again, what it cost, and where to read on.
/// `head` is the commit that was pushed, where the run may be of one that the host made of it.
pub(super) fn footer(results: &Results, head: Option<&Sha>) -> FooterView {
    let run = &results.run;
    let short = |commit: &Option<Sha>| commit.as_ref().map(|commit| markdown::code(commit.short()));
    let mut lines = Vec::new();
    let dirty = if run.dirty { " with uncommitted changes" } else { "" };
    let commit = run.commit.as_ref().map(|commit| head.unwrap_or(commit).clone());
    lines.extend(short(&commit).map(|commit| format!("run of {commit}{dirty}")));
    if let Some(comparison) = &results.comparison {
        let commit = short(&comparison.baseline.commit).map(|commit| format!(" of {commit}")).unwrap_or_default();
        let age = age(&comparison.baseline.time, &run.started_at);
        lines.push(format!("compared with {}{commit}{age}", markdown::code(&comparison.baseline.source)));
    }
    let named = |filter: &dyn Fn(&SuiteResult) -> bool, word: &str| {
        let suites: Vec<String> = results
            .suites
            .iter()
            .filter(|suite| filter(suite))
            .map(|suite| markdown::code(suite.id.as_str()))
            .collect();
        (!suites.is_empty()).then(|| format!("{word}: {}", suites.join(", ")))
    };
    lines.extend(named(&|suite| suite.replayed, "replayed"));
    lines.extend(named(&|suite| !suite.affected, "not affected"));
    let not_gated: Vec<String> = results
        .gate
        .reasons
        .iter()
        .filter(|reason| reason.rule == Rule::NotGated)
        .filter_map(|reason| reason.suite.as_ref().map(|suite| markdown::code(suite.as_str())))
        .collect();
    if !not_gated.is_empty() {
        lines.push(format!("not gated: {}", not_gated.join(", ")));
    }
    // What a recorded answer cost was spent when it was recorded.
    let asked = results.suites.iter().filter(|suite| !suite.replayed);
    let usages = asked.flat_map(|suite| &suite.cases).flat_map(|case| &case.attempts);
    if let Some(usage) = usages.map(|attempt| attempt.usage).fold(None, Usage::sum) {
        let cost = usage.cost.map(|cost| format!(", {} spent", Nature::Cost.format(cost))).unwrap_or_default();
        lines.push(format!("{} tokens{cost}", usage.input_tokens + usage.output_tokens));
    }
    lines.push(Nature::Latency.format(run.duration_ms));
    lines.extend(run.url.as_ref().filter(|url| is_address(url)).map(|url| format!("[the run and its report]({url})")));
    lines.push(format!("evalratchet {}", markdown::text(&results.tool.version)));
    FooterView { lines }
}
