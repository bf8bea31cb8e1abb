//! How long the program takes to say its version, and how large it is.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures the real thing and prints what it found"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;

fn main() {
    let program = env!("CARGO_BIN_EXE_evalratchet");
    let once = || {
        let began = Instant::now();
        assert!(Command::new(program).arg("--version").stdout(Stdio::null()).status().unwrap().success());
        began.elapsed()
    };
    once();
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| once()).collect();
    times.sort();
    let (median, worst) = (times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
    let bytes = std::fs::metadata(program).unwrap().len();
    println!("--version: median {median:.2?}, 95th percentile {worst:.2?} of {ROUNDS}; {bytes} bytes");
}
