//! The report on the terminal: worst first, ends with one sentence.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table, TableStyle};

use super::case_summary::{Changes, Standing};
use super::comparison::{changed_cases, compared_with};
use super::metric_display::{ChangeDisplay, floor, interval};
use super::{OPEN, SuiteVerdict, causes, remarks, verdict_line};
use crate::model::{Better, Metric, MetricSpec, NO_VALUE, Nature, Outcome, Status, SuiteComparison, format_score};
use crate::results::{CaseResult, Results, SuiteResult, Verdict};
use crate::suites::{CaseRow, CaseTable, TableRows};
use crate::text::{counted, plain};

/// How the terminal is.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Whether colours may be used.
    pub color: bool,
    /// How many columns it has.
    pub width: u16,
}

/// How many failures are shown in full.
const FAILURES: usize = 10;
/// How many of the slowest cases are listed.
const SLOWEST: usize = 10;

/// Everything a person wants to know, as text.
pub fn terminal(results: &Results, style: Style) -> String {
    let mut out = String::new();
    for suite in &results.suites {
        let compared = results.comparison.as_ref();
        let compared = compared.and_then(|all| all.suites.iter().find(|one| one.id == suite.id));
        render_suite(suite, SuiteVerdict::of(results, suite), compared, style, &mut out);
    }
    render_failures(results, style, &mut out);
    render_slowest(results, style, &mut out);
    for (suite, case) in results.suites.iter().flat_map(|suite| suite.cases.iter().map(move |case| (suite, case))) {
        if let Some(place) = case.detail.as_ref().and_then(|detail| detail.report().working_copy()) {
            out.push_str(&format!(
                "kept {}/{} in {}\n",
                plain(suite.id.as_str()),
                plain(case.id.as_str()),
                plain(place)
            ));
        }
    }
    render_causes(results, style, &mut out);
    for (_, remark) in remarks(results) {
        out.push_str(&format!("{} {}\n", paint("·", Ink::Yellow, style), plain(&remark)));
    }
    if let Some(line) = compared_with(results) {
        out.push_str(&format!("{line}\n"));
    }
    let color = match results.gate.verdict {
        Verdict::Passed => Ink::Green,
        Verdict::Failed | Verdict::Broken | Verdict::NothingMeasured | Verdict::NoCommonCase => Ink::Red,
        Verdict::NotJudged | Verdict::Interrupted | Verdict::NoBaseline => Ink::Yellow,
    };
    out.push_str(&format!("{}\n", paint(&plain(&verdict_line(results)), color, style)));
    out
}

/// Why the gate fails: the gravest causes, and under those of a suite the command that allows them.
fn render_causes(results: &Results, style: Style, out: &mut String) {
    let all = causes(results);
    let mut left = OPEN;
    for suite in &all {
        for cause in suite.causes.iter().take(left) {
            let sign = if cause.fails { paint("✗", Ink::Red, style) } else { paint("·", Ink::Yellow, style) };
            let blessed = match cause.blessed.as_slice() {
                [] => String::new(),
                why => format!(" (blessed: {})", why.join("; ")),
            };
            out.push_str(&format!("{sign} {}\n", plain(&format!("{}{blessed}", cause.sentence))));
            for case in &cause.cases {
                out.push_str(&format!("    {}\n", plain(case)));
            }
            if cause.more > 0 && !cause.cases.is_empty() {
                out.push_str(&format!("    and {} more\n", cause.more));
            }
            if let Some(bless) = suite.bless_after(cause) {
                out.push_str(&format!("  to allow this: {}\n", plain(bless)));
            }
        }
        left = left.saturating_sub(suite.causes.len());
    }
    let folded = all.iter().map(|suite| suite.causes.len()).sum::<usize>().saturating_sub(OPEN);
    if folded > 0 {
        out.push_str(&format!("… and {}, all in results.json\n", counted(folded, "more cause")));
    }
}

