//! Blocks that fit a budget.
//!
//! A block is a piece of Markdown that stands by itself. If not all of them fit, the least important are left out whole, so
//! that folds and fences are always balanced.

use crate::text::counted;

/// What is kept free for the line that says what was left out.
const ROOM_FOR_NOTE: usize = 160;

/// A piece of Markdown that stands by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<I> {
    /// The smaller, the more important. What has the smallest of all is never left out.
    pub(super) importance: I,
    /// How many things it tells of.
    pub(super) things: usize,
    pub(super) text: String,
}

/// As many blocks as fit, the most important first, in the order of the document.
pub(super) fn fitted<I: Ord + Copy>(blocks: &[Block<I>], budget: usize) -> String {
    let whole = joined(blocks.iter());
    if whole.len() <= budget {
        return whole;
    }
    let size = |block: &Block<I>| block.text.trim_end().len() + 2;
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|index| (blocks[*index].importance, *index));
    let most = blocks.iter().map(|block| block.importance).min();
    let mut kept = vec![false; blocks.len()];
    let mut left = budget.saturating_sub(ROOM_FOR_NOTE);
    for index in order {
        let block = &blocks[index];
        if Some(block.importance) == most || size(block) <= left {
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
    format!("{}{note}", joined(chosen).trim_end())
}

fn joined<'a, I: 'a>(blocks: impl Iterator<Item = &'a Block<I>>) -> String {
    let texts: Vec<&str> = blocks.map(|block| block.text.trim_end()).collect();
    format!("{}\n", texts.join("\n\n"))
}
