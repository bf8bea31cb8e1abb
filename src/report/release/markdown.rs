//! `release.md`, and the short summary for the body of a release.

use minijinja::{Environment, Error};
use serde::Serialize;

use super::allowed::{self, BlessingLine};
use super::release_report::ReleaseReport;
use super::view_models::{self, EndView, ReleaseCases, ReleaseMetricRow};
use crate::model::Sha;
use crate::report::markdown;
use crate::report::size_budget::{Block, fitted};
use crate::report::templates::{is_address, of_markdown, value_of};
use crate::text::counted;

/// How much the Markdown may hold: the body of a release holds 125,000 characters.
pub const RELEASE_BUDGET: usize = 100_000;
/// How much of such a body the summary may take.
pub const RELEASE_SUMMARY_BUDGET: usize = 20_000;

const TEMPLATES: [(&str, &str); 10] = [
    ("head", include_str!("head.md.j2")),
    ("suites", include_str!("suites.md.j2")),
    ("metrics", include_str!("metrics.md.j2")),
    ("cases", include_str!("cases.md.j2")),
    ("weakened", include_str!("weakened.md.j2")),
    ("blessings", include_str!("blessings.md.j2")),
    ("quarantines", include_str!("quarantines.md.j2")),
    ("slices", include_str!("slices.md.j2")),
    ("trend", include_str!("trend.md.j2")),
    ("footer", include_str!("footer.md.j2")),
];

/// What stays if not everything fits, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReleaseImportance {
    Head,
    Footer,
    Weakened,
    Metrics,
    Suites,
    Blessings,
    Quarantines,
    Worse,
    MoreOfTheFirst,
    WorseByChance,
    Removed,
    Changed,
    Added,
    Better,
    Renamed,
    BetterByChance,
    KnownFailures,
    UnchangedMetrics,
    Trend,
    Slices,
    MoreOfTheRest,
}

impl ReleaseImportance {
    /// That of a piece; what comes later in a long list is worth less.
    fn of_piece(self, index: usize) -> Self {
        match self {
            _ if index == 0 => self,
            Self::Head
            | Self::Footer
            | Self::Weakened
            | Self::Metrics
            | Self::Suites
            | Self::Blessings
            | Self::Quarantines
            | Self::Worse
            | Self::MoreOfTheFirst => Self::MoreOfTheFirst,
            Self::WorseByChance
            | Self::Removed
            | Self::Changed
            | Self::Added
            | Self::Better
            | Self::Renamed
            | Self::BetterByChance
            | Self::KnownFailures
            | Self::UnchangedMetrics
            | Self::Trend
            | Self::Slices
            | Self::MoreOfTheRest => Self::MoreOfTheRest,
        }
    }
}

/// Rows and lists are cut so that each piece can be left out.
const PIECE: usize = 40;

#[derive(Debug, Serialize)]
struct Metrics<'a> {
    title: String,
    folded: bool,
    compared: bool,
    trends: bool,
    rows: &'a [ReleaseMetricRow],
}

#[derive(Debug, Serialize)]
struct Rows<'a, T> {
    title: String,
    rows: &'a [T],
}

#[derive(Debug, Serialize)]
struct Lines<'a, T> {
    title: String,
    lines: &'a [T],
}

#[derive(Debug, Serialize)]
struct Footer {
    ends: Vec<EndView>,
    versions: String,
    tool: String,
}

struct ReleaseBlocks {
    environment: Environment<'static>,
    blocks: Vec<Block<ReleaseImportance>>,
}

impl ReleaseBlocks {
    fn new() -> Result<Self, Error> {
        Ok(Self { environment: of_markdown(&TEMPLATES)?, blocks: Vec::new() })
    }

    fn push(
        &mut self,
        template: &str,
        importance: ReleaseImportance,
        things: usize,
        view: &impl Serialize,
    ) -> Result<(), Error> {
        let text = self.environment.get_template(template)?.render(value_of(view))?;
        self.blocks.push(Block { importance, things, text });
        Ok(())
    }

