//! `init`: looks at the directory, asks, and writes a first configuration with samples that pass.
#![expect(clippy::disallowed_methods, reason = "edge: looks at files, asks on the terminal and writes")]

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use ignore::WalkBuilder;

use super::{Failure, console};
use crate::baseline::default_branch;
use crate::init::{self, Offer, offers};
use crate::input::{Found, Ignored, expand_globs, read_bytes, write_atomically};
use crate::model::{ExitCode, Status};
use crate::repository::{Git, GitError};
use crate::settings::CONFIG_NAME;
use crate::suites::Kind;
use crate::suites::imported;
use crate::suites::starter::{ForeignResults, NewFile, Placement, Survey, SurveyedRepository};
use crate::text::{counted, plain};

/// Flags of `init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Take what is proposed and ask nothing
    #[arg(short, long)]
    yes: bool,
    /// These kinds of suite instead of those that fit what is found
    #[arg(long = "kind", value_name = "KIND", num_args = 1..)]
    kinds: Vec<Kind>,
    /// Print what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn init(args: &InitArgs) -> Result<ExitCode, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::Usage(format!("no current directory: {error}")))?;
    if is_there(&here.join(CONFIG_NAME)) {
        let message =
            format!("{CONFIG_NAME} is there already, and is not overwritten; `evalratchet check` looks at it");
        return Err(Failure::Usage(message));
    }
    let asks = !args.yes && !args.dry_run;
    if asks && !std::io::stdin().is_terminal() {
        let message = "standard input is not a terminal: pass --yes to accept the defaults, or --dry-run to see them";
        return Err(Failure::Usage(message.into()));
    }
    let survey = survey(&here)?;
    console::print(&found_files(&survey));
    let mut input = std::io::stdin().lock();
    let kinds = if !args.kinds.is_empty() {
        args.kinds.clone()
    } else if asks {
        choose(offers(&survey), &mut input, console::print)?
    } else {
        offers(&survey).into_iter().filter(|offer| offer.proposed).map(|offer| offer.kind).collect()
    };
    if kinds.is_empty() {
        console::print("no kind is chosen, nothing is written\n");
        return Ok(ExitCode::Passed);
    }
    let (new, kept) = split_by_existing(&here, init::files(&survey, &kinds))?;
    if args.dry_run {
        console::print(&printed(&new));
        console::print(&kept_files_note(&kept, &survey));
        return Ok(ExitCode::Passed);
    }
    if asks {
        console::print(&format!("\n{}", listed(&new, "would be written")));
        let question = format!("Write {}?", counted(new.len(), "file"));
        if !ask(&question, true, &mut input, console::print)? {
            console::print("nothing is written\n");
            return Ok(ExitCode::Passed);
        }
    }
    write_all(&here, &new)?;
    console::print(&listed(&new, "written"));
    console::print(&kept_files_note(&kept, &survey));
    console::print(&next(&new, &survey));
    Ok(ExitCode::Passed)
}

