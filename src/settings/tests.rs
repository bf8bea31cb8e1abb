//! The pure steps, on texts that no disk has.

use std::path::Path;

use serde_json::Value;

use super::*;
use crate::input::schema_of;
use crate::suites::Kind;
use crate::targets::{QuestionForm, TargetRules};

/// The settings that a text makes, and what is wrong with it.
fn validated(text: &str) -> (Settings, String) {
    let (config, mut errors) = Config::parse(Path::new("evalratchet.toml"), text.to_owned()).unwrap();
    let (settings, more) = Settings::validate(&config, &Overrides::default());
    errors.extend(more);
    let errors = errors.into_result().err().map(|errors| errors.to_string()).unwrap_or_default();
    (settings, errors)
}

fn suite(kind: Kind, more: &str) -> String {
    let target = match kind.rules().target {
        TargetRules::Required(QuestionForm::Query) => "target = { index = { code = [\"src/**\"] } }",
        TargetRules::Required(QuestionForm::Input) => "target = { openai = { model = \"m\" } }",
        TargetRules::Required(_) => "target = { command = [\"./run.sh\"] }",
        TargetRules::Optional(_) => "target = { agent = [\"./run.sh\"] }",
        TargetRules::Refused(_) => "",
    };
    format!("[[suite]]\nid = \"{kind}\"\nkind = \"{kind}\"\ncases = [\"gone/*.json\"]\n{target}\n{more}\n")
}

#[test]
fn a_configuration_is_validated_without_its_files() {
    let golden = suite(Kind::Golden, "pass-at = 0.7");
    let (settings, errors) = validated(&format!("{}{golden}", suite(Kind::Retrieval, "k = 3\npass-at = \"all\"")));
    assert_eq!(errors, "");
    assert!(settings.suites[0].policy.all_ids);
    assert_eq!(settings.suites[1].policy.pass_at, Some(0.7));
    assert!(settings.suites.iter().all(|suite| suite.files.found().is_empty()));
}

#[test]
fn a_key_of_another_kind_is_refused_with_the_kinds_that_have_it() {
    let (_, errors) = validated(&suite(Kind::Command, "k = 3\npass-at = 0.7\nprograms = [\"x.toml\"]"));
    assert!(errors.contains("only a retrieval suite has `k`"), "{errors}");
    assert!(errors.contains("only a golden or a retrieval suite has `pass-at`"), "{errors}");
    assert!(errors.ends_with("2 mistakes"), "{errors}");
}

#[test]
fn a_suite_that_cannot_be_read_does_not_hide_the_mistakes_of_the_next() {
    let broken = suite(Kind::Command, "tmeout = \"3s\"").replace("id = \"command\"", "id = \"broken\"");
    let (settings, errors) = validated(&format!("{broken}{}", suite(Kind::Command, "timeout = \"soon\"")));
    assert!(errors.contains("did you mean `timeout`?"), "{errors}");
    assert!(errors.contains("evalratchet.toml:12:11: `soon` is not a duration"), "{errors}");
    assert_eq!(settings.suites.len(), 1);
}

#[test]
fn the_keys_of_a_section_that_can_be_read_count_although_others_cannot() {
    let text = "[baseline]\npath = \"b.json\"\nbranch = \"x\"\nref = 3\n";
    let expected = BaselineLocation { path: "b.json".into(), ..BaselineLocation::default() };
    assert_eq!(baseline_section(text), Some(expected));
    assert_eq!(baseline_section("[baseline"), None);
}

#[test]
fn kinds_that_share_a_key_accept_the_same_values() {
    let schema = schema_of::<ConfigFile>();
    let properties = &schema["properties"]["suite"]["items"]["properties"];
    let mut generator =
        schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).into_generator();
    let without_description = |value: &Value| {
        let mut value = value.clone();
        value.as_object_mut().unwrap().remove("description");
        value
    };
    for kind in Kind::ALL {
        let own = kind.own_schema(&mut generator).to_value();
        for (key, value) in own["properties"].as_object().into_iter().flatten() {
            assert_eq!(without_description(value), without_description(&properties[key]), "{kind}: {key}");
        }
    }
}

