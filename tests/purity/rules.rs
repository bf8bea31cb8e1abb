//! What a module may use. A module is pure unless it is listed as an edge: it neither does I/O nor asks the clock or the
//! environment, and uses no module that does.

use super::source::{Module, Segments, Target, Tree};

/// What does I/O, and why: a module (`name`, or `name::*` with all that is inside of it), a function (`name::function`,
/// `name::Type::method`) or a type. `*` in the middle stands for any name.
pub(crate) type Edges = &'static [(&'static str, &'static str)];

/// What is inside of an edge and pure all the same, listed in the same way; types, too.
pub(crate) type Exceptions = &'static [&'static str];

/// The lists that the crate is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lists {
    pub(crate) edges: Edges,
    pub(crate) pure: Exceptions,
}

/// What pure modules may use of `std`, each with all that is inside of it.
const STD: &[&str] = &[
    "any",
    "array",
    "ascii",
    "borrow",
    "boxed",
    "cell",
    "char",
    "clone",
    "cmp",
    "collections",
    "convert",
    "default",
    "error",
    "f64",
    "ffi",
    "fmt",
    "future",
    "hash",
    "i64",
    "io::Error",
    "io::ErrorKind",
    "io::Result",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "option",
    "path",
    "pin",
    "ptr",
    "rc",
    "result",
    "slice",
    "str",
    "string",
    "sync",
    "thread::scope",
    "time::Duration",
    "u8",
    "u32",
    "u64",
    "usize",
    "vec",
];

/// The crates that pure modules may use.
const CRATES: &[&str] = &[
    "base64",
    "brush_parser",
    "clap",
    "comfy_table",
    "console",
    "globset",
    "http",
    "imara_diff",
    "include_dir",
    "jiff",
    "jsonc_parser",
    "jsonschema",
    "minijinja",
    "percent_encoding",
    "quick_junit",
    "regex",
    "roxmltree",
    "rust_stemmers",
    "schemars",
    "serde",
    "serde_json",
    "serde_json_path",
    "sha2",
    "similar",
    "strsim",
    "thiserror",
    "toml",
    "tree_sitter",
    "tree_sitter_go",
    "tree_sitter_javascript",
    "tree_sitter_python",
    "tree_sitter_rust",
    "tree_sitter_typescript",
];

/// What pure modules may not use of what they may use otherwise.
const IMPURE: &[&str] = &[
    "clap::Parser",
    "console::Term",
    "console::user_attended",
    "jiff::Timestamp::now",
    "jiff::Zoned::now",
    "jiff::tz",
    "std::hash::RandomState",
    "std::collections::hash_map::RandomState",
];

/// Methods that do I/O on what need not be named: paths and addresses.
const METHODS: &[&str] = &[
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "metadata",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "to_socket_addrs",
    "try_exists",
];

/// Macros that write, or read what the compiler was started with.
const MACROS: &[&str] = &["dbg", "eprint", "eprintln", "option_env", "print", "println"];

/// Macros that bring in source which is not looked at.
const INCLUDES: &[&str] = &["include"];

/// What a module uses and may not.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    pub(crate) place: String,
    pub(crate) what: String,
}

/// Everything that pure modules use and may not.
pub(crate) fn violations(tree: &Tree, lists: Lists) -> Vec<Violation> {
    let rules = Rules { tree, lists };
    let mut found: Vec<Violation> = tree.modules.iter().flat_map(|(path, module)| rules.check(path, module)).collect();
    found.sort();
    found.dedup();
    found
}

struct Rules<'a> {
    tree: &'a Tree,
    lists: Lists,
}

