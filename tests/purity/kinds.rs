//! Which modules outside of `suites` know one kind of suite from another.

use std::collections::BTreeSet;

use super::source::{Mention, Segments, Target, Tree};

/// A module that knows a kind, that kind, and why.
pub(crate) type KnownKinds = &'static [(&'static str, &'static str, &'static str)];

/// The folders of `suites` that are a kind: those with a file `kind.rs`.
fn kinds(tree: &Tree) -> BTreeSet<&str> {
    let kind = |path: &Segments| path.len() == 3 && path[0] == "suites" && path[2] == "kind";
    tree.modules.keys().filter(|path| kind(path)).map(|path| path[1].as_str()).collect()
}

/// Everything of a kind that modules outside of `suites` name, such as `Kind::Golden` or `suites::golden::load`: the
/// module, the kind, and the place.
pub(crate) fn mentions(tree: &Tree) -> BTreeSet<(String, String, String)> {
    let kinds = kinds(tree);
    let mut found = BTreeSet::new();
    for (path, module) in tree.modules.iter().filter(|(path, _)| path.first().is_some_and(|first| first != "suites")) {
        let all = module.paths.iter().chain(&module.imports).chain(&module.exports);
        for Mention { what, line, .. } in all {
            for kind in tree.resolve(path, what).iter().filter_map(|target| kind_of(target, &kinds)) {
                found.insert((path.join("::"), kind, format!("{}:{line}", module.file)));
            }
        }
    }
    found
}

/// The kind that a path leads to: a folder of `suites`, or a variant of one of its enums.
fn kind_of(target: &Target, kinds: &BTreeSet<&str>) -> Option<String> {
    let Target::Own { module, item } = target else { return None };
    let (first, rest) = module.split_first()?;
    if first != "suites" {
        return None;
    }
    let folder = rest.first();
    let variant = item.get(1).map(|variant: &String| variant.to_lowercase());
    folder
        .cloned()
        .filter(|name| kinds.contains(name.as_str()))
        .or(variant.filter(|name| kinds.contains(name.as_str())))
}

/// What is not on the list, and what is on the list and gone.
pub(crate) fn violations(tree: &Tree, known: KnownKinds) -> Vec<String> {
    let found = mentions(tree);
    let is_listed = |module: &str, kind: &str| known.iter().any(|(one, of, _)| *one == module && *of == kind);
    let new = found.iter().filter(|(module, kind, _)| !is_listed(module, kind));
    let new = new.map(|(module, kind, place)| format!("{module} knows the kind {kind} ({place})"));
    let is_there = |module: &str, kind: &str| found.iter().any(|(one, of, _)| one == module && of == kind);
    let gone = known.iter().filter(|(module, kind, _)| !is_there(module, kind));
    new.chain(gone.map(|(module, kind, _)| format!("{module} does not know {kind} any more"))).collect()
}

#[test]
fn a_module_that_knows_a_kind_is_found() {
    let mut tree = Tree::with_crates(&[]);
    let path =
        |name: &str| -> Segments { name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    for (module, text) in [
        ("", "mod suites; mod report; mod gate;"),
        ("suites", "pub mod golden; pub enum Kind { Golden } pub fn load() {}"),
        ("suites::golden", "mod kind; pub fn accepted() {}"),
        ("suites::golden::kind", ""),
        ("report", "use crate::suites::Kind;\nfn f(kind: Kind) -> bool { matches!(kind, Kind::Golden) }"),
        ("gate", "use crate::suites::{Kind, load};\nfn f() { crate::suites::golden::accepted(); load() }"),
    ] {
        tree.add_text(path(module), text);
    }
    let places: Vec<String> = mentions(&tree).into_iter().map(|(module, kind, _)| format!("{module} {kind}")).collect();
    assert_eq!(places, ["gate golden", "report golden"]);
    assert_eq!(violations(&tree, &[("gate", "golden", ""), ("gate", "command", "")]).len(), 2);
}
