//! Top-level modules that know each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::source::{Mention, Target, Tree};

/// Modules each of which leads to every other, and where.
#[derive(Debug)]
pub(crate) struct Cycle {
    pub(crate) modules: BTreeSet<String>,
    /// From, to, and one place that says so.
    edges: Vec<(String, String, String)>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (from, to, place) in &self.edges {
            writeln!(f, "{from} → {to} ({place})")?;
        }
        Ok(())
    }
}

/// Module → module that it imports → one place that says so.
pub(crate) type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// Folders count as their top-level module, the root as `lib`. A path leads to the module that it names and to the one that
/// has the item in the end.
pub(crate) fn graph(tree: &Tree) -> Graph {
    let top = |module: &[String]| module.first().map_or("lib", String::as_str).to_owned();
    let mut graph = Graph::new();
    for (path, module) in &tree.modules {
        // What the root passes on is the face of the crate.
        let exports = module.exports.iter().filter(|_| !path.is_empty());
        let mentions = module.paths.iter().chain(&module.imports).chain(exports);
        for Mention { what: named, line, .. } in mentions {
            let prefixes = (1..=named.len()).map(|length| &named[..length]);
            for target in prefixes.flat_map(|prefix| tree.resolve(path, prefix)) {
                let (from, to) = match target {
                    // `crate` on the way to something else.
                    Target::Own { module, item } if module.is_empty() && item.is_empty() => continue,
                    Target::Own { module, .. } => (top(path), top(&module)),
                    Target::Foreign(_) => continue,
                };
                if to != from {
                    let place = format!("{}:{line}", module.file);
                    graph.entry(from).or_default().entry(to).or_insert(place);
                }
            }
        }
    }
    graph
}

fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(module) = open.pop() {
        for next in graph.get(&module).into_iter().flat_map(BTreeMap::keys) {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// Every group of modules in which each leads to every other.
pub(crate) fn cycles(tree: &Tree) -> Vec<Cycle> {
    let graph = graph(tree);
    let reach: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|module| (module, reachable(&graph, module))).collect();
    let mut groups: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for (module, others) in &reach {
        if others.contains(*module) {
            let back = |other: &&String| reach.get(*other).is_some_and(|reach| reach.contains(*module));
            groups.insert(others.iter().filter(back).cloned().collect());
        }
    }
    let edges = |group: &BTreeSet<String>| {
        let all = graph.iter().flat_map(|(from, to)| to.iter().map(move |(to, place)| (from, to, place)));
        let inside = all.filter(|(from, to, _)| group.contains(*from) && group.contains(*to));
        inside.map(|(from, to, place)| (from.clone(), to.clone(), place.clone())).collect()
    };
    groups.iter().map(|group| Cycle { modules: group.clone(), edges: edges(group) }).collect()
}

#[test]
fn a_cycle_is_found_through_names_and_reexports() {
    let mut tree = Tree::with_crates(&[]);
    for (path, text) in [
        (vec![], "mod a; mod b; mod c; mod d;"),
        (vec!["a"], "mod inner; pub use inner::f;"),
        (vec!["a", "inner"], "use crate::b::Thing; pub fn f() {}"),
        (vec!["b"], "pub use crate::c::Thing;"),
        (vec!["c"], "pub struct Thing; fn g() { super::a::f(); }"),
        (vec!["d"], "use crate::a;"),
    ] {
        tree.add_text(path.into_iter().map(str::to_owned).collect(), text);
    }
    let found: Vec<Vec<String>> = cycles(&tree).into_iter().map(|one| one.modules.into_iter().collect()).collect();
    assert_eq!(found, [["a", "b", "c"]]);
}
