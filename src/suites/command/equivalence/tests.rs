//! What is equivalent and what is not, pair by pair, and the algebra that must hold for all.

use proptest::prelude::*;

use super::{Equivalence, EquivalenceRule, Tables, compare};

fn score(a: &str, b: &str) -> f64 {
    let there = compare(a, b, &Tables::shipped()).score();
    let back = compare(b, a, &Tables::shipped()).score();
    assert!((there - back).abs() < f64::EPSILON, "not symmetric: {a} | {b}");
    there
}

fn same(pairs: &[(&str, &str)]) {
    let missed: Vec<_> = pairs.iter().filter(|(a, b)| score(a, b) < 0.9).collect();
    assert!(missed.is_empty(), "not recognised: {missed:#?}");
}

fn different(pairs: &[(&str, &str)]) {
    let wrong: Vec<_> = pairs.iter().filter(|(a, b)| score(a, b) > 0.0).collect();
    assert!(wrong.is_empty(), "called equivalent: {wrong:#?}");
}

#[test]
fn options_of_one_program_are_one_command_however_they_are_written() {
    same(&[
        ("ls -l -a", "ls -la"),
        ("ls -la", "ls -al"),
        ("ls -al", "ls --all -l"),
        ("head -n5 f", "head -n 5 f"),
        ("head -n 5 f", "head --lines=5 f"),
        ("head --lines=5 f", "head f -n 5"),
        ("head -5 f", "head -n 5 f"),
        ("curl -o f -s u", "curl --silent --output f u"),
        ("egrep x f", "grep -E x f"),
        ("tar xzf a.tgz -C d", "tar -x -z -f a.tgz -C d"),
        ("tar cfz a b", "tar -czf a b"),
        ("kill -9 1", "kill -s KILL 1"),
        ("ps aux", "ps axu"),
        ("sudo ls -l -a", "sudo ls -la"),
        ("find . -exec rm -r -f {} \\;", "find . -exec rm -rf {} ';'"),
        ("xargs -0 rm -r -f", "xargs --null rm -rf"),
        ("git commit -am x", "git commit --all --message=x"),
        ("docker container run --rm -it a", "docker run -i -t --rm a"),
        ("dd if=a of=b", "dd of=b if=a"),
        ("rm -r -- build", "rm -r build"),
        ("grep -e a -e b f", "grep -e b -e a f"),
        ("/bin/ls -l -a", "/bin/ls -la"),
        ("kubectl get po,svc -A", "kubectl get pods,services --all-namespaces"),
        ("kubectl rollout restart deploy/x", "kubectl rollout restart deployment/x"),
    ]);
}

#[test]
fn commands_that_the_shell_reads_alike_are_equivalent() {
    same(&[
        ("cat f | wc -l", "cat f|wc -l"),
        ("echo `date`", "echo $(date)"),
        ("find . -name '*.c'", "find . -name \\*.c"),
        ("echo \"$x\"", "echo \"${x}\""),
        ("make >log 2>&1", "make &>log"),
        ("make 1>log", "make >log"),
        (">log make", "make >log"),
        ("a |& b", "a 2>&1 | b"),
        ("[ -f a ] && b", "test -f a && b"),
        ("a; b", "a\nb"),
        ("mkdir a{1..3}", "mkdir a{1,2,3}"),
        ("x=\"$(whoami)\"", "x=$(whoami)"),
        ("ls -la # all", "ls -la"),
        ("unknown-program 'a b'", "unknown-program \"a b\""),
        ("for f in *.c; do wc -l \"$f\"; done", "for f in *.c\ndo\n  wc --lines \"$f\"\ndone"),
    ]);
}