fn render_suite(
    suite: &SuiteResult,
    verdict: SuiteVerdict<'_>,
    compared: Option<&SuiteComparison>,
    style: Style,
    out: &mut String,
) {
    let mark = match verdict.colour() {
        Status::Passed => paint("✓", Ink::Green, style),
        Status::Failed | Status::Error => paint("✗", Ink::Red, style),
        Status::Unmeasured | Status::Skipped => paint("–", Ink::Yellow, style),
    };
    let chosen = suite.cases.iter().filter(|case| case.status != Status::Skipped).count();
    let cases = match suite.cases.len() {
        all if all == chosen || !suite.affected => counted(all, "case"),
        all => format!("{chosen} of {}", counted(all, "case")),
    };
    out.push_str(&format!("{mark} {} ({}, {cases}) {}\n", plain(suite.id.as_str()), suite.kind, verdict.text()));
    if chosen == 0 && suite.affected {
        out.push('\n');
        return;
    }
    let cases = suite.kind.table(&suite.views());
    if let Some(table) = cases.as_ref().filter(|table| matches!(table.shown, TableRows::AllUpTo(_))) {
        render_cases(table, style, out);
    }
    if let Some(line) = suite.detail.as_ref().and_then(|detail| detail.report().line()) {
        out.push_str(&format!("  {line}\n"));
    }
    let mut table = table(style);
    let is_compared = compared.is_some_and(|one| !one.metrics.is_empty());
    // In a narrow terminal how a metric changed is worth more than how sure it is.
    let intervals = !is_compared || style.width >= 100;
    let mut header = vec!["metric", "value"];
    header.extend(is_compared.then_some(["baseline", "Δ"]).into_iter().flatten());
    header.extend(["floor", "target"]);
    header.extend(intervals.then_some("95 % interval"));
    header.push("n");
    table.set_header(header.into_iter().map(|text| bold(text, style)));
    for spec in suite.kind.metrics() {
        if let Some(metric) = suite.metrics.get(spec.name) {
            let change = compared.and_then(|one| one.metrics.get(spec.name));
            let change = is_compared.then(|| ChangeDisplay::of(spec.nature(), change));
            table.add_row(metric_row(spec, metric, change, intervals));
        }
    }
    let is_of_kind = |name: &str| suite.kind.metrics().iter().any(|spec| spec.name == name);
    for (name, metric) in suite.metrics.iter().filter(|(name, _)| !is_of_kind(name)) {
        let change = is_compared.then(|| ChangeDisplay::of(Nature::Quality, None));
        table.add_row(named_row(&plain(name), Nature::Quality, metric, change, intervals));
    }
    align(&mut table, 1);
    out.push_str(&format!("{table}\n"));
    if let Some(compared) = compared {
        out.push_str(&changed_cases(compared));
    }
    if let Some(table) = cases.as_ref().filter(|table| matches!(table.shown, TableRows::Worst(_))) {
        out.push('\n');
        render_cases(table, style, out);
    }
    render_slices(suite, style, out);
    out.push('\n');
}

fn metric_row(spec: &MetricSpec, metric: &Metric, change: Option<ChangeDisplay>, intervals: bool) -> Vec<Cell> {
    named_row(spec.name, spec.nature(), metric, change, intervals)
}

fn named_row(name: &str, nature: Nature, metric: &Metric, change: Option<ChangeDisplay>, intervals: bool) -> Vec<Cell> {
    let color = match (metric.value, metric.min, metric.target) {
        (Some(_), Some(_), _) if metric.misses_limit() => Some(Color::Red),
        (Some(value), _, Some(target)) if !metric.better.meets(value, target) => Some(Color::Yellow),
        (Some(_), Some(_), _) => Some(Color::Green),
        (Some(_), None, _) | (None, _, _) => None,
    };
    let value = Cell::new(nature.format_or_dash(metric.value));
    let mut row = vec![
        Cell::new(name),
        match color {
            Some(color) => value.fg(color),
            None => value,
        },
    ];
    if let Some(ChangeDisplay { before, by, outcome }) = change {
        row.push(Cell::new(before));
        let (mark, color) = outcome_mark(outcome);
        let by = Cell::new(format!("{by} {mark}").trim());
        row.push(color.map_or(by.clone(), |color| by.fg(color)));
    }
    let or_dash = |text: Option<String>| Cell::new(text.unwrap_or_else(|| NO_VALUE.to_owned()));
    row.extend([or_dash(floor(nature, metric)), Cell::new(nature.format_or_dash(metric.target))]);
    if intervals {
        row.push(or_dash(interval(nature, metric.ci95)));
    }
    row.push(Cell::new(metric.n));
    row
}

