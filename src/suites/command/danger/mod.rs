//! What running a command could do: the rules of `rules.toml`, held against every program that the command would run.

mod paths;
mod rule;

use std::sync::LazyLock;

use super::RiskLevel;
use super::calls::{Calls, ShellCall, calls, is_shell};
use super::equivalence::{CommandUsage, Tables};
pub use rule::{DangerRule, RuleFile};
use rule::{Flow, Shape};

static RULES: LazyLock<Vec<DangerRule>> =
    LazyLock::new(|| toml::from_str::<RuleFile>(include_str!("rules.toml")).map(|file| file.rule).unwrap_or_default());

/// How dangerous a command is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    pub level: RiskLevel,
    /// Every rule that holds, worst first.
    pub findings: Vec<DangerFinding>,
    /// Whether the command could be parsed; if not, only its words were looked at.
    pub parsed: bool,
}

/// A rule that holds, and the words that make it hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DangerFinding {
    pub rule: &'static str,
    pub level: RiskLevel,
    pub about: &'static str,
    pub words: String,
}

impl DangerFinding {
    /// In one line.
    pub fn sentence(&self) -> String {
        format!("`{}` {}", self.words, self.about)
    }
}

/// Looks at a command without running it.
pub fn danger(text: &str, tables: &Tables) -> Danger {
    let calls = calls(text, tables);
    let mut findings: Vec<DangerFinding> = Vec::new();
    let usages: Vec<CommandUsage> = calls.all.iter().map(|call| call.usage(tables)).collect();
    for (at, (call, usage)) in calls.all.iter().zip(&usages).enumerate() {
        let scene = Scene { calls: &calls, at, call, usage };
        for rule in RULES.iter() {
            let finding =
                DangerFinding { rule: &rule.name, level: rule.level, about: &rule.about, words: scene.words() };
            if scene.holds(rule) && !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    // A bomb without its blanks is no function to bash, but it is meant as one.
    let found = findings.iter().any(|finding| finding.rule == "fork-bomb");
    if !found && looks_like_any_bomb(text) {
        let rule = RULES.iter().find(|rule| rule.shape == Some(Shape::ForkBomb));
        findings.extend(rule.map(|rule| DangerFinding {
            rule: &rule.name,
            level: rule.level,
            about: &rule.about,
            words: text.trim().to_owned(),
        }));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let level = findings.first().map_or(RiskLevel::Safe, |finding| finding.level);
    Danger { level, findings, parsed: calls.parsed }
}

/// `name(){name|name&`, whatever its name and its blanks.
fn looks_like_any_bomb(text: &str) -> bool {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    dense.match_indices("(){").any(|(at, _)| {
        let name: String =
            dense[..at].chars().rev().take_while(|c| !matches!(c, ';' | '&' | '|' | '{' | '}' | '(')).collect();
        let name: String = name.chars().rev().collect();
        !name.is_empty() && looks_like_bomb(&dense, &name)
    })
}

fn looks_like_bomb(text: &str, name: &str) -> bool {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    dense.contains(&format!("{name}(){{{name}|{name}&")) || dense.contains(&format!("{name}(){{{name}&{name}&"))
}

/// One call, and what is around it.
struct Scene<'a> {
    calls: &'a Calls,
    at: usize,
    call: &'a ShellCall,
    usage: &'a CommandUsage,
}

impl Scene<'_> {
    /// The words to show: the command, and for a pipe what flows into it.
    fn words(&self) -> String {
        let mut text = self.call.shown();
        for redirect in &self.call.redirects {
            let operator = if redirect.appends {
                ">>"
            } else if redirect.writes {
                ">"
            } else {
                "<"
            };
            text.push_str(&format!(" {operator} {}", redirect.target.raw));
        }
        text.trim().to_owned()
    }

    fn holds(&self, rule: &DangerRule) -> bool {
        let call = self.call;
        let program = call.program();
        if !rule.programs.is_empty() && !rule.programs.iter().any(|name| fits(name, program)) {
            return false;
        }
        if !rule.command.is_empty() && !rule.command.iter().any(|command| self.is_command(command)) {
            return false;
        }
        let given = |choice: &String| choice.split('|').any(|name| self.gives(name));
        if !rule.options.iter().all(given) || rule.without.iter().any(given) {
            return false;
        }
        if !rule.operands.is_empty() && !self.operands(rule).any(|word| paths::is_one_of(word, &rule.operands)) {
            return false;
        }
        if !rule.writes.is_empty() {
            let to = |redirect: &super::calls::CallRedirect| {
                redirect.writes
                    && (rule.appends || !redirect.appends)
                    && paths::is_one_of(&redirect.target, &rule.writes)
            };
            if !call.redirects.iter().any(to) {
                return false;
            }
        }
        if let Some(pattern) = &rule.text
            && !pattern.is_match(&call.texts().join(" "))
        {
            return false;
        }
        rule.flow.is_none_or(|flow| self.flows(flow)) && rule.shape.is_none_or(|shape| self.has(shape))
    }

    /// `push` is the subcommand, or with no table the first operand; `system prune` both words.
    fn is_command(&self, command: &str) -> bool {
        let words: Vec<&str> = command.split(' ').collect();
        let said = self
            .usage
            .subcommands
            .iter()
            .map(String::as_str)
            .chain(self.usage.operands.iter().map(|at| self.call.words[*at].text.as_str()));
        let said: Vec<&str> = said.take(words.len()).collect();
        said == words
    }

    /// `--force`, or `--output=PATH-CLASS` is not looked at here; `-x` also as the only letter of several.
    fn gives(&self, name: &str) -> bool {
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        self.usage.options.iter().any(|option| {
            option.names.iter().any(|known| known == name)
                && value
                    .is_none_or(|value| option.value.as_deref().is_some_and(|given| given.eq_ignore_ascii_case(value)))
        }) || (value.is_none() && self.call.words.iter().skip(1).any(|word| word.text == name))
    }

    /// The words that a rule looks at: operands, values after `of=`, or only the last.
    fn operands<'s>(&'s self, rule: &'s DangerRule) -> Box<dyn Iterator<Item = &'s super::calls::CallWord> + 's> {
        let words = &self.call.words;
        if rule.any_word {
            return Box::new(words.iter().skip(1));
        }
        if rule.last {
            return Box::new(self.usage.operands.last().map(|at| &words[*at]).into_iter());
        }
        Box::new(self.usage.operands.iter().map(|at| &words[*at]))
    }

    fn flows(&self, flow: Flow) -> bool {
        let call = self.call;
        let is_source = |at: usize| {
            self.calls.all.get(at).is_some_and(|call| match flow {
                Flow::Network => is_network(call),
                Flow::Decoded => is_decoder(call),
                Flow::Anything => true,
            })
        };
        let piped = call.input.clone().filter(|at| *at != self.at).any(is_source);
        let put_in = call.words.iter().flat_map(|word| word.inside.iter().cloned().flatten()).any(is_source)
            || call
                .redirects
                .iter()
                .flat_map(|redirect| redirect.target.inside.iter().cloned().flatten())
                .any(is_source);
        piped || put_in || (matches!(flow, Flow::Network) && self.runs_download())
    }

    /// Whether it runs a file that an earlier call downloaded: `curl -o f URL && sh f`.
    fn runs_download(&self) -> bool {
        let run = self.call.words.iter().map(|word| word.text.trim_start_matches("./")).collect::<Vec<_>>();
        self.calls.all[..self.at].iter().filter(|call| is_network(call)).any(|call| {
            let written = call.redirects.iter().filter(|one| one.writes).map(|one| one.target.text.clone());
            let texts = call.texts();
            let named = texts
                .windows(2)
                .filter(|pair| {
                    matches!(pair[0].as_str(), "-o" | "-O" | "--output" | "--output-document")
                        || (pair[0].starts_with('-') && !pair[0].starts_with("--") && pair[0].ends_with(['o', 'O']))
                })
                .map(|pair| pair[1].clone())
                .collect::<Vec<_>>();
            let remote = texts
                .iter()
                .filter(|text| text.contains("://"))
                .filter_map(|text| text.rsplit('/').next().map(str::to_owned));
            written
                .chain(named)
                .chain(remote)
                .map(|name| name.trim_start_matches("./").to_owned())
                .any(|name| !name.is_empty() && run.contains(&name.as_str()))
        })
    }

    fn has(&self, shape: Shape) -> bool {
        match shape {
            // A function that calls itself, and not just once or not in the foreground.
            Shape::ForkBomb => self.call.function.as_deref().is_some_and(|function| {
                let calls = self
                    .calls
                    .all
                    .iter()
                    .filter(|call| call.function.as_deref() == Some(function) && call.program() == function);
                let calls: Vec<&ShellCall> = calls.collect();
                self.call.program() == function && (calls.len() > 1 || calls.iter().any(|call| call.background))
            }),
            Shape::Nothing => self.call.words.iter().all(|word| word.text == ":" || word.text == "true"),
            Shape::ByRoot => self.by_root(),
            Shape::InRoot => {
                let moved =
                    self.calls.all[..self.at].iter().rev().find(|call| matches!(call.program(), "cd" | "pushd"));
                moved.is_some_and(|call| {
                    call.words
                        .get(1)
                        .is_none_or(|word| paths::is_one_of(word, &["root".into(), "system".into(), "home".into()]))
                })
            }
        }
    }

    fn by_root(&self) -> bool {
        let mut by = self.call.run_by;
        while let Some(at) = by {
            let call = &self.calls.all[at];
            if matches!(call.program(), "sudo" | "doas" | "su" | "pkexec" | "runuser") {
                return true;
            }
            by = call.run_by;
        }
        false
    }
}

