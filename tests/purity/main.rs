//! Which modules do I/O or ask the clock and the environment, and which modules know each other: held against lists, from
//! the source itself. clippy's `disallowed-methods` says the same where somebody writes the code, but only about the
//! functions that it lists.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test reads the source, and says what is wrong by panicking; syntax trees are foreign enums"
)]

mod cycles;
mod kinds;
mod layers;
mod names;
mod probes;
mod rules;
mod source;

use std::path::Path;
use std::sync::LazyLock;

use rules::{Edges, Exceptions, Lists, covers_something, violations};
use source::Tree;

/// Modules that do I/O, or ask the clock or the environment. Everything else is pure.
const EDGES: Edges = &[
    ("baseline::changes", "asks git what changed"),
    ("baseline::git", "asks git for baselines"),
    ("baseline::releases", "asks git for tags"),
    ("ci::environment", "reads the environment and the files of a job"),
    ("cli::*", "the program: arguments, environment, clock, terminal, files"),
    ("execute::*", "runs cases side by side and shows progress"),
    ("github::archive", "downloads and unpacks archives"),
    ("github::client", "talks to GitHub"),
    ("github::dry", "writes what would be sent"),
    ("github::intake", "reads what another job left"),
    ("github::history", "talks to GitHub"),
    ("github::permissions::permissions", "asks GitHub what the token may"),
    ("github::publish", "talks to GitHub"),
    ("github::push", "talks to GitHub"),
    ("github::release", "talks to GitHub"),
    ("http::client", "sends requests"),
    ("input::file_set::FileSet::resolve", "finds the files that a configuration names"),
    ("input::file_set::find", "finds the files that a configuration names"),
    ("input::files", "reads and writes files"),
    ("input::tracked::TrackedFiles::has", "follows links"),
    ("input::tracked::TrackedFiles::has_any_of", "follows links"),
    ("input::tracked::TrackedFiles::matching", "reads files"),
    ("input::tracked::TrackedFiles::named", "reads files"),
    ("input::tracked::TrackedFiles::new", "follows links"),
    ("input::tree", "walks directories"),
    ("process::*", "starts and stops processes"),
    ("replay", "reads recordings from disk"),
    ("repository", "asks git about the checkout"),
    ("run", "the flow: runs suites and hands on what they answer"),
    ("settings::Settings::load", "reads the configuration"),
    ("settings::Settings::resolve", "finds the files that a configuration names"),
    ("suites::*::format::load", "reads cases from disk"),
    ("suites::*::format::load_suite", "reads cases from disk"),
    ("suites::*::kind::*::ask", "asks the target, or carries out a scenario"),
    ("suites::*::kind::*::load", "reads cases from disk"),
    ("suites::Asking", "whom a case asks"),
    ("suites::RunServices", "what carries out cases over a whole run"),
    ("suites::command::format::load_tables", "reads program tables from disk"),
    ("suites::golden::format::document", "reads a file of a module"),
    ("suites::golden::format::exists", "looks for a file of a module"),
    ("suites::golden::format::load_module", "reads cases from disk"),
    ("suites::kinds::CaseQuestion::ask", "asks the target"),
    ("suites::kinds::attempt", "asks the target"),
    ("suites::load", "reads cases from disk"),
    ("suites::read", "reads cases from disk"),
    ("suites::retrieval::builtin::ask", "asks the index of the built-in cases"),
    ("suites::scenario::install", "installs dependencies of fixtures"),
    ("suites::scenario::kind::ScenarioQuestion::edits", "carries out the edits of a scenario"),
    ("suites::scenario::runner", "carries out scenarios"),
    ("suites::scenario::workcopy", "copies fixtures"),
    ("targets::*", "asks systems under test"),
];

/// What is inside of an edge and pure all the same.
const PURE: Exceptions = &[
    "baseline::releases::Tag",
    "targets::config",
    "targets::endpoint",
    "targets::index",
    "targets::index::bm25",
    "targets::index::memory",
    "targets::index::tokens",
    "targets::index::units",
    "targets::source",
    "targets::trec_run",
    "targets::with_targets",
];

/// Modules outside of `suites` that know one kind from another.
const KNOWN_KINDS: kinds::KnownKinds = &[
    ("cli::check", "retrieval", "`check` looks for expected ids in the index"),
    ("cli::diff", "scenario", "the verb `diff` shows the edit of a scenario"),
    ("cli::danger", "command", "the verb `danger` rates a command"),
    ("cli::equiv", "command", "the verb `equiv` compares commands"),
    ("cli::golden", "golden", "the verb `golden`"),
    ("cli::imports", "imported", "`run --import` and `compare` make suites of files"),
    ("cli::init", "imported", "`init` looks whether a file holds results"),
    ("cli::list", "retrieval", "`list --ids` says whose target cannot list what it holds"),
    ("cli::run", "retrieval", "the verb `eval-code`"),
    ("cli::trec", "retrieval", "the verb `trec`"),
    ("internals", "command", "what tests reach"),
    ("internals", "scenario", "what tests reach"),
    ("settings", "scenario", "the section `[adapter.*]`"),
    ("settings::parse", "scenario", "the section `[adapter.*]`"),
    ("settings::sections", "scenario", "the section `[adapter.*]`"),
    ("settings::suite", "scenario", "the section `[adapter.*]`"),
    ("settings::policy", "imported", "imported cases bring metrics of their own names"),
];

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let for_all = manifest["dependencies"].as_table().unwrap();
    let for_some = manifest["target"].as_table().unwrap().values().filter_map(|one| one["dependencies"].as_table());
    let names = for_some.chain([for_all]).flat_map(toml::Table::keys).map(|name| name.replace('-', "_"));
    Tree::read(&root.join("src/lib.rs"), &names.collect::<Vec<_>>())
});

#[test]
fn pure_modules_use_only_what_is_pure() {
    let found: Vec<String> = violations(&TREE, Lists { edges: EDGES, pure: PURE })
        .into_iter()
        .map(|one| format!("{}: {}", one.place, one.what))
        .collect();
    let help = "pass the value in, or list the module in tests/purity/main.rs as an edge, with the reason";
    assert!(found.is_empty(), "{}\n{help}", found.join("\n"));
}

#[test]
fn everything_on_the_lists_exists() {
    let listed = EDGES.iter().map(|(name, _)| name).chain(PURE);
    let gone: Vec<&&str> = listed.filter(|name| !covers_something(name, &TREE)).collect();
    assert!(gone.is_empty(), "take these out of tests/purity/main.rs: {gone:?}");
}

#[test]
fn modules_do_not_import_each_other_in_cycles() {
    let found: Vec<String> = cycles::cycles(&TREE).iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_import_only_layers_above_their_own() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let found = layers::violations(&layers::layers(&page), &cycles::graph(&TREE));
    assert!(found.is_empty(), "{}\nmove what is shared up, or the module down, in ARCHITECTURE.md", found.join("\n"));
}

#[test]
fn a_type_name_means_one_thing() {
    let found = names::used_twice(&TREE);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn only_listed_modules_know_one_kind_from_another() {
    let found = kinds::violations(&TREE, KNOWN_KINDS);
    let help =
        "let the kind offer it (src/suites/kinds.rs), or list the module in tests/purity/main.rs with the reason";
    assert!(found.is_empty(), "{}\n{help}", found.join("\n"));
}