#[test]
fn commands_that_look_alike_but_differ_are_not_equivalent() {
    different(&[
        ("sort -n f", "sort -r f"),
        ("cp a b", "cp b a"),
        ("find . -mtime +7", "find . -mtime -7"),
        ("find . -delete -name x", "find . -name x -delete"),
        ("a > f", "a >> f"),
        ("a 2>&1 >f", "a >f 2>&1"),
        ("echo '$x'", "echo \"$x\""),
        ("ls *.c", "ls '*.c'"),
        ("tar -czf a b", "tar -cfz a b"),
        ("grep -e a -f b", "grep -f a -e b"),
        ("grep -r x", "grep -R x"),
        ("echo 2>out", "echo 2 >out"),
        ("rm -- -r", "rm -r"),
        ("grep -- -v f", "grep -v f"),
        ("echo “a”", "echo \"a\""),
        ("ls -t -S", "ls -S -t"),
        ("sort -k 1 -k 2 f", "sort -k 2 -k 1 f"),
        ("sed -e a -e b", "sed -e b -e a"),
        ("tar -cf a -C d b", "tar -cf a b -C d"),
        ("rsync --include a --exclude b s d", "rsync --exclude b --include a s d"),
        ("echo $x", "echo \"$x\""),
        ("a | b", "b | a"),
        ("a && b", "a || b"),
        ("a & b", "a; b"),
        ("(a)", "{ a; }"),
        ("head -n5 $x", "head $x -n5"),
        ("head -n $x f", "head -n$x f"),
        ("unknown-program -a -b", "unknown-program -b -a"),
        ("unknown-program -ab", "unknown-program -a -b"),
        ("git checkout -- f", "git checkout f"),
        ("git -C a log", "git log -C a"),
        ("\\ls -l", "ls -l"),
        ("tail -n 10 -c 5 f", "tail -c 5 f"),
        ("find . -name *.c", "find . -name '*.c'"),
        ("find . -name a -o -name b -print", "find . \\( -name a -o -name b \\) -print"),
        ("find . -type f -prune -name a", "find . -name a -type f -prune"),
        ("find a b", "find b a"),
        ("echo -n a", "echo a -n"),
        ("echo [a-z]", "echo ['a-z']"),
        ("cat <<E\nx\nE", "cat <<'E'\nx\nE"),
        ("x=1 ls", "ls x=1"),
        ("ssh h ls -l -a", "ssh h ls -a -l"),
        ("env -i a", "env a -i"),
        ("$x -la", "$x -al"),
        ("rm -rf ~", "rm -rf '~'"),
        ("chmod -x f", "chmod f -x"),
        ("xargs -n 1 rm -f", "xargs -f rm -n 1"),
        ("command -v egrep", "command -v grep -E"),
        ("kubectl get pods po", "kubectl get po pods"),
        ("kubectl logs po", "kubectl logs pods"),
        ("git log --oneline f", "git log f --oneline"),
        ("git diff HEAD f --stat", "git diff --stat HEAD f"),
        ("env A=1 -i ls", "env -i A=1 ls"),
        ("timeout 5 -s KILL ls", "timeout -s KILL 5 ls"),
        ("xargs rm --", "xargs rm"),
        ("xargs -I{} rm -- {}", "xargs -I{} rm {}"),
        ("xargs -I{} head {} -n 5", "xargs -I{} head -n 5 {}"),
        ("xargs [ -f ]", "xargs test -f"),
        ("xargs xargs", "xargs xargs echo"),
        ("touch {01..03}", "touch 1 2 3"),
        ("for x in ; do y; done", "for x; do y; done"),
        ("exec {fd}>f", "exec {fd} >f"),
        ("head f -5", "head -n 5 f"),
        ("tail -5 a b", "tail -n 5 a b"),
        ("grep -e \"$@\" -i f", "grep -i -e \"$@\" f"),
        ("rm x\"$@\" -r", "rm -r x\"$@\""),
        ("echo \"$@\"", "echo $@"),
        ("go test ./a -v ./b", "go test -v ./a ./b"),
        ("kill -9 -1", "kill -KILL -HUP"),
        ("cat > x{1,2}", "cat > \"x{1,2}\""),
        ("rm !(a)", "rm \\!(a)"),
        ("dd if=$x of=y", "dd of=y if=$x"),
        ("watch head '$x' -n 5", "watch head -n 5 '$x'"),
    ]);
}

