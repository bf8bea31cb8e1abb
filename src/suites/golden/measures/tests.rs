use serde_json::{Value, json};

use super::similarity::{Likeness, likeness};
use super::{Earned, MeasureError, MeasureInput, REGISTRY};
use crate::input::{Document, InputError, Pointer};
use crate::model::{Answer, Ending};
use std::time::Duration;

/// Measures an answer against golden with this component; the points are those of the weight 1.
fn measured(component: &str, actual: Value, golden: Value) -> Result<(f64, String), MeasureError> {
    let document = Document::toml("scorer.toml", component.to_owned()).unwrap();
    let mut own = document.value.clone();
    let name = own.as_object_mut().unwrap().remove("measure").unwrap();
    let registered = REGISTRY.iter().find(|one| one.name == name).unwrap();
    let read = |_: &str| Ok(json!({"type": "object", "required": ["a"]}).to_string());
    let (measure, _) = (registered.load)(&document, &Pointer::root(), &own, &read).unwrap_or_else(|e| panic!("{e}"));
    let case = json!({"actual": actual, "golden": golden, "input": {"word": "in"}, "case": {"n": 2}});
    let input = MeasureInput { document: &case, latency: Duration::from_secs(3), opinion: None };
    let measured = measure.measure(input)?;
    Ok((measured.earned.points(1.0), measured.note.unwrap_or_default()))
}

/// The points alone, rounded.
fn points(component: &str, actual: Value, golden: Value) -> f64 {
    let (points, _) = measured(component, actual, golden).unwrap();
    (points * 1e6).round() / 1e6
}

/// What is wrong with a component.
fn refused(component: &str) -> String {
    let document = Document::toml("scorer.toml", component.to_owned()).unwrap();
    let mut own = document.value.clone();
    let name = own.as_object_mut().unwrap().remove("measure").unwrap();
    let registered = REGISTRY.iter().find(|one| one.name == name).unwrap();
    let read = |name: &str| Err(InputError::in_file(name, format!("there is no `{name}`")).into());
    match (registered.load)(&document, &Pointer::root(), &own, &read) {
        Ok(_) => panic!("{component} was read"),
        Err(errors) => errors.to_string(),
    }
}

const LISTS: &str = "actual = '$.actual[*]'\ngolden = '$.golden[*]'\n";