/// Whether there is anything of this name, a link that leads nowhere included.
fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn survey(here: &Path) -> Result<Survey, GitError> {
    let paths = paths(here);
    let read =
        |path: &str| read_bytes(&here.join(path), path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // What the patterns match later is what is looked at now.
    let with_texts = |patterns: Vec<String>| {
        let found: BTreeSet<String> = patterns
            .iter()
            .filter_map(|pattern| expand_globs(here, pattern, Ignored::Skipped).ok())
            .flatten()
            .map(|found| found.shown)
            .collect();
        let texts = found.into_iter().filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect();
        (patterns, texts)
    };
    let manifests: Vec<_> = paths.iter().filter_map(|path| Some((path.clone(), init::language_of(path)?))).collect();
    let sdk = manifests.iter().find_map(|(path, _)| Some((init::sdk_in(&read(path).ok()?)?.to_owned(), path.clone())));
    let installed = manifests.iter().map(|(_, language)| *language).filter(|one| one.tool().is_some_and(is_installed));
    let repository = repository(here)?;
    Ok(Survey {
        installed: installed.collect(),
        code: with_texts(init::code_patterns(&paths)),
        notes: with_texts(init::note_patterns(&paths)),
        prompts: init::prompts_among(&paths),
        sdk,
        tools: init::tools_among(&paths, &|path| read(path).ok()),
        data: init::data_among(&paths, &|path| read(path).ok()),
        results: results(here, &paths),
        workflow: workflow(here, repository.as_ref()),
        repository,
        manifests,
    })
}

/// Every file that git does not ignore and that is not hidden, sorted.
fn paths(here: &Path) -> Vec<String> {
    let mut builder = WalkBuilder::new(here);
    builder.require_git(false).git_global(false).ignore(false);
    builder.filter_entry(|entry| !matches!(entry.file_name().to_str(), Some("node_modules" | "evalratchet-out")));
    let files = builder.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<String> = files
        .filter_map(|entry| Some(entry.path().strip_prefix(here).ok()?.to_string_lossy().replace('\\', "/")))
        .collect();
    paths.sort();
    paths
}

/// Whether a program is on the `PATH`.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// How many files of results become suites, and how large a file is looked at.
const RESULTS: usize = 3;
const RESULTS_SIZE: u64 = 20_000_000;

/// The files that can be read as results of another tool, and hold something that was measured.
fn results(here: &Path, paths: &[String]) -> Vec<ForeignResults> {
    let readable = |path: &&String| {
        init::may_be_results(path) && here.join(path).metadata().is_ok_and(|about| about.len() <= RESULTS_SIZE)
    };
    let results = paths.iter().filter(readable).filter_map(|path| {
        let loaded = imported::load(&Found { path: here.join(path), shown: path.clone() }).ok()?;
        if is_our_own(here, path) {
            return None;
        }
        let ids: BTreeSet<&str> = loaded.cases.iter().map(|loaded| loaded.case.id.as_str()).collect();
        let statuses = imported::statuses(&loaded);
        let measured: Vec<f64> = statuses
            .iter()
            .filter(|status| status.is_measured())
            .map(|status| f64::from(u8::from(*status == Status::Passed)))
            .collect();
        let pass_rate = crate::stats::mean(&measured).filter(|_| ids.len() == loaded.cases.len())?;
        let errors = statuses.iter().filter(|status| **status == Status::Error).count();
        Some(ForeignResults { path: path.clone(), pass_rate, errors })
    });
    results.take(RESULTS).collect()
}

/// Whether a file is what a run of ours wrote, wherever its results went.
fn is_our_own(here: &Path, path: &str) -> bool {
    let beside = here.join(path).with_file_name("results.json");
    let is_ours = |text: String| text.chars().take(2000).collect::<String>().contains("evalratchet.results/");
    path.ends_with("junit.xml") && std::fs::read_to_string(beside).is_ok_and(is_ours)
}

fn repository(here: &Path) -> Result<Option<SurveyedRepository>, GitError> {
    let Some(git) = Git::open(here)? else { return Ok(None) };
    let prefix = git.prefix()?;
    // A remote that was added by hand does not tell; on a topic branch the usual names are likelier.
    let mut branch = default_branch(&git)?;
    for name in ["main", "master"] {
        for place in ["refs/heads", "refs/remotes/origin"] {
            if branch.is_none() && git.commit(&format!("{place}/{name}"))?.is_some() {
                branch = Some(name.to_owned());
            }
        }
    }
    if branch.is_none() {
        branch = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    }
    let branch = branch.unwrap_or_else(|| "main".to_owned());
    let ignores_results = git.answer_if_any(&["check-ignore", "-q", "evalratchet-out/"])?.is_some();
    Ok(Some(SurveyedRepository { branch, prefix, ignores_results }))
}

/// A workflow that uses the action already.
fn workflow(here: &Path, repository: Option<&SurveyedRepository>) -> Option<String> {
    let up = "../".repeat(repository.map_or(0, |repository| repository.prefix.matches('/').count()));
    let folder = format!("{up}.github/workflows");
    let mut names: Vec<String> = std::fs::read_dir(here.join(&folder))
        .ok()?
        .flatten()
        .map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".yml") || name.ends_with(".yaml"))
        .collect();
    names.sort();
    let uses = |name: &String| {
        let text = std::fs::read_to_string(here.join(name)).unwrap_or_default();
        text.lines().any(|line| line.contains("uses:") && line.contains("evalratchet/evalratchet@"))
    };
    // Below the root another project of the repository may use it.
    names.into_iter().find(uses).filter(|_| up.is_empty())
}