#[test]
fn what_means_the_same_by_the_manual_is_recognised() {
    same(&[
        ("uniq -c -d f", "uniq -d -c f"),
        ("wget -mnp u", "wget --mirror --no-parent u"),
        ("diff -u a b", "diff -U3 a b"),
        ("diff -u a b", "diff --unified a b"),
        ("diff -c a b", "diff -C 3 a b"),
        ("ls --color", "ls --color=always"),
        ("grep -y x f", "grep -i x f"),
        ("[ a = b ]", "[ a == b ]"),
        ("test \"$a\" == b", "[ \"$a\" = b ]"),
    ]);
    different(&[
        ("uniq -d -u f", "uniq -u -c f"),
        ("diff -u a b", "diff -U5 a b"),
        ("ls --color", "ls --color=auto"),
        ("[ == = b ]", "[ = == b ]"),
        ("test a == b", "test a != b"),
        ("test -- a", "test a"),
    ]);
}

/// Each of these pairs was run, or its parser was read: one of the two fails, or does something else.
#[test]
fn a_form_that_the_program_does_not_take_is_not_equivalent() {
    different(&[
        ("zstd -f -o 7 q1", "zstd -f -o7 q1"),
        ("ip -n a link", "ip -na link"),
        ("javac -d out A.java", "javac -dout A.java"),
        ("java -p a M", "java -pa M"),
        ("xrandr -o left", "xrandr -oleft"),
        ("ffmpeg -t 5 a", "ffmpeg -t5 a"),
        ("go build -o a", "go build -oa"),
        ("gofmt -r a f", "gofmt -ra f"),
        ("redis-cli -n 1 ping", "redis-cli -n1 ping"),
        ("pdftotext -f 1 a", "pdftotext -f1 a"),
        ("xclip -d :0", "xclip -d:0"),
        ("jq --indent 1 .", "jq --indent=1 ."),
        ("vim --cmd x f", "vim --cmd=x f"),
        ("vim -u x f", "vim -ux f"),
        ("xrandr --output A --off", "xrandr --output=A --off"),
        ("node -p 1+1", "node -p1+1"),
        ("node -p 1+1", "node --print=1+1"),
        ("node -r x f.js", "node -rx f.js"),
        ("python3 --check-hash-based-pycs never", "python3 --check-hash-based-pycs=never"),
        ("tsc --outDir a", "tsc --outDir=a"),
        ("redis-cli --pattern a", "redis-cli --pattern=a"),
        ("git rev-parse --git-path hooks", "git rev-parse --git-path=hooks"),
        ("git rev-parse --default HEAD", "git rev-parse --default=HEAD"),
        ("git rev-parse --prefix a b", "git rev-parse --prefix=a b"),
        ("curl -o a u", "curl --output=a u"),
        ("git -C d log", "git -Cd log"),
        ("git -c a.b=c log", "git -ca.b=c log"),
        ("nmap -oN f h", "nmap -oNf h"),
        ("objdump -EB -e prog", "objdump -EBe prog"),
        ("jq --arg a b .", "jq --arg=a b ."),
    ]);
}

#[test]
fn options_of_git_and_others_that_only_look_like_each_other_are_not_equivalent() {
    different(&[
        ("git log --pretty", "git log --format"),
        ("git log --format oneline", "git log --format=oneline"),
        ("git shortlog --exclude x HEAD", "git shortlog --exclude=x HEAD"),
        ("git shortlog --glob x", "git shortlog --glob=x"),
        ("git rev-parse --quiet --quiet", "git rev-parse -qq"),
        ("git diff -2 A B", "git diff --ours A B"),
        ("git diff -1 A B", "git diff --base A B"),
        ("git ls-tree --name-only --name-status HEAD", "git ls-tree --name-only --name-only HEAD"),
        ("bzip2 --best -1 f", "bzip2 -9 -1 f"),
        ("bzip2 --decompress -z f", "bzip2 -d -z f"),
        ("echo a 2>&-", "echo a 2>&\\-"),
        ("tar --old-archive --xattrs-exclude x -cf a d", "tar --xattrs-exclude x --old-archive -cf a d"),
        ("tar --old-archive --acls -cf a d", "tar --acls --old-archive -cf a d"),
        ("timeout -f 5 a", "timeout --foreground 5 a"),
        ("timeout -p 5 a", "timeout --preserve-status 5 a"),
    ]);
    same(&[
        ("git log --pretty=oneline", "git log --format=oneline"),
        ("bzip2 -9 f", "bzip2 --best f"),
        ("bzip2 -d f", "bzip2 --decompress f"),
    ]);
}