/// How the terminal marks the change of a metric.
const fn outcome_mark(outcome: Outcome) -> (&'static str, Option<Color>) {
    match outcome {
        Outcome::Improved => ("✓", Some(Color::Green)),
        Outcome::Regressed => ("✗", Some(Color::Red)),
        Outcome::Slipped => ("·", None),
        Outcome::Inconclusive => ("?", Some(Color::Yellow)),
        Outcome::Unchanged | Outcome::NotCompared => ("", None),
    }
}

/// A row for each case.
fn render_cases(cases: &CaseTable, style: Style, out: &mut String) {
    let mut rows: Vec<&CaseRow> = cases.rows.iter().collect();
    let (limit, by_score) = match cases.shown {
        TableRows::AllUpTo(limit) => (limit, rows.len() > limit),
        TableRows::Worst(limit) => (limit, true),
    };
    if by_score {
        rows.sort_by(|a, b| a.score.unwrap_or(-1.0).total_cmp(&b.score.unwrap_or(-1.0)));
    }
    let left_out = rows.len().saturating_sub(limit);
    rows.truncate(limit);
    let mut table = table(style);
    table.set_header(cases.header.iter().map(|text| bold(text, style)));
    for row in rows {
        table.add_row(row.cells.iter().map(|(text, is_bad)| {
            let cell = Cell::new(text);
            if *is_bad { cell.fg(Color::Red) } else { cell }
        }));
    }
    align(&mut table, cases.text_columns);
    out.push_str(&format!("{table}\n"));
    if left_out > 0 && matches!(cases.shown, TableRows::AllUpTo(_)) {
        out.push_str(&format!(" {left_out} more, none worse\n"));
    }
}

/// Slices, each dimension from its worst value on; of a dimension with many values only the worst few.
fn render_slices(suite: &SuiteResult, style: Style, out: &mut String) {
    const MANY: usize = 8;
    const WORST: usize = 3;
    // The first three fit into 80 columns; all of them are in the results.
    let specs: Vec<_> = suite.kind.metrics().iter().filter(|spec| spec.better == Better::Higher).take(3).collect();
    let Some(leading) = specs.first() else { return };
    let mut dimensions: Vec<&str> = Vec::new();
    for slice in suite.cases.iter().flat_map(|case| &case.slices) {
        if !dimensions.contains(&slice.dimension()) {
            dimensions.push(slice.dimension());
        }
    }
    let mut table = table(style);
    let mut header = vec!["slice", "n"];
    header.extend(specs.iter().map(|spec| spec.name));
    table.set_header(header.into_iter().map(|text| bold(text, style)));
    let mut rows = 0;
    for dimension in dimensions {
        let mut values: Vec<_> = suite
            .slices
            .iter()
            .filter(|(name, _)| name.split_once('=').is_some_and(|(of, _)| of == dimension))
            .filter_map(|(name, metrics)| Some((metrics.get(leading.name)?.value?, name, metrics)))
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        let shown = if values.len() > MANY { WORST } else { values.len() };
        let left_out = values.len() - shown;
        for (_, name, metrics) in values.into_iter().take(shown) {
            let mut row = vec![Cell::new(plain(name)), Cell::new(metrics[leading.name].n)];
            for spec in &specs {
                let value = metrics.get(spec.name).and_then(|metric| metric.value);
                row.push(Cell::new(spec.nature().format_or_dash(value)));
            }
            table.add_row(row);
            rows += 1;
        }
        if left_out > 0 {
            table.add_row([Cell::new(format!("{left_out} more of {dimension}, none worse"))]);
        }
    }
    if rows > 0 {
        align(&mut table, 1);
        out.push_str(&format!("\n{table}\n"));
    }
}

