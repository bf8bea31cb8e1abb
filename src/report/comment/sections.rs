//! The sections of a comment, each made of blocks from a template.

use minijinja::{Environment, Error};

use super::tables;
use super::view_models::{self, View};
use crate::report::size_budget::Block;
use crate::report::templates;
use crate::results::Results;

/// What the sections are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    /// A comment: what a reviewer needs.
    Comment,
    /// A page of its own: the trend of every metric as well.
    Summary,
}

/// The sections in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Verdict,
    GateChanges,
    Reasons,
    SliceDrops,
    Metrics,
    UnchangedMetrics,
    Lanes,
    NewlyFailing,
    Unanswered,
    NowPassing,
    List(ListOf),
    WorthKnowing,
    Trend,
    Footer,
}

/// What is listed in folds, in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ListOf {
    Lost,
    Removed,
    Changed,
    Added,
    ScoringLess,
    Flaky,
    Quarantined,
    NotInIndex,
    KnownFailures,
    ScoringMore,
}

/// What stays if not everything fits, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    Verdict,
    GateChanges,
    Reasons,
    SliceDrops,
    Footer,
    NewlyFailing,
    Unanswered,
    MoreReasons,
    Metrics,
    MoreMetrics,
    Lanes,
    WorthKnowing,
    MoreFailing,
    MoreUnanswered,
    MoreWorthKnowing,
    RemovedOrLost,
    Changed,
    Added,
    ScoringLess,
    Flaky,
    Quarantined,
    NotInIndex,
    KnownFailures,
    UnchangedMetrics,
    NowPassing,
    ScoringMore,
    Trend,
    MoreOfLists,
    MoreNowPassing,
}

impl Section {
    /// The importance of its first block, and of all that follow.
    const fn importance(self) -> [Importance; 2] {
        match self {
            Self::Verdict => [Importance::Verdict; 2],
            Self::GateChanges => [Importance::GateChanges, Importance::MoreReasons],
            Self::Reasons => [Importance::Reasons, Importance::MoreReasons],
            Self::SliceDrops => [Importance::SliceDrops, Importance::MoreReasons],
            Self::Metrics => [Importance::Metrics, Importance::MoreMetrics],
            Self::UnchangedMetrics => [Importance::UnchangedMetrics; 2],
            Self::Lanes => [Importance::Lanes; 2],
            Self::NewlyFailing => [Importance::NewlyFailing, Importance::MoreFailing],
            Self::Unanswered => [Importance::Unanswered, Importance::MoreUnanswered],
            Self::NowPassing => [Importance::NowPassing, Importance::MoreNowPassing],
            Self::List(list) => [list.importance(), Importance::MoreOfLists],
            Self::WorthKnowing => [Importance::WorthKnowing, Importance::MoreWorthKnowing],
            Self::Trend => [Importance::Trend; 2],
            Self::Footer => [Importance::Footer; 2],
        }
    }
}

impl ListOf {
    const fn importance(self) -> Importance {
        match self {
            Self::Lost | Self::Removed => Importance::RemovedOrLost,
            Self::Changed => Importance::Changed,
            Self::Added => Importance::Added,
            Self::ScoringLess => Importance::ScoringLess,
            Self::Flaky => Importance::Flaky,
            Self::Quarantined => Importance::Quarantined,
            Self::NotInIndex => Importance::NotInIndex,
            Self::KnownFailures => Importance::KnownFailures,
            Self::ScoringMore => Importance::ScoringMore,
        }
    }

    /// What it lists, and what they have in common.
    pub(super) const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Lost => ("case", "not measured any more"),
            Self::Removed => ("case", "removed"),
            Self::Changed => ("case", "changed"),
            Self::Added => ("case", "new"),
            Self::ScoringLess => ("case", "scoring less, but passing"),
            Self::Flaky => ("case", "flaky"),
            Self::Quarantined => ("case", "in quarantine"),
            Self::NotInIndex => ("id", "expected but not in the index"),
            Self::KnownFailures => ("case", "failing as in the baseline"),
            Self::ScoringMore => ("case", "scoring more"),
        }
    }
}

const TEMPLATES: [(&str, &str); 9] = [
    ("verdict", include_str!("verdict.md.j2")),
    ("reasons", include_str!("reasons.md.j2")),
    ("metrics", include_str!("metrics.md.j2")),
    ("lanes", include_str!("lanes.md.j2")),
    ("heading", include_str!("heading.md.j2")),
    ("case", include_str!("case.md.j2")),
    ("list", include_str!("list.md.j2")),
    ("trend", include_str!("trend.md.j2")),
    ("footer", include_str!("footer.md.j2")),
];

/// The first cases of a section are worth more than everything that comes later.
const FIRST_CASES: usize = 10;

struct Blocks {
    environment: Environment<'static>,
    blocks: Vec<(Section, Block<Importance>)>,
}

impl Blocks {
    fn push(&mut self, section: Section, template: &str, things: usize, view: &dyn View) -> Result<(), Error> {
        self.push_later(section, false, template, things, view)
    }

    /// A block that may follow others of its section.
    fn push_later(
        &mut self,
        section: Section,
        follows: bool,
        template: &str,
        things: usize,
        view: &dyn View,
    ) -> Result<(), Error> {
        let text = self.environment.get_template(template)?.render(view.value())?;
        let importance = section.importance()[usize::from(follows)];
        self.blocks.push((section, Block { importance, things, text }));
        Ok(())
    }
}

/// Every block, in the order of the document.
pub(super) fn all(results: &Results, document: Document) -> Result<Vec<Block<Importance>>, Error> {
    let mut blocks = Blocks { environment: templates::of_markdown(&TEMPLATES)?, blocks: Vec::new() };
    blocks.push(Section::Verdict, "verdict", 1, &view_models::verdict(results))?;
    for (section, pieces) in view_models::reasons(results) {
        for (index, piece) in pieces.iter().enumerate() {
            blocks.push_later(section, index > 0, "reasons", piece.lines.len(), piece)?;
        }
    }
    for (index, table) in tables::metrics(results).iter().enumerate() {
        let section = if table.folded { Section::UnchangedMetrics } else { Section::Metrics };
        blocks.push_later(section, index > 0, "metrics", table.rows.len(), table)?;
    }
    if let Some(lanes) = tables::lanes(results) {
        blocks.push(Section::Lanes, "lanes", lanes.rows.len(), &lanes)?;
    }
    for part in view_models::cases(results) {
        blocks.push(part.section, "heading", 0, &part.heading)?;
        for (index, case) in part.cases.iter().enumerate() {
            blocks.push_later(part.section, index >= FIRST_CASES, "case", 1, case)?;
        }
    }
    for (list, pieces) in view_models::lists(results) {
        for (index, piece) in pieces.iter().enumerate() {
            blocks.push_later(Section::List(list), index > 0, "list", piece.entries.len(), piece)?;
        }
    }
    if document == Document::Summary
        && let Some(trend) = tables::trend(results)
    {
        blocks.push(Section::Trend, "trend", trend.rows.len(), &trend)?;
    }
    blocks.push(Section::Footer, "footer", 0, &view_models::footer(results))?;
    blocks.blocks.sort_by_key(|(section, _)| *section);
    Ok(blocks.blocks.into_iter().map(|(_, block)| block).collect())
}
