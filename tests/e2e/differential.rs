//! What the engine calls equivalent does the same: both commands are run on the same files and compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use evalratchet::internals::{Tables, compare};

use crate::support::World;

/// Pairs that the engine must call equivalent and that can be run anywhere without harm.
const PAIRS: &[(&str, &str)] = &[
    ("ls -l -a d | wc -l", "ls -la d|wc -l"),
    ("ls -1 -a d", "ls --all -1 d"),
    ("head -n 2 a.txt", "head a.txt --lines=2"),
    ("head -2 a.txt", "head -n2 a.txt"),
    ("tail a.txt", "tail -n 10 a.txt"),
    ("sort -r -n a.txt", "sort --numeric-sort --reverse a.txt"),
    ("sort -k 2 -t : b.txt", "sort -t: -k2 b.txt"),
    ("egrep -c 'a|b' b.txt", "grep -E --count 'a|b' b.txt"),
    ("grep -n -i A b.txt", "grep -in A b.txt"),
    ("grep -e a -e b b.txt", "grep -e b -e a b.txt"),
    ("cut -d : -f 1 b.txt", "cut -f1 -d: b.txt"),
    ("wc -l -w a.txt", "wc -wl a.txt"),
    ("uniq -c a.txt", "uniq --count a.txt"),
    ("cat a.txt | sort > out.txt 2>&1", "cat a.txt|sort &>out.txt"),
    (">out.txt cat a.txt", "cat a.txt 1>out.txt"),
    ("cp -r d e", "cp --recursive d e"),
    ("cp -a d e", "cp -dR --preserve=all d e"),
    ("rm -r -f d", "rm -fr -- d"),
    ("mkdir -p x{1..3}/y", "mkdir --parents x1/y x2/y x3/y"),
    ("tar czf t.tgz d && tar tzf t.tgz && rm t.tgz", "tar -c -z -f t.tgz d && tar --list -zf t.tgz && rm t.tgz"),
    ("find . -name '*.txt' -type f | sort", "find -type f -name \\*.txt -print | sort"),
    ("find . \\( -name a.txt -o -name b.txt \\) -print | sort", "find . -name b.txt -or -name a.txt | sort"),
    ("find . -maxdepth 1 -name a.txt", "find -name a.txt -maxdepth 1"),
    ("find d -type f -exec cat {} \\;", "find d -type f -exec cat '{}' ';'"),
    ("printf 'a\\nb\\n' | xargs -n 1 echo x", "printf 'a\\nb\\n' | xargs -n1 echo x"),
    ("[ -f a.txt ] && echo yes", "test -f a.txt && echo yes"),
    ("echo `cat a.txt`", "echo $(cat a.txt)"),
    ("x=\"$(cat a.txt)\"; echo \"${x}\"", "x=$(cat a.txt)\necho \"$x\""),
    ("dd if=a.txt of=out.txt status=none", "dd status=none of=out.txt if=a.txt"),
    ("seq -w 8 11", "seq --equal-width 8 11"),
    ("ln -s a.txt l && readlink l", "ln --symbolic a.txt l && readlink l"),
    ("tr -d a < a.txt", "tr < a.txt --delete a"),
    ("sed -n -e 1p a.txt", "sed --quiet -e 1p a.txt"),
    ("touch -d @0 new && stat -c %Y new", "touch --date=@0 new && stat --format=%Y new"),
    ("env -i A=1 sh -c 'echo $A'", "env --ignore-environment A=1 sh -c 'echo $A'"),
];

#[test]
fn pairs_that_are_called_equivalent_print_and_leave_the_same() {
    for (a, b) in PAIRS {
        assert!(compare(a, b, &Tables::shipped()).score() > 0.0, "not called equivalent: {a} | {b}");
        assert_eq!(effects(a), effects(b), "{a} | {b}");
    }
}

/// What a command prints, how it ends, and the files it leaves.
fn effects(command: &str) -> (Option<i32>, String, BTreeMap<String, String>) {
    let world = World::new();
    let mut numbers = String::new();
    for n in [3, 1, 12, 3, 7, 5, 9, 2, 8, 4, 6, 10, 11] {
        writeln!(numbers, "{n}").unwrap();
    }
    world.file("a.txt", &numbers);
    world.file("b.txt", "b:2\na:3\nc:1\n");
    world.file("d/one.txt", "1\n");
    world.file("d/.two", "2\n");
    let output = Command::new("bash").args(["-c", command]).current_dir(world.path()).output().unwrap();
    let mut files = BTreeMap::new();
    let mut folders = vec![world.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(world.path()).unwrap().display().to_string();
            if path.is_dir() && !path.is_symlink() {
                files.insert(name, "directory".to_owned());
                folders.push(path);
            } else {
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), files)
}
