//! The built-in engine: code units and memories, ranked by BM25 over weighted fields.
//!
//! It is written here rather than taken from a search library: an in-memory index over a few fields is small, while
//! `tantivy` would add more than a hundred crates and a minute to every fresh build, and the common small BM25 crates have
//! no fields.

mod bm25;
mod memory;
mod target;
mod tokens;
mod units;

use std::collections::HashSet;

pub use bm25::{Bm25, Field, Weights};
pub use memory::{Memory, parse_memories};
pub use target::IndexSettings;
pub use units::{CodeUnit, UnitKind, cut};

use crate::model::Lane;

/// How much what a file is about counts beside the unit itself. Commits and specs speak of a place before they speak of a function.
const FILE_SHARE: f32 = 0.35;
/// Code that only tests is rarely what is asked for.
const TEST_FACTOR: f32 = 0.55;

/// The fields of a code unit.
const CODE_FIELDS: Weights<4> = Weights {
    fields: [
        Field { weight: 4.5, length: 0.3 },
        Field { weight: 1.6, length: 0.3 },
        Field { weight: 1.8, length: 0.6 },
        Field { weight: 1.0, length: 0.75 },
    ],
};
/// The fields of a file: its path, and everything in it.
const FILE_FIELDS: Weights<2> =
    Weights { fields: [Field { weight: 2.5, length: 0.3 }, Field { weight: 1.0, length: 0.75 }] };
/// The fields of a memory: id, tags, text.
const MEMORY_FIELDS: Weights<3> = Weights {
    fields: [
        Field { weight: 1.2, length: 0.3 },
        Field { weight: 1.5, length: 0.3 },
        Field { weight: 1.0, length: 0.75 },
    ],
};

/// Everything that can be found, by lane.
#[derive(Debug, Default)]
pub struct Index {
    code: CodeIndex,
    memory: MemoryIndex,
}

#[derive(Debug, Default)]
struct CodeIndex {
    ids: Vec<String>,
    known: HashSet<String>,
    /// The file of each unit.
    files: Vec<usize>,
    factors: Vec<f32>,
    units: Bm25,
    whole_files: Bm25,
}

#[derive(Debug, Default)]
struct MemoryIndex {
    ids: Vec<String>,
    known: HashSet<String>,
    texts: Bm25,
}