fn render_failures(results: &Results, style: Style, out: &mut String) {
    let mut wrong: Vec<(&SuiteResult, &CaseResult)> = Vec::new();
    for suite in &results.suites {
        wrong.extend(
            suite
                .cases
                .iter()
                .filter(|case| matches!(case.status, Status::Failed | Status::Error))
                .map(|case| (suite, case)),
        );
    }
    // What is new comes first, then errors, then the worst.
    let changes = Changes::of(results);
    let mut wrong: Vec<(bool, &SuiteResult, &CaseResult)> = wrong
        .into_iter()
        .map(|(suite, case)| (changes.standing(suite, case) == Standing::Known, suite, case))
        .collect();
    wrong.sort_by(|(a_known, _, a), (b_known, _, b)| {
        let rank = |known: bool, case: &CaseResult| (known, case.status != Status::Error);
        let score = |case: &CaseResult| case.score.unwrap_or(0.0);
        rank(*a_known, a).cmp(&rank(*b_known, b)).then(score(a).total_cmp(&score(b)))
    });
    for (known, suite, case) in wrong.iter().take(FAILURES) {
        let name = format!("{}/{}", plain(suite.id.as_str()), plain(case.id.as_str()));
        let score = case.score.map_or(String::new(), |score| format!("  {}", format_score(score)));
        let status = paint(case.status.word(), Ink::Red, style);
        let known = if *known { "  already fails in the baseline" } else { "" };
        out.push_str(&format!("{status} {name}{score}  {}:{}{known}\n", case.location.file, case.location.line));
        for (label, text) in case.view().explain() {
            field(out, label, &text);
        }
        field(out, "reproduce", &case.reproduce);
        out.push('\n');
    }
    let more = wrong.len().saturating_sub(FAILURES);
    if more > 0 {
        out.push_str(&format!("… and {more} more, all in results.json\n\n"));
    }
}

/// Cases that pass although their answer is not the expected one, each with what differs.
pub fn below_one(results: &Results, style: Style) -> String {
    let mut out = String::new();
    for suite in &results.suites {
        let below = |case: &&CaseResult| case.status == Status::Passed && case.score.is_some_and(|score| score < 1.0);
        for case in suite.cases.iter().filter(below) {
            let name = format!("{}/{}", plain(suite.id.as_str()), plain(case.id.as_str()));
            let score = case.score.map_or(String::new(), format_score);
            let status = paint(case.status.word(), Ink::Yellow, style);
            out.push_str(&format!("{status} {name}  {score}  {}:{}\n", case.location.file, case.location.line));
            for check in case.checks.iter().filter_map(|check| check.details.as_ref()) {
                field(&mut out, "because", check);
            }
            if let Some(diff) = &case.diff {
                field(&mut out, "diff", diff);
            }
            out.push('\n');
        }
    }
    out
}

/// A labelled text, its further lines indented as well.
fn field(out: &mut String, label: &str, text: &str) {
    const LINES: usize = 16;
    let text = plain(text);
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().take(LINES).enumerate() {
        // A further line begins with a bar: a CI runner obeys `::error::` after blanks.
        let (label, bar) = if index == 0 { (label, "") } else { ("", "│ ") };
        out.push_str(&format!("    {label:<10} {bar}{line}\n"));
    }
    if lines.len() > LINES {
        out.push_str(&format!("    {:<10} … {} more lines\n", "", lines.len() - LINES));
    }
}

fn render_slowest(results: &Results, style: Style, out: &mut String) {
    let mut asked: Vec<(&SuiteResult, &CaseResult)> = Vec::new();
    for suite in &results.suites {
        asked.extend(suite.cases.iter().filter(|case| !case.attempts.is_empty()).map(|case| (suite, case)));
    }
    if asked.len() < 2 {
        return;
    }
    asked.sort_by(|(_, a), (_, b)| b.duration_ms.total_cmp(&a.duration_ms));
    out.push_str(&format!("{}\n", paint("slowest", Ink::Cyan, style)));
    for (suite, case) in asked.iter().take(SLOWEST) {
        let name = format!("{}/{}", plain(suite.id.as_str()), plain(case.id.as_str()));
        out.push_str(&format!("  {:>12}  {name}\n", Nature::Latency.format(case.duration_ms)));
    }
    out.push('\n');
}

pub(super) fn table(style: Style) -> Table {
    let mut table = Table::new();
    let lines = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(lines).set_content_arrangement(ContentArrangement::Dynamic).set_width(style.width);
    if style.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

pub(super) fn bold(text: &str, style: Style) -> Cell {
    let cell = Cell::new(text);
    if style.color { cell.add_attribute(Attribute::Bold) } else { cell }
}

pub(super) fn align(table: &mut Table, from: usize) {
    for column in table.column_iter_mut().skip(from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// The colours outside of tables, by their ANSI codes.
#[derive(Debug, Clone, Copy)]
enum Ink {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Cyan = 36,
}

/// Colours a piece of text outside of a table.
fn paint(text: &str, ink: Ink, style: Style) -> String {
    if style.color { format!("\u{1b}[{}m{text}\u{1b}[0m", ink as u8) } else { text.to_owned() }
}
