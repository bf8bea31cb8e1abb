//! The rules by which two commands are equivalent, each with a stable name and an example.

/// One rule. The order of the variants is the order of what they take for granted: the later, the more knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EquivalenceRule {
    /// Byte for byte.
    Exact,
    /// Blanks outside of quotes.
    Whitespace,
    /// A comment at the end.
    Comment,
    /// A newline for a `;`, or one too many at the end.
    Separator,
    /// Other quotes that mean the same.
    Quoting,
    /// `${x}` for `$x`.
    ParameterBraces,
    /// Backticks for `$()`.
    CommandSubstitution,
    /// `{a,b}` written out.
    BraceExpansion,
    /// Where a redirection stands, `1>`, `&>` or `|&`.
    Redirection,
    /// `[ x ]` for `test x`.
    TestBracket,
    /// `--` where it changes nothing.
    EndOfOptions,
    /// Options after operands, where the program permutes.
    OptionPosition,
    /// Options in another order.
    OptionOrder,
    /// `-l -a` for `-la`.
    OptionCluster,
    /// An option given twice that says nothing new.
    OptionRepeated,
    /// `-n5`, `-n 5`, `--lines=5`, `--lines 5`.
    OptionValue,
    /// A long name for a short one.
    OptionName,
    /// The unique beginning of a long name.
    OptionPrefix,
    /// Old-style option words: `tar xzf`, `ps aux`, `head -5`.
    OptionWord,
    /// An option that stands for others, or another spelling of its value.
    OptionSynonym,
    /// A value that is the default anyway.
    DefaultValue,
    /// Another name of the program or the subcommand.
    Alias,
    /// `key=value` operands in another order.
    KeyedOperand,
    /// What `find` implies: `.`, `-print`, `-a`, parentheses, and tests that commute.
    FindExpression,
}

impl EquivalenceRule {
    pub const ALL: [Self; 24] = [
        Self::Exact,
        Self::Whitespace,
        Self::Comment,
        Self::Separator,
        Self::Quoting,
        Self::ParameterBraces,
        Self::CommandSubstitution,
        Self::BraceExpansion,
        Self::Redirection,
        Self::TestBracket,
        Self::EndOfOptions,
        Self::OptionPosition,
        Self::OptionOrder,
        Self::OptionCluster,
        Self::OptionRepeated,
        Self::OptionValue,
        Self::OptionName,
        Self::OptionPrefix,
        Self::OptionWord,
        Self::OptionSynonym,
        Self::DefaultValue,
        Self::Alias,
        Self::KeyedOperand,
        Self::FindExpression,
    ];

    /// Its stable name.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// Two commands that are equivalent by it.
    pub const fn example(self) -> (&'static str, &'static str) {
        let (_, a, b) = self.entry();
        (a, b)
    }

    const fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Exact => ("exact", "ls -la", "ls -la"),
            Self::Whitespace => ("whitespace", "cat f | wc -l", "cat f|wc  -l"),
            Self::Comment => ("comment", "ls -la", "ls -la # everything"),
            Self::Separator => ("separator", "cd src; ls", "cd src\nls"),
            Self::Quoting => ("quoting", "find . -name '*.rs'", "find . -name \\*.rs"),
            Self::ParameterBraces => ("parameter-braces", "echo \"$HOME\"", "echo \"${HOME}\""),
            Self::CommandSubstitution => ("command-substitution", "echo $(date)", "echo `date`"),
            Self::BraceExpansion => ("brace-expansion", "mkdir a{1..3}", "mkdir a1 a2 a3"),
            Self::Redirection => ("redirection", "make >log 2>&1", "make &>log"),
            Self::TestBracket => ("test-bracket", "[ -f a ]", "test -f a"),
            Self::EndOfOptions => ("end-of-options", "rm -r -- build", "rm -r build"),
            Self::OptionPosition => ("option-position", "head -n 5 f", "head f -n 5"),
            Self::OptionOrder => ("option-order", "ls -l -a", "ls -a -l"),
            Self::OptionCluster => ("option-cluster", "ls -l -a", "ls -la"),
            Self::OptionRepeated => ("option-repeated", "rm -r -r build", "rm -r build"),
            Self::OptionValue => ("option-value", "head -n 5 f", "head -n5 f"),
            Self::OptionName => ("option-name", "sort -r f", "sort --reverse f"),
            Self::OptionPrefix => ("option-prefix", "ls --reverse", "ls --rev"),
            Self::OptionWord => ("option-word", "tar -xzf a.tgz", "tar xzf a.tgz"),
            Self::OptionSynonym => ("option-synonym", "rsync -P a b", "rsync --partial --progress a b"),
            Self::DefaultValue => ("default-value", "tail f", "tail -n 10 f"),
            Self::Alias => ("alias", "egrep x f", "grep -E x f"),
            Self::KeyedOperand => ("keyed-operand", "dd if=a of=b", "dd of=b if=a"),
            Self::FindExpression => ("find-expression", "find . -type f", "find -type f -print"),
        }
    }
}

/// How often each rule was used to bring one command into its normal form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Notes {
    counts: [u16; EquivalenceRule::ALL.len()],
    /// What was implied or needless in expressions of `find`.
    pub(super) find: Vec<&'static str>,
    /// Every option that was understood: how it is written, its value, and what it does.
    pub(super) options: Vec<NotedOption>,
}

/// An option that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotedOption {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) about: String,
}

impl Notes {
    pub(super) fn used(&mut self, rule: EquivalenceRule) {
        let count = &mut self.counts[rule as usize];
        *count = count.saturating_add(1);
    }

    /// Something that `find` implies, or that changes nothing in its expression.
    pub(super) fn used_by_find(&mut self, what: &'static str) {
        self.find.push(what);
        self.used(EquivalenceRule::FindExpression);
    }

    pub(super) fn has_used(&self, rule: EquivalenceRule) -> bool {
        self.counts[rule as usize] > 0
    }

    /// The rule by which two commands with the same normal form are equivalent: of those that were used for one and
    /// not for the other, the one that takes most for granted. If both used the same ones, order is what differs, or
    /// else the way in which the simplest of them was used.
    pub(super) fn deciding_rule(&self, other: &Self) -> EquivalenceRule {
        let used = |rule: EquivalenceRule| self.counts[rule as usize];
        let strongest =
            |holds: &dyn Fn(EquivalenceRule) -> bool| EquivalenceRule::ALL.into_iter().rev().find(|rule| holds(*rule));
        let differs = |rule: EquivalenceRule| {
            let in_find = rule == EquivalenceRule::FindExpression && self.find != other.find;
            in_find || used(rule) != other.counts[rule as usize]
        };
        strongest(&differs)
            .or_else(|| strongest(&|rule| rule == EquivalenceRule::OptionOrder && used(rule) > 0))
            .or_else(|| EquivalenceRule::ALL.into_iter().find(|rule| used(*rule) > 0))
            .unwrap_or(EquivalenceRule::OptionOrder)
    }
}