#[test]
fn what_find_implies_is_named_before_the_quotes_that_it_needs() {
    let (a, b) = ("find . -name F -prune -o -name g", "find . \\( -name F -prune -o -name g \\) -print");
    assert_eq!(compare(a, b, &Tables::shipped()).rule(), Some(EquivalenceRule::FindExpression));
}

#[test]
fn every_rule_holds_for_its_example_and_names_itself() {
    for rule in EquivalenceRule::ALL {
        let (a, b) = rule.example();
        let found = compare(a, b, &Tables::shipped());
        assert_eq!(found.rule(), Some(rule), "{a} | {b}");
        let expected = if rule == EquivalenceRule::Exact {
            1.0
        } else if rule == EquivalenceRule::Whitespace {
            0.95
        } else {
            0.90
        };
        assert!((found.score() - expected).abs() < f64::EPSILON, "{a} | {b}");
    }
}

#[test]
fn a_mismatch_names_the_first_word_and_what_the_option_does() {
    let Equivalence::Different { difference, reason } = compare("sort -n f", "sort -r f", &Tables::shipped()) else {
        panic!("called equivalent");
    };
    assert_eq!((difference.word, reason), (2, None));
    assert_eq!((difference.expected.as_deref(), difference.generated.as_deref()), (Some("-n"), Some("-r")));
    let note = difference.note.unwrap();
    assert!(note.contains("-n: ") && note.contains("-r: "), "{note}");
}

#[test]
fn what_is_too_long_or_too_deep_is_compared_as_text_and_says_so() {
    let long = format!("echo {}", "a".repeat(9000));
    let deep = format!("{}a{}", "$(".repeat(300), ")".repeat(300));
    let braces = "{".repeat(5000);
    let bangs = "! ".repeat(3000);
    for text in [&long, &deep, &braces, &bangs] {
        let Equivalence::Different { reason, .. } = compare(text, "ls", &Tables::shipped()) else { panic!("{text}") };
        assert!(reason.unwrap().contains("compared as text only"));
        assert!((score(text, &format!("{text} ")) - 0.95).abs() < f64::EPSILON);
    }
    assert!(score("echo 'open", "echo  'open") < 0.9, "blanks after an open quote are not looked into");
}

/// Independent flags of `ls`, in long and short spelling.
const LS: [(&str, &str); 5] =
    [("-i", "--inode"), ("-s", "--size"), ("-R", "--recursive"), ("-G", "--no-group"), ("-B", "--ignore-backups")];

fn ls_command() -> impl Strategy<Value = (Vec<usize>, Vec<bool>, Vec<String>)> {
    let order = Just((0..LS.len()).collect::<Vec<_>>()).prop_shuffle();
    let long = proptest::collection::vec(any::<bool>(), LS.len());
    let operands = proptest::collection::vec("[a-z]{1,6}", 0..4);
    (order, long, operands)
}

fn written(order: &[usize], long: &[bool], operands: &[String]) -> String {
    let flags = order.iter().map(|flag| if long[*flag] { LS[*flag].1 } else { LS[*flag].0 });
    let words: Vec<&str> = std::iter::once("ls").chain(flags).chain(operands.iter().map(String::as_str)).collect();
    words.join(" ")
}

/// Commands of many shapes, for the laws that hold for all.
fn any_command() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z./]{1,8}",
        "-[a-zA-Z]{1,3}",
        "--[a-z]{2,8}(=[a-z0-9]{1,3})?",
        Just("'a b'".to_owned()),
        Just("\"$x\"".to_owned()),
        Just("$x".to_owned()),
        Just("*.c".to_owned()),
        Just("--".to_owned()),
        Just(">f".to_owned()),
        Just("2>&1".to_owned()),
        Just("|".to_owned()),
        Just("{}".to_owned()),
        Just("\\;".to_owned()),
    ];
    let program = prop_oneof![
        Just("ls"),
        Just("grep"),
        Just("find ."),
        Just("tar"),
        Just("sort"),
        Just("xargs"),
        Just("git log"),
        Just("sudo"),
        Just("frobnicate")
    ];
    (program, proptest::collection::vec(word, 0..6))
        .prop_map(|(program, words)| format!("{program} {}", words.join(" ")))
}