impl Index {
    /// Indexes source files (path and text) and memories.
    pub fn build<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>, memories: &[Memory]) -> Self {
        let units: Vec<Vec<CodeUnit>> = sources.into_iter().map(|(path, text)| cut(path, text)).collect();
        Self::of_units(units, memories)
    }

    /// Indexes units, a list for each file, and memories.
    pub fn of_units(files: Vec<Vec<CodeUnit>>, memories: &[Memory]) -> Self {
        let mut code = CodeIndex::default();
        let mut unit_builder = bm25::Builder::new(CODE_FIELDS);
        let mut file_builder = bm25::Builder::new(FILE_FIELDS);
        for (file, units) in files.into_iter().enumerate() {
            let path = units.first().map(|unit| unit.path.clone()).unwrap_or_default();
            let mut whole = String::new();
            for unit in units {
                unit_builder.add([&unit.symbol, &unit.path, &unit.doc, &unit.body]);
                whole.push_str(&unit.symbol);
                whole.push('\n');
                whole.push_str(&unit.doc);
                whole.push('\n');
                whole.push_str(&unit.body);
                whole.push('\n');
                code.factors.push(unit.kind.factor() * if unit.is_test { TEST_FACTOR } else { 1.0 });
                code.files.push(file);
                code.known.insert(unit.id.clone());
                code.ids.push(unit.id);
            }
            file_builder.add([&path, &whole]);
        }
        code.units = unit_builder.finish();
        code.whole_files = file_builder.finish();

        let mut memory = MemoryIndex::default();
        let mut builder = bm25::Builder::new(MEMORY_FIELDS);
        for Memory { id, text, tags } in memories {
            builder.add([id, &tags.join(" "), text]);
            memory.known.insert(id.clone());
            memory.ids.push(id.clone());
        }
        memory.texts = builder.finish();
        Self { code, memory }
    }

    /// The best `k` ids with their scores; ties go by id.
    pub fn search(&self, lane: Lane, query: &str, k: usize) -> Vec<(String, f32)> {
        match lane {
            Lane::Code => {
                let mut scores = self.code.units.scores(query);
                let files = self.code.whole_files.scores(query);
                for (index, score) in scores.iter_mut().enumerate() {
                    let file = files.get(self.code.files[index]).copied().unwrap_or(0.0);
                    if *score > 0.0 {
                        *score = (*score + FILE_SHARE * file) * self.code.factors[index];
                    }
                }
                best(&self.code.ids, &scores, k)
            }
            Lane::Memory => best(&self.memory.ids, &self.memory.texts.scores(query), k),
        }
    }

    /// Whether an id can be found at all. A file can if one of its units can, a pattern if anything matches it.
    pub fn holds(&self, lane: Lane, id: &str) -> bool {
        let (known, ids) = match lane {
            Lane::Code => (&self.code.known, &self.code.ids),
            Lane::Memory => (&self.memory.known, &self.memory.ids),
        };
        if known.contains(id) {
            return true;
        }
        let is_pattern = id.contains(['*', '?', '[']);
        let is_file = lane == Lane::Code && !id.contains("::");
        if !is_pattern && !is_file {
            return false;
        }
        let unit = format!("{id}::");
        let glob = globset::GlobBuilder::new(id).literal_separator(false).backslash_escape(false).build().ok();
        let glob = glob.filter(|_| is_pattern).map(|glob| glob.compile_matcher());
        ids.iter()
            .any(|one| (is_file && one.starts_with(&unit)) || glob.as_ref().is_some_and(|glob| glob.is_match(one)))
    }

    /// Everything that can be found, in the order of the files.
    pub fn ids(&self) -> Vec<(Lane, String)> {
        let code = self.code.ids.iter().map(|id| (Lane::Code, id.clone()));
        code.chain(self.memory.ids.iter().map(|id| (Lane::Memory, id.clone()))).collect()
    }

    /// How many there are in a lane.
    pub fn len(&self, lane: Lane) -> usize {
        match lane {
            Lane::Code => self.code.ids.len(),
            Lane::Memory => self.memory.ids.len(),
        }
    }
}

fn best(ids: &[String], scores: &[f32], k: usize) -> Vec<(String, f32)> {
    let mut found: Vec<usize> = (0..ids.len()).filter(|index| scores[*index] > 0.0).collect();
    let order = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then_with(|| ids[*a].cmp(&ids[*b]));
    if found.len() > k && k > 0 {
        found.select_nth_unstable_by(k - 1, order);
        found.truncate(k);
    }
    found.sort_by(order);
    found.truncate(k);
    found.into_iter().map(|index| (ids[index].clone(), scores[index])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let gate = "/// Decides whether the merge is refused.\npub fn judge(results: &Results) -> Gate { floor(results) }\n\nfn floor() {}\n";
        let shard = "impl Shard { fn parse_index(text: &str) -> u32 { 0 } }\n";
        let memories = [
            Memory {
                id: "memory:kill".into(),
                text: "Children are killed by process group.".into(),
                tags: vec!["process".into()],
            },
            Memory { id: "memory:exit".into(), text: "Exit code 4 wins over 3.".into(), tags: vec![] },
        ];
        Index::build([("src/gate.rs", gate), ("src/shard.rs", shard)], &memories)
    }

    #[test]
    fn a_question_in_other_words_finds_the_unit_by_its_documentation() {
        let found = index().search(Lane::Code, "refuse merging when quality slipped", 3);
        assert_eq!(found[0].0, "code:src/gate.rs::judge");
    }

    #[test]
    fn camel_case_finds_snake_case() {
        assert_eq!(index().search(Lane::Code, "parseIndex", 1)[0].0, "code:src/shard.rs::Shard::parse_index");
    }

    #[test]
    fn lanes_do_not_mix_and_each_knows_the_ids_it_holds() {
        let index = index();
        assert_eq!(index.search(Lane::Memory, "kill child processes", 5)[0].0, "memory:kill");
        assert!(index.holds(Lane::Memory, "memory:exit") && !index.holds(Lane::Code, "memory:exit"));
        assert_eq!((index.len(Lane::Code), index.len(Lane::Memory)), (3, 2));
    }
}
