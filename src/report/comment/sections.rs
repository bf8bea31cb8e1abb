//! The sections of a comment, each made of blocks from a template.

use minijinja::{Environment, Error};

use super::tables;
use super::view_models::{self, View};
use crate::model::{Change, Sha};
use crate::report::size_budget::Block;
use crate::report::templates;
use crate::results::Results;

/// What the sections are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentLength {
    /// A comment: what a reviewer needs.
    Comment,
    /// A page of its own: the trend of every metric as well.
    Summary,
}

/// The sections in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommentSection {
    Verdict,
    Slices,
    Metrics,
    /// The first cases that fail, open.
    NewlyFailing,
    /// The first cases without an answer, open.
    Unanswered,
    EditedKeys,
    GateChanges,
    Reasons,
    /// The others, each in a fold.
    FurtherFailing,
    FurtherUnanswered,
    UnchangedMetrics,
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
    /// What a kind lists of a whole suite: what one of them is called, and what they have in common.
    OfSuite {
        noun: &'static str,
        title: &'static str,
    },
    KnownFailures,
    ScoringMore,
}

/// What stays if not everything fits, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommentImportance {
    Verdict,
    GateChanges,
    Reasons,
    Footer,
    Slices,
    NewlyFailing,
    Unanswered,
    Metrics,
    MoreReasons,
    MoreMetrics,
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
    OfSuite,
    KnownFailures,
    UnchangedMetrics,
    NowPassing,
    ScoringMore,
    Trend,
    MoreOfLists,
    MoreNowPassing,
}

impl CommentSection {
    /// The importance of its first block, and of all that follow.
    const fn importance(self) -> [CommentImportance; 2] {
        match self {
            Self::Verdict => [CommentImportance::Verdict; 2],
            Self::GateChanges => [CommentImportance::GateChanges, CommentImportance::MoreReasons],
            Self::Reasons => [CommentImportance::Reasons, CommentImportance::MoreReasons],
            Self::EditedKeys => [CommentImportance::NewlyFailing, CommentImportance::MoreFailing],
            Self::Metrics => [CommentImportance::Metrics, CommentImportance::MoreMetrics],
            Self::UnchangedMetrics => [CommentImportance::UnchangedMetrics; 2],
            Self::Slices => [CommentImportance::Slices; 2],
            Self::NewlyFailing => [CommentImportance::NewlyFailing, CommentImportance::MoreFailing],
            Self::Unanswered => [CommentImportance::Unanswered, CommentImportance::MoreUnanswered],
            Self::FurtherFailing => [CommentImportance::MoreFailing; 2],
            Self::FurtherUnanswered => [CommentImportance::MoreUnanswered; 2],
            Self::NowPassing => [CommentImportance::NowPassing, CommentImportance::MoreNowPassing],
            Self::List(list) => [list.importance(), CommentImportance::MoreOfLists],
            Self::WorthKnowing => [CommentImportance::WorthKnowing, CommentImportance::MoreWorthKnowing],
            Self::Trend => [CommentImportance::Trend; 2],
            Self::Footer => [CommentImportance::Footer; 2],
        }
    }
}

impl ListOf {
    const fn importance(self) -> CommentImportance {
        match self {
            Self::Lost | Self::Removed => CommentImportance::RemovedOrLost,
            Self::Changed => CommentImportance::Changed,
            Self::Added => CommentImportance::Added,
            Self::ScoringLess => CommentImportance::ScoringLess,
            Self::Flaky => CommentImportance::Flaky,
            Self::Quarantined => CommentImportance::Quarantined,
            Self::OfSuite { .. } => CommentImportance::OfSuite,
            Self::KnownFailures => CommentImportance::KnownFailures,
            Self::ScoringMore => CommentImportance::ScoringMore,
        }
    }