#[test]
fn a_ceiling_is_max_and_a_floor_is_min() {
    let more = "[suite.gate]\nlatency-p95-ms = { max = 2000, target = 1000 }\ncost-per-answer = { max = 0.01 }\n\
                accuracy = { min = 0.8 }";
    let (settings, errors) = validated(&suite(Kind::Command, more));
    assert_eq!(errors, "");
    let limit = |name: &str| settings.suites[0].policy.metrics[name].min;
    assert_eq!((limit("latency-p95-ms"), limit("accuracy")), (Some(2000.0), Some(0.8)));
    for (wrong, expected, help) in [
        ("latency-p95-ms = { min = 2000 }", "lower is better for latency-p95-ms, so `min` is no limit", "`max = 2000`"),
        ("tokens-per-answer = { min = 5 }", "lower is better for tokens-per-answer", "`max = 5`"),
        ("accuracy = { max = 0.8 }", "higher is better for accuracy, so `max` is no limit", "`min = 0.8`"),
        ("accuracy = { min = 0.8, max = 0.9 }", "higher is better for accuracy", "`min = 0.9`"),
    ] {
        let (_, errors) = validated(&suite(Kind::Command, &format!("[suite.gate]\n{wrong}")));
        assert!(errors.contains(expected) && errors.contains(help), "{wrong}: {errors}");
        let in_slice = wrong.replacen(" = ", "\" = ", 1);
        let (_, errors) = validated(&suite(Kind::Command, &format!("[suite.slices.\"category=x\"]\n\"{in_slice}")));
        assert!(errors.contains(expected), "{in_slice}: {errors}");
    }
}

#[test]
fn a_limit_that_cannot_be_missed_or_met_is_a_mistake() {
    let gate = |line: &str| format!("[suite.gate]\n{line}");
    let slices = |line: &str| format!("[suite.slices.\"category=x\"]\n{line}");
    for (more, expected) in [
        ("max-drop = 1".to_owned(), "no metric can fall by more than 1"),
        ("max-drop = 7.5".to_owned(), "no metric can fall by more than 7.5"),
        (gate("accuracy = { max-drop = 1.0 }"), "accuracy can't fall by more than 1"),
        (slices("accuracy = { max-drop = 1 }"), "accuracy can't fall by more than 1"),
        (slices("cost-per-answer = { max-drop = 3 }"), "is not compared in a slice"),
        ("min-effect = 1".to_owned(), "no metric can fall by more than 1"),
        ("max-errors = \"100%\"".to_owned(), "is never exceeded"),
        ("max-errors = \"100.0 %\"".to_owned(), "is never exceeded"),
        (gate("accuracy = { min = 0 }"), "holds whatever is measured"),
        (gate("accuracy = { min = 1e-12 }"), "holds whatever is measured"),
        (gate("accuracy = { min = 1.1 }"), "can never be reached"),
        (gate("accuracy = { min = 0.5, target = 1.2 }"), "can never be reached"),
        (gate("accuracy = { target = 0 }"), "holds whatever is measured"),
        (gate("latency-p95-ms = { max = 0 }"), "can never be met"),
        (gate("cost-per-answer = { max = -0.1 }"), "can never be met"),
        (gate("latency-p95-ms = { max = 100, target = 200 }"), "is easier to reach than `max`"),
    ] {
        let (_, errors) = validated(&suite(Kind::Command, &more));
        assert!(errors.contains(expected), "{more}: {errors}");
    }
    for fine in [
        "max-drop = 0.99".to_owned(),
        gate("latency-p95-ms = { max-drop = 300 }"),
        gate("cost-per-answer = { max = 0 }"),
        gate("accuracy = { min = 1, max-drop = 0 }"),
        "max-errors = \"99%\"".to_owned(),
    ] {
        let (_, errors) = validated(&suite(Kind::Command, &fine));
        assert_eq!(errors, "", "{fine}");
    }
    let alpha = format!("[statistics]\nalpha = 0.0000001\n{}", suite(Kind::Command, ""));
    assert!(validated(&alpha).1.contains("alpha"), "{}", validated(&alpha).1);
    for not_a_number in ["inf", "nan", "-inf"] {
        let (_, errors) =
            validated(&suite(Kind::Command, &gate(&format!("latency-p95-ms = {{ max = {not_a_number} }}"))));
        assert!(!errors.is_empty(), "{not_a_number}");
    }
}

#[test]
fn a_pattern_in_allow_removed_is_a_mistake() {
    for (written, expected) in [
        ("\"s*\"", "`s*` is taken literally"),
        ("[\"a\", \"s*\"]", "`s*` is taken literally"),
        ("\"\"", "must not be empty"),
        ("[\" \"]", "must not be empty"),
    ] {
        let (_, told) = validated(&suite(Kind::Command, &format!("allow-removed = {written}")));
        assert!(told.contains(expected), "{written}: {told}");
    }
}

#[test]
fn allow_removed_is_a_star_an_id_or_a_list() {
    for (written, allowed) in
        [("\"*\"", vec!["*"]), ("[\"*\"]", vec!["*"]), ("\"a\"", vec!["a"]), ("[\"a\", \"b\"]", vec!["a", "b"])]
    {
        let (settings, errors) = validated(&suite(Kind::Command, &format!("allow-removed = {written}")));
        assert_eq!(errors, "", "{written}");
        assert_eq!(settings.suites[0].policy.allow_removed, allowed, "{written}");
    }
}
