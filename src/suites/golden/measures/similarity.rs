//! `text-similarity`: how alike texts are.
//!
//! ROUGE-L and BLEU are a few lines each over words; no maintained crate has them. Their numbers are held against
//! Google's `rouge-score` and `sacrebleu` in the tests.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::equal::normalised;
use super::{Definition, Measure, MeasureError, MeasureInput, Measured, count, part, when_empty};
use crate::suites::golden::Selector;

/// How alike texts are, pair by pair; what has no partner is like nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct TextSimilarity {
    /// The texts of the answer.
    actual: Selector,
    /// The texts of golden.
    golden: Selector,
    /// What is compared.
    by: Likeness,
    /// The share if neither side selects anything (default: 0, and a mistake where golden has nothing).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

/// What is compared.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Likeness {
    /// Characters: one minus the edits by the longer length.
    Levenshtein,
    /// Words, whatever their order: the F1 of those in common.
    TokenF1,
    /// Words in order: the F1 of the longest common subsequence.
    RougeL,
    /// Sequences of one to four words, with a penalty for brevity, smoothed.
    Bleu,
}

impl Definition for TextSimilarity {
    const NAME: &'static str = "text-similarity";
}

impl Measure for TextSimilarity {
    fn decided_by_when_empty(&self) -> Option<&Selector> {
        Some(&self.golden).filter(|_| self.when_empty.is_some_and(|share| share > 0.0))
    }

    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let (actual, golden) = (self.actual.texts(input.document)?, self.golden.texts(input.document)?);
        let all = actual.len().max(golden.len());
        let alike: f64 = actual.iter().zip(&golden).map(|(a, b)| likeness(self.by, a, b)).sum();
        if all == 0 {
            return when_empty(self.when_empty, &self.actual, &self.golden);
        }
        let share = alike / count(all);
        let note =
            (actual.len() != golden.len()).then(|| format!("{} texts where golden has {}", actual.len(), golden.len()));
        Ok(Measured::share(share, note))
    }
}

/// How alike two texts are, 0…1.
pub(super) fn likeness(by: Likeness, actual: &str, golden: &str) -> f64 {
    // Texts without a word are not alike for that: `>=` is not `<`.
    if words(actual).is_empty() && words(golden).is_empty() {
        return f64::from(u8::from(actual.trim() == golden.trim()));
    }
    let (mut ours, mut theirs) = (words(actual), words(golden));
    // Symbols are no words, but texts that differ only in them are not the same.
    if sorted(&ours) == sorted(&theirs) {
        let tokens = |text: &str| normalised(text).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        (ours, theirs) = (tokens(actual), tokens(golden));
    }
    match by {
        Likeness::Levenshtein => strsim::normalized_levenshtein(actual, golden),
        Likeness::TokenF1 => token_f1(&ours, &theirs),
        Likeness::RougeL => rouge_l(&ours, &theirs),
        Likeness::Bleu => bleu(&ours, &theirs),
    }
}

fn sorted(words: &[String]) -> Vec<&String> {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort();
    words
}

/// Words in small letters: letters and digits belong together, everything else divides.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn f1(common: usize, ours: usize, theirs: usize) -> f64 {
    if ours == 0 && theirs == 0 { 1.0 } else { part(2 * common, ours + theirs, 0.0) }
}

fn token_f1(actual: &[String], golden: &[String]) -> f64 {
    let (ours, theirs) = (grams(actual, 1), grams(golden, 1));
    f1(common(&ours, &theirs), actual.len(), golden.len())
}

fn rouge_l(actual: &[String], golden: &[String]) -> f64 {
    let mut row = vec![0_usize; golden.len() + 1];
    for ours in actual {
        let mut diagonal = 0;
        for (index, theirs) in golden.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if ours == theirs { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    f1(row.last().copied().unwrap_or(0), actual.len(), golden.len())
}

/// Sentence BLEU with exponential smoothing and effective order, as sacrebleu's `sentence_bleu` has it.
fn bleu(actual: &[String], golden: &[String]) -> f64 {
    if actual.is_empty() || golden.is_empty() {
        return if actual.len() == golden.len() { 1.0 } else { 0.0 };
    }
    let (mut logarithms, mut orders, mut smoothing) = (0.0, 0.0, 1.0);
    for order in 1..=4_usize.min(actual.len()) {
        let (ours, theirs) = (grams(actual, order), grams(golden, order));
        let total = actual.len() + 1 - order;
        let common = common(&ours, &theirs);
        if order == 1 && common == 0 {
            return 0.0;
        }
        let precision = if common == 0 {
            smoothing *= 2.0;
            1.0 / (smoothing * count(total))
        } else {
            part(common, total, 0.0)
        };
        logarithms += precision.ln();
        orders += 1.0;
    }
    let brevity =
        if actual.len() < golden.len() { (1.0 - count(golden.len()) / count(actual.len())).exp() } else { 1.0 };
    (brevity * (logarithms / orders).exp()).clamp(0.0, 1.0)
}

fn grams(words: &[String], order: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    for gram in words.windows(order) {
        *counts.entry(gram).or_default() += 1;
    }
    counts
}

fn common(ours: &HashMap<&[String], usize>, theirs: &HashMap<&[String], usize>) -> usize {
    ours.iter().map(|(gram, times)| times.min(theirs.get(gram).unwrap_or(&0))).sum()
}