    /// A list in pieces; the first is worth most.
    fn lines<T: Serialize>(
        &mut self,
        template: &str,
        importance: ReleaseImportance,
        title: &str,
        lines: &[T],
    ) -> Result<(), Error> {
        for (index, lines) in lines.chunks(PIECE).enumerate() {
            let title = if index == 0 { title.to_owned() } else { "… and".to_owned() };
            self.push(template, importance.of_piece(index), lines.len(), &Lines { title, lines })?;
        }
        Ok(())
    }

    fn rows<T: Serialize>(
        &mut self,
        template: &str,
        importance: ReleaseImportance,
        title: &str,
        rows: &[T],
    ) -> Result<(), Error> {
        for (index, rows) in rows.chunks(PIECE).enumerate() {
            let title = if index == 0 { title.to_owned() } else { "… and".to_owned() };
            self.push(template, importance.of_piece(index), rows.len(), &Rows { title, rows })?;
        }
        Ok(())
    }

    /// The metrics that moved, or in a fold those that did not.
    fn metrics(&mut self, report: &ReleaseReport, moved: bool) -> Result<(), Error> {
        let (compared, trends) = (report.from.is_some(), report.versions.len() > 1);
        let rows: Vec<ReleaseMetricRow> =
            view_models::metrics(report).into_iter().filter(|row| row.moved == moved).collect();
        let (importance, title) = if moved {
            (ReleaseImportance::Metrics, "Metrics".to_owned())
        } else {
            (ReleaseImportance::UnchangedMetrics, format!("{} as before", counted(rows.len(), "metric")))
        };
        for (index, rows) in rows.chunks(PIECE).enumerate() {
            let view = Metrics { title: title.clone(), folded: !moved, compared, trends, rows };
            self.push("metrics", importance.of_piece(index), rows.len(), &view)?;
        }
        Ok(())
    }

    fn footer(&mut self, report: &ReleaseReport) -> Result<(), Error> {
        let versions = format!("{} of the baseline", counted(report.versions.len(), "version"));
        let footer = Footer { ends: view_models::ends(report), versions, tool: report.tool.version.clone() };
        self.push("footer", ReleaseImportance::Footer, 0, &footer)
    }
}

/// The whole report; if it does not fit, the least important blocks are left out.
pub fn markdown(report: &ReleaseReport, budget: usize) -> Result<String, Error> {
    let mut blocks = ReleaseBlocks::new()?;
    blocks.push("head", ReleaseImportance::Head, 1, &view_models::head(report))?;
    let weakened = allowed::weakened(report);
    blocks.lines(
        "weakened",
        ReleaseImportance::Weakened,
        &format!("{} weakened", counted(weakened.len(), "gate")),
        &weakened,
    )?;
    blocks.metrics(report, true)?;
    blocks.rows("suites", ReleaseImportance::Suites, "Suites", &view_models::suites(report))?;
    let (worse, others): (Vec<ReleaseCases>, Vec<ReleaseCases>) =
        view_models::cases(report).into_iter().partition(|list| !list.folded);
    for list in worse {
        cases(&mut blocks, list)?;
    }
    blessings(&mut blocks, report)?;
    let quarantines = allowed::quarantines(report);
    let title = format!("{} in quarantine", counted(quarantines.len(), "case"));
    blocks.lines("quarantines", ReleaseImportance::Quarantines, &title, &quarantines)?;
    for list in others {
        cases(&mut blocks, list)?;
    }
    blocks.metrics(report, false)?;
    if report.versions.len() > 2 {
        let title = format!("Trend over {} of the baseline", counted(report.versions.len(), "version"));
        blocks.rows("trend", ReleaseImportance::Trend, &title, &view_models::metrics(report))?;
    }
    let slices = view_models::slices(report);
    let title = format!("{} of slices moved", counted(slices.len(), "metric"));
    blocks.rows("slices", ReleaseImportance::Slices, &title, &slices)?;
    blocks.footer(report)?;
    Ok(fitted(&blocks.blocks, budget))
}

