//! The layers that ARCHITECTURE.md lists: a module imports modules of the rows above its own, or of its own row.

use std::collections::BTreeMap;

use super::cycles::Graph;

/// Module → row, counted from the top, as the table below the heading "Layers" says.
pub(crate) fn layers(page: &str) -> BTreeMap<String, usize> {
    let section = page.split("\n## ").find(|section| section.starts_with("Layers\n")).unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2).enumerate();
    let names = |row: &str| -> Vec<String> { row.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    rows.flat_map(|(row, line)| names(line).into_iter().map(move |name| (name, row))).collect()
}

/// Every import of a row below, and every module that has no row.
pub(crate) fn violations(layers: &BTreeMap<String, usize>, graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for (from, imports) in graph.iter().filter(|(from, _)| *from != "lib") {
        for (to, place) in imports {
            match (layers.get(from), layers.get(to)) {
                (None, _) => found.push(format!("{from} is in no layer")),
                (_, None) => found.push(format!("{to} is in no layer ({place})")),
                (Some(own), Some(other)) if other > own => found.push(format!("{from} imports {to} ({place})")),
                (Some(_), Some(_)) => {}
            }
        }
    }
    found
}

#[test]
fn an_import_of_a_lower_layer_is_found() {
    let page =
        "\n## Layers\n\n| layer | modules |\n|---|---|\n| nouns | `a`, `b` (files) |\n| verbs | `c` |\n\n## More\n";
    let layers = layers(page);
    assert_eq!(layers.len(), 3);
    let import =
        |from: &str, to: &str| -> Graph { [(from.to_owned(), [(to.to_owned(), "here:1".to_owned())].into())].into() };
    assert!(violations(&layers, &import("c", "a")).is_empty());
    assert!(violations(&layers, &import("b", "a")).is_empty());
    assert_eq!(violations(&layers, &import("a", "c")), ["a imports c (here:1)"]);
    assert_eq!(violations(&layers, &import("a", "d")), ["d is in no layer (here:1)"]);
}
