//! What is known about a program, as it is written down: see `docs/program-tables.md`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// A program table file, or the section of a subcommand in it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "evalratchet program table")]
pub struct ProgramTable {
    /// What the program does, in a few words.
    pub about: Option<String>,
    /// The words that this name stands for.
    pub alias: Option<Vec<String>>,
    /// Other names of the same subcommand.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Whether options may follow operands.
    pub order: Option<Order>,
    /// Whether unique beginnings of long names are accepted.
    pub long_prefixes: Option<bool>,
    /// Whether `-la` means `-l -a`.
    pub clusters: Option<bool>,
    /// Whether a name with one dash takes its value after `=`, as `-name=v`.
    pub equals: Option<bool>,
    /// Where the value of an option may stand, if the option does not say so itself.
    pub values: Option<Vec<ValueForm>>,
    /// Whether `-name` and `--name` are the same option.
    pub dashes: Option<bool>,
    /// The option that `-NUM` stands for.
    pub digits: Option<String>,
    /// Where `-NUM` is accepted, if not everywhere among the options.
    pub digits_place: Option<DigitsPlace>,
    /// Whether names of several letters may stand in a cluster, too, as in `wget -mnp`.
    #[serde(default)]
    pub names_in_clusters: bool,
    /// Whether the long options are read after all the short ones, so that the order of the two cannot be seen.
    #[serde(default)]
    pub long_after_short: bool,
    /// Whether whatever follows the first option is an operand.
    #[serde(default)]
    pub one_option: bool,
    /// Whether the first word may be a cluster without a dash.
    #[serde(default)]
    pub old_style: bool,
    /// Whether words of letters are options.
    #[serde(default)]
    pub bare_options: bool,
    /// Whether operands are `key=value` in any order.
    #[serde(default)]
    pub keyed_operands: bool,
    /// Spellings of the first operand, such as `po` for `pods`; also before a `/` and between commas.
    #[serde(default)]
    pub operand_aliases: BTreeMap<String, Vec<String>>,
    /// Where another command starts.
    pub nested: Option<Nested>,
    /// Whether `--` ends the options.
    pub double_dash: Option<bool>,
    /// Whether options may also stand after the subcommand.
    #[serde(default)]
    pub inherit: bool,
    /// Option sets that are accepted too.
    #[serde(default)]
    pub uses: Vec<String>,
    /// The options that POSIX.1-2024 gives the utility; absent if it is none of its utilities.
    pub posix: Option<Vec<String>>,
    /// Spellings → what the option is.
    #[serde(default)]
    pub options: BTreeMap<String, OptionEntry>,
    /// Option sets to be used by subcommands.
    #[serde(default)]
    pub sets: BTreeMap<String, BTreeMap<String, OptionEntry>>,
    /// The program's subcommands, each with options of its own.
    #[serde(default)]
    pub commands: BTreeMap<String, ProgramTable>,
}

/// Whether options may follow operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Options may follow operands.
    Permute,
    /// They may stand before or after all operands, but not between them.
    Contiguous,
    /// The first operand ends the options.
    OptionsFirst,
}

/// Where `-NUM` is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DigitsPlace {
    /// As the first word.
    First,
    /// As the first word, before at most one operand.
    Alone,
}

/// Where another command starts.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Nested {
    /// After so many operands.
    pub after: usize,
    /// Whether `VAR=value` words may stand before it.
    #[serde(default)]
    pub assignments: bool,
    /// What runs if there is none.
    #[serde(default)]
    pub default: Vec<String>,
    /// Whether arguments are added to it, or put into it, when it runs.
    #[serde(default)]
    pub appends: bool,
}

/// An option of a program.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OptionEntry {
    /// What it does, in one short line.
    pub about: String,
    /// Whether it takes a value.
    pub value: Option<ValueKind>,
    /// Where a required value may stand, if not where the program says.
    pub values: Option<Vec<ValueForm>>,
    /// Options that share a group keep their order.
    pub group: Option<Groups>,
    /// What repeating it means.
    pub repeat: Option<OptionRepeat>,
    /// Whether its place among the operands matters.
    #[serde(default)]
    pub position: bool,
    /// Whether its name cannot be shortened although those of the other options can.
    #[serde(default)]
    pub whole_name: bool,
    /// The words it stands for.
    pub same_as: Option<Vec<String>>,
    /// The value that it has when it is given without one.
    pub without_value: Option<String>,
    /// The value in force when it is absent.
    pub default: Option<String>,
    /// Spellings of one value.
    #[serde(default)]
    pub value_aliases: BTreeMap<String, Vec<String>>,
}

/// A place where a required value may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueForm {
    /// In the next word: `-n 5`, `--lines 5`.
    Next,
    /// Directly after a name of one letter: `-n5`.
    Attached,
    /// After `=`: `--lines=5`.
    Equals,
}

/// Whether an option takes a value, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// In one of the forms that `values` allows.
    Required,
    /// Only if attached.
    Optional,
    /// Must be attached.
    Attached,
    /// Attached, or the next word if that begins with a digit, or none.
    Number,
    /// The next two words.
    Two,
    /// All the words that follow are a command.
    Command,
}

/// One group or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Groups {
    /// A single text.
    One(String),
    /// A list of texts.
    Many(Vec<String>),
}

/// What repeating an option means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptionRepeat {
    /// The order of its values has no effect.
    Unordered,
    /// Given twice is given once.
    Idempotent,
}
