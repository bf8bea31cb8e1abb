//! Shards, run as processes of their own, and joined.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Ran, World, case};

fn world() -> World {
    let cases: Vec<Value> =
        (0..23).map(|n| case(&format!("c{n}"), &format!("p{n}"), if n % 5 == 0 { "pwd" } else { "ls" })).collect();
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &cases);
    world.commit("first");
    world
}

fn shards(world: &World, total: usize) -> Vec<String> {
    let mut running = Vec::new();
    for index in 1..=total {
        let (shard, out) = (format!("{index}/{total}"), format!("shard-{index}"));
        let mut command = world.command(&["run", "--shard", &shard, "--out", &out]);
        running.push(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    (1..=total).map(|index| format!("shard-{index}")).collect()
}

fn merge(world: &World, parts: &[String]) -> Ran {
    let mut arguments = vec!["merge"];
    arguments.extend(parts.iter().map(String::as_str));
    world.evalratchet(&arguments)
}

/// Without what times and runs differ in.
fn timeless(mut value: Value) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["duration_ms", "started_at", "duration", "id_of_run"] {
                    map.remove(key);
                }
                map.retain(|key, _| !key.starts_with("latency-"));
                map.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    value["run"]["id"] = Value::Null;
    strip(&mut value);
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn four_shards_as_four_processes_give_what_one_run_gives() {
    let world = world();
    let whole = world.run();
    let parts = shards(&world, 4);
    let merged = merge(&world, &parts);
    assert_eq!(merged.code, whole.code, "{}", merged.stderr);
    assert_eq!(timeless(merged.results.clone().unwrap()), timeless(whole.results.unwrap()));
    let backwards: Vec<String> = parts.into_iter().rev().collect();
    assert_eq!(timeless(merge(&world, &backwards).results.unwrap()), timeless(merged.results.unwrap()));
}

#[test]
fn missing_repeated_mixed_and_foreign_shards_are_refused_by_name() {
    let world = world();
    let parts = shards(&world, 3);
    let refused = |parts: &[String]| {
        let ran = merge(&world, parts);
        assert_eq!(ran.code, 2);
        ran.stderr
    };
    assert!(refused(&parts[..2]).contains("1 shard missing: 3/3"));
    let twice = [parts.clone(), vec![parts[0].clone()]].concat();
    assert!(refused(&twice).contains("shard 1 is there 2 times: shard-1, shard-1"));
    world.run();
    assert!(refused(&["evalratchet-out".to_owned()]).contains("is a whole run, not a shard"));

    let change = |part: &str, from: &str, to: &str| {
        let path: PathBuf = world.path().join(part).join("results.json");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    };
    change("shard-2", "\"attempt\": 1", "\"attempt\": 2");
    assert!(refused(&parts).contains("shard-2: is of another attempt than shard-1"));
    change("shard-2", "\"attempt\": 2", "\"attempt\": 1");
    world.evalratchet(&["run", "--shard", "2/3", "--repeat", "2", "--out", "shard-2"]);
    assert!(refused(&parts).contains("shard-2: has another configuration than shard-1"));
    world.evalratchet(&["run", "--shard", "1/4000000000", "--out", "huge"]);
    assert!(refused(&["huge".to_owned()]).contains("3999999999 shards missing: 2/4000000000"));
    world.config("target = { command = [\"echo\", \"ls\"] }\njobs = 1");
    world.evalratchet(&["run", "--shard", "2/3", "--out", "shard-2"]);
    assert!(refused(&parts).contains("shard-2: has another configuration than shard-1"));
    world.config("target = { command = [\"echo\", \"ls\"] }");
    world.dataset(&[case("c1", "p", "ls"), case("c2", "p", "ls")]);
    world.evalratchet(&["run", "--shard", "2/3", "--out", "shard-2"]);
    assert!(refused(&parts).contains("shard-2: has other cases"));
}

#[test]
fn the_merged_run_is_judged_against_the_baseline() {
    let world = world();
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.config("target = { command = [\"echo\", \"pwd\"] }");
    let parts = shards(&world, 2);
    let merged = merge(&world, &parts);
    assert_eq!(merged.code, 1, "{}", merged.stdout);
    assert!(merged.stdout.contains("passed and now fails"), "{}", merged.stdout);
    // A filter is the same in every shard, and the whole is as partial as its parts.
    for index in 1..=2 {
        let shard = format!("{index}/2");
        world.evalratchet(&["run", "--filter", "c1", "--shard", &shard, "--out", &format!("shard-{index}")]);
    }
    let filtered = merge(&world, &parts);
    assert!(filtered.stdout.contains("partial run"), "{}", filtered.stdout);
}