/// Asks for each kind.
fn choose(offers: Vec<Offer>, input: &mut impl BufRead, say: impl Fn(&str)) -> Result<Vec<Kind>, Failure> {
    let mut kinds = Vec::new();
    for Offer { kind, proposed, about } in offers {
        if ask(&format!("{kind}: {}", plain(&about)), proposed, input, &say)? {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Asks until it is answered with yes or no; an empty line takes the default.
fn ask(question: &str, default: bool, input: &mut impl BufRead, say: impl Fn(&str)) -> Result<bool, Failure> {
    for _ in 0..5 {
        say(&format!("{question} [{}] ", if default { "Y/n" } else { "y/N" }));
        let mut line = String::new();
        let read = input.read_line(&mut line).map_err(|error| Failure::Usage(format!("no answer: {error}")))?;
        if read == 0 {
            return Err(Failure::Usage("no answer, nothing is written".into()));
        }
        match line.trim().to_lowercase().as_str() {
            "" => return Ok(default),
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => say("Please answer with y or n.\n"),
        }
    }
    Err(Failure::Usage("no answer, nothing is written".into()))
}

/// What is to be written, and the names of what is there already. Says at once if something is in the way.
fn split_by_existing(here: &Path, files: Vec<NewFile>) -> Result<(Vec<NewFile>, Vec<String>), Failure> {
    let (mut new, mut kept, mut in_the_way) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let path = here.join(&file.path);
        // `here` itself is a directory, so the search ends.
        let parent = path.ancestors().skip(1).find(|parent| is_there(parent));
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            in_the_way.push(parent.strip_prefix(here).unwrap_or(parent).display().to_string());
        } else if file.placement == Placement::New && is_there(&path) {
            kept.push(file.path);
        } else {
            new.push(file);
        }
    }
    in_the_way.dedup();
    if in_the_way.is_empty() {
        Ok((new, kept))
    } else {
        Err(Failure::Usage(format!("nothing is written: {} should be a directory", in_the_way.join(", "))))
    }
}

/// Writes every file; if one cannot be written, all that was made before it is removed again.
fn write_all(here: &Path, files: &[NewFile]) -> Result<(), Failure> {
    let mut made: Vec<PathBuf> = Vec::new();
    for file in files {
        let path = here.join(&file.path);
        let new: Vec<PathBuf> = path.ancestors().take_while(|place| !is_there(place)).map(Path::to_owned).collect();
        // Outermost first, so that backwards each directory is empty when its turn comes.
        made.extend(new.into_iter().rev());
        let done = match file.placement {
            Placement::New => write_atomically(&path, file.text.as_bytes()),
            Placement::Appended => append(&path, &file.text),
        };
        if let Err(error) = done {
            for place in made.iter().rev() {
                // A directory is removed only if it is empty.
                std::fs::remove_file(place).or_else(|_| std::fs::remove_dir(place)).ok();
            }
            return Err(Failure::Write { path: file.path.clone(), error });
        }
    }
    Ok(())
}

/// Adds lines at the end of a file, on a line of their own.
fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let before = match std::fs::read(path) {
        Ok(before) => before,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let gap = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{gap}{text}").as_bytes())
}

/// Every file with its contents.
fn printed(files: &[NewFile]) -> String {
    let mut text = String::new();
    for file in files {
        let how = match file.placement {
            Placement::New => "",
            Placement::Appended => " (at its end)",
        };
        text.push_str(&format!("=== {}{how}\n{}\n", plain(&file.path), file.text));
    }
    text
}

fn listed(files: &[NewFile], what: &str) -> String {
    let mut text = format!("{what}:\n");
    for file in files {
        let note = match file.placement {
            Placement::New => String::new(),
            Placement::Appended => format!(" ({} added)", file.text.trim_end()),
        };
        text.push_str(&format!("  {}{note}\n", plain(&file.path)));
    }
    text
}

/// The files that suites are proposed for.
fn found_files(survey: &Survey) -> String {
    let data = &survey.data;
    let mut lines: Vec<String> = survey.tools.iter().map(|tool| format!("{} ({})", tool.found, tool.name)).collect();
    lines.extend(survey.results.iter().map(|results| format!("{} (results)", results.path)));
    let kinds = [
        ("scenarios", &data.scenarios),
        ("commands", &data.commands),
        ("retrieval cases", &data.retrieval),
        ("TREC run", &data.trec_runs),
        ("golden module", &data.golden),
    ];
    for (what, paths) in kinds {
        lines.extend(paths.iter().map(|path| format!("{path} ({what})")));
    }
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("  {}\n", plain(line))).collect();
    format!("found:\n{lines}")
}

