//! Program tables made ready for lookup, and the registry of those that ship in the binary.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use include_dir::{Dir, include_dir};

use super::table::{DigitsPlace, Groups, Nested, OptionEntry, OptionRepeat, Order, ProgramTable, ValueForm, ValueKind};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/suites/command/equivalence/programs");

/// What is known about a program, ready for lookup.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) alias: Option<Vec<String>>,
    pub(super) permutes: bool,
    /// Whether options may not stand between operands.
    pub(super) contiguous: bool,
    pub(super) long_prefixes: bool,
    pub(super) clusters: bool,
    pub(super) equals: bool,
    pub(super) dashes: bool,
    pub(super) digits: Option<String>,
    pub(super) digits_place: Option<DigitsPlace>,
    pub(super) names_in_clusters: bool,
    pub(super) long_after_short: bool,
    pub(super) one_option: bool,
    pub(super) old_style: bool,
    pub(super) bare_options: bool,
    pub(super) keyed_operands: bool,
    /// Spelling → canonical first operand.
    pub(super) operand_aliases: HashMap<String, String>,
    pub(super) nested: Option<Nested>,
    pub(super) double_dash: bool,
    pub(super) inherit: bool,
    pub(super) options: Vec<OptionSpec>,
    /// What POSIX gives the utility.
    posix: Option<Vec<String>>,
    names: HashMap<String, usize>,
    /// Where values stand, unless an option says otherwise.
    values: Vec<ValueForm>,
    /// Every subcommand under each of its names, with its canonical name.
    pub(super) commands: BTreeMap<String, (String, Arc<Program>)>,
}

/// One option, ready for lookup.
#[derive(Debug)]
pub(super) struct OptionSpec {
    /// The spelling that all others become.
    pub(super) name: String,
    pub(super) about: String,
    pub(super) value: Option<ValueKind>,
    forms: Vec<ValueForm>,
    pub(super) groups: Vec<String>,
    pub(super) repeat: Option<OptionRepeat>,
    pub(super) position: bool,
    whole_name: bool,
    pub(super) same_as: Option<Vec<String>>,
    pub(super) default: Option<String>,
    pub(super) without_value: Option<String>,
    value_aliases: BTreeMap<String, String>,
}

impl OptionSpec {
    /// Whether a value may stand here. Only a required one has a choice: the other kinds say where theirs stands.
    pub(super) fn takes(&self, form: ValueForm) -> bool {
        match self.value {
            None => false,
            Some(ValueKind::Required) => self.forms.contains(&form),
            Some(ValueKind::Optional | ValueKind::Attached) => form != ValueForm::Next,
            Some(ValueKind::Number) => true,
            Some(ValueKind::Two | ValueKind::Command) => form == ValueForm::Next,
        }
    }

    /// The canonical spelling of a value.
    pub(super) fn canonical_value<'a>(&'a self, value: &'a str) -> &'a str {
        self.value_aliases.get(value).map_or(value, String::as_str)
    }
}

/// What is wrong with a program table.
#[derive(Debug, thiserror::Error)]
pub enum ProgramTableError {
    #[error("there is no option set `{0}`")]
    NoOptionSet(String),
    #[error("two subcommands are called `{0}`")]
    TwoSubcommands(String),
    #[error("two options are called `{0}`")]
    TwoOptions(String),
    #[error("{name}: {error}")]
    Subcommand { name: String, error: Box<Self> },
}

