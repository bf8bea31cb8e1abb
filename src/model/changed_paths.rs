//! What changed in a work tree, and whether it concerns given paths and patterns.

use std::collections::BTreeSet;

use crate::text::glob;

/// Paths that changed, relative to the configuration's directory, with `/`. They may begin with `../`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedPaths {
    pub files: BTreeSet<String>,
    /// What git does not look into: anything in or below one of them may have changed.
    pub trees: BTreeSet<String>,
}

/// A symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub at: String,
    /// Where it leads, without further links; `None` if that is outside of the repository.
    pub to: Option<String>,
}

/// More names than this are not collected.
const MOST_NAMES: usize = 200_000;
/// Nor is a path followed through more links than this.
const MOST_LINKS: usize = 8;

impl ChangedPaths {
    /// The same, with the names that changed paths have through symbolic links.
    #[must_use]
    pub fn through(mut self, links: &BTreeSet<Link>) -> Self {
        // What lies outside of the repository may always have changed, and a link to what it is in has no end.
        let is_open = |link: &&Link| link.to.as_deref().is_none_or(|to| below(&link.at, to).is_some());
        self.trees.extend(links.iter().filter(is_open).map(|link| link.at.clone()));
        for _ in 0..MOST_LINKS {
            let before = self.files.len() + self.trees.len();
            for link in links.iter().filter(|link| !is_open(link)) {
                self.follow(link);
            }
            let now = self.files.len() + self.trees.len();
            if now == before {
                return self;
            }
            if now > MOST_NAMES {
                break;
            }
        }
        // Links that lead to one another without end: whatever they are called may have changed.
        self.trees.extend(links.iter().map(|link| link.at.clone()));
        self
    }

    /// Adds the names that changed paths have through one link.
    fn follow(&mut self, link: &Link) {
        let Link { at, to: Some(to) } = link else { return };
        let renamed = |path: &String| below(path, to).map(|rest| format!("{at}{rest}"));
        let files: Vec<String> = self.files.iter().filter_map(renamed).collect();
        let trees: Vec<String> = self.trees.iter().filter_map(renamed).collect();
        // A changed path above where it leads is a folder, a submodule or a link itself.
        let leads_into = self.trees.iter().chain(&self.files).any(|above| below(to, above).is_some());
        // A pattern that matches the link names all that is behind it.
        self.files.extend((!files.is_empty() || !trees.is_empty()).then(|| at.clone()));
        self.files.extend(files);
        self.trees.extend(trees);
        self.trees.extend(leads_into.then(|| at.clone()));
    }

    /// Whether something at this path or below it may have changed. The empty path is the configuration's directory.
    pub fn concern_path(&self, path: &str) -> bool {
        if path.is_empty() {
            return self.files.iter().chain(&self.trees).any(|changed| !changed.starts_with("../"));
        }
        self.files.iter().any(|file| below(file, path).is_some())
            || self.trees.iter().any(|tree| below(tree, path).is_some() || below(path, tree).is_some())
    }

    /// Whether something that this pattern matches may have changed. A pattern without wildcards is a file or a folder.
    pub fn concern_pattern(&self, pattern: &str) -> bool {
        let is_wild = |text: &str| text.contains(['*', '?', '[', '{']);
        if !is_wild(pattern) {
            return self.concern_path(&normal(pattern));
        }
        let pattern = pattern.trim_start_matches("./");
        let fixed: Vec<&str> = pattern.split('/').take_while(|part| !is_wild(part)).collect();
        if fixed.contains(&"..") && pattern.split('/').skip_while(|part| *part == "..").any(|part| part == "..") {
            return true;
        }
        let fixed = fixed.join("/");
        let in_trees = self
            .trees
            .iter()
            .any(|tree| fixed.is_empty() || below(tree, &fixed).is_some() || below(&fixed, tree).is_some());
        match glob(pattern) {
            Ok(glob) => {
                let matcher = glob.compile_matcher();
                in_trees || self.files.iter().any(|file| matcher.is_match(file))
            }
            Err(_) => true,
        }
    }
}

/// What follows `above` in a path that is the same or below it: empty, or with a leading `/`.
fn below<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    path.strip_prefix(above).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path without `.` and without `name/..`; leading `..` stay.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[&str], trees: &[&str]) -> ChangedPaths {
        let all = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        ChangedPaths { files: all(files), trees: all(trees) }
    }

    fn links(all: &[(&str, Option<&str>)]) -> BTreeSet<Link> {
        all.iter().map(|(at, to)| Link { at: (*at).into(), to: to.map(str::to_owned) }).collect()
    }

    #[test]
    fn a_pattern_without_wildcards_is_a_file_or_a_folder() {
        let changed = changed(&["src/a/b.rs", "../shared/c.rs"], &[]);
        for pattern in ["src", "src/", "./src/a", "src/a/b.rs", "../shared", "src/../src/a"] {
            assert!(changed.concern_pattern(pattern), "{pattern}");
        }
        for pattern in ["sr", "src/b", "shared"] {
            assert!(!changed.concern_pattern(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_git_does_not_look_into_concerns_every_pattern_that_may_match_there() {
        let changed = changed(&[], &["vendor/engine"]);
        for pattern in ["vendor/**", "vendor/engine/src/*.c", "**/*.c", "vendor", "vendor/engine/x.c", "{vendor,src}/*"]
        {
            assert!(changed.concern_pattern(pattern), "{pattern}");
        }
        for pattern in ["src/**", "vendor/other/**", "vendor/engine2/x.c"] {
            assert!(!changed.concern_pattern(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_change_is_seen_through_every_link_that_leads_to_it() {
        let links =
            links(&[("a", Some("shared/data")), ("b/c", Some("a/deep")), ("away", None), ("sub", Some("module/x"))]);
        let changed = changed(&["shared/data/deep/f.json"], &["module"]).through(&links);
        for path in ["a", "a/deep/f.json", "b/c/f.json", "b", "away/anything", "sub/file"] {
            assert!(changed.concern_path(path), "{path}");
        }
        assert!(!changed.concern_path("c"));
    }

    #[test]
    fn a_pattern_that_matches_a_link_names_what_is_behind_it() {
        let links = links(&[("src/v", Some("vendor")), ("src/a.c", Some("gen/a.c"))]);
        let changed = changed(&["vendor/x/y"], &[]).through(&links);
        for pattern in ["src/*", "src/v", "src/**"] {
            assert!(changed.concern_pattern(pattern), "{pattern}");
        }
        assert!(!changed.concern_pattern("src/*.c"));
    }

    #[test]
    fn the_directory_itself_is_everything_in_it() {
        for pattern in [".", "./", "src/.."] {
            assert!(changed(&["src/a"], &[]).concern_pattern(pattern), "{pattern}");
            assert!(!changed(&["../a"], &[]).concern_pattern(pattern), "{pattern}");
        }
    }

    #[test]
    fn links_to_what_they_are_in_end() {
        let links = links(&[("a/b", Some("a")), ("a/c", Some("a")), ("x/y", Some("z")), ("z/w", Some("x"))]);
        let changed = changed(&["a/f", "x/f", "z/f"], &[]).through(&links);
        for path in ["a/b/f", "a/c/b/f", "x/y/f", "z/w/f", "x/y/w/f"] {
            assert!(changed.concern_path(path), "{path}");
        }
    }
}
