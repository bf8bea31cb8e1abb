//! What of a command POSIX.1-2024 does not have: syntax, utilities and options. The utilities and their options stand in the
//! program tables.

use super::calls::{ShellCall, calls};
use super::equivalence::Tables;

/// Operators of `test` that POSIX does not have.
const TEST_OPERATORS: [&str; 8] = ["==", "<", ">", "=~", "-a", "-o", "-v", "-N"];

/// What a command uses that POSIX does not have; nothing if it is a POSIX command. `None` if it cannot be parsed.
pub fn extensions(text: &str, tables: &Tables) -> Option<Vec<String>> {
    let calls = calls(text, tables);
    if !calls.parsed {
        return None;
    }
    let mut found: Vec<String> = calls.extensions.iter().map(|what| format!("the syntax {what}")).collect();
    for call in calls.all.iter().filter(|call| !call.words.is_empty()) {
        if !calls.functions.iter().any(|name| name == call.program()) {
            found.extend(of_call(call, tables));
        }
    }
    found.sort();
    found.dedup();
    Some(found)
}

fn of_call(call: &ShellCall, tables: &Tables) -> Vec<String> {
    let program = call.program();
    // What is only known when it runs is not judged.
    if program.starts_with('$') || matches!(program, ":" | "." | "!") {
        return Vec::new();
    }
    if matches!(program, "[" | "test") {
        let texts = call.texts();
        let used = texts.iter().skip(1).filter(|word| TEST_OPERATORS.contains(&word.as_str()));
        return used.map(|operator| format!("`{operator}` of test")).collect();
    }
    // A path names a program of one's own.
    if call.words[0].text.contains('/')
        && !call.words[0].text.starts_with("/bin/")
        && !call.words[0].text.starts_with("/usr/bin/")
    {
        return Vec::new();
    }
    let Some(options) = tables.posix_options(program) else { return vec![format!("the utility {program}")] };
    let mut found = Vec::new();
    for (at, word) in call.words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if program == "echo" {
            if matches!(text, "-n" | "-e" | "-ne" | "-en" | "-E") && at == 1 {
                found.push(format!("`{text}` of echo"));
            }
            break;
        }
        if text.starts_with("--") && text.len() > 2 {
            found.push(format!("`{text}` of {program}"));
        }
    }
    if program == "find" {
        found.extend(of_find(call, &options));
        return found;
    }
    if matches!(program, "printf" | "kill" | "expr" | "test" | "set" | "stty" | "dd" | "echo") {
        if program == "printf" && call.words.get(1).is_some_and(|word| word.text == "-v") {
            found.push("`-v` of printf".to_owned());
        }
        return found;
    }
    for option in call.usage(tables).options {
        let digits = |name: &String| name.len() > 1 && name[1..].bytes().all(|byte| byte.is_ascii_digit());
        let short: Vec<&String> = option.names.iter().filter(|name| !name.starts_with("--")).collect();
        let word = &call.words[option.at].text;
        if word.starts_with("--") || short.iter().any(|name| options.contains(name)) {
            continue;
        }
        let name = short.first().map_or_else(|| word.clone(), |name| (*name).clone());
        // `head -5` is obsolete, `nice -5` too.
        if short.iter().any(|name| digits(name)) || !short.is_empty() {
            found.push(format!("`{name}` of {program}"));
        }
    }
    found
}

fn of_find(call: &ShellCall, options: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 1;
    let mut paths = 0;
    while at < call.words.len() {
        let text = call.words[at].text.as_str();
        if matches!(text, "-exec" | "-ok") {
            at += call.words[at..]
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"))
                .unwrap_or(call.words.len());
        } else if text.starts_with('-') && text.len() > 1 {
            if !options.iter().any(|option| option == text) {
                found.push(format!("`{text}` of find"));
            }
            let takes_value = !matches!(
                text,
                "-H" | "-L"
                    | "-nouser"
                    | "-nogroup"
                    | "-xdev"
                    | "-mount"
                    | "-prune"
                    | "-print"
                    | "-print0"
                    | "-depth"
                    | "-a"
                    | "-o"
                    | "-delete"
                    | "-empty"
            );
            at += usize::from(takes_value);
        } else if !matches!(text, "(" | ")" | "!" | ",") {
            paths += 1;
        }
        at += 1;
    }
    if paths == 0 {
        found.push("find without a path".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        extensions(text, &Tables::shipped()).unwrap()
    }

    #[test]
    fn commands_of_posix_use_nothing_else() {
        for text in [
            "ls -la",
            "find . -type f -name '*.c' -exec grep -n main {} +",
            "sort -u f > g",
            "for f in ./*.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
            "[ -f a ] && cat a",
            "rm -rf build",
            "awk -F: '{print $1}' /etc/passwd | sort | uniq -c",
            "sed -E 's/a/b/' f",
            "printf '%s\\n' a",
            "head -n 5 f",
            "xargs -0 rm < f",
            "x=$((1 + 2)); echo \"$x\"",
            "date +%Y-%m-%d",
            "tr -d '\\r' < a > b",
            "f() { echo a; }; f",
        ] {
            assert_eq!(of(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_posix_does_not_have_is_named() {
        for (text, named) in [
            ("[[ -f a ]]", "[[ ]]"),
            ("ls --all", "--all"),
            ("grep -P x f", "-P"),
            ("sed -i 's/a/b/' f", "-i"),
            ("find . -maxdepth 1", "-maxdepth"),
            ("find -name a", "without a path"),
            ("echo -e a", "-e"),
            ("cat <(ls)", "<( )"),
            ("make &> log", "&>"),
            ("echo {1..3}", "braces"),
            ("cat <<< a", "<<<"),
            ("curl -O u", "curl"),
            ("sudo ls", "sudo"),
            ("tar -czf a b", "tar"),
            ("[ a == b ]", "=="),
            ("echo ${x//a/b}", "${x/a/b}"),
            ("a=(1 2)", "arrays"),
            ("source f", "source"),
            ("readlink -f a", "-f"),
            ("cp -a b c", "-a"),
            ("du -sh d", "-h"),
            ("head -c5 --zero-terminated f", "--zero-terminated"),
        ] {
            assert!(of(text).iter().any(|what| what.contains(named)), "{text}: {:?}", of(text));
        }
    }
}
