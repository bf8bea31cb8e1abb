//! A thousand trivial commands: what evalratchet needs beside `xargs -P` with as many jobs. Prints the ratio.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures the real thing and prints what it found"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CASES: usize = 1000;
const ROUNDS: usize = 5;

fn main() {
    let world = tempfile::TempDir::new().unwrap();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let case = |n: usize| {
        format!(
            r#"{{"id":"c{n}","prompt":"p{n}","expected_command":"p{n}","category":"c","risk_level":"safe","posix_compliant":true}}"#
        )
    };
    let cases: Vec<String> = (0..CASES).map(case).collect();
    let dataset = format!(r#"{{"name":"n","version":"1","description":"d","test_cases":[{}]}}"#, cases.join(","));
    std::fs::write(world.path().join("cases.json"), dataset).unwrap();
    let config = "[[suite]]\nid='s'\nkind='command'\ncases=['cases.json']\ntarget={command=['/bin/echo','{prompt}']}\n[suite.gate]\naccuracy={min=1.0}\n";
    std::fs::write(world.path().join("evalratchet.toml"), config).unwrap();
    let mut lines = String::new();
    for n in 0..CASES {
        writeln!(lines, "p{n}").unwrap();
    }

    let ours = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evalratchet"));
        command.args(["run", "--jobs", &jobs]).current_dir(world.path()).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success());
    };
    let xargs = || {
        let mut command = Command::new("xargs");
        command.args(["-P", &jobs, "-n", "1", "/bin/echo"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    };
    let (mut best_ours, mut best_xargs) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best_xargs = best_xargs.min(timed(&xargs));
        best_ours = best_ours.min(timed(&ours));
    }
    let ratio = best_ours.as_secs_f64() / best_xargs.as_secs_f64();
    println!("{CASES} commands, {jobs} jobs: evalratchet {best_ours:.2?}, xargs {best_xargs:.2?}, ratio {ratio:.2}");
}

fn timed(work: &dyn Fn()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}
