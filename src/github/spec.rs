//! The reconcilers as a specification: what is there, what should be, and the steps between them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::check::{self, CheckIdentity, CheckPlan, CheckReport};
use super::comment::{CommentAction, DesiredComment, ExistingComment, Marker, Row, RowOwner, RowVerdict, reconcile};
use crate::ci::{HeadSha, JobName, RunAttempt};
use crate::model::Sha;

const ME: &str = "github-actions[bot]";

/// A comment as `id author key run.attempt text`; without a key it has no marker.
fn comment(line: &str) -> ExistingComment {
    let words: Vec<&str> = line.splitn(5, ' ').collect();
    let [id, author, key, run, text] = words[..] else { panic!("{line}") };
    let author = if author == "me" { ME } else { author };
    let body = if key == "-" { text.to_owned() } else { desired(key, run, text).body() };
    ExistingComment { id: id.parse().unwrap(), author: author.to_owned(), body }
}

fn desired(key: &str, run: &str, text: &str) -> DesiredComment {
    let (id, attempt) = run.split_once('.').unwrap();
    let run = RunAttempt { id: id.parse().unwrap(), attempt: attempt.parse().unwrap() };
    job("", run, RowVerdict::Passed, text).keyed(key)
}

/// What a job says of a run.
fn job(name: &str, run: RunAttempt, verdict: RowVerdict, text: &str) -> DesiredComment {
    let owner = RowOwner { workflow: "w".to_owned(), job: name.to_owned(), config: "c".to_owned() };
    DesiredComment {
        key: "k".to_owned(),
        former_key: None,
        head: "a".repeat(40),
        row: Row::new(owner, run, verdict, text),
        content: text.to_owned(),
        brief: text.to_owned(),
        worth_creating: true,
    }
}

impl DesiredComment {
    fn keyed(self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self }
    }
}

