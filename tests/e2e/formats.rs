//! Files that other releases wrote are read: those of 0.1.0, those with fields of the future, those that lack a field.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::job::together;
use crate::support::{Ran, World};

const FORMATS: [&str; 7] = ["json", "junit", "sarif", "comment", "summary", "html", "annotations"];
const FUTURE: &str = "from_the_future";

/// What 0.1.0 wrote for `repository`: all kinds, a run that passes and one that does not.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/0.1.0")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data().join(name)).unwrap()
}

fn value(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.schema.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The repository that the files are of, with these recordings.
fn repository(recordings: &str) -> World {
    fn copy(world: &World, from: &Path, name: &str) {
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let name = format!("{name}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                copy(world, &entry.path(), &format!("{name}/"));
            } else {
                world.bytes(&name, &std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let world = World::new();
    copy(&world, &data().join("repository"), "");
    world.file("module/recorded.jsonl", recordings);
    world
}

/// The objects of a document that have fixed keys, as JSON pointers. Maps by name and values of users are none.
fn records(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let fits = |one: &&Value| jsonschema::is_valid(one, value);
    let alternatives = ["anyOf", "oneOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    for alternative in alternatives.filter(fits) {
        records(alternative, value, at, found);
    }
    match value {
        Value::Object(map) => {
            if let Some(known) = schema["properties"].as_object() {
                found.push(at.to_owned());
                map.iter().for_each(|(key, value)| records(&known[key], value, &format!("{at}/{key}"), found));
            } else if schema["additionalProperties"].is_object() {
                for (key, value) in map {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    records(&schema["additionalProperties"], value, &format!("{at}/{key}"), found);
                }
            }
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(index, item)| records(&schema["items"], item, &format!("{at}/{index}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The same with an unknown field in every object that has fixed keys.
fn of_the_future(kind: &str, mut value: Value) -> Value {
    let mut places = Vec::new();
    records(&schema(kind), &value, "", &mut places);
    assert!(!places.is_empty());
    for place in places {
        value.pointer_mut(&place).unwrap()[FUTURE] = json!({"x": 1});
    }
    value
}

fn recordings_of_the_future() -> String {
    let line = |line: &str| format!("{}\n", of_the_future("recording", serde_json::from_str(line).unwrap()));
    text("recorded.jsonl").lines().map(line).collect()
}

fn baseline_of_the_future(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { of_the_future("baseline", value.clone()) }
}

fn fetched_of_the_future() -> Value {
    let mut fetched = value("fetched.json");
    fetched[FUTURE] = json!({"x": 1});
    fetched["found"][FUTURE] = json!({"x": 1});
    fetched["baseline"] = baseline_of_the_future(&fetched["baseline"]);
    fetched["at_base"] = baseline_of_the_future(&fetched["at_base"]);
    let versions = fetched["versions"].as_array().unwrap().iter().map(baseline_of_the_future).collect();
    fetched["versions"] = Value::Array(versions);
    fetched
}

/// What the gate says, a line for each reason.
fn reasons(results: &Value) -> Vec<String> {
    let reasons = results["gate"]["reasons"].as_array().unwrap();
    let line = |reason: &Value| format!("{} {}", reason["fails"], reason["message"].as_str().unwrap());
    // 0.1.0 said it in other words.
    reasons.iter().map(|reason| line(reason).replace("recorded anew", "recorded again")).collect()
}

fn compared(world: &World) -> Ran {
    world.evalratchet(&["compare", "before.json", "after.json"])
}

#[test]
fn what_0_1_0_wrote_fits_the_schemas_of_today() {
    let check = |kind: &str, value: &Value| {
        let validator = jsonschema::validator_for(&schema(kind)).unwrap();
        let wrong: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{kind}: {wrong:?}");
    };
    for name in ["results.json", "results-before.json", "results-shard-1.json", "results-shard-2.json"] {
        check("results", &value(name));
    }
    check("baseline", &value("baseline.json"));
    text("recorded.jsonl").lines().for_each(|line| check("recording", &serde_json::from_str(line).unwrap()));
}

#[test]
fn a_written_schema_allows_no_other_field() {
    let mut results = value("results.json");
    results["run"][FUTURE] = json!(1);
    assert!(!jsonschema::is_valid(&schema("results"), &results));
    let mut baseline = value("baseline.json");
    baseline["produced"].as_object_mut().unwrap().remove("time");
    assert!(!jsonschema::is_valid(&schema("baseline"), &baseline));
}

#[test]
fn results_of_0_1_0_are_reported_and_compared() {
    let world = World::new();
    let (before, after) = (value("results-before.json"), value("results.json"));
    let once = |before: &Value, after: &Value| {
        world.file("before.json", &before.to_string());
        world.file("after.json", &after.to_string());
        let mut told: BTreeMap<&str, String> = BTreeMap::new();
        for format in FORMATS {
            let ran = world.evalratchet(&["report", "--from", "after.json", "--format", format]);
            assert_eq!(ran.code, 0, "{format}: {}", ran.stderr);
            told.insert(format, ran.stdout);
        }
        let ran = compared(&world);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stdout.contains("where passed and now fails (1.00 → 0.00)"), "{}", ran.stdout);
        told.insert("compare", ran.stdout);
        told
    };
    let told = once(&before, &after);
    let read: Value = serde_json::from_str(&told["json"]).unwrap();
    assert!(holds(&read, &after), "what 0.1.0 wrote is still there: {read}");
    assert_eq!(once(&of_the_future("results", before), &of_the_future("results", after)), told);
}

/// Whether a value has everything that another has; later releases may add fields.
fn holds(all: &Value, part: &Value) -> bool {
    match (all, part) {
        (Value::Object(all), Value::Object(part)) => {
            part.iter().all(|(key, part)| all.get(key).is_some_and(|all| holds(all, part)))
        }
        (Value::Array(all), Value::Array(part)) => {
            all.len() == part.len() && all.iter().zip(part).all(|(all, part)| holds(all, part))
        }
        (all, part) => all == part,
    }
}

#[test]
fn shards_of_0_1_0_are_merged() {
    let world = repository(&text("recorded.jsonl"));
    let merge = |change: &dyn Fn(Value) -> Value| {
        for index in 1..=2 {
            let part = change(value(&format!("results-shard-{index}.json")));
            world.file(&format!("shard-{index}/results.json"), &part.to_string());
        }
        let ran = world.evalratchet(&["merge", "--baseline", "none", "shard-1", "shard-2"]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stdout.contains("8 of 15 measured cases pass"), "{}", ran.stdout);
        ran.stdout
    };
    assert_eq!(merge(&|part| part), merge(&|part| of_the_future("results", part)));
}

/// The slices of each case of a suite.
fn slices_of(suite: &Value) -> Vec<(&str, &Value)> {
    let cases = suite["cases"].as_array().unwrap().iter();
    cases.map(|case| (case["id"].as_str().unwrap(), &case["slices"])).collect()
}

#[test]
fn results_of_0_1_0_become_a_baseline() {
    let world = repository(&text("recorded.jsonl"));
    world.file("evalratchet-out/results.json", &of_the_future("results", value("results-before.json")).to_string());
    let ran = world.evalratchet(&["baseline", "update"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let written = std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap();
    let before = value("results-before.json");
    let mut expected = value("baseline.json");
    expected["blessings"] = json!([]);
    expected["schema"] = json!("evalratchet.baseline/v2");
    // 0.1.0 could not tell a count of errors from a share.
    let of_share = json!({"module": 1.0});
    for (id, suite) in expected["suites"].as_object_mut().unwrap() {
        suite["policy"]["max-errors-share"] = of_share.get(id).cloned().unwrap_or_else(|| json!(0.0));
        let slices: BTreeMap<&str, &Value> =
            before["suites"].as_array().unwrap().iter().filter(|one| one["id"] == *id).flat_map(slices_of).collect();
        for (id, case) in suite["cases"].as_object_mut().unwrap() {
            if let Some(slices) = slices.get(id.as_str()).filter(|slices| !slices.as_array().unwrap().is_empty()) {
                case["slices"] = (*slices).clone();
            }
        }
    }
    let mut written: Value = serde_json::from_str(&written).unwrap();
    // Only a suite that varies keeps main's runs.
    for (id, suite) in written["suites"].as_object_mut().unwrap() {
        let runs = suite.as_object_mut().unwrap().remove("runs");
        assert_eq!(runs.map(|runs| runs.as_array().unwrap().len()), (id == "module").then_some(1), "{id}");
    }
    assert_eq!(written, expected);
}

#[test]
fn a_baseline_and_recordings_of_0_1_0_judge_as_they_did() {
    let then: Vec<String> = reasons(&value("results.json"));
    let blessed = |line: &String| line.contains("where passed and now fails");
    let judged = |recordings: &str, baseline: &Value| {
        let world = repository(recordings);
        world.file("b.json", &baseline.to_string());
        let ran = world.evalratchet(&["run", "--baseline", "b.json"]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let (results, mut then) = (ran.results.unwrap(), then.clone());
        // It was blessed after that run.
        let is_blessed = |line: &String| blessed(line) && line.starts_with("false");
        assert_eq!(reasons(&results).iter().filter(|line| is_blessed(line)).count(), 1);
        let mut now: Vec<String> = reasons(&results).into_iter().filter(|line| !blessed(line)).collect();
        then.retain(|line| !blessed(line));
        now.sort();
        then.sort();
        assert_eq!(now, then);
    };
    judged(&text("recorded.jsonl"), &value("baseline.json"));
    let mut baseline = value("baseline.json");
    let mut allowed = baseline["blessings"][0].clone();
    allowed.as_object_mut().unwrap().remove("reason");
    baseline["took_in"] = json!([{"reason": "agreed", "allows": [allowed]}]);
    judged(&recordings_of_the_future(), &of_the_future("baseline", baseline));
}

#[test]
fn a_fetched_baseline_of_0_1_0_judges_as_it_did() {
    let world = repository(&text("recorded.jsonl"));
    let then = value("results.json");
    for fetched in [value("fetched.json"), fetched_of_the_future()] {
        world.file(".evalratchet/baseline.json", &fetched["at_base"].to_string());
        world.file("fetched.json", &fetched.to_string());
        let ran = world.evalratchet(&["run", "--baseline", "fetched.json"]);
        let results = ran.results.unwrap();
        assert_eq!(reasons(&results), reasons(&then));
        assert_eq!(results["comparison"]["baseline"], then["comparison"]["baseline"]);
        assert_eq!(results["comparison"]["trend"], then["comparison"]["trend"]);
    }
}

/// Every field of a document without the place in lists and maps, and what is left without it everywhere.
fn without_each(kind: &str, whole: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    records(&schema(kind), whole, "", &mut places);
    let mut fields: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for place in places {
        // A missing `schema` is another matter.
        for key in whole.pointer(&place).unwrap().as_object().unwrap().keys().filter(|key| *key != "schema") {
            // What stands under a number or in a map of the same depth is the same field.
            let named = ["suites", "cases", "metrics", "slices", "goals", "quarantine", "policy"];
            let steps =
                place.split('/').filter(|step| named.contains(step) || !step.contains(|c: char| !c.is_alphabetic()));
            let name = format!("{}.{key}", steps.collect::<Vec<_>>().join("."));
            fields.entry(name).or_insert_with(|| (key.clone(), Vec::new())).1.push(place.clone());
        }
    }
    let without = fields.into_values().map(|(key, places)| {
        let mut rest = whole.clone();
        for place in places {
            rest.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(&key);
        }
        (key, rest)
    });
    without.collect()
}

/// What is read still fails, and what is not read says in one message why.
fn still_fails(ran: &Ran, key: &str) {
    assert!(ran.code == 1 || ran.code == 2, "without `{key}`: exit {}\n{}", ran.code, ran.stdout);
    if ran.code == 2 {
        let named = ran.stderr.contains("field") && ran.stderr.contains(&format!("`{key}`"));
        assert!(named, "without `{key}`: {}", ran.stderr);
    }
}

/// Results without anything but relative rules to fail them.
fn without_floors(mut results: Value) -> Value {
    for suite in results["suites"].as_array_mut().unwrap() {
        for threshold in suite["policy"]["metrics"].as_object_mut().unwrap().values_mut() {
            threshold["min"] = Value::Null;
        }
        suite["policy"]["slices"] = json!({});
    }
    results
}

#[test]
fn a_field_that_is_missing_in_results_never_makes_them_pass() {
    let (before, after) = (value("results-before.json"), value("results.json"));
    // What fails is a floor only, then the comparison only.
    for (before, after) in [(after.clone(), after.clone()), (without_floors(before), without_floors(after))] {
        let fields = without_each("results", &after);
        assert!(fields.len() > 150, "{}", fields.len());
        let halves: Vec<Vec<(String, Value)>> = fields.chunks(fields.len().div_ceil(2)).map(<[_]>::to_vec).collect();
        together(halves, |fields| {
            let world = World::new();
            world.file("before.json", &before.to_string());
            for (key, rest) in fields {
                world.file("after.json", &rest.to_string());
                still_fails(&compared(&world), &key);
            }
        });
    }
}

#[test]
fn a_field_that_is_missing_in_a_baseline_never_makes_a_run_pass() {
    let world = repository(&text("recorded.jsonl"));
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let config: String =
        config.lines().filter(|line| !line.contains("min = 0.5")).map(|line| format!("{line}\n")).collect();
    world.file("evalratchet.toml", &config.replace("min = 0.6", "min = 0.01"));
    let mut baseline = value("baseline.json");
    let policy = baseline["suites"]["shell"]["policy"].as_object_mut().unwrap();
    policy["min mean-score"] = json!(0.01);
    policy.remove("min mean-score risk-level=safe");
    for (key, rest) in without_each("baseline", &baseline) {
        world.file("b.json", &rest.to_string());
        still_fails(&world.evalratchet(&["run", "--suite", "shell", "--baseline", "b.json"]), &key);
    }
}

#[test]
fn a_field_that_is_missing_in_a_fetched_file_never_makes_a_run_pass() {
    let world = repository(&text("recorded.jsonl"));
    let whole = value("fetched.json");
    for key in whole.as_object().unwrap().keys().filter(|key| *key != "schema") {
        let mut rest = whole.clone();
        rest.as_object_mut().unwrap().remove(key);
        world.file("fetched.json", &rest.to_string());
        still_fails(&world.evalratchet(&["run", "--suite", "shell", "--baseline", "fetched.json"]), key);
    }
}

#[test]
fn a_recording_without_a_field_is_read_or_refused_by_name() {
    let lines: Vec<Value> = text("recorded.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for key in lines[0].as_object().unwrap().keys() {
        let mut lines = lines.clone();
        lines[0].as_object_mut().unwrap().remove(key);
        let world = repository(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        let ran =
            world.evalratchet(&["run", "--suite", "module", "--case", "first", "--repeat", "1", "--baseline", "none"]);
        let is_shown_only = ["repeat", "component", "usage"].contains(&key.as_str());
        assert_eq!(ran.code == 2, !is_shown_only, "{key}: {}", ran.stderr);
        assert!(is_shown_only || ran.stderr.contains(&format!("field `{key}` is missing")), "{key}: {}", ran.stderr);
    }
}

#[test]
fn another_major_version_and_a_missing_one_are_errors() {
    let world = repository(&text("recorded.jsonl"));
    for (name, format) in [("results.json", "results"), ("baseline.json", "baseline"), ("fetched.json", "fetched")] {
        for schema in [json!(format!("evalratchet.{format}/v9")), Value::Null] {
            let mut whole = value(name);
            whole["schema"] = schema;
            let file = world.file("x.json", &whole.to_string());
            let ran = if format == "results" {
                world.evalratchet(&["report", "--format", "json", "--from", file.to_str().unwrap()])
            } else {
                world.evalratchet(&["run", "--suite", "shell", "--baseline", "x.json"])
            };
            assert_eq!(ran.code, 2, "{format}: {}", ran.stdout);
            assert!(ran.stderr.contains("schema"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_value_that_is_not_known_is_an_error_that_names_the_release_that_wrote_it() {
    let world = World::new();
    let mut results = value("results.json");
    results["tool"]["version"] = json!("7.3.0");
    for (place, known) in [("/gate/reasons/0/rule", "case-regressed"), ("/suites/0/kind", "scenario")] {
        let mut results = results.clone();
        *results.pointer_mut(place).unwrap() = json!("new-one");
        world.file("x.json", &results.to_string());
        let ran = world.evalratchet(&["report", "--format", "json", "--from", "x.json"]);
        assert_eq!(ran.code, 2);
        for part in ["x.json: does not fit", "`new-one`", known, "it was written by evalratchet 7.3.0, and this is "] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    // How an attempt ended is only shown.
    results["suites"][0]["cases"][0]["attempts"][0]["ending"] = json!("new-one");
    world.file("x.json", &results.to_string());
    assert_eq!(world.evalratchet(&["report", "--format", "junit", "--from", "x.json"]).code, 0);
}
