//! TREC judgements and runs, and the measures of trec_eval over them.

use std::collections::{BTreeMap, HashMap};

pub use crate::targets::trec_run::{BadLine, Run, Ties, parse_run, ranked};

use super::metrics::{average_precision, ndcg, precision, recall, reciprocal_rank};

/// The cutoffs that trec_eval reports.
pub const CUTOFFS: [usize; 9] = [5, 10, 15, 20, 30, 100, 200, 500, 1000];

/// Topic → document → grade.
pub type Judgements<'a> = HashMap<&'a str, HashMap<&'a str, i32>>;

/// Name → value.
pub type Measures = BTreeMap<String, f64>;

/// Reads `topic iteration document grade`.
pub fn parse_judgements(text: &str) -> Result<Judgements<'_>, BadLine> {
    let mut topics: Judgements<'_> = HashMap::new();
    let (mut topic, mut current): (&str, HashMap<&str, i32>) = ("", HashMap::new());
    for (index, line) in text.lines().enumerate() {
        let bad = |why| BadLine { line: index + 1, why };
        let mut fields = line.split_ascii_whitespace();
        let Some(name) = fields.next() else { continue };
        let (Some(_), Some(document), Some(grade)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(bad("expected `topic iteration document grade`"));
        };
        let grade = grade.parse().map_err(|_| bad("the grade is not a whole number"))?;
        if name != topic {
            keep(&mut topics, topic, std::mem::take(&mut current));
            topic = name;
        }
        current.insert(document, grade);
    }
    keep(&mut topics, topic, current);
    Ok(topics)
}

/// A topic's lines mostly stand together, so it is looked up once for all of them.
fn keep<'a>(topics: &mut Judgements<'a>, topic: &'a str, grades: HashMap<&'a str, i32>) {
    if topic.is_empty() {
        return;
    }
    match topics.entry(topic) {
        std::collections::hash_map::Entry::Vacant(entry) => {
            entry.insert(grades);
        }
        std::collections::hash_map::Entry::Occupied(mut entry) => entry.get_mut().extend(grades),
    }
}

/// How many measures there are: three over the whole ranking, and three at each cutoff.
const COUNT: usize = 3 + 3 * CUTOFFS.len();

/// The names of the measures, in the order in which they are computed.
fn names() -> Vec<String> {
    let whole = ["map", "recip_rank", "ndcg"].map(str::to_owned);
    let cut = CUTOFFS.iter().flat_map(|k| [format!("P_{k}"), format!("recall_{k}"), format!("ndcg_cut_{k}")]);
    whole.into_iter().chain(cut).collect()
}

/// The measures of one topic.
fn measure(retrieved: &[(&str, f32)], grades: &HashMap<&str, i32>, ties: Ties) -> [f64; COUNT] {
    let ranking = ranked(retrieved, ties);
    let gains: Vec<f64> =
        ranking.iter().map(|document| f64::from(grades.get(document).copied().unwrap_or(0).max(0))).collect();
    let mut ideal: Vec<f64> = grades.values().filter(|grade| **grade > 0).map(|grade| f64::from(*grade)).collect();
    ideal.sort_unstable_by(|a, b| b.total_cmp(a));
    let relevant: Vec<bool> = gains.iter().map(|gain| *gain > 0.0).collect();
    let mut values = [0.0; COUNT];
    values[0] = average_precision(&relevant, ideal.len());
    values[1] = reciprocal_rank(&relevant);
    values[2] = ndcg(&gains, &ideal, usize::MAX);
    for (at, k) in CUTOFFS.into_iter().enumerate() {
        values[3 + 3 * at] = precision(&relevant, k);
        values[4 + 3 * at] = recall(&relevant, k, ideal.len());
        values[5 + 3 * at] = ndcg(&gains, &ideal, k);
    }
    values
}

/// The means over all topics, and each topic's measures. Topics without judgements do not count, as in trec_eval.
/// The work is shared by `threads`.
pub fn evaluate<'a>(
    judgements: &Judgements<'a>,
    run: &Run<'a>,
    ties: Ties,
    threads: usize,
) -> (Measures, BTreeMap<&'a str, Measures>) {
    let judged: Vec<_> =
        run.iter().filter_map(|(topic, retrieved)| Some((*topic, retrieved, judgements.get(topic)?))).collect();
    let part = judged.len().div_ceil(threads.max(1)).max(1);
    let values: Vec<[f64; COUNT]> = std::thread::scope(|scope| {
        let parts: Vec<_> = judged
            .chunks(part)
            .map(|part| {
                scope.spawn(|| part.iter().map(|(_, found, grades)| measure(found, grades, ties)).collect::<Vec<_>>())
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    });
    let names = names();
    let named = |values: &[f64; COUNT]| names.iter().cloned().zip(values.iter().copied()).collect::<Measures>();
    #[expect(clippy::cast_precision_loss, reason = "counts of topics are far below 2^52")]
    let count = values.len().max(1) as f64;
    let mut means = [0.0; COUNT];
    for topic in &values {
        for (mean, value) in means.iter_mut().zip(topic) {
            *mean += value / count;
        }
    }
    (named(&means), judged.iter().zip(&values).map(|((topic, ..), values)| (*topic, named(values))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand: ranking d1 (grade 2), d2 (0), d3 (1); judged relevant: d1, d3, d4.
    #[test]
    fn a_small_topic_agrees_with_pencil_and_paper() {
        let judgements = parse_judgements("q 0 d1 2\nq 0 d2 0\nq 0 d3 1\nq 0 d4 1\n").unwrap();
        let run = parse_run("q Q0 d3 1 1.0 t\nq Q0 d1 9 3.0 t\nq Q0 d2 2 2.0 t\n").unwrap();
        let (all, _) = evaluate(&judgements, &run, Ties::Trec, 2);
        let near = |name: &str, expected: f64| assert!((all[name] - expected).abs() < 1e-9, "{name} {}", all[name]);
        near("recip_rank", 1.0);
        near("map", (1.0 + 2.0 / 3.0) / 3.0);
        near("P_5", 0.4);
        near("recall_5", 2.0 / 3.0);
        let dcg = 2.0 + 1.0 / 2.0;
        let best = 2.0 + 1.0 / 3_f64.log2() + 1.0 / 2.0;
        near("ndcg", dcg / best);
        near("ndcg_cut_5", dcg / best);
    }

    #[test]
    fn ties_go_by_id_in_the_direction_asked_for_and_repeats_count_once() {
        let retrieved = [("a", 1.0), ("b", 1.0), ("a", 1.0), ("c", 2.0)];
        assert_eq!(ranked(&retrieved, Ties::Trec), ["c", "b", "a"]);
        assert_eq!(ranked(&retrieved, Ties::Id), ["c", "a", "b"]);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        assert_eq!(parse_judgements("q 0 d 1\n\nq 0 d\n").unwrap_err().line, 3);
        assert_eq!(parse_run("q Q0 d 1 x t\n").unwrap_err().why, "the score is not a number");
    }
}
