//! The comment on a pull request and the summary of a job: the verdict first, then what changed, whole blocks at a time.
//!
//! A block is a piece of Markdown that stands by itself. If not all of them fit, the least important are left out whole, so
//! that folds and fences are always balanced; the verdict always stays.

mod blocks;
mod tables;
mod views;

use super::counted;
use crate::model::Results;

/// How much a comment may hold: GitHub allows 65,536 characters.
pub const COMMENT_BUDGET: usize = 65_000;
/// How much a job summary may hold: GitHub allows 1 MiB.
pub const SUMMARY_BUDGET: usize = 1_000_000;
/// What is kept free for the line that says what was left out.
const ROOM_FOR_NOTE: usize = 160;

/// A piece of Markdown that stands by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    /// The smaller, the more important; 0 is always there.
    priority: u32,
    /// How many things it tells of.
    things: usize,
    /// The Markdown.
    text: String,
}

/// What only who publishes knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// What is to be said of where the numbers come from.
    pub origin: Option<String>,
    /// Where the report can be had.
    pub artifact: Option<String>,
}

/// The comment on a pull request.
pub fn comment(results: &Results, frame: &Frame, budget: usize) -> Result<String, minijinja::Error> {
    fitted(blocks::all(results, frame, blocks::Room::Comment)?, budget)
}

/// The summary of a job, which has more room.
pub fn summary(results: &Results, frame: &Frame, budget: usize) -> Result<String, minijinja::Error> {
    fitted(blocks::all(results, frame, blocks::Room::Summary)?, budget)
}

/// As many blocks as fit, the most important first, in the order of the document.
fn fitted(blocks: Vec<Block>, budget: usize) -> Result<String, minijinja::Error> {
    let whole = joined(blocks.iter());
    if whole.len() <= budget {
        return Ok(whole);
    }
    let size = |block: &Block| block.text.trim_end().len() + 2;
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|index| (blocks[*index].priority, *index));
    let mut kept = vec![false; blocks.len()];
    let mut left = budget.saturating_sub(ROOM_FOR_NOTE);
    for index in order {
        let block = &blocks[index];
        if block.priority == 0 || size(block) <= left {
            kept[index] = true;
            left = left.saturating_sub(size(block));
        }
    }
    let omitted: usize = blocks.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(block, _)| block.things).sum();
    let note = format!(
        "\n\n*{} left out here for want of room; the report has all of it.*\n",
        counted(omitted, "entry").replace("entrys", "entries")
    );
    let chosen = blocks.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(block, _)| block);
    Ok(format!("{}{note}", joined(chosen).trim_end()))
}

fn joined<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let texts: Vec<&str> = blocks.map(|block| block.text.trim_end()).collect();
    format!("{}\n", texts.join("\n\n"))
}
