//! How a run grows with the runners: the same cases as 1, 2, 4 and 8 shards, each a process of its own with two jobs,
//! then merged. The target waits as one does that asks a model, so that processors are not what is short.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures the real thing and prints what it found"
)]

use std::process::{Command, Stdio};
use std::time::Instant;

const CASES: usize = 240;
const WAIT: &str = "0.25";

fn main() {
    let world = tempfile::TempDir::new().unwrap();
    let case = |n: usize| {
        format!(
            r#"{{"id":"c{n}","prompt":"p{n}","expected_command":"ls","category":"c","risk_level":"safe","posix_compliant":true}}"#
        )
    };
    let cases: Vec<String> = (0..CASES).map(case).collect();
    let dataset = format!(r#"{{"name":"n","version":"1","description":"d","test_cases":[{}]}}"#, cases.join(","));
    std::fs::write(world.path().join("cases.json"), dataset).unwrap();
    let target = format!("target={{command=['/bin/sh','-c','sleep {WAIT}; echo ls','{{prompt}}']}}");
    let config = format!(
        "[[suite]]\nid='s'\nkind='command'\ncases=['cases.json']\n{target}\n[suite.gate]\naccuracy={{min=1.0}}\n"
    );
    std::fs::write(world.path().join("evalratchet.toml"), config).unwrap();
    let evalratchet = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evalratchet"));
        command.args(arguments).current_dir(world.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut alone = 0.0;
    for shards in [1, 2, 4, 8] {
        let began = Instant::now();
        let parts: Vec<String> = (1..=shards).map(|part| format!("part-{part}-of-{shards}")).collect();
        let mut running = Vec::new();
        for (index, out) in parts.iter().enumerate() {
            let shard = format!("{}/{shards}", index + 1);
            running.push(evalratchet(&["run", "--jobs", "2", "--shard", &shard, "--out", out]).spawn().unwrap());
        }
        for mut child in running {
            assert!(child.wait().unwrap().success());
        }
        let mut merge = vec!["merge", "--out", "whole"];
        merge.extend(parts.iter().map(String::as_str));
        assert!(evalratchet(&merge).status().unwrap().success());
        let seconds = began.elapsed().as_secs_f64();
        if shards == 1 {
            alone = seconds;
        }
        #[expect(clippy::cast_precision_loss, reason = "a few hundred cases")]
        let per_minute = CASES as f64 / seconds * 60.0;
        println!(
            "{shards} shards: {CASES} cases of {WAIT} s in {seconds:.2} s, {per_minute:.0} per minute, {:.2} × one",
            alone / seconds
        );
    }
}
