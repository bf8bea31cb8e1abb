//! BM25 over weighted fields, with an inverted index.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts and scores far inside of f32 and u32"
)]

use std::collections::HashMap;

use super::tokens::{is_noise, terms};

/// How fast further occurrences of a term stop counting.
const K1: f32 = 1.2;
/// Words that commits begin with say little about the place.
const NOISE_WEIGHT: f32 = 0.25;

/// How a field counts.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Beside the others.
    pub weight: f32,
    /// How much a long text is held against it, 0…1.
    pub length: f32,
}

/// The fields of a kind of document.
#[derive(Debug, Clone, Copy)]
pub struct Weights<const N: usize> {
    /// In the order in which texts are given.
    pub fields: [Field; N],
}

/// Term → how often in which field, and the lengths of the fields.
type IndexedDocument<const N: usize> = (Vec<(u32, [u32; N])>, [u32; N]);

#[derive(Debug)]
pub(super) struct Builder<const N: usize> {
    weights: Weights<N>,
    vocabulary: HashMap<String, u32>,
    documents: Vec<IndexedDocument<N>>,
}

impl<const N: usize> Builder<N> {
    pub(super) fn new(weights: Weights<N>) -> Self {
        Self { weights, vocabulary: HashMap::new(), documents: Vec::new() }
    }

    pub(super) fn add(&mut self, texts: [&str; N]) {
        let mut counts: HashMap<u32, [u32; N]> = HashMap::new();
        let mut lengths = [0; N];
        for (field, text) in texts.into_iter().enumerate() {
            let vocabulary = &mut self.vocabulary;
            terms(text, &mut |term| {
                let next = vocabulary.len() as u32;
                let id = match vocabulary.get(term) {
                    Some(id) => *id,
                    None => *vocabulary.entry(term.to_owned()).or_insert(next),
                };
                counts.entry(id).or_insert([0; N])[field] += 1;
                lengths[field] += 1;
            });
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(term, _)| *term);
        self.documents.push((counts, lengths));
    }

    pub(super) fn finish(self) -> Bm25 {
        let count = self.documents.len();
        let mut averages = [0.0_f32; N];
        for (_, lengths) in &self.documents {
            for (average, length) in averages.iter_mut().zip(lengths) {
                *average += *length as f32 / count.max(1) as f32;
            }
        }
        let mut postings: Vec<Vec<(u32, f32)>> = vec![Vec::new(); self.vocabulary.len()];
        for (document, (counts, lengths)) in self.documents.into_iter().enumerate() {
            for (term, frequencies) in counts {
                let mut weighted = 0.0;
                for (field, Field { weight, length }) in self.weights.fields.iter().enumerate() {
                    if frequencies[field] > 0 {
                        let relative = lengths[field] as f32 / averages[field].max(f32::MIN_POSITIVE);
                        weighted += weight * frequencies[field] as f32 / (1.0 - length + length * relative);
                    }
                }
                postings[term as usize].push((document as u32, weighted * (K1 + 1.0) / (K1 + weighted)));
            }
        }
        Bm25 { vocabulary: self.vocabulary, postings, count }
    }
}

/// An index that can be asked.
#[derive(Debug, Default)]
pub struct Bm25 {
    vocabulary: HashMap<String, u32>,
    /// For each term: the documents that have it, with its saturated weight there.
    postings: Vec<Vec<(u32, f32)>>,
    count: usize,
}

impl Bm25 {
    /// The score of every document.
    pub fn scores(&self, query: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.count];
        let mut wanted: HashMap<String, u32> = HashMap::new();
        terms(query, &mut |term| *wanted.entry(term.to_owned()).or_default() += 1);
        // In a fixed order, so that sums are the same bytes in every run.
        let mut wanted: Vec<_> = wanted.into_iter().collect();
        wanted.sort_unstable();
        for (term, times) in wanted {
            let Some(postings) = self.vocabulary.get(&term).map(|id| &self.postings[*id as usize]) else { continue };
            let having = postings.len() as f32;
            let rarity = (1.0 + (self.count as f32 - having + 0.5) / (having + 0.5)).ln();
            let weight = rarity * (1.0 + (times as f32).ln()) * if is_noise(&term) { NOISE_WEIGHT } else { 1.0 };
            for (document, value) in postings {
                scores[*document as usize] += weight * value;
            }
        }
        scores
    }
}