proptest! {
    #[test]
    fn independent_options_may_stand_in_any_order_and_spelling(a in ls_command(), shuffled in ls_command()) {
        let one = written(&a.0, &a.1, &a.2);
        let other = written(&shuffled.0, &shuffled.1, &a.2);
        prop_assert!(score(&one, &other) >= 0.9, "{one} | {other}");
    }

    #[test]
    fn another_operand_is_another_command(a in ls_command(), extra in "[a-z]{1,6}") {
        let mut operands = a.2.clone();
        operands.push(extra);
        prop_assert_eq!(score(&written(&a.0, &a.1, &a.2), &written(&a.0, &a.1, &operands)), 0.0);
    }

    #[test]
    fn another_value_redirection_or_stage_is_another_command(value in 1_u32..99, file in "[a-z]{1,5}") {
        let base = format!("head -n {value} {file}");
        for other in [
            format!("head -n {} {file}", value + 1),
            format!("{base} >{file}"),
            format!("{base} | sort"),
            format!("{base}x"),
            format!("head -c {value} {file}"),
        ] {
            prop_assert_eq!(score(&base, &other), 0.0, "{} | {}", &base, &other);
        }
    }

    #[test]
    fn every_command_is_equivalent_to_itself_with_other_blanks(command in any_command()) {
        prop_assert!(score(&command, &command) >= 1.0);
        let padded = format!("  {command} ");
        prop_assert!(score(&command, &padded) >= 0.95);
    }

    #[test]
    fn equivalence_is_symmetric_and_transitive(a in any_command(), b in any_command(), c in any_command()) {
        let tables = Tables::shipped();
        let holds = |x: &str, y: &str| compare(x, y, &tables).score() > 0.0;
        prop_assert_eq!(holds(&a, &b), holds(&b, &a));
        if holds(&a, &b) && holds(&b, &c) {
            prop_assert!(holds(&a, &c));
        }
    }

    #[test]
    fn no_text_makes_the_comparison_panic(a in "\\PC{0,60}", b in "[ -~]{0,60}") {
        compare(&a, &b, &Tables::shipped());
    }
}

#[test]
fn the_difference_is_the_word_that_makes_one() {
    for (expected, generated, word, wanted, found) in [
        ("rm -rf build", "rm -fr /", 3, "build", "/"),
        ("rm -r -f build", "rm -fr /", 4, "build", "/"),
        ("ls -la src", "ls -al lib", 3, "src", "lib"),
        ("ls -la", "ls -al x", 3, "", "x"),
        ("head -n 5 f", "head g -n 5", 4, "f", "g"),
        ("head -5 f", "head -n 5 g", 3, "f", "g"),
        ("head -n 5 f", "head -n 6 f", 3, "5", "6"),
        ("tar xzf a.tgz", "tar -xzf b.tgz", 3, "a.tgz", "b.tgz"),
        ("grep -i -n x 'a'", "grep -ni x b", 5, "'a'", "b"),
        ("find . -name a -type f", "find . -type f -name b", 4, "a", "b"),
        ("find . -type f", "find . -name f", 3, "-type", "-name"),
        ("git log --oneline -n 5", "git log -5 --oneline main", 5, "", "main"),
        ("docker run -it --rm alpine sh", "docker run --rm -ti ubuntu sh", 5, "alpine", "ubuntu"),
        ("rm -r build", "rm -f /", 3, "build", "/"),
        ("rm -r build", "rm -r -f build", 3, "", "-f"),
        ("kubectl get pods -n a", "kubectl get pods -n b", 5, "a", "b"),
        ("git push origin main", "git push --force origin main", 3, "", "--force"),
        ("ls -la", "ls", 2, "-la", ""),
        ("cp a b", "cp b a", 2, "a", "b"),
        ("sort -r f > out", "sort --reverse f > other", 5, "out", "other"),
        ("rm -r -- build", "rm -r /", 4, "build", "/"),
        ("ls", "# ls", 1, "ls", ""),
        ("rm -rf build", "rm -r build", 2, "-f", ""),
        ("ls -la", "ls -l", 2, "-a", ""),
        ("rm -rf build", "rm -rfv build", 2, "", "-v"),
        ("rm -rf build", "rm -rv build", 2, "-f", "-v"),
        ("tar -xzf a.tgz -C out", "tar xzf a.tgz -C in", 5, "out", "in"),
        ("tar czf o.tgz d", "tar -c -z -f o.tgz e", 4, "d", "e"),
        ("tar xzf a.tgz", "tar xf a.tgz", 2, "-z", ""),
        ("curl -o f u", "curl --output g u", 3, "f", "g"),
        ("test -f x", "[ -f y ]", 3, "x", "y"),
        ("git log -n 3", "git log -4", 4, "3", "4"),
        ("rm -r -f x y", "rm -rf y x", 4, "x", "y"),
        ("sort -n z", "sort a.txt", 3, "z", "a.txt"),
        ("ls -l | wc -l", "ls -l | wc -c", 5, "-l", "-c"),
        ("ls -al | sort -n x", "ls -la | sort --numeric-sort y", 6, "x", "y"),
        ("ls && rm a", "ls && rm b", 4, "a", "b"),
        ("head -n 5 5", "head -n 5 6", 4, "5", "6"),
        ("grep -rn foo src", "grep -n -r foo lib", 4, "src", "lib"),
        ("sort f > out", "sort f >> out", 3, ">", ">>"),
        ("git commit -m a", "git commit --message=b", 4, "a", "b"),
        ("find . -name a -o -name b", "find . -name a", 6, "-name", ""),
        ("find . -name '*.c' -delete", "find . -name '*.c'", 5, "-delete", ""),
    ] {
        let Equivalence::Different { difference, .. } = compare(expected, generated, &Tables::shipped()) else {
            panic!("{expected} and {generated} are the same")
        };
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        let found_difference = (difference.word, text(&difference.expected), text(&difference.generated));
        assert_eq!(found_difference, (word, wanted.to_owned(), found.to_owned()), "{expected} | {generated}");
    }
}