impl Rules<'_> {
    /// Whether something of a module is at the edge; an empty `item` is the module itself.
    fn is_edge(&self, module: &[String], item: &[String]) -> bool {
        let is_listed =
            |listed: &str| (0..=item.len()).any(|length| covers(listed, &[module, &item[..length]].concat()));
        self.lists.edges.iter().any(|(edge, _)| is_listed(edge)) && !self.lists.pure.iter().any(|pure| is_listed(pure))
    }

    /// Whether some functions of a module are at the edge and the module is not.
    fn has_edges(&self, path: &[String], module: &Module) -> bool {
        let is_edge = |function: &String| self.is_edge(path, &parts(function));
        !self.is_edge(path, &[]) && module.functions.iter().any(is_edge)
    }

    fn check(&self, path: &[String], module: &Module) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut add = |line: usize, what: String| {
            found.push(Violation { place: format!("{}:{line}", module.file), what });
        };
        for one in module.macros.iter().filter(|one| INCLUDES.contains(&one.what.as_str())) {
            add(one.line, format!("{}! brings in source that is not checked", one.what));
        }
        for (trick, line) in &module.tricks {
            add(*line, format!("{trick} hides source from this test"));
        }
        let is_pure = |within: &str| !self.is_edge(path, &parts(within));
        for one in module.macros.iter().filter(|one| MACROS.contains(&one.what.as_str()) && is_pure(&one.within)) {
            add(one.line, format!("{}!", one.what));
        }
        for one in module.methods.iter().filter(|one| METHODS.contains(&one.what.as_str()) && is_pure(&one.within)) {
            add(one.line, format!(".{}()", one.what));
        }
        // What is imported by name for functions at the edge is looked at where it is used.
        let has_edges = self.has_edges(path, module);
        let imports = module.imports.iter().filter(|one| !has_edges || module.globs.contains(&one.what));
        for one in module.paths.iter().filter(|one| is_pure(&one.within)) {
            for what in self.tree.resolve(path, &one.what).iter().filter_map(|target| self.forbidden(path, target)) {
                let within = if one.within.is_empty() { String::new() } else { format!(" in `{}`", one.within) };
                add(one.line, format!("{what}{within}"));
            }
        }
        for one in imports.chain(&module.exports).filter(|one| is_pure(&one.within)) {
            // A module may import and pass on what its own parts offer; where it uses that is looked at above.
            let is_inside = |target: &&Target| match target {
                Target::Own { module, .. } => module.starts_with(path),
                Target::Foreign(_) => false,
            };
            let targets = self.tree.resolve(path, &one.what);
            for what in targets.iter().filter(|one| !is_inside(one)).filter_map(|target| self.forbidden(path, target)) {
                add(one.line, what);
            }
        }
        found
    }

    /// Why a pure function may not use this, if so.
    fn forbidden(&self, from: &[String], target: &Target) -> Option<String> {
        match target {
            Target::Foreign(path) => is_impure(path).then(|| path.join("::")),
            // A module by itself is only a name; what is used of it is looked at where it is used.
            Target::Own { item, .. } if item.is_empty() => None,
            Target::Own { module, item } => {
                let is_own = module.as_slice() == from && self.is_edge(module, &[]);
                let name = [&["crate".to_owned()], module.as_slice(), item.as_slice()].concat().join("::");
                (!is_own && self.is_edge(module, item)).then(|| format!("{name}, which is at the edge"))
            }
        }
    }
}

fn parts(name: &str) -> Segments {
    name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether an entry of a list covers a name. `*` stands for any one part; at the end, for what is before it and all that is
/// inside of that.
fn covers(listed: &str, name: &[String]) -> bool {
    let listed = parts(listed);
    let fits = |listed: &[String]| listed.iter().zip(name).all(|(listed, part)| listed == "*" || listed == part);
    match listed.split_last() {
        Some((last, outer)) if last == "*" => name.len() >= outer.len() && fits(outer),
        _ => name.len() == listed.len() && fits(&listed),
    }
}

/// Whether an entry of a list covers anything at all.
pub(crate) fn covers_something(listed: &str, tree: &Tree) -> bool {
    tree.modules.iter().any(|(path, module)| {
        let inside = module.items.iter().chain(&module.functions);
        covers(listed, path) || inside.into_iter().any(|item| covers(listed, &[path.as_slice(), &parts(item)].concat()))
    })
}

fn is_impure(path: &Segments) -> bool {
    let Some(first) = path.first() else { return false };
    let name = path.join("::");
    let is_in = |outer: &str| name == outer || name.starts_with(&format!("{outer}::"));
    let is_method = path.len() > 1 && path.last().is_some_and(|last| METHODS.contains(&last.as_str()));
    if is_method || IMPURE.iter().any(|one| is_in(one)) {
        return true;
    }
    match first.as_str() {
        // `use std as s` and `use std::*` are not needed, and would hide what is used.
        "std" | "core" | "alloc" => !STD.iter().any(|known| is_in(&format!("{first}::{known}"))),
        other => !CRATES.contains(&other),
    }
}
