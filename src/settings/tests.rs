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