/// What was allowed to be worse, and why.
fn blessings(blocks: &mut ReleaseBlocks, report: &ReleaseReport) -> Result<(), Error> {
    let title = counted(report.blessings.len(), "blessing");
    for (index, lines) in pieces(allowed::blessings(report)).iter().enumerate() {
        let title = if index == 0 { title.clone() } else { "… and".to_owned() };
        let things = lines.iter().map(|line| line.items.len()).sum();
        blocks.push("blessings", ReleaseImportance::Blessings.of_piece(index), things, &Lines { title, lines })?;
    }
    Ok(())
}

/// Reasons with about as many things in each piece as any list has.
fn pieces(lines: Vec<BlessingLine>) -> Vec<Vec<BlessingLine>> {
    let mut pieces: Vec<Vec<BlessingLine>> = Vec::new();
    let mut room = 0;
    for line in lines {
        for items in line.items.chunks(PIECE) {
            let part = BlessingLine { items: items.to_vec(), ..line.clone() };
            match pieces.last_mut().filter(|_| items.len() <= room) {
                Some(piece) => piece.push(part),
                None => {
                    pieces.push(vec![part]);
                    room = PIECE;
                }
            }
            room -= items.len();
        }
    }
    pieces
}

fn cases(blocks: &mut ReleaseBlocks, list: ReleaseCases) -> Result<(), Error> {
    let ReleaseCases { importance, title, folded, entries } = list;
    for (index, entries) in entries.chunks(PIECE).enumerate() {
        let title = if index == 0 { title.clone() } else { format!("… more of {title}") };
        let part = ReleaseCases { importance, title, folded, entries: entries.to_vec() };
        blocks.push("cases", importance.of_piece(index), part.entries.len(), &part)?;
    }
    Ok(())
}

/// Where the host shows what a summary speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseLinks {
    /// Such as `https://github.com/o/r`.
    pub repository: String,
    /// The name of the page among the files of the release.
    pub page: String,
}

impl ReleaseLinks {
    /// The page, and every commit and pull request between the two.
    fn line(&self, report: &ReleaseReport) -> String {
        let Self { repository, page } = self;
        let link =
            |text: String, address: String| if is_address(&address) { format!("[{text}]({address})") } else { text };
        let commit = |commit: &Sha| link(markdown::code(commit.short()), format!("{repository}/commit/{commit}"));
        let tag = &report.to.name;
        let mut parts = vec![link("the page".to_owned(), format!("{repository}/releases/download/{tag}/{page}"))];
        if let Some(from) = &report.from {
            let range = format!("{repository}/compare/{}...{}", from.commit, report.to.commit);
            parts.push(link("commits and pull requests since then".to_owned(), range));
        }
        parts.extend(report.to.measured.commit.as_ref().map(|at| format!("measured at {}", commit(at))));
        format!("<sub>{}</sub>\n", parts.join(" · "))
    }
}

/// The short Markdown for the body of a release: the verdict-like line with its counts, metrics, the cases that are worse and
/// why that was allowed, weakened gates, and where it all comes from.
pub fn summary(report: &ReleaseReport, links: Option<&ReleaseLinks>) -> Result<String, Error> {
    let mut blocks = ReleaseBlocks::new()?;
    blocks.push("head", ReleaseImportance::Head, 1, &view_models::head(report))?;
    blocks.metrics(report, true)?;
    for list in view_models::cases(report).into_iter().filter(|list| !list.folded) {
        cases(&mut blocks, list)?;
    }
    blessings(&mut blocks, report)?;
    blocks.metrics(report, false)?;
    let weakened = allowed::weakened(report);
    blocks.lines(
        "weakened",
        ReleaseImportance::Weakened,
        &format!("{} weakened", counted(weakened.len(), "gate")),
        &weakened,
    )?;
    if let Some(links) = links {
        let text = links.line(report);
        blocks.blocks.push(Block { importance: ReleaseImportance::Footer, things: 0, text });
    }
    blocks.footer(report)?;
    Ok(fitted(&blocks.blocks, RELEASE_SUMMARY_BUDGET))
}
