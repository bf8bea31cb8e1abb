//! Types and traits of the same name.

use std::collections::BTreeMap;

use super::source::Tree;

/// Every name that more than one type or trait of the crate has, with the places.
pub(crate) fn used_twice(tree: &Tree) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for module in tree.modules.values() {
        for (name, line) in &module.types {
            places.entry(name).or_default().push(format!("{}:{line}", module.file));
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice.map(|(name, places)| format!("`{name}` is more than one type: {}", places.join(", "))).collect()
}

#[test]
fn a_name_of_two_types_is_found() {
    let mut tree = Tree::with_crates(&[]);
    tree.add_text(vec!["a".to_owned()], "pub struct Place; struct Other;");
    tree.add_text(vec!["b".to_owned()], "fn place() {}\ntype Place = u8;\n#[cfg(test)] struct Other;");
    assert_eq!(used_twice(&tree), ["`Place` is more than one type: a:1, b:2"]);
}
