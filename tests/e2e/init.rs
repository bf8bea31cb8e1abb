//! A first configuration: it passes, it measures, and what breaks turns it red.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::{Ran, World};

const ALL: [&str; 5] = ["scenario", "command", "golden", "retrieval", "imported"];

fn empty() -> World {
    World::new()
}

fn node() -> World {
    let world = World::new();
    world.file("package.json", "{\"name\": \"cart\", \"version\": \"1.0.0\", \"type\": \"module\"}\n");
    world.file(
        "src/cart.js",
        "/** Adds up the prices of a cart. */\nexport function total(items) {\n  return items.reduce((sum, one) => sum + one, 0);\n}\n\n/** Takes a discount off a price. */\nexport const discounted = (price, share) => price * (1 - share);\n",
    );
    world
}

fn python() -> World {
    let world = World::new();
    world.file("pyproject.toml", "[project]\nname = \"cart\"\nversion = \"1.0.0\"\n");
    world.file(
        "cart/prices.py",
        "def total(items):\n    \"\"\"Adds up the prices of a cart.\"\"\"\n    return sum(items)\n\n\ndef discounted(price, share):\n    \"\"\"Takes a discount off a price.\"\"\"\n    return price * (1 - share)\n",
    );
    world
}

fn rust() -> World {
    let world = World::new();
    world.file("Cargo.toml", "[package]\nname = \"cart\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
    world.file(
        "src/lib.rs",
        "/// Adds up the prices of a cart.\npub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n\n/// Takes a discount off a price.\npub fn discounted(price: f64, share: f64) -> f64 {\n    price * (1.0 - share)\n}\n",
    );
    world
}

fn init(world: &World, arguments: &[&str]) -> Ran {
    world.evalratchet(&[&["init"], arguments].concat())
}

/// Replaces the first of a text in a file; it must be there.
fn replace(world: &World, file: &str, old: &str, new: &str) {
    let path = world.path().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(text.contains(old), "{file} has no {old}");
    fs::write(path, text.replacen(old, new, 1)).unwrap();
}

/// Everything that is there, apart from what git and runs keep.
fn listing(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![world.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(world.path()).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                if name != ".git" && name != "evalratchet-out" {
                    folders.push(path);
                }
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Each gated metric is held to what was measured, cut after two digits.
fn floors_are_what_was_measured(ran: &Ran) {
    for suite in ran.results.as_ref().unwrap()["suites"].as_array().unwrap() {
        let slices = suite["slices"].as_object().unwrap().values();
        for metrics in slices.chain([&suite["metrics"]]) {
            for (name, metric) in metrics.as_object().unwrap() {
                if let Some(min) = metric["min"].as_f64() {
                    let value = metric["value"].as_f64().unwrap();
                    assert!(min <= value && value - min < 0.01, "{} {name}: {value} {min}", suite["id"]);
                }
            }
        }
    }
}

/// Init, run: green. Then each sample is broken in its turn: red, because of its suite and no other.
fn holds(world: &World, check: &str, symbol: (&str, &str, &str)) {
    let made = init(world, &[&["--yes", "--kind"], &ALL[..]].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(world.evalratchet(&["check"]).code, 0);
    let ran = world.evalratchet(&["run", "--strict"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(!ran.stdout.contains("not gated"), "{}", ran.stdout);
    floors_are_what_was_measured(&ran);
    let suites = ran.results.as_ref().unwrap()["suites"].as_array().unwrap();
    assert_eq!(suites.len(), 5);
    for suite in suites {
        assert_eq!(suite["status"], "passed", "{}", suite["id"]);
    }
    let answers = &ran.results.as_ref().unwrap()["suites"][2]["detail"];
    assert_eq!(answers["accepted"], 0, "recorded answers that equal golden would prove nothing: {answers}");
    for (suite, file, old, new) in [
        ("agents", check, "Hello, Ada", "Hullo, Ada"),
        ("commands", "evals/commands/answer.sh", "wc -l", "wc -c"),
        ("tickets", "evals/golden/tickets/recorded.jsonl", "check the payments", "do nothing"),
        ("search", symbol.0, symbol.1, symbol.2),
        ("results", "evals/results/sample.jsonl", "0.9", "0.1"),
    ] {
        let before = fs::read(world.path().join(file)).unwrap();
        replace(world, file, old, new);
        let broken = world.run();
        assert_eq!(broken.code, 1, "{suite}: {}", broken.stdout);
        let gate = &broken.results.as_ref().unwrap()["gate"];
        let failing = gate["reasons"].as_array().unwrap().iter().filter(|reason| reason["fails"] == true);
        let suites: Vec<&str> = failing.map(|reason| reason["suite"].as_str().unwrap()).collect();
        assert!(!suites.is_empty() && suites.iter().all(|one| *one == suite), "{suite}: {suites:?}");
        world.bytes(file, &before);
    }
    assert_eq!(world.run().code, 0);
}

#[test]
fn in_an_empty_directory_every_sample_passes_and_fails_when_it_is_broken() {
    let symbol = ("evals/retrieval/memories.json", "memory:secrets", "memory:vault");
    holds(&empty(), "evals/fixtures/greeter/check.sh", symbol);
}

#[test]
fn in_a_node_project_every_sample_passes_and_fails_when_it_is_broken() {
    let world = node();
    holds(&world, "evals/fixtures/greeter/check.mjs", ("src/cart.js", "function total", "function sum"));
    let cases = fs::read_to_string(world.path().join("evals/retrieval/cases.json")).unwrap();
    assert!(cases.contains("code:src/cart.js::total") && cases.contains("code:src/cart.js::discounted"), "{cases}");
}

/// Whether Python is there. CI sets `REQUIRE_PYTHON`, so that there nothing is left out unseen.
fn has_python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    assert!(there || std::env::var_os("REQUIRE_PYTHON").is_none(), "python3 is required and not installed");
    there
}

#[test]
fn in_a_python_project_every_sample_passes_and_fails_when_it_is_broken() {
    if !has_python() {
        eprintln!("not checked: python3 is not installed");
        return;
    }
    let symbol = ("cart/prices.py", "def discounted", "def reduced");
    holds(&python(), "evals/fixtures/greeter/check.py", symbol);
}

#[test]
fn in_a_rust_project_every_sample_passes_and_fails_when_it_is_broken() {
    holds(&rust(), "evals/fixtures/greeter/src/lib.rs", ("src/lib.rs", "pub fn total", "pub fn sum"));
}

#[test]
fn what_is_proposed_fits_what_is_found() {
    for (world, expected) in [
        (empty(), vec!["agents", "commands", "tickets", "search"]),
        (node(), vec!["agents", "search"]),
        (python(), vec!["agents", "search"]),
        (rust(), vec!["agents", "search"]),
    ] {
        assert_eq!(init(&world, &["--yes"]).code, 0);
        let ran = world.run();
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        let suites = ran.results.as_ref().unwrap()["suites"].as_array().unwrap();
        let ids: Vec<&str> = suites.iter().map(|suite| suite["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected);
    }
}

#[test]
fn prompts_notes_and_results_of_other_tools_are_found() {
    let world = World::new();
    world.file("prompts/plan.md", "Plan the day.\n");
    world.file("docs/exit-codes.md", "# Exit codes of the program\n\nFour means broken.\n");
    world.file("docs/names.md", "# Names of suites\n\nThey are short.\n");
    world.file(
        "reports/junit.xml",
        "<testsuite name='t'><testcase classname='t' name='a'/><testcase classname='t' name='b'><failure message='no'/></testcase><testcase classname='t' name='c'><error message='lost'/></testcase></testsuite>",
    );
    world.file("reports/other-results.json", "{\"unrelated\": true}");
    let made = init(&world, &["--yes"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let config = fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    assert!(
        config.contains("cases = [\"reports/junit.xml\"]\nmax-errors = 1\n[suite.gate]\npass-rate = { min = 0.50 }")
    );
    assert!(config.contains("memory = [\"docs/**/*.md\"]"), "{config}");
    assert!(!config.contains("other-results"));
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    floors_are_what_was_measured(&ran);
    let suites: Vec<_> = ran.results.as_ref().unwrap()["suites"].as_array().unwrap().iter().collect();
    assert_eq!(
        suites.iter().map(|suite| suite["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["tickets", "search", "results"]
    );
    fs::remove_file(world.path().join("docs/names.md")).unwrap();
    assert_eq!(world.run().code, 1);
}

#[test]
fn a_single_symbol_that_is_renamed_fails_as_well() {
    let world = World::new();
    world.file("tool.py", "def shorten(text):\n    \"\"\"Cuts a text to its first words.\"\"\"\n    return text[:9]\n");
    assert_eq!(init(&world, &["--yes"]).code, 0);
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(ran.case("code-shorten")["status"], "passed");
    replace(&world, "tool.py", "def shorten", "def cut");
    assert_eq!(world.run().code, 1);
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let world = World::new();
    world.file("evalratchet.toml", "mine\n");
    let refused = init(&world, &["--yes"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("evalratchet.toml is there already"), "{}", refused.stderr);
    assert_eq!(listing(&world), ["evalratchet.toml"]);

    let world = World::new();
    world.file("evals/commands/answer.sh", "# mine\n");
    world.file(".github/workflows/evalratchet.yml", "# mine\n");
    let made = init(&world, &["--yes"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let kept = made.stdout.split_once("kept, since they are there already:\n").unwrap().1;
    for name in ["evals/commands/answer.sh", ".github/workflows/evalratchet.yml"] {
        assert!(kept.contains(name), "{}", made.stdout);
        assert_eq!(fs::read_to_string(world.path().join(name)).unwrap(), "# mine\n");
    }
    assert_eq!(init(&world, &["--yes"]).code, 2, "a second time the configuration is there");
}

#[test]
fn what_is_in_the_way_is_named_before_anything_is_written() {
    let world = World::new();
    world.file("evals", "a file\n");
    let refused = init(&world, &["--yes"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("nothing is written: evals should be a directory"), "{}", refused.stderr);
    assert_eq!(listing(&world), ["evals"]);
}

#[test]
fn what_was_written_before_a_failure_is_removed_again() {
    let world = World::new();
    world.git(&["init", "-q"]);
    world.file(".gitignore/oops", "");
    let failed = init(&world, &["--yes"]);
    assert_eq!(failed.code, 2);
    assert!(failed.stderr.contains("cannot write .gitignore"), "{}", failed.stderr);
    assert_eq!(listing(&world), [".gitignore/oops"]);
    let left: Vec<_> = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn without_a_terminal_nothing_is_taken_for_granted() {
    let world = World::new();
    for arguments in [&[][..], &["--kind", "command"]] {
        let refused = init(&world, arguments);
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("pass --yes"), "{}", refused.stderr);
    }
    assert!(listing(&world).is_empty());
    assert_eq!(init(&world, &["--yes", "--kind", "comand"]).code, 2);
}

#[test]
fn a_dry_run_prints_every_file_and_writes_none() {
    let world = World::new();
    world.git(&["init", "-q"]);
    let dry = init(&world, &["--dry-run"]);
    assert_eq!(dry.code, 0);
    assert!(listing(&world).is_empty());
    let made = init(&world, &["--yes"]);
    for name in listing(&world) {
        assert!(dry.stdout.contains(&format!("=== {name}")), "{name}");
        assert!(made.stdout.contains(&format!("  {name}")), "{name}");
        assert!(dry.stdout.contains(&fs::read_to_string(world.path().join(&name)).unwrap()), "{name}");
    }
    insta::assert_snapshot!(made.stdout);
}

#[test]
fn results_are_ignored_by_git_and_what_is_ignored_already_stays_as_it_is() {
    let ignored = |world: &World| fs::read_to_string(world.path().join(".gitignore")).unwrap();
    let world = World::new();
    world.git(&["init", "-q"]);
    world.file(".gitignore", "/target");
    assert_eq!(init(&world, &["--yes"]).code, 0);
    assert_eq!(ignored(&world), "/target\nevalratchet-out/\n");

    let world = World::new();
    world.git(&["init", "-q"]);
    world.file(".gitignore", "*-out\n");
    assert_eq!(init(&world, &["--yes"]).code, 0);
    assert_eq!(ignored(&world), "*-out\n");

    let world = World::new();
    assert_eq!(init(&world, &["--yes"]).code, 0);
    assert!(!world.path().join(".gitignore").exists(), "without git nothing is ignored");
}

#[test]
fn another_default_branch_is_the_one_to_compare_with() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.file("a", "1");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "first"]);
    world.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(init(&world, &["--yes"]).code, 0);
    let config = fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    assert!(config.contains("[baseline]\nref = \"trunk\"\n"), "{config}");
    let workflow = fs::read_to_string(world.path().join(".github/workflows/evalratchet.yml")).unwrap();
    assert!(workflow.contains("branches: [trunk]"), "{workflow}");
    assert_eq!(world.run().code, 0);

    for (branches, expected) in [(&["trunk"][..], "branches: [trunk]"), (&["main", "topic"], "branches: [main]")] {
        let world = World::new();
        world.git(&["init", "-q", "-b", branches[0]]);
        world.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        for branch in &branches[1..] {
            world.git(&["switch", "-q", "-c", branch]);
        }
        assert_eq!(init(&world, &["--yes"]).code, 0);
        let workflow = fs::read_to_string(world.path().join(".github/workflows/evalratchet.yml")).unwrap();
        assert!(workflow.contains(expected), "{workflow}");
    }
}

#[test]
fn below_the_root_of_a_repository_the_workflows_stand_at_the_root() {
    let world = World::new();
    world.git(&["init", "-q"]);
    fs::create_dir_all(world.path().join("packages/api")).unwrap();
    let inside = |arguments: &[&str]| {
        let output = world.command(arguments).current_dir(world.path().join("packages/api")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    };
    inside(&["init", "--yes", "--kind", "command"]);
    assert_eq!(
        listing(&world),
        [
            ".github/workflows/evalratchet-packages-api-publish.yml",
            ".github/workflows/evalratchet-packages-api.yml",
            "packages/api/.gitignore",
            "packages/api/evalratchet.toml",
            "packages/api/evals/commands/answer.sh",
            "packages/api/evals/commands/cases.json",
        ]
    );
    inside(&["run"]);
}

#[test]
fn with_the_first_baseline_the_ratchet_holds() {
    let world = rust();
    world.git(&["init", "-q"]);
    assert_eq!(init(&world, &["--yes", "--kind", "command", "retrieval", "golden"]).code, 0);
    world.commit("Evaluate every pull request");
    assert_eq!(world.run().verdict(), "no-baseline");
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("The first baseline");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    // A longer file moves ranks and nothing else.
    let more = "\n/// Takes the prices of a cart and the discount of each price.\npub fn prices_of_a_cart() {}\n";
    let source = fs::read_to_string(world.path().join("src/lib.rs")).unwrap();
    world.file("src/lib.rs", &format!("{source}{more}"));
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    replace(&world, "src/lib.rs", "pub fn discounted", "pub fn reduced");
    assert_eq!(world.run().code, 1);
}

#[test]
fn on_a_terminal_each_kind_is_asked_for() {
    if !has_python() {
        eprintln!("not checked: python3 is not installed");
        return;
    }
    let world = World::new();
    let spawn = "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut child = Command::new("python3")
        .args(["-c", spawn, env!("CARGO_BIN_EXE_evalratchet"), "init"])
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // scenario, command, golden, retrieval, imported, and whether to write.
    child.stdin.take().unwrap().write_all(b"n\n\nno\nn\n\ny\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("command: a program that answers with shell commands: are they right? (a sample) [Y/n]"),
        "{said}"
    );
    assert!(said.contains("imported:") && said.contains("[y/N]") && said.contains("Write 5 files? [Y/n]"), "{said}");
    let config = fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    assert_eq!(config.matches("[[suite]]").count(), 1);
    assert_eq!(world.run().code, 0);
}

#[test]
fn each_shell_gets_its_completions_and_bash_can_load_them() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = world.evalratchet(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("changed-since"), "{shell}");
    }
    assert_eq!(world.evalratchet(&["completions", "tcsh"]).code, 2);
    let script = world.file("completions.bash", &world.evalratchet(&["completions", "bash"]).stdout);
    assert!(script.exists());
    // What bash offers after `evalratchet run --changed`.
    let ask = "source ./completions.bash && complete -p evalratchet && COMP_WORDS=(evalratchet run --changed) COMP_CWORD=2 && _evalratchet evalratchet --changed run && echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", ask]).current_dir(world.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("-F _evalratchet") && said.trim_end().ends_with("--changed-since"), "{said}");
}

#[test]
fn every_example_pins_actions_to_a_commit() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<std::path::PathBuf> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.extend(["README.md", "src/doctor/mod.rs"].map(|name| root.join(name)));
    files.retain(|path| path.extension().is_some_and(|ending| ending == "md" || ending == "rs"));
    let mut seen = 0;
    for path in files {
        for line in std::fs::read_to_string(&path).unwrap().lines().filter(|line| line.contains("uses: ")) {
            let Some((_, version)) = line.split("uses: ").nth(1).and_then(|rest| rest.split_once('@')) else {
                continue;
            };
            let version: String = version.chars().take_while(char::is_ascii_alphanumeric).collect();
            let is_commit = version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit || version == "COMMIT", "{}: {line}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn tools_and_data_that_are_there_become_suites_and_a_second_init_changes_nothing() {
    let world = World::new();
    world.file("promptfooconfig.yaml", "prompts: [a]\n");
    world.file("pytest.ini", "[pytest]\n");
    world.file("evaluation/fixtures/a/x.txt", "x\n");
    world.file(
        "evaluation/scenarios/a.json",
        "{\"id\": \"a\", \"title\": \"t\", \"adapterId\": \"go-module\", \"goals\": [], \"fixture\": {\"path\": \"evaluation/fixtures/a\"}, \"patternAssertions\": [{\"type\": \"file-exists\", \"path\": \"x.txt\"}]}",
    );
    // What a run of ours left behind is no data of theirs.
    world.file("old/results.json", "{\"schema\": \"evalratchet.results/v1\"}");
    world.file(
        "old/junit.xml",
        "<testsuites name=\"evalratchet\"><testsuite name=\"s\"><testcase name=\"a\"/></testsuite></testsuites>",
    );
    world.commit("first");
    let ran = init(&world, &["--yes"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("found:\n  promptfooconfig.yaml (promptfoo)\n  pytest.ini (pytest)\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("npx promptfoo@latest eval --output evals/results/promptfoo.json"), "{}", ran.stdout);
    let config = fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    for part in [
        "evals/results/promptfoo.json",
        "varies = true",
        "evals/results/pytest.xml",
        "evaluation/scenarios/*.json",
        "promptfooconfig.yaml",
    ] {
        assert!(config.contains(part), "{part}: {config}");
    }
    assert!(!config.contains("old/"), "{config}");
    let workflow = fs::read_to_string(world.path().join(".github/workflows/evalratchet.yml")).unwrap();
    assert_eq!(workflow.matches("- name: Run promptfoo").count(), 2, "{workflow}");
    assert!(workflow.contains("python -m pytest --junitxml evals/results/pytest.xml || true"), "{workflow}");
    let alone = world.evalratchet(&["run", "--kind", "scenario"]);
    assert_eq!(alone.code, 0, "{}{}", alone.stdout, alone.stderr);
    let before = listing(&world);
    assert_eq!(init(&world, &["--yes"]).code, 2);
    assert_eq!(listing(&world), before);
}