/// The names that a long spelling may stand for.
pub(super) enum Lookup<'a> {
    Exact(&'a OptionSpec),
    /// The unique beginning of this option's name.
    Prefix(&'a OptionSpec),
    /// None, or more than one.
    Unknown,
}

impl Program {
    /// Makes a table ready; `Err` says what is wrong with it.
    pub(super) fn new(table: &ProgramTable) -> Result<Self, ProgramTableError> {
        Self::with_parent(table, None, &table.sets)
    }

    fn with_parent(
        table: &ProgramTable,
        parent: Option<&ProgramTable>,
        sets: &BTreeMap<String, BTreeMap<String, OptionEntry>>,
    ) -> Result<Self, ProgramTableError> {
        let taken_over = |own: Option<bool>, of: fn(&ProgramTable) -> Option<bool>| own.or_else(|| parent.and_then(of));
        let order = table.order.or_else(|| parent.and_then(|parent| parent.order));
        let mut program = Self {
            alias: table.alias.clone(),
            permutes: matches!(order, Some(Order::Permute | Order::Contiguous)),
            contiguous: order == Some(Order::Contiguous),
            long_prefixes: taken_over(table.long_prefixes, |parent| parent.long_prefixes).unwrap_or(false),
            clusters: taken_over(table.clusters, |parent| parent.clusters).unwrap_or(true),
            equals: taken_over(table.equals, |parent| parent.equals).unwrap_or(false),
            dashes: taken_over(table.dashes, |parent| parent.dashes).unwrap_or(false),
            double_dash: taken_over(table.double_dash, |parent| parent.double_dash).unwrap_or(true),
            digits: table.digits.clone(),
            digits_place: table.digits_place,
            names_in_clusters: table.names_in_clusters,
            long_after_short: table.long_after_short,
            one_option: table.one_option,
            old_style: table.old_style,
            bare_options: table.bare_options,
            keyed_operands: table.keyed_operands,
            operand_aliases: table
                .operand_aliases
                .iter()
                .flat_map(|(name, aliases)| aliases.iter().map(|alias| (alias.clone(), name.clone())))
                .collect(),
            nested: table.nested.clone(),
            inherit: table.inherit,
            options: Vec::new(),
            posix: table.posix.clone(),
            names: HashMap::new(),
            values: table.values.clone().unwrap_or_else(|| vec![ValueForm::Next]),
            commands: BTreeMap::new(),
        };
        for set in &table.uses {
            let entries = sets.get(set).ok_or_else(|| ProgramTableError::NoOptionSet(set.clone()))?;
            program.add_options(entries)?;
        }
        program.add_options(&table.options)?;
        for (name, command) in &table.commands {
            let mut taken_over = command.clone();
            // Grandchildren take over from the program as well.
            taken_over.order = command.order.or(table.order);
            taken_over.long_prefixes = Some(command.long_prefixes.unwrap_or(program.long_prefixes));
            taken_over.clusters = Some(command.clusters.unwrap_or(program.clusters));
            taken_over.values = Some(command.values.clone().unwrap_or_else(|| program.values.clone()));
            taken_over.equals = Some(command.equals.unwrap_or(program.equals));
            taken_over.dashes = Some(command.dashes.unwrap_or(program.dashes));
            taken_over.double_dash = Some(command.double_dash.unwrap_or(program.double_dash));
            let inner = Self::with_parent(&taken_over, Some(table), sets)
                .map_err(|error| ProgramTableError::Subcommand { name: name.clone(), error: Box::new(error) })?;
            let inner = Arc::new(inner);
            for spelling in std::iter::once(name).chain(&command.aliases) {
                let entry = (name.clone(), Arc::clone(&inner));
                if program.commands.insert(spelling.clone(), entry).is_some() {
                    return Err(ProgramTableError::TwoSubcommands(spelling.clone()));
                }
            }
        }
        Ok(program)
    }

    fn add_options(&mut self, entries: &BTreeMap<String, OptionEntry>) -> Result<(), ProgramTableError> {
        for (spellings, entry) in entries {
            let index = self.options.len();
            let names: Vec<&str> = spellings.split(", ").collect();
            for name in &names {
                if self.names.insert((*name).to_owned(), index).is_some() {
                    return Err(ProgramTableError::TwoOptions((*name).to_owned()));
                }
            }
            self.options.push(OptionSpec {
                name: names.first().copied().unwrap_or_default().to_owned(),
                about: entry.about.clone(),
                value: entry.value,
                forms: entry.values.clone().unwrap_or_else(|| self.values.clone()),
                groups: match &entry.group {
                    None => Vec::new(),
                    Some(Groups::One(group)) => vec![group.clone()],
                    Some(Groups::Many(groups)) => groups.clone(),
                },
                repeat: entry.repeat,
                position: entry.position,
                whole_name: entry.whole_name,
                same_as: entry.same_as.clone(),
                default: entry.default.clone(),
                without_value: entry.without_value.clone(),
                value_aliases: entry
                    .value_aliases
                    .iter()
                    .flat_map(|(value, aliases)| aliases.iter().map(|alias| (alias.clone(), value.clone())))
                    .collect(),
            });
        }
        Ok(())
    }

    /// The option of exactly this spelling.
    pub(super) fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.names.get(name).map(|index| &self.options[*index])
    }

    /// Every name of an option.
    pub(super) fn names_of(&self, spec: &OptionSpec) -> Vec<String> {
        let index = self.names.get(&spec.name).copied();
        self.names.iter().filter(|(_, at)| Some(**at) == index).map(|(name, _)| name.clone()).collect()
    }

    /// The option that a long spelling names.
    pub(super) fn long_option(&self, name: &str) -> Lookup<'_> {
        if let Some(option) = self.option(name) {
            return Lookup::Exact(option);
        }
        if !self.long_prefixes || name.len() < 3 {
            return Lookup::Unknown;
        }
        let mut indexes = self.names.iter().filter(|(known, _)| known.starts_with(name)).map(|(_, index)| *index);
        match (indexes.next(), indexes.next()) {
            (Some(first), None) => self.by_prefix(first),
            (Some(first), Some(second)) if first == second && indexes.all(|more| more == first) => {
                self.by_prefix(first)
            }
            (Some(_), Some(_)) | (None, _) => Lookup::Unknown,
        }
    }

    fn by_prefix(&self, index: usize) -> Lookup<'_> {
        let spec = &self.options[index];
        if spec.whole_name { Lookup::Unknown } else { Lookup::Prefix(spec) }
    }

    /// The option whose short name is the longest beginning of `cluster` (which has no dash).
    pub(super) fn short_option(&self, cluster: &str) -> Option<(&OptionSpec, usize)> {
        let mut name = String::from("-");
        let mut best = None;
        for character in cluster.chars().take(10) {
            name.push(character);
            if let Some(option) = self.option(&name) {
                best = Some((option, name.len() - 1));
            }
        }
        best
    }
}

