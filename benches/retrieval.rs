//! The built-in engine over 50,000 code units: how long indexing takes, and how long a question.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures the real thing and prints what it found"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use evalratchet::internals::Index;
use evalratchet::internals::Lane;

const FILES: usize = 2_500;
const UNITS_PER_FILE: usize = 20;
const QUESTIONS: u32 = 200;

/// Words of which names and bodies are made.
const WORDS: [&str; 40] = [
    "parse", "token", "index", "cache", "merge", "commit", "branch", "file", "path", "config", "request", "response",
    "header", "stream", "buffer", "worker", "queue", "timeout", "retry", "error", "result", "score", "metric",
    "report", "table", "column", "render", "layout", "widget", "event", "handler", "session", "user", "token",
    "secret", "policy", "gate", "baseline", "shard", "suite",
];

fn main() {
    let mut state = 1_u64;
    let mut word = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[usize::try_from(state >> 33).unwrap_or(0) % WORDS.len()]
    };
    let mut sources: Vec<(String, String)> = Vec::new();
    for file in 0..FILES {
        let mut text = String::new();
        for unit in 0..UNITS_PER_FILE {
            let (a, b) = (word(), word());
            text.push_str(&format!("/// {} the {} of a {}.\npub fn {a}_{b}_{unit}() {{\n", word(), word(), word()));
            for line in 0..12 {
                text.push_str(&format!("    let {}_{line} = {}({}, {file});\n", word(), word(), word()));
            }
            text.push_str("}\n");
        }
        sources.push((format!("src/{}/{}_{file}.rs", word(), word()), text));
    }

    let began = Instant::now();
    let index = Index::build(sources.iter().map(|(path, text)| (path.as_str(), text.as_str())), &[]);
    let indexing = began.elapsed();
    let mut slowest = Duration::ZERO;
    let began = Instant::now();
    for _ in 0..QUESTIONS {
        let question = (0..12).map(|_| word()).collect::<Vec<_>>().join(" ");
        let asked = Instant::now();
        black_box(index.search(Lane::Code, &question, 10));
        slowest = slowest.max(asked.elapsed());
    }
    let mean = began.elapsed() / QUESTIONS;
    println!(
        "{} units: indexed in {indexing:.2?}; a question takes {mean:.2?}, at most {slowest:.2?}",
        index.len(Lane::Code)
    );
}
