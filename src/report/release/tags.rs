//! Which tag is the newest, and which one came before it.

use std::cmp::Ordering;

use crate::baseline::Tag;

/// The newest tag: the highest version, or if none looks like a version, the latest.
pub fn newest(tags: &[Tag]) -> Option<&Tag> {
    ordered(tags).pop()
}

/// The tag that a release is compared with: the newest before it, on another commit. A final version is compared with a
/// final one, if there is one.
pub fn before<'a>(tags: &'a [Tag], to: &Tag) -> Option<&'a Tag> {
    let earlier = |one: &&&Tag| one.commit != to.commit && is_before(one, to);
    let ordered = ordered(tags);
    let is_final = |tag: &Tag| version(&tag.name).is_some_and(|version| version.is_final());
    let candidates: Vec<&&Tag> = ordered.iter().filter(earlier).collect();
    let of_its_sort = candidates.iter().rev().find(|one| !is_final(to) || is_final(one));
    of_its_sort.or(candidates.last()).map(|one| **one)
}

/// What is no version is not before by its name, but by being in the history.
fn is_before(one: &Tag, to: &Tag) -> bool {
    match (version(&one.name), version(&to.name)) {
        (Some(one), Some(to)) => one.compare(&to) == Ordering::Less,
        (Some(_) | None, Some(_) | None) => true,
    }
}

/// Oldest first. If some look like versions, only those count.
fn ordered(tags: &[Tag]) -> Vec<&Tag> {
    let mut versions: Vec<(TagVersion<'_>, &Tag)> =
        tags.iter().filter_map(|tag| Some((version(&tag.name)?, tag))).collect();
    if versions.is_empty() {
        let mut dated: Vec<&Tag> = tags.iter().collect();
        dated.sort_by(|a, b| (a.date, &a.name).cmp(&(b.date, &b.name)));
        return dated;
    }
    versions.sort_by(|(a, one), (b, other)| a.compare(b).then_with(|| one.name.cmp(&other.name)));
    versions.into_iter().map(|(_, tag)| tag).collect()
}

/// `v1.2.3-rc.1` in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TagVersion<'a> {
    numbers: Vec<u64>,
    pre: &'a str,
}

/// A name that looks like a version: numbers with dots, perhaps after a `v`, perhaps with something after a `-`.
fn version(name: &str) -> Option<TagVersion<'_>> {
    let text = name.strip_prefix(['v', 'V']).unwrap_or(name);
    let text = text.split_once('+').map_or(text, |(text, _)| text);
    let (numbers, pre) = text.split_once('-').unwrap_or((text, ""));
    let numbers: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
    Some(TagVersion { numbers: numbers?, pre })
}

impl TagVersion<'_> {
    fn is_final(&self) -> bool {
        self.pre.is_empty()
    }

    /// As semantic versioning has it. `v1` comes before `v1.0.0`: it is mostly a name that moves along with the latest.
    fn compare(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let padded =
            |version: &Self| (0..length).map(|at| version.numbers.get(at).copied().unwrap_or(0)).collect::<Vec<_>>();
        let numbers = padded(self).cmp(&padded(other));
        let pre = match (self.is_final(), other.is_final()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (true, true) | (false, false) => compare_pre(self.pre, other.pre),
        };
        numbers.then(pre).then(self.numbers.len().cmp(&other.numbers.len()))
    }
}

/// Part by part: numbers as numbers, and before words.
fn compare_pre(one: &str, other: &str) -> Ordering {
    let part = |text: &str| match text.parse::<u64>() {
        Ok(number) => (0, number, String::new()),
        Err(_) => (1, 0, text.to_owned()),
    };
    let parts = |text: &str| text.split('.').filter(|part| !part.is_empty()).map(part).collect::<Vec<_>>();
    parts(one).cmp(&parts(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fingerprint, Sha};

    fn commit_of(name: &str) -> Sha {
        let hash = Fingerprint::of(&name.into());
        Sha::parse(&format!("{}{}", hash.as_str(), "1".repeat(8))).unwrap()
    }

    fn tags(names: &str) -> Vec<Tag> {
        let tag = |(at, name): (usize, &str)| {
            let (name, commit) = name.split_once('@').unwrap_or((name, name));
            Tag { name: name.to_owned(), commit: commit_of(commit), date: i64::try_from(at).unwrap() }
        };
        names.split(' ').enumerate().map(tag).collect()
    }

    fn chosen(names: &str) -> (String, Option<String>) {
        let tags = tags(names);
        let to = newest(&tags).unwrap();
        (to.name.clone(), before(&tags, to).map(|tag| tag.name.clone()))
    }

    #[test]
    fn versions_are_ordered_as_numbers_and_other_names_by_date() {
        for (names, to, from) in [
            ("v1.9.0 v1.10.0 v1.8.0", "v1.10.0", Some("v1.9.0")),
            ("v1.10.0 v1.9.0", "v1.10.0", Some("v1.9.0")),
            ("1.2 1.2.1 v1.1", "1.2.1", Some("1.2")),
            ("spring summer autumn", "autumn", Some("summer")),
            ("v1.0.0 nightly", "v1.0.0", None),
            ("v1.0.0", "v1.0.0", None),
            // A final version is compared with a final one.
            ("v1.2.0 v1.3.0-rc.1 v1.3.0-rc.2 v1.3.0", "v1.3.0", Some("v1.2.0")),
            ("v1.3.0-rc.1 v1.3.0", "v1.3.0", Some("v1.3.0-rc.1")),
            ("v1.2.0 v1.3.0-rc.2 v1.3.0-rc.10", "v1.3.0-rc.10", Some("v1.3.0-rc.2")),
            ("v1.2.0-alpha v1.2.0-beta v1.2.0-1", "v1.2.0-beta", Some("v1.2.0-alpha")),
            // A name that moves along with the latest is not an earlier release.
            ("v1.0.0@a v1@a", "v1.0.0", None),
            ("v1.9.0@a v2@b v2.0.0@b", "v2.0.0", Some("v1.9.0")),
            ("v1.0.0+build.1 v1.1.0", "v1.1.0", Some("v1.0.0+build.1")),
            ("v99999999999999999999 v1", "v1", None),
        ] {
            assert_eq!(chosen(names), (to.to_owned(), from.map(str::to_owned)), "{names}");
        }
    }

    #[test]
    fn what_came_before_an_older_release_is_older_still() {
        let tags = tags("v1.0.0 v1.1.0 v1.2.0");
        assert_eq!(before(&tags, &tags[1]).unwrap().name, "v1.0.0");
        assert_eq!(before(&tags, &tags[0]), None);
        // What has no version, such as a branch, comes after everything.
        let head = Tag { name: "main".into(), commit: commit_of("x"), date: 0 };
        assert_eq!(before(&tags, &head).unwrap().name, "v1.2.0");
        assert_eq!(newest(&[]), None);
    }
}