#[test]
fn a_note_is_about_the_word_that_is_named() {
    let note = |a: &str, b: &str| compare(a, b, &Tables::shipped()).difference().unwrap().note.clone();
    assert_eq!(note("sort -n z", "sort a.txt"), None);
    assert_eq!(note("rm -r -f x y", "rm -rf y x").unwrap(), "the same words in another order");
    assert!(note("rm -rf build", "rm -r build").unwrap().starts_with("-f: "));
    assert!(note("curl -o f u", "curl --output g u").unwrap().starts_with("-o: "));
}

proptest! {
    #[test]
    fn the_words_that_are_named_differ(a in any_command(), b in any_command()) {
        if let Some(difference) = compare(&a, &b, &Tables::shipped()).difference() {
            let both = (&difference.expected, &difference.generated);
            prop_assert!(both == (&None, &None) || both.0 != both.1, "{a} | {b}: {difference:?}");
        }
    }
}

#[test]
fn whoever_does_nothing_is_equivalent_to_nobody() {
    for (a, b) in [
        ("# a", "# b"),
        ("", "# b"),
        ("  ", ""),
        ("# a\n", "# a"),
        ("\\\n", "#"),
        ("$(# a\n)", "$(# b\n)"),
        ("`# a\n`", "`# b\n`"),
        ("''", "\"\""),
        ("&&", " &&"),
        ("; # a", ";  # a"),
    ] {
        assert_eq!(compare(a, b, &Tables::shipped()).score(), 0.0, "{a:?} and {b:?}");
    }
    for nothing in ["$(# a)", "$(# a\n)", "; # a", "''", "\"\"", "&&", "\u{200b}", "$()", ";;", "'' ''"] {
        assert!(super::is_no_command(nothing, &Tables::shipped()), "{nothing:?}");
    }
    for something in ["ls", ":", ".", "> f", "x=1", "$(ls)", "$x", "''ls", "{ ls; }", "# a\nls", "[", "\\ls", "~", "*"]
    {
        assert!(!super::is_no_command(something, &Tables::shipped()), "{something:?}");
    }
    assert!(super::is_no_command("# only a remark", &Tables::shipped()));
    assert!(!super::is_no_command("true # nothing to do", &Tables::shipped()));
}