#[test]
fn names_are_unique_sorted_and_kebab_case() {
    let names: Vec<&str> = REGISTRY.iter().map(|one| one.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}

#[test]
fn points_are_a_share_of_the_weight_or_the_weight_less_a_loss_and_never_negative() {
    assert_eq!(Earned::Share(0.5).points(0.4), 0.2);
    assert_eq!(Earned::Less(0.1).points(0.4), 0.4 - 0.1);
    assert_eq!(Earned::Less(7.0).points(0.4), 0.0);
}

#[test]
fn count_difference_costs_so_much_for_each_item_either_way() {
    let component = format!("measure = 'count-difference'\n{LISTS}penalty = 0.25");
    assert_eq!(points(&component, json!([1, 2]), json!([3, 4])), 1.0);
    assert_eq!(points(&component, json!([1]), json!([3, 4])), 0.75);
    assert_eq!(points(&component, json!([1, 2, 3, 4]), json!([3, 4])), 0.5);
    assert_eq!(points(&component, json!([]), json!([1, 2, 3, 4, 5])), 0.0);
}

#[test]
fn sum_difference_is_relative_to_golden_and_refuses_a_golden_of_nothing() {
    let component = format!("measure = 'sum-difference'\n{LISTS}");
    assert_eq!(points(&component, json!([90]), json!([50, 50])), 0.9);
    assert_eq!(points(&component, json!([]), json!([50, 50])), 0.0);
    assert!(matches!(measured(&component, json!([1]), json!([0])), Err(MeasureError::Scorer(_))));
    assert!(matches!(measured(&component, json!(["1"]), json!([1])), Err(MeasureError::Answer(_))));
    assert!(matches!(measured(&component, json!([1e308, 1e308]), json!([1])), Err(MeasureError::Answer(_))));
}

#[test]
fn ratio_counts_what_satisfies_and_refuses_paths_that_do_not_match() {
    let component = "measure = 'ratio'\nitems = '$.actual[*]'\nsatisfying = '$.actual[?@ > 2]'";
    assert_eq!(points(component, json!([1, 2, 3, 4]), json!(null)), 0.5);
    assert_eq!(points(component, json!([]), json!(null)), 0.0);
    assert_eq!(points(&format!("{component}\nwhen-empty = 1.0"), json!([]), json!(null)), 1.0);
    let torn = "measure = 'ratio'\nitems = '$.actual[*]'\nsatisfying = '$.golden[*]'";
    assert!(matches!(measured(torn, json!([1]), json!([1])), Err(MeasureError::Scorer(_))));
}

#[test]
fn no_overlap_knows_clocks_moments_and_numbers_and_touching_is_not_overlapping() {
    let component = "measure = 'no-overlap'\nitems = '$.actual[*]'\nstart = 's'\nend = 'e'";
    let slots = |pairs: &[(&str, &str)]| -> Value { pairs.iter().map(|(s, e)| json!({"s": s, "e": e})).collect() };
    assert_eq!(points(component, slots(&[("10:00", "11:00"), ("09:00", "10:00"), ("11:00", "11:30")]), json!(0)), 1.0);
    assert_eq!(points(component, slots(&[("09:00", "10:30"), ("10:00", "11:00")]), json!(0)), 0.0);
    let graded = format!("{component}\npenalty = 0.25");
    // The long one is overlapped by both that begin within it.
    let long = slots(&[("09:00", "12:00"), ("09:30", "10:00"), ("10:30", "11:00")]);
    assert_eq!(points(&graded, long, json!(0)), 0.5);
    assert_eq!(points(component, slots(&[("2026-01-01T09:00:00Z", "2026-01-01T10:00:00Z")]), json!(0)), 1.0);
    assert_eq!(points(component, json!([{"s": 1, "e": 2}, {"s": 1.5, "e": 3}]), json!(0)), 0.0);
    for wrong in
        [json!([{"s": "9"}]), slots(&[("11:00", "10:00")]), slots(&[("25:00", "26:00")]), slots(&[("soon", "later")])]
    {
        assert!(matches!(measured(component, wrong, json!(0)), Err(MeasureError::Answer(_))));
    }
}

#[test]
fn set_overlap_counts_duplicates() {
    let f1 = format!("measure = 'set-overlap'\n{LISTS}");
    let jaccard = format!("{f1}by = 'jaccard'");
    assert_eq!(points(&f1, json!(["S", "S", "M"]), json!(["S", "M", "L"])), 0.666667);
    assert_eq!(points(&jaccard, json!(["S", "S", "M"]), json!(["S", "M", "L"])), 0.5);
    assert_eq!(points(&f1, json!(["s", 1.0]), json!(["S", 1])), 0.5);
    assert_eq!(points(&format!("{f1}ignore-case = true"), json!(["s"]), json!(["S"])), 1.0);
}

#[test]
fn equal_compares_exactly_without_case_or_by_letters_and_digits_alone() {
    let component = |by: &str| format!("measure = 'equal'\nactual = '$.actual'\ngolden = '$.golden'\nby = '{by}'");
    let (a, b) = (json!({"t": "Hello, World!", "n": 1}), json!({"n": 1.0, "t": "hello world"}));
    assert_eq!(points(&component("exact"), a.clone(), b.clone()), 0.0);
    assert_eq!(points(&component("ignore-case"), a.clone(), b.clone()), 0.0);
    assert_eq!(points(&component("normalised"), a.clone(), b), 1.0);
    assert_eq!(points(&component("exact"), json!({"n": 1.0, "t": "Hello, World!"}), a), 1.0);
    assert_eq!(points(&component("exact"), json!([1, 2]), json!([2, 1])), 0.0);
}

#[test]
fn contains_can_want_all_any_or_none() {
    let component = |more: &str| format!("measure = 'contains'\nactual = '$.actual'\n{more}");
    let text = json!("Buy milk in town");
    assert_eq!(points(&component("wanted = ['milk', 'bread']"), text.clone(), json!(0)), 0.5);
    assert_eq!(points(&component("wanted = ['milk', 'bread']\nwhich = 'any'"), text.clone(), json!(0)), 1.0);
    assert_eq!(points(&component("wanted = ['milk']\nwhich = 'none'"), text.clone(), json!(0)), 0.0);
    assert_eq!(points(&component("wanted = ['MILK']\nignore-case = true"), text.clone(), json!(0)), 1.0);
    assert_eq!(points(&component("golden = '$.input.word'"), text, json!(0)), 1.0);
    assert!(refused(&component("")).contains("nothing is looked for"));
    assert!(refused(&component("wanted = ['']")).contains("every text contains an empty one"));
}

#[test]
fn regex_length_tolerance_latency_and_schema_hold_their_bounds() {
    let dates = "measure = 'regex'\nactual = '$.actual[*]'\npattern = '^\\d{4}-\\d{2}-\\d{2}$'";
    assert_eq!(points(dates, json!(["2026-01-01", "soon"]), json!(0)), 0.5);
    assert!(refused("measure = 'regex'\nactual = '$.actual'\npattern = '('").contains("scorer.toml:3"));
    let length = |more: &str| format!("measure = 'length'\nactual = '$.actual[*]'\n{more}");
    assert_eq!(points(&length("max = 3"), json!(["äöü", "abcd"]), json!(0)), 0.5);
    assert_eq!(points(&length("unit = 'words'\nmin = 2"), json!(["a b", "a"]), json!(0)), 0.5);
    assert_eq!(points(&length("unit = 'items'\nmin = 1\nmax = 2"), json!([1, 2, 3]), json!(0)), 0.0);
    assert!(refused(&length("")).contains("every length is right"));
    let tolerance = |more: &str| format!("measure = 'tolerance'\n{LISTS}{more}");
    assert_eq!(points(&tolerance("within = 1.0"), json!([10, 12]), json!([11, 10])), 0.5);
    assert_eq!(points(&tolerance("within-share = 0.1"), json!([0.3, 5]), json!([0.27272727272727276])), 0.5);
    assert!(refused(&tolerance("")).contains("neither `within` nor `within-share`"));
    assert_eq!(points("measure = 'latency'\nmax = '3s'", json!(0), json!(0)), 1.0);
    assert_eq!(points("measure = 'latency'\nmax = '2s'", json!(0), json!(0)), 0.0);
    let schema = "measure = 'schema'\nactual = '$.actual'\nfile = 'x.json'";
    assert_eq!(points(schema, json!({"a": 1}), json!(0)), 1.0);
    assert_eq!(points(schema, json!({"b": 1}), json!(0)), 0.0);
    assert!(refused(schema).contains("there is no `x.json`"));
}

/// What a component says of an answer that it gives nothing.
fn reason(component: &str, actual: Value, golden: Value) -> String {
    match measured(component, actual, golden) {
        Err(MeasureError::Answer(why)) => why,
        other => panic!("{component}: {other:?}"),
    }
}

#[test]
fn two_things_that_are_not_there_are_not_alike() {
    for measure in [
        "'count-difference'\npenalty = 0.1",
        "'set-overlap'",
        "'set-overlap'\nby = 'jaccard'",
        "'equal'",
        "'text-similarity'\nby = 'token-f1'",
        "'tolerance'\nwithin = 1.0",
    ] {
        let component = format!("{LISTS}measure = {measure}");
        let why = reason(&component, json!([]), json!([]));
        assert!(why.contains("neither `$.actual[*]` nor `$.golden[*]` selects anything"), "{why}");
        if !measure.starts_with("'equal'") {
            assert_eq!(points(&format!("{component}\nwhen-empty = 1.0"), json!([]), json!([])), 1.0, "{measure}");
        }
    }
    let overlap = "measure = 'no-overlap'\nitems = '$.actual[*]'\nstart = 's'\nend = 'e'";
    assert!(reason(overlap, json!([]), json!(0)).contains("selects nothing"));
    // A list that may be empty is one value.
    let whole = "measure = 'equal'\nactual = '$.actual.t'\ngolden = '$.golden.t'";
    assert_eq!(points(whole, json!({"t": []}), json!({"t": []})), 1.0);
}

#[test]
fn no_word_and_no_text_are_a_reason_and_never_found() {
    let component = |which: &str| {
        format!("measure = 'contains'\nactual = '$.actual[*]'\ngolden = '$.golden[*]'\nwhich = '{which}'")
    };
    for which in ["all", "any", "none"] {
        assert!(reason(&component(which), json!(["a"]), json!([])).contains("selects no word to look for"));
        assert!(reason(&component(which), json!(["a"]), json!(["", " "])).contains("selects no word to look for"));
        assert!(reason(&component(which), json!([]), json!(["a"])).contains("selects no text"));
    }
}

#[test]
fn a_measure_that_cannot_fail_is_refused() {
    for (component, why) in [
        ("measure = 'regex'\nactual = '$.actual'\npattern = '.*'", "matches every text"),
        ("measure = 'regex'\nactual = '$.actual'\npattern = '^a?.*$'", "matches every text"),
        ("measure = 'regex'\nactual = '$.actual'\npattern = 'x*'", "matches every text"),
        ("measure = 'contains'\nactual = '$.actual'\nwanted = [' ']", "contains an empty one"),
        ("measure = 'ratio'\nitems = '$.actual[*]'\nsatisfying = '$.actual[*]'", "every item satisfies it"),
        ("measure = 'ratio'\nitems = '$.actual.a[*]'\nsatisfying = \"$.actual['a'][*]\"", "every item satisfies it"),
        ("measure = 'ratio'\nitems = '$.actual.a[*]'\nsatisfying = '$.actual.a[0:]'", "every item satisfies it"),
        ("measure = 'ratio'\nitems = '$.actual.a[*]'\nsatisfying = '$.actual.a.*'", "every item satisfies it"),
        ("measure = 'ratio'\nitems = '$.actual[*]'\nsatisfying = '$.actual[?1 == 1]'", "that every item satisfies"),
        ("measure = 'ratio'\nitems = '$.actual[*]'\nsatisfying = '$.actual[?@ == @]'", "that every item satisfies"),
        ("measure = 'regex'\nactual = '$.actual'\npattern = '$'", "matches every text"),
        (
            "measure = 'count-difference'\nactual = '$.actual.t'\ngolden = '$.golden.t'\npenalty = 0.1",
            "is one value of every answer",
        ),
        ("measure = 'no-overlap'\nitems = '$.actual[*]'\nstart = 's'\nend = 's'", "the same field as `start`"),
        ("measure = 'tolerance'\nactual = '$.actual'\ngolden = '$.golden'\nwithin = 1e300", "every number is within"),
        (
            "measure = 'tolerance'\nactual = '$.actual'\ngolden = '$.golden'\nwithin-share = 1.0",
            "lets 0 be near enough",
        ),
        (
            "measure = 'count-difference'\nactual = '$.actual'\ngolden = '$.golden'\npenalty = 1e-9",
            "too little to change a score",
        ),
    ] {
        let text = refused(component);
        assert!(text.contains(why), "{component}: {text}");
    }
    assert_eq!(points("measure = 'regex'\nactual = '$.actual'\npattern = '^\\d*$'", json!("x"), json!(0)), 0.0);
}

#[test]
fn normalised_texts_keep_what_changes_their_meaning() {
    let component = "measure = 'equal'\nactual = '$.actual'\ngolden = '$.golden'\nby = 'normalised'";
    for (a, b, same) in [
        (">=", "<", false),
        ("a >= b", "a < b", false),
        ("x != y", "x = y", false),
        ("-5", "5", false),
        ("1.5", "15", false),
        ("5 %", "5", false),
        ("$5", "€5", false),
        ("a/b", "ab", false),
        ("?", "!", false),
        ("α ≤ β", "α ≥ β", false),
        ("Hello, World!", "hello world", true),
        ("well-known (fact)", "Well known fact.", true),
        ("“quoted” – text…", "quoted text", true),
        ("**bold**", "bold", true),
        ("a>=b", "a >= b", true),
        ("1.5", "1,5", false),
        ("1,5", "1,5", true),
    ] {
        assert_eq!(points(component, json!(a), json!(b)) > 0.5, same, "{a:?} and {b:?}");
    }
    for by in [Likeness::TokenF1, Likeness::RougeL, Likeness::Bleu, Likeness::Levenshtein] {
        assert_eq!(likeness(by, ">=", "<"), 0.0, "{by:?}");
        assert_eq!(likeness(by, ">=", ">="), 1.0, "{by:?}");
        for (a, b) in [("x >= 1", "x < 1"), ("-1", "1"), ("5 %", "5"), ("1 < x", "x > 1")] {
            assert!(likeness(by, a, b) < 1.0, "{by:?}: {a} and {b}");
            assert_eq!(likeness(by, a, a), 1.0, "{by:?}: {a}");
        }
    }
}

#[test]
fn an_unknown_key_of_a_measure_is_pointed_at() {
    let text = refused(&format!("measure = 'count-difference'\n{LISTS}penality = 0.1"));
    assert!(text.contains("did you mean `penalty`?"), "{text}");
}

/// Computed with rouge-score 0.1.2 (`rougeL`, no stemmer) and sacrebleu 2.6 (`sentence_bleu`, lower-cased, over texts
/// without punctuation), and the F1 of bags of words by hand.
#[test]
fn likeness_agrees_with_other_libraries() {
    let pairs: [(&str, &str, f64, f64, f64); 6] = include!("likeness.in");
    for (actual, golden, token_f1, rouge_l, bleu) in pairs {
        for (by, expected) in [(Likeness::TokenF1, token_f1), (Likeness::RougeL, rouge_l), (Likeness::Bleu, bleu)] {
            let value = likeness(by, actual, golden);
            assert!((value - expected).abs() < 1e-4, "{by:?} of {actual:?} and {golden:?}: {value}, not {expected}");
        }
    }
    assert_eq!(likeness(Likeness::Levenshtein, "kitten", "sitting"), 1.0 - 3.0 / 7.0);
}

#[test]
fn an_opinion_is_a_score_between_zero_and_one_or_the_scorers_fault() {
    let opinion = |text: &str| super::judge::opinion(Some(&Answer::text(text)), "the judge");
    assert_eq!(opinion("```json\n{\"score\": 0.25, \"reason\": \"meh\"}\n```").unwrap().earned, Earned::Share(0.25));
    for wrong in ["", "great!", "{\"score\": 1.5}", "{\"score\": \"high\"}", "{\"reason\": \"x\"}"] {
        assert!(matches!(opinion(wrong), Err(MeasureError::Scorer(_))), "{wrong}");
    }
    let gone = Answer::ended(Ending::Unreachable { why: "x".into() });
    assert!(matches!(super::judge::opinion(Some(&gone), "the judge"), Err(MeasureError::Scorer(_))));
}

#[test]
fn every_measure_has_a_section_in_the_docs() {
    let docs = include_str!("../../../../docs/golden.md");
    for measure in super::REGISTRY {
        assert!(
            docs.contains(&format!("\n### `{}`\n", measure.name)),
            "docs/golden.md has no section {}",
            measure.name
        );
    }
}