/// The steps in words: `create TEXT`, `update ID TEXT`, `delete ID`.
fn steps(actions: &[CommentAction]) -> String {
    let text = |body: &str| body.split_once("\n\n").map_or(body, |(_, text)| text).to_owned();
    let words = actions.iter().map(|action| match action {
        CommentAction::Create { body } => format!("create {}", text(body)),
        CommentAction::Update { id, body } => format!("update {id} {}", text(body)),
        CommentAction::Delete { id } => format!("delete {id}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What is there, `key run text` of what should be, the steps.
const COMMENTS: &[(&str, &[&str], &str, &str)] = &[
    ("nothing is there", &[], "k 5.1 new", "create new"),
    ("only others have written", &["1 someone - 0.0 hello"], "k 5.1 new", "create new"),
    ("somebody copied our marker", &["1 someone k 4.1 old"], "k 5.1 new", "create new"),
    ("somebody copied the marker of a newer run", &["1 someone k 9.1 old"], "k 5.1 new", "create new"),
    ("another app copied it", &["1 other[bot] k 4.1 old"], "k 5.1 new", "create new"),
    ("somebody is called like the app, but longer", &["1 github-actions-x k 4.1 old"], "k 5.1 new", "create new"),
    ("we wrote something without a marker", &["1 me - 0.0 hello"], "k 5.1 new", "create new"),
    ("another configuration's is there", &["1 me other 4.1 old"], "k 5.1 new", "create new"),
    ("another's key begins like ours", &["1 me kk 4.1 old"], "k 5.1 new", "create new"),
    ("keys differ in case", &["1 me K 4.1 old"], "k 5.1 new", "create new"),
    ("ours says the same of the same run", &["1 me k 5.1 new"], "k 5.1 new", ""),
    ("ours says something else of the same run", &["1 me k 5.1 old"], "k 5.1 new", "update 1 new"),
    ("ours is of an older run", &["1 me k 4.1 old"], "k 5.1 new", "update 1 new"),
    ("ours is of an older attempt", &["1 me k 5.1 old"], "k 5.2 new", "update 1 new"),
    (
        "an older run said the same, and a newer one must be known by its number",
        &["1 me k 4.1 new"],
        "k 5.1 new",
        "update 1 new",
    ),
    ("ours is of a newer run", &["1 me k 6.1 newest"], "k 5.1 new", ""),
    ("ours is of a newer attempt", &["1 me k 5.3 newest"], "k 5.2 new", ""),
    ("a later attempt of an older run is still older", &["1 me k 5.1 newest"], "k 4.9 new", ""),
    ("run numbers are numbers", &["1 me k 9.1 old"], "k 10.1 new", "update 1 new"),
    ("a person is called like the app", &["1 github-actions k 4.1 old"], "k 5.1 new", "create new"),
    ("logins have no case", &["1 GitHub-Actions[bot] k 4.1 old"], "k 5.1 new", "update 1 new"),
    ("others' are around ours", &["1 a - 0.0 x", "2 me k 4.1 old", "3 b k 4.1 old"], "k 5.1 new", "update 2 new"),
    ("a race made two", &["1 me k 5.1 new", "2 me k 5.1 new"], "k 5.1 new", "delete 2"),
    ("a race made three", &["1 me k 5.1 new", "2 me k 5.1 new", "3 me k 5.1 new"], "k 5.1 new", "delete 2, delete 3"),
    ("they are listed newest first", &["9 me k 5.1 new", "2 me k 5.1 new"], "k 5.1 new", "delete 9"),
    ("the oldest is behind", &["1 me k 4.1 old", "2 me k 5.1 new"], "k 5.1 new", "update 1 new, delete 2"),
    ("the oldest is ahead", &["1 me k 6.1 newest", "2 me k 5.1 new"], "k 5.1 new", "delete 2"),
    (
        "a younger one is ahead of us",
        &["1 me k 4.1 old", "2 me k 6.1 newest"],
        "k 5.1 new",
        "update 1 newest, delete 2",
    ),
    ("both are ahead of us", &["1 me k 6.1 a", "2 me k 7.1 b"], "k 5.1 new", "update 1 b, delete 2"),
    ("both are behind", &["1 me k 3.1 a", "2 me k 4.1 b"], "k 5.1 new", "update 1 new, delete 2"),
    (
        "two of ours and two of another key",
        &["1 me o 1.1 a", "2 me k 4.1 b", "3 me o 1.1 c", "4 me k 4.1 d"],
        "k 5.1 new",
        "update 2 new, delete 4",
    ),
    (
        "two of ours and copies by others",
        &["1 x k 9.1 a", "2 me k 5.1 new", "3 y k 9.1 c", "4 me k 5.1 new"],
        "k 5.1 new",
        "delete 4",
    ),
    ("outside of GitHub there is no run number", &["1 me k 0.1 old"], "k 0.1 new", "update 1 new"),
    ("outside of GitHub nothing of a run is overwritten", &["1 me k 5.1 newest"], "k 0.1 new", ""),
];

#[test]
fn the_comment_goes_from_what_is_there_to_what_should_be_there() {
    for (name, existing, wanted, expected) in COMMENTS {
        let existing: Vec<ExistingComment> = existing.iter().map(|line| comment(line)).collect();
        let [key, run, text] = wanted.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{wanted}") };
        let actions = reconcile(&desired(key, run, text), &existing, ME, false);
        assert_eq!(steps(&actions), *expected, "{name}");
        // What is not worth a comment makes none, and brings one that is there to where it should be all the same.
        let unworthy = DesiredComment { worth_creating: false, ..desired(key, run, text) };
        let expected = if expected.starts_with("create") { "" } else { expected };
        assert_eq!(steps(&reconcile(&unworthy, &existing, ME, false)), expected, "{name}, not worth one");
    }
}

#[test]
fn a_marker_is_the_first_line_or_none_and_cannot_be_broken_out_of() {
    let key = "a --> <b> \" \\ --!> é\n/x.toml";
    let run = RunAttempt { id: 5, attempt: 2 };
    let body = job("j --> x", run, RowVerdict::Failed, "text").keyed(key).body();
    let first = body.lines().next().unwrap();
    assert_eq!(first.matches("-->").count(), 1, "{first}");
    assert!(first.ends_with(" -->") && !first[5..].contains('<'));
    let marker = Marker::of(&body).unwrap();
    assert_eq!((marker.key.as_str(), marker.run), (key, run));
    assert_eq!(Marker::of(&body.replace('\n', "\r\n")), Marker::of(&body));
    assert_eq!(Marker::of(&format!("hello\n{body}")), None);
    assert_eq!(Marker::of(&format!(" {body}")), None);
    assert_eq!(Marker::of("<!-- evalratchet:comment {} -->"), None);
    assert_eq!(Marker::of(""), None);
}

#[test]
fn line_endings_and_trailing_blanks_are_not_a_change() {
    let wanted = desired("k", "5.1", "a\nb\n");
    let stored =
        ExistingComment { id: 1, author: ME.to_owned(), body: format!("{}\r\n", wanted.body().replace('\n', "\r\n")) };
    assert_eq!(reconcile(&wanted, &[stored], ME, false), []);
}

/// Carries out the steps, as GitHub would.
fn apply(comments: &mut Vec<ExistingComment>, actions: Vec<CommentAction>) {
    for action in actions {
        match action {
            CommentAction::Create { body } => {
                let id = comments.iter().map(|one| one.id).max().unwrap_or(0) + 1;
                comments.push(ExistingComment { id, author: ME.to_owned(), body });
            }
            CommentAction::Update { id, body } => {
                comments.iter_mut().filter(|one| one.id == id).for_each(|one| one.body = body.clone())
            }
            CommentAction::Delete { id } => comments.retain(|one| one.id != id),
        }
    }
}

proptest! {
    #[test]
    fn one_comment_remains_for_the_newest_run_and_others_stay_untouched(
        there in prop::collection::vec((prop::sample::select(vec!["me", "x", "y[bot]"]), prop::sample::select(vec!["k", "o", "-"]), 1_u64..6, 1_u64..3), 0..8),
        runs in prop::collection::vec((1_u64..8, 1_u64..3), 1..6),
    ) {
        let mut comments: Vec<ExistingComment> = there
            .iter()
            .enumerate()
            .map(|(index, (author, key, run, attempt))| comment(&format!("{} {author} {key} {run}.{attempt} t{run}.{attempt}", index + 1)))
            .collect();
        let is_ours = |one: &ExistingComment| one.author == ME && Marker::of(&one.body).is_some_and(|marker| marker.key == "k");
        let others: Vec<ExistingComment> = comments.iter().filter(|one| !is_ours(one)).cloned().collect();
        let before = comments.iter().filter(|one| is_ours(one)).filter_map(|one| Marker::of(&one.body)).map(|marker| marker.run).max();
        let oldest = comments.iter().filter(|one| is_ours(one)).map(|one| one.id).min();
        for (run, attempt) in &runs {
            let wanted = desired("k", &format!("{run}.{attempt}"), &format!("t{run}.{attempt}"));
            let actions = reconcile(&wanted, &comments, ME, false);
            apply(&mut comments, actions);
            prop_assert_eq!(reconcile(&wanted, &comments, ME, false), vec![], "it comes to rest at once");
        }
        let ours: Vec<&ExistingComment> = comments.iter().filter(|one| is_ours(one)).collect();
        prop_assert_eq!(ours.len(), 1);
        let newest = runs.iter().map(|(id, attempt)| RunAttempt { id: *id, attempt: *attempt }).chain(before).max().unwrap();
        let expected = format!("t{}.{}", newest.id, newest.attempt);
        prop_assert!(ours[0].body.ends_with(&expected), "{} should end with {}", &ours[0].body, expected);
        prop_assert!(oldest.is_none_or(|oldest| ours[0].id == oldest));
        let after: Vec<ExistingComment> = comments.iter().filter(|one| !is_ours(one)).cloned().collect();
        prop_assert_eq!(after, others);
    }
}

fn identity() -> CheckIdentity {
    CheckIdentity::new(
        "evalratchet.toml",
        None,
        HeadSha(Sha::parse(&"a".repeat(40)).unwrap()),
        RunAttempt { id: 5, attempt: 1 },
    )
}

/// A check run as `id run state annotations title`.
fn check_run(line: &str) -> check::ExistingCheck {
    let [id, run, state, annotations, title] = line.splitn(5, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    check::ExistingCheck {
        id: id.parse().unwrap(),
        external_id: format!("{run}-evalratchet.toml"),
        completed: state == "completed",
        conclusion: if state == "completed" { "failure".to_owned() } else { String::new() },
        title: title.to_owned(),
        summary: format!("{title}\n"),
        annotations: annotations.parse().unwrap(),
    }
}

fn report(title: &str, annotations: usize) -> CheckReport {
    let annotations = (0..annotations).map(|index| json!({"message": index})).collect();
    CheckReport { conclusion: "failure", title: title.to_owned(), summary: title.to_owned(), annotations }
}

/// The steps in words, with how many annotations each carries.
fn check_steps(plan: &CheckPlan) -> String {
    let carries = |body: &Value| body["output"]["annotations"].as_array().map_or(0, Vec::len);
    let concludes = |body: &Value| if body["status"] == "completed" { "complete" } else { "add" };
    let mut words: Vec<String> = plan
        .steps
        .iter()
        .map(|step| match step {
            check::CheckAction::Create(body) => format!("create and {} with {}", concludes(body), carries(body)),
            check::CheckAction::Update(id, body) => format!("{} {id} with {}", concludes(body), carries(body)),
        })
        .collect();
    words.extend(plan.more.iter().map(|body| format!("{} {}", concludes(body), carries(body))));
    words.join(", ")
}

/// What is there, how many annotations the report has, the steps.
const CHECKS: &[(&str, &[&str], usize, &str)] = &[
    ("nothing is there", &[], 3, "create and complete with 3"),
    ("it was opened", &["1 5-1 in_progress 0 Evaluating"], 3, "complete 1 with 3"),
    ("it was opened, and nothing is wrong", &["1 5-1 in_progress 0 Evaluating"], 0, "complete 1 with 0"),
    ("another run's is open", &["1 4-1 in_progress 0 Evaluating"], 1, "create and complete with 1"),
    ("another attempt's is complete", &["1 5-2 completed 0 t"], 1, "create and complete with 1"),
    (
        "opening it was not seen, so there are two",
        &["1 5-1 in_progress 0 E", "2 5-1 in_progress 0 E"],
        1,
        "complete 1 with 1, complete 2 with 0",
    ),
    ("it is complete and says the same", &["1 5-1 completed 3 t"], 3, ""),
    ("it is complete and says something else", &["1 5-1 completed 3 other"], 3, "create and complete with 3"),
    ("exactly one batch", &["1 5-1 in_progress 0 E"], 50, "complete 1 with 50"),
    ("one more than a batch", &["1 5-1 in_progress 0 E"], 51, "complete 1 with 50, add 1"),
    ("three batches", &["1 5-1 in_progress 0 E"], 120, "complete 1 with 50, add 50, add 20"),
    ("three batches of a new one", &[], 120, "create and complete with 50, add 50, add 20"),
    ("it broke off after the first batch", &["1 5-1 completed 50 t"], 120, "add 1 with 50, add 20"),
    ("it broke off before the last batch", &["1 5-1 completed 100 t"], 120, "add 1 with 20"),
    (
        "an earlier attempt died and left it open",
        &["1 5-0 in_progress 0 E", "2 5-1 in_progress 0 E"],
        1,
        "complete 2 with 1, complete 1 with 0",
    ),
    ("a later attempt's is open", &["1 5-2 in_progress 0 E"], 1, "create and complete with 1"),
    ("more than are shown", &["1 5-1 completed 450 t"], 2000, "add 1 with 50"),
];

#[test]
fn the_check_run_goes_from_what_is_there_to_what_should_be_there() {
    for (name, existing, annotations, expected) in CHECKS {
        let existing: Vec<check::ExistingCheck> = existing.iter().map(|line| check_run(line)).collect();
        let plan = check::finish(&identity(), &existing, &report("t", *annotations), None);
        assert_eq!(check_steps(&plan), *expected, "{name}");
    }
}

#[test]
fn a_check_run_is_opened_once_for_each_run() {
    let opens = |existing: &[check::ExistingCheck]| !check::start(&identity(), existing, None).is_empty();
    assert!(opens(&[]));
    assert!(opens(&[check_run("1 4-1 in_progress 0 E")]));
    assert!(opens(&[check_run("1 5-2 completed 0 E")]));
    assert!(!opens(&[check_run("1 5-1 in_progress 0 E")]));
    assert!(!opens(&[check_run("1 5-1 completed 0 E")]));
}

#[test]
fn annotations_keep_their_order_over_all_batches() {
    let plan = check::finish(&identity(), &[], &report("t", 120), Some("https://example.org/run"));
    let first = match &plan.steps[..] {
        [check::CheckAction::Create(body)] => body,
        other => panic!("{other:?}"),
    };
    assert_eq!((&first["name"], &first["conclusion"]), (&json!("evalratchet"), &json!("failure")));
    assert_eq!(
        (&first["details_url"], &first["external_id"]),
        (&json!("https://example.org/run"), &json!("5-1-evalratchet.toml"))
    );
    let all =
        std::iter::once(first).chain(&plan.more).flat_map(|body| body["output"]["annotations"].as_array().unwrap());
    let order: Vec<u64> = all.map(|one| one["message"].as_u64().unwrap()).collect();
    assert_eq!(order, (0..120).collect::<Vec<u64>>());
}

const RUN: RunAttempt = RunAttempt { id: 5, attempt: 1 };

/// What is there after these jobs published, one after the other.
fn published(jobs: &[DesiredComment]) -> Vec<ExistingComment> {
    let mut comments = Vec::new();
    for one in jobs {
        let actions = reconcile(one, &comments, ME, false);
        apply(&mut comments, actions);
        assert_eq!(reconcile(one, &comments, ME, true), [], "it comes to rest at once");
    }
    comments
}

fn rows(body: &str) -> Vec<(String, RowVerdict)> {
    Marker::of(body).unwrap().rows.into_iter().map(|row| (row.owner.job, row.verdict)).collect()
}

#[test]
fn jobs_of_a_run_share_a_comment_with_the_worst_first_whatever_their_order() {
    let red = job("test (windows)", RUN, RowVerdict::Failed, "red text");
    let green = job("test (linux)", RUN, RowVerdict::Passed, "green text");
    let broken = job("other", RUN, RowVerdict::Broken, "broken text");
    let orders = [[&red, &green, &broken], [&green, &broken, &red], [&broken, &red, &green], [&green, &red, &broken]];
    let mut bodies = Vec::new();
    for order in orders {
        let comments = published(&order.map(Clone::clone));
        assert_eq!(comments.len(), 1);
        bodies.push(comments[0].body.clone());
    }
    bodies.dedup();
    let [body] = &bodies[..] else { panic!("{bodies:#?}") };
    assert_eq!(
        rows(body),
        [
            ("test (windows)".to_owned(), RowVerdict::Failed),
            ("other".to_owned(), RowVerdict::Broken),
            ("test (linux)".to_owned(), RowVerdict::Passed)
        ]
    );
    assert!(body.find("red text") < body.find("broken text") && body.contains("green text"), "{body}");
    insta::assert_snapshot!(body);
}

#[test]
fn a_green_job_never_replaces_a_red_one_that_it_cannot_be_told_from() {
    let red = job("", RUN, RowVerdict::Failed, "red");
    let green = job("", RUN, RowVerdict::Passed, "green");
    for order in [[&red, &green], [&green, &red]] {
        let comments = published(&order.map(Clone::clone));
        assert!(comments[0].body.contains("red") && !comments[0].body.contains("green"), "{}", comments[0].body);
    }
    // The next attempt may well be better.
    let again = job("", RunAttempt { attempt: 2, ..RUN }, RowVerdict::Passed, "green");
    let comments = published(&[red, again]);
    assert!(comments[0].body.ends_with("green"), "{}", comments[0].body);
}

#[test]
fn a_job_that_is_run_again_leaves_the_others_as_they_were() {
    let second = RunAttempt { attempt: 2, ..RUN };
    let jobs = [
        job("a", RUN, RowVerdict::Failed, "a is red"),
        job("b", RUN, RowVerdict::Failed, "b is red"),
        job("a", second, RowVerdict::Passed, "a is green"),
    ];
    let comments = published(&jobs);
    assert_eq!(rows(&comments[0].body), [("b".to_owned(), RowVerdict::Failed), ("a".to_owned(), RowVerdict::Passed)]);
    assert!(comments[0].body.contains("b is red") && !comments[0].body.contains("a is red"));
    // A new run begins anew, and what comes late of the old one is not heard.
    let next = job("a", RunAttempt { id: 6, attempt: 1 }, RowVerdict::Passed, "a again");
    let mut comments = published(&[&jobs[..], &[next]].concat());
    assert_eq!(rows(&comments[0].body).len(), 1);
    let late = job("b", second, RowVerdict::Failed, "late");
    let actions = reconcile(&late, &comments, ME, false);
    apply(&mut comments, actions);
    assert!(comments[0].body.ends_with("a again"), "{}", comments[0].body);
}

#[test]
fn other_workflows_of_the_same_commit_keep_their_rows_and_those_of_an_older_commit_go() {
    let mut other = job("lint", RunAttempt { id: 4, attempt: 1 }, RowVerdict::Failed, "lint is red");
    other.row.owner.workflow = "other".to_owned();
    let own = job("a", RUN, RowVerdict::Passed, "a");
    let comments = published(&[other, own]);
    assert_eq!(rows(&comments[0].body).len(), 2, "{}", comments[0].body);
    let pushed = DesiredComment {
        head: "b".repeat(40),
        ..job("a", RunAttempt { id: 7, attempt: 1 }, RowVerdict::Passed, "new")
    };
    let mut comments = comments;
    let actions = reconcile(&pushed, &comments, ME, false);
    apply(&mut comments, actions);
    assert_eq!(rows(&comments[0].body).len(), 1, "{}", comments[0].body);
}

#[test]
fn a_comment_of_release_0_1_is_taken_over() {
    let old = r#"<!-- evalratchet:comment {"key":"evalratchet.toml","run":4,"attempt":1,"head":"h"} -->

old text"#;
    let mut comments = vec![ExistingComment { id: 1, author: ME.to_owned(), body: old.to_owned() }];
    let new = DesiredComment {
        former_key: Some("evalratchet.toml".to_owned()),
        ..job("a", RUN, RowVerdict::Passed, "new text")
    };
    let actions = reconcile(&new, &comments, ME, false);
    apply(&mut comments, actions);
    assert_eq!(comments.len(), 1);
    assert!(comments[0].body.ends_with("new text"), "{}", comments[0].body);
}

#[test]
fn many_long_parts_fit_and_the_worst_stay() {
    let long = |name: &str, verdict: RowVerdict| job(name, RUN, verdict, &format!("{name} {}", "x".repeat(12_000)));
    let mut jobs: Vec<DesiredComment> = (0..30).map(|n| long(&format!("green {n}"), RowVerdict::Passed)).collect();
    jobs.extend((0..80).map(|n| job(&format!("small {n}"), RUN, RowVerdict::Passed, "small")));
    jobs.push(long("red", RowVerdict::Failed));
    let comments = published(&jobs);
    let body = &comments[0].body;
    assert!(body.len() <= 65_000 && body.contains("red xxx"), "{}", body.len());
    assert_eq!(rows(body)[0], ("red".to_owned(), RowVerdict::Failed));
    assert_eq!(body.matches("<details>").count(), body.matches("</details>").count());
}

#[test]
fn a_part_cannot_pass_for_two() {
    let hostile = "<!-- evalratchet:part 0 -->\n\n<!-- evalratchet:part 1 -->\nforged";
    let comments = published(&[
        job("a", RUN, RowVerdict::Passed, hostile),
        job("b", RUN, RowVerdict::Failed, "b"),
        job("c", RUN, RowVerdict::Failed, "c"),
    ]);
    assert_eq!(rows(&comments[0].body).len(), 3);
    assert!(comments[0].body.contains(hostile), "{}", comments[0].body);
}

#[test]
fn a_matrix_has_a_check_for_each_of_its_jobs() {
    let head = HeadSha(Sha::parse(&"a".repeat(40)).unwrap());
    let of = |id: &str, matrix: Option<&str>| {
        CheckIdentity::new("evalratchet.toml", Some(&JobName::new(id, matrix)), head.clone(), RUN)
    };
    let linux = of("test", Some(r#"{"os":"linux","v":{"node":22}}"#));
    let mac = of("test", Some(r#"{"os":"mac","v":{"node":22}}"#));
    assert_eq!((linux.name.as_str(), mac.name.as_str()), ("evalratchet (linux, 22)", "evalratchet (mac, 22)"));
    assert_ne!(linux.external_id, mac.external_id);
    // Two jobs without a matrix are told apart once one of them is there.
    let (one, other) = (of("one", Some("null")), of("other", Some("null")));
    assert_eq!((one.name.as_str(), other.name.as_str()), ("evalratchet", "evalratchet"));
    let there = check::ExistingCheck { external_id: one.external_id.clone(), ..check_run("1 5-1 completed 0 t") };
    assert_eq!(other.told_apart(std::slice::from_ref(&there)).name, "evalratchet (other)");
    assert_eq!(one.told_apart(&[there]).name, "evalratchet");
}

#[test]
fn a_green_check_never_replaces_a_red_one_of_the_same_job() {
    let red = check_run("1 5-1 completed 0 red");
    let green = CheckReport { conclusion: "success", ..report("green", 0) };
    assert_eq!(check_steps(&check::finish(&identity(), &[red], &green, None)), "");
}
