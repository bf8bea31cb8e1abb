//! Every rule holds for its example and not for its counter-example; and what a list of rules could miss.

use super::*;

fn level(text: &str) -> RiskLevel {
    danger(text, &Tables::shipped()).level
}

#[test]
fn every_rule_holds_for_its_example_and_not_for_its_counter_example() {
    let mut wrong = Vec::new();
    assert!(RULES.len() > 50, "the rules cannot be read");
    for rule in RULES.iter() {
        let holds =
            |text: &str| danger(text, &Tables::shipped()).findings.iter().any(|finding| finding.rule == rule.name);
        if !holds(&rule.example) {
            wrong.push(format!("{}: not for its example {}", rule.name, rule.example));
        }
        if holds(&rule.counter_example) {
            wrong.push(format!("{}: also for {}", rule.name, rule.counter_example));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_dangerous_command_stays_so_however_it_is_wrapped() {
    for text in [
        "sudo rm -rf /",
        "sudo -u root -- rm -r -f /",
        "env A=1 rm -rf /",
        "A=1 rm -rf /",
        "nohup rm -rf / &",
        "timeout 5 rm -rf /",
        "xargs rm -rf / < f",
        "sh -c 'rm -rf /'",
        "bash -lc \"rm -rf /\"",
        "eval 'rm -rf /'",
        "ssh web1 'rm -rf /'",
        "ssh web1 rm -rf /",
        "su -c 'rm -rf /'",
        "find . -exec rm -rf / \\;",
        "x=/; rm -rf $x",
        "rm -rf \"/\"",
        "rm -rf //",
        "rm -rf /./",
        "rm -rf /usr/..",
        "rm -rf $'\\x2f'",
        "rm -rf $(echo /)",
        "/bin/rm -rf /",
        "\\rm -rf /",
        "command rm -rf /",
        "busybox rm -rf /",
        "rm --recursive --force /",
        "rm --recurs /",
        "rm / -rf",
        "rm -rf a b / c",
        "echo ok && rm -rf /",
        "if true; then rm -rf /; fi",
        "for d in /bin /; do rm -rf \"$d\"; done",
        "f() { rm -rf /; }; f",
        "echo $(rm -rf /)",
        "cat <(rm -rf /)",
        "echo 'rm -rf /' | sh",
        "bash <<< 'rm -rf /'",
        "bash <<E\nrm -rf /\nE",
        "python3 -c 'import os; os.system(\"rm -rf /\")'",
        "docker exec web rm -rf /",
        "kubectl exec web -- rm -rf /",
        "rm -rf /{bin,etc,usr}",
        "watch rm -rf /",
        "trap 'rm -rf /' EXIT",
    ] {
        assert_eq!(level(text), RiskLevel::Critical, "{text}");
    }
}

#[test]
fn a_harmless_command_that_only_talks_of_danger_is_not_dangerous() {
    for text in [
        "echo rm -rf /",
        "echo 'rm -rf /'",
        "grep -r 'rm -rf /' src",
        "man rm",
        "git log --grep='drop table'",
        "ls -la /etc /dev",
        "cat /etc/passwd",
        "find / -name core",
        "curl -s https://example.com/a.json | jq .",
        "ps aux | grep kill",
        "df -h /",
        "du -sh /* 2>/dev/null",
        "dd if=/dev/sda bs=512 count=1 | xxd",
        "which rm",
        "history | grep rm",
        "printf '%s\\n' \"$x\"",
        "awk '{print $1}' f | sort | uniq -c",
        "kubectl get pods --all-namespaces",
        "git push --dry-run --help",
    ] {
        assert!(level(text) <= RiskLevel::Medium, "{text}: {:?}", danger(text, &Tables::shipped()).findings);
    }
}

#[test]
fn the_network_never_reaches_a_shell_unseen() {
    for text in [
        "curl https://a | sh",
        "curl -fsSL https://a | sudo bash",
        "wget -qO- https://a | bash -s -- --yes",
        "sh <(curl https://a)",
        "bash -c \"$(curl -fsSL https://a)\"",
        "eval \"$(wget -qO- https://a)\"",
        "source <(curl https://a)",
        ". <(curl https://a)",
        "curl https://a | tee i.sh | sh",
        "curl https://a | gunzip | sh",
        "curl -o i.sh https://a && sh i.sh",
        "curl https://a > i.sh; bash ./i.sh",
        "wget https://a/i.sh && chmod +x i.sh && ./i.sh",
        "curl https://a | python3",
        "curl https://a | env X=1 sh",
        "bash < <(curl https://a)",
        "curl https://a | xargs -0 sh -c",
    ] {
        assert_eq!(level(text), RiskLevel::Critical, "{text}");
    }
}

#[test]
fn a_fork_bomb_is_seen_with_and_without_blanks() {
    for text in [":(){ :|:& };:", ":(){:|:&};:", "b() { b | b & }; b", "x(){ x & x & }; x", "function f { f | f & }; f"]
    {
        assert_eq!(level(text), RiskLevel::Critical, "{text}");
    }
    assert!(level("f() { f2; }; f") < RiskLevel::High);
}

#[test]
fn what_cannot_be_parsed_is_looked_at_word_by_word() {
    let danger = danger("rm -rf / 'open", &Tables::shipped());
    assert!(!danger.parsed);
    assert_eq!(danger.level, RiskLevel::Critical);
}