    /// What it lists, and what they have in common.
    pub(super) const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Lost => ("case", Change::Lost.word()),
            Self::Removed => ("case", Change::Removed.word()),
            Self::Changed => ("case", Change::Changed.word()),
            Self::Added => ("case", Change::Added.word()),
            Self::ScoringLess => ("case", "scoring less, but passing"),
            Self::Flaky => ("case", "flaky"),
            Self::Quarantined => ("case", "in quarantine"),
            Self::OfSuite { noun, title } => (noun, title),
            Self::KnownFailures => ("case", "already failing in the baseline"),
            Self::ScoringMore => ("case", "scoring more"),
        }
    }
}

const TEMPLATES: [(&str, &str); 11] = [
    ("verdict", include_str!("verdict.md.j2")),
    ("causes", include_str!("causes.md.j2")),
    ("remarks", include_str!("remarks.md.j2")),
    ("metrics", include_str!("metrics.md.j2")),
    ("slices", include_str!("slices.md.j2")),
    ("heading", include_str!("heading.md.j2")),
    ("case", include_str!("case.md.j2")),
    ("open_case", include_str!("open_case.md.j2")),
    ("list", include_str!("list.md.j2")),
    ("trend", include_str!("trend.md.j2")),
    ("footer", include_str!("footer.md.j2")),
];

/// The first cases of a section are worth more than everything that comes later.
const FIRST_CASES: usize = 10;

struct CommentBlocks {
    environment: Environment<'static>,
    blocks: Vec<(CommentSection, Block<CommentImportance>)>,
}

impl CommentBlocks {
    fn push(&mut self, section: CommentSection, template: &str, things: usize, view: &dyn View) -> Result<(), Error> {
        self.push_later(section, false, template, things, view)
    }

    /// A block that may follow others of its section.
    fn push_later(
        &mut self,
        section: CommentSection,
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

/// Every block, in the order of the document; `head` is the commit that was pushed, if that is known.
pub(super) fn all(
    results: &Results,
    document: CommentLength,
    head: Option<&Sha>,
) -> Result<Vec<Block<CommentImportance>>, Error> {
    let mut blocks = CommentBlocks { environment: templates::of_markdown(&TEMPLATES)?, blocks: Vec::new() };
    blocks.push(CommentSection::Verdict, "verdict", 1, &view_models::verdict(results))?;
    for (section, pieces) in view_models::cause_sections(results) {
        for (index, piece) in pieces.iter().enumerate() {
            blocks.push_later(section, index > 0, "causes", piece.len(), piece)?;
        }
    }
    for (index, piece) in view_models::remarks(results).iter().enumerate() {
        blocks.push_later(CommentSection::WorthKnowing, index > 0, "remarks", piece.lines.len(), piece)?;
    }
    for (index, table) in tables::metrics(results).iter().enumerate() {
        let section = if table.folded { CommentSection::UnchangedMetrics } else { CommentSection::Metrics };
        blocks.push_later(section, index > 0, "metrics", table.rows.len(), table)?;
    }
    for table in tables::slices(results) {
        blocks.push(CommentSection::Slices, "slices", table.rows.len(), &table)?;
    }
    for part in view_models::cases(results) {
        blocks.push(part.section, "heading", 0, &part.heading)?;
        for (index, case) in part.cases.iter().enumerate() {
            let template = if case.open { "open_case" } else { "case" };
            blocks.push_later(part.section, index >= FIRST_CASES, template, 1, case)?;
        }
    }
    for (list, pieces) in view_models::lists(results) {
        for (index, piece) in pieces.iter().enumerate() {
            blocks.push_later(CommentSection::List(list), index > 0, "list", piece.entries.len(), piece)?;
        }
    }
    if document == CommentLength::Summary
        && let Some(trend) = tables::trend(results)
    {
        blocks.push(CommentSection::Trend, "trend", trend.rows.len(), &trend)?;
    }
    blocks.push(CommentSection::Footer, "footer", 0, &view_models::footer(results, head))?;
    blocks.blocks.sort_by_key(|(section, _)| *section);
    Ok(blocks.blocks.into_iter().map(|(_, block)| block).collect())
}