/// The tables that a comparison may use: those in the binary, and the user's own before them.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    own: Arc<HashMap<String, Arc<Program>>>,
}

impl Tables {
    /// Those in the binary.
    pub fn shipped() -> Self {
        Self::default()
    }

    /// The user's own first, then those in the binary.
    pub fn with(own: impl IntoIterator<Item = (String, ProgramTable)>) -> Result<Self, ProgramTableError> {
        let mut programs = HashMap::new();
        for (name, table) in own {
            programs.insert(name, Arc::new(Program::new(&table)?));
        }
        Ok(Self { own: Arc::new(programs) })
    }

    /// The options that POSIX gives a utility; nothing if it is none of its utilities.
    pub fn posix_options(&self, name: &str) -> Option<Vec<String>> {
        self.program(name)?.posix.clone()
    }

    /// What is known about a program.
    pub(super) fn program(&self, name: &str) -> Option<Arc<Program>> {
        self.own.get(name).cloned().or_else(|| shipped_program(name))
    }
}

/// The names of all shipped tables, with their texts.
pub(super) fn shipped_tables() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHIPPED.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
}

/// A shipped table, parsed when it is first asked for.
fn shipped_program(name: &str) -> Option<Arc<Program>> {
    static TEXTS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| shipped_tables().collect());
    type Parsed = HashMap<&'static str, Option<Arc<Program>>>;
    static PARSED: LazyLock<Mutex<Parsed>> = LazyLock::new(Mutex::default);
    let (name, text) = TEXTS.get_key_value(name)?;
    let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    parsed
        .entry(name)
        .or_insert_with(|| {
            let table: ProgramTable = toml::from_str(text).ok()?;
            Program::new(&table).ok().map(Arc::new)
        })
        .clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_table_is_well_formed_and_its_names_are_unique() {
        let mut wrong = Vec::new();
        let mut count = 0;
        for (name, text) in shipped_tables() {
            count += 1;
            match toml::from_str::<ProgramTable>(text) {
                Err(error) => wrong.push(format!("{name}: {}", error.message())),
                Ok(table) => {
                    if table.about.as_ref().is_none_or(String::is_empty) {
                        wrong.push(format!("{name}: says nothing about the program"));
                    }
                    if let Err(why) = Program::new(&table) {
                        wrong.push(format!("{name}: {why}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count >= 60, "only {count} programs");
    }

    #[test]
    fn every_option_that_another_stands_for_exists() {
        let mut wrong = Vec::new();
        for (name, text) in shipped_tables() {
            let Ok(table) = toml::from_str::<ProgramTable>(text) else { continue };
            let Ok(program) = Program::new(&table) else { continue };
            for option in &program.options {
                let first = option.same_as.as_ref().and_then(|words| words.first());
                if let Some(word) = first
                    && program.option(word.split('=').next().unwrap_or(word)).is_none()
                {
                    wrong.push(format!("{name} {}: {word}", option.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
