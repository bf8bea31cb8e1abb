//! `diff`, beside the real git.

use crate::support::{World, git};

fn ours(world: &World, raw: bool) -> String {
    let mut arguments = vec!["diff", "before", "after"];
    if raw {
        arguments.push("--raw");
    }
    world.evalratchet(&arguments).stdout
}

/// The hunks that git prints for `before` and `after`.
fn gits(world: &World) -> String {
    let output = git()
        .args([
            "-c",
            "core.autocrlf=false",
            "-c",
            "diff.algorithm=myers",
            "diff",
            "--no-index",
            "--no-color",
            "--no-ext-diff",
            "before",
            "after",
        ])
        .current_dir(world.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.find("\n@@ ").map_or(String::new(), |at| text[at + 1..].to_owned())
}

#[test]
fn hunks_are_the_same_as_those_of_git() {
    let world = World::new();
    for (before, after) in [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("a\r\nb\r\n", "a\r\nB\r\n"),
        ("", "created\n"),
        ("deleted\n", ""),
        ("only\n", "only\nmore\n"),
        ("x\n-- y\nz\n", "x\nz\n++ w\n"),
        (
            "fn main() {\n    a();\n    b();\n    c();\n    d();\n    e();\n}\n",
            "fn main() {\n    a();\n    b();\n    c();\n    d();\n    f();\n}\n",
        ),
    ] {
        world.file("before", before);
        world.file("after", after);
        assert_eq!(ours(&world, true), gits(&world), "{before:?} {after:?}");
    }
    world.file("before", "a\nb\n");
    world.file("after", "a\nc\n");
    assert_eq!(ours(&world, false), "@@ ... @@\n a\n-b\n+c\n");
    world.bytes("after", b"a\0b");
    assert_eq!(ours(&world, true), "binary files differ\n");
}

/// Edits of source files that stay as they are, made by a generator with a fixed seed: each diff must apply with git and yield the new
/// file; how often it is git's own is measured and printed.
#[test]
fn every_generated_diff_applies_and_nearly_all_equal_those_of_git() {
    let world = World::new();
    let sources = ["absolute.rs", "plan.rs", "terminal.rs", "process.rs", "architecture.md"];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let (mut equal, mut total) = (0, 0);
    for round in 0..60 {
        let path = format!("{}/tests/data/diffs/{}.txt", env!("CARGO_MANIFEST_DIR"), sources[round % sources.len()]);
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=random(4) {
            let (at, length) = (random(lines.len() - 8), 1 + random(5));
            match random(4) {
                0 => drop(lines.drain(at..at + length)),
                1 => lines.insert(at, format!("    let added = {round};")),
                2 => lines[at] = lines[at].replace('e', "E"),
                _ => {
                    let block: Vec<String> = lines[at..at + length].to_vec();
                    let to = random(lines.len());
                    lines.splice(to..to, block);
                }
            }
        }
        let after = lines.join("\n") + "\n";
        world.file("before", &text);
        world.file("after", &after);
        let raw = ours(&world, true);
        total += 1;
        equal += usize::from(raw == gits(&world));
        if raw.is_empty() {
            continue;
        }
        world.file("patch", &format!("--- a/before\n+++ b/before\n{raw}"));
        let applied = git().args(["apply", "--unsafe-paths", "patch"]).current_dir(world.path()).output().unwrap();
        assert!(applied.status.success(), "{}\n{raw}", String::from_utf8_lossy(&applied.stderr));
        assert_eq!(std::fs::read_to_string(world.path().join("before")).unwrap(), after);
    }
    println!("{equal} of {total} diffs are git's own, byte for byte");
    assert!(equal * 100 >= total * 95, "{equal} of {total}");
}