fn kept_files_note(kept: &[String], survey: &Survey) -> String {
    let mut text = String::new();
    if !kept.is_empty() {
        text.push_str("kept, since they are there already:\n");
        kept.iter().for_each(|path| text.push_str(&format!("  {}\n", plain(path))));
    }
    if let Some(workflow) = &survey.workflow {
        text.push_str(&format!("no workflow is added: {} uses the action already\n", plain(workflow)));
    }
    text
}

/// What to do now.
fn next(files: &[NewFile], survey: &Survey) -> String {
    let mut text = String::from("next:\n");
    survey.tools.iter().for_each(|tool| text.push_str(&format!("  {}\n", plain(&tool.command))));
    text.push_str("  evalratchet run\n");
    if survey.repository.is_some() {
        let mut tops: Vec<&str> = Vec::new();
        for file in files {
            let top = if file.path.starts_with("evals/") { "evals" } else { file.path.as_str() };
            if !tops.contains(&top) {
                tops.push(top);
            }
        }
        let tops: Vec<String> = tops.into_iter().map(crate::text::shell_quoted).collect();
        text.push_str(&format!("  git add {}\n", tops.join(" ")));
    } else {
        text.push_str("  evalratchet list\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn answered(input: &str, default: bool) -> (Result<bool, String>, String) {
        let said = RefCell::new(String::new());
        let done = ask("Sure?", default, &mut input.as_bytes(), |text| said.borrow_mut().push_str(text));
        (done.map_err(|failure| failure.to_string()), said.into_inner())
    }

    #[test]
    fn an_empty_line_takes_the_default_and_anything_else_is_asked_again() {
        assert_eq!(answered("\n", true), (Ok(true), "Sure? [Y/n] ".into()));
        assert_eq!(answered("\n", false), (Ok(false), "Sure? [y/N] ".into()));
        assert_eq!(answered("YES\n", false).0, Ok(true));
        let (done, said) = answered("maybe\nn\n", true);
        assert_eq!((done, said.matches("Sure?").count()), (Ok(false), 2));
    }

    #[test]
    fn the_end_of_input_does_not_count_as_yes() {
        assert!(answered("", true).0.is_err());
        let (done, said) = answered(&"what\n".repeat(100), true);
        assert!(done.is_err());
        assert_eq!(said.matches("Sure?").count(), 5);
    }

    #[test]
    fn each_kind_is_asked_for() {
        let kinds = choose(offers(&Survey::default()), &mut "n\ny\n\nno\n\n".as_bytes(), |_| {});
        assert_eq!(kinds.unwrap(), [Kind::Command, Kind::Golden]);
    }
}
