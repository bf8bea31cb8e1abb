//! Pairs of commands compared per second on one core. The pairs are those of the rules and of the shipped datasets.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures the real thing and prints what it found"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use evalratchet::internals::{EquivalenceRule, Tables, compare};
use serde_json::Value;

fn main() {
    let mut commands: Vec<String> = Vec::new();
    for name in ["file_operations", "network_commands", "text_processing"] {
        let path = format!("{}/datasets/correctness/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let dataset: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let cases = dataset["test_cases"].as_array().unwrap();
        commands.extend(cases.iter().map(|case| case["expected_command"].as_str().unwrap().to_owned()));
    }
    let mut pairs: Vec<(String, String)> =
        EquivalenceRule::ALL.iter().map(|rule| rule.example()).map(|(a, b)| (a.into(), b.into())).collect();
    // Each command with itself written differently, and with its neighbour.
    pairs.extend(commands.iter().map(|command| (command.clone(), format!("{command} "))));
    pairs.extend(commands.windows(2).map(|two| (two[0].clone(), two[1].clone())));

    let tables = Tables::shipped();
    for (a, b) in &pairs {
        black_box(compare(a, b, &tables));
    }
    let began = Instant::now();
    let mut compared = 0_u32;
    while began.elapsed() < Duration::from_secs(3) {
        for (a, b) in &pairs {
            black_box(compare(a, b, &tables));
            compared += 1;
        }
    }
    let rate = f64::from(compared) / began.elapsed().as_secs_f64();
    println!("{} different pairs: {rate:.0} pairs per second on one core", pairs.len());
}