fn fits(pattern: &str, program: &str) -> bool {
    match pattern {
        "SHELL" => is_shell(program) || matches!(program, "source" | "." | "eval"),
        "INTERPRETER" => {
            program.starts_with("python")
                || program.starts_with("perl")
                || matches!(program, "ruby" | "node" | "php" | "lua" | "deno" | "bun" | "awk" | "gawk")
        }
        // A file that is run by its path.
        "FILE" => !program.is_empty() && program.contains('.'),
        pattern => pattern.strip_suffix('*').map_or(pattern == program, |start| program.starts_with(start)),
    }
}

fn is_network(call: &ShellCall) -> bool {
    matches!(
        call.program(),
        "curl"
            | "wget"
            | "fetch"
            | "http"
            | "https"
            | "aria2c"
            | "lynx"
            | "w3m"
            | "nc"
            | "ncat"
            | "netcat"
            | "ftp"
            | "axel"
            | "GET"
            | "lwp-request"
            | "scp"
            | "socat"
            | "dig"
    )
}

fn is_decoder(call: &ShellCall) -> bool {
    let texts = call.texts();
    let has = |wanted: &[&str]| texts.iter().any(|text| wanted.contains(&text.as_str()));
    match call.program() {
        "base64" | "base32" | "basenc" => has(&["-d", "--decode", "-D", "-di", "-id"]),
        "xxd" => {
            has(&["-r", "-p"])
                || texts.iter().any(|text| text.starts_with("-r") || text.contains('r') && text.starts_with('-'))
        }
        "rev" | "openssl" | "gpg" | "uudecode" => true,
        "tr" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
