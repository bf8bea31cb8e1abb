//! `baseline`: what main has, how it is turned, and what may be worse all the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use super::reference::read_baseline;
use super::{ConfigArgs, Failure, Overrides, arguments, console, remote, results_file, settings};
use crate::baseline::{Baseline, Blessing, UpdateError, history, is_ancestor, update};
use crate::ci::CiContext;
use crate::github::intake;
use crate::input::write_atomically;
use crate::model::ExitCode;
use crate::model::Rule;
use crate::report;
use crate::repository::Git;
use crate::results::{Reason, Results};
use crate::settings::{Settings, parse_duration};
use crate::text::{counted, plain};

/// Verbs of `baseline`.
#[derive(Debug, Subcommand)]
pub(super) enum BaselineVerb {
    /// Get the baseline from GitHub into a file for run --baseline, where there is no history
    Fetch(remote::FetchArgs),
    /// Print the baseline as a table
    Show(ShowArgs),
    /// Make a run the new baseline; the best never falls
    Update(UpdateArgs),
    /// Allow what the last run was failed for, with a reason that reviewers see
    Bless(BlessArgs),
}

/// Flags of `baseline show`.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The trend, from the history of the file on its branch
    #[arg(long)]
    history: bool,
}

/// Flags of `baseline update`.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The directory of the run
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    from: PathBuf,
    /// Commit it to the branch on GitHub instead of writing the file here
    #[arg(long)]
    push: bool,
    /// How long that may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m", requires = "push")]
    deadline: Duration,
}

/// Flags of `baseline bless`.
#[derive(Debug, Args)]
pub(super) struct BlessArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Why it may be worse
    #[arg(long, value_name = "TEXT", value_parser = arguments::reason)]
    reason: String,
    /// Only what is about this suite
    #[arg(long, value_name = "ID")]
    suite: Option<String>,
    /// Only what is about this case
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// Only what is about this metric
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The directory of the run that failed
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    from: PathBuf,
}

pub(super) fn baseline(verb: BaselineVerb, ci: &CiContext) -> Result<ExitCode, Failure> {
    match verb {
        BaselineVerb::Fetch(args) => remote::fetch(&args, ci),
        BaselineVerb::Show(args) => show(&args),
        BaselineVerb::Update(args) => update_file(&args, ci),
        BaselineVerb::Bless(args) => bless(&args),
    }
}

fn show(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    if args.history {
        let mut versions = history(&settings.root, &settings.baseline.path, &settings.baseline.branch)?;
        versions.reverse();
        if versions.is_empty() {
            let (path, branch) = (&settings.baseline.path, &settings.baseline.branch);
            return Err(Failure::Usage(format!("{path} has no history on `{branch}` here")));
        }
        console::print(&report::trend(&versions, console::style()));
        return Ok(ExitCode::Passed);
    }
    match read_baseline(&settings)? {
        Some(baseline) => console::print(&report::baseline(&baseline, console::style())),
        None => {
            let path = &settings.baseline.path;
            let help = "evalratchet run, then evalratchet baseline update --from evalratchet-out";
            return Err(Failure::Usage(format!("there is no {path} here\n  = {help}")));
        }
    }
    Ok(ExitCode::Passed)
}

fn update_file(args: &UpdateArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let results = results_file::read(&args.from)?;
    if args.push {
        intake::check(&results).map_err(|why| Failure::Usage(format!("{}: {why}", shown(&args.from))))?;
        return remote::push(&settings, &results, args.deadline, ci);
    }
    let old = read_baseline(&settings)?;
    check_commit(&settings, &results, old.as_ref())?;
    let path = settings.baseline.path.clone();
    match update(old.as_ref(), &results).map_err(|refusal| Failure::Usage(refusal.to_string()))? {
        None => console::print(&format!("{path}: nothing changed, nothing written\n")),
        Some(new) => {
            let absorbed = old.map_or(0, |old| old.blessings.len().saturating_sub(new.blessings.len()));
            write(&settings, &new)?;
            let absorbed =
                if absorbed > 0 { format!(", {} absorbed", counted(absorbed, "blessing")) } else { String::new() };
            if new.produced.commit.is_none() {
                console::note("the run knows no commit, so this baseline is found only with --baseline FILE");
            }
            let suites = counted(new.suites.len(), "suite");
            console::print(&format!("{path}: {suites}, {}{absorbed}; commit it\n", counted(new.cases(), "case")));
        }
    }
    Ok(ExitCode::Passed)
}

/// A run must not replace a baseline of a later commit, and must say which commit it measured where git knows commits.
fn check_commit(settings: &Settings, results: &Results, old: Option<&Baseline>) -> Result<(), Failure> {
    let old = old.and_then(|old| old.produced.commit.as_ref());
    let git = Git::open(&settings.root)?;
    let has_commits = git.as_ref().map(Git::head).transpose()?.flatten().is_some();
    let Some(new) = &results.run.commit else {
        if old.is_none() && !has_commits {
            return Ok(());
        }
        return Err(Failure::Usage(
            "the run does not know its commit, so its baseline would never be found\n  = run `evalratchet run` in this repository".to_owned(),
        ));
    };
    let Some(git) = git else { return Ok(()) };
    if !git.has_commit(new)? {
        let message = format!(
            "the run measured {}, which is not in this repository\n  = fetch it, or run again here",
            new.short()
        );
        return Err(Failure::Usage(message));
    }
    match old.filter(|old| *old != new) {
        Some(old) if is_ancestor(&git, new, old)? => {
            Err(Failure::Usage(UpdateError::Older(new.clone(), old.clone()).to_string()))
        }
        Some(_) | None => Ok(()),
    }
}

fn write(settings: &Settings, baseline: &Baseline) -> Result<(), Failure> {
    let path = settings.root.join(&settings.baseline.path);
    let text = baseline.render().map_err(|error| Failure::Usage(format!("the baseline cannot be written: {error}")))?;
    write_atomically(&path, text.as_bytes())
        .map_err(|error| Failure::Write { path: settings.baseline.path.clone(), error })
}

fn bless(args: &BlessArgs) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let results = results_file::read(&args.from)?;
    let Some(mut baseline) = read_baseline(&settings)? else {
        let path = &settings.baseline.path;
        return Err(Failure::Usage(format!("there is no {path} here that could carry a blessing")));
    };
    let named = |reason: &&Reason| {
        args.suite.as_ref().is_none_or(|suite| reason.suite.as_ref().is_some_and(|one| one.as_str() == suite))
            && args.case.as_ref().is_none_or(|case| {
                let kinds = ["quarantine", "allow-removed"];
                let of_policy = kinds.iter().any(|kind| reason.policy.as_ref() == Some(&format!("{kind} {case}")));
                of_policy || reason.case.as_ref().is_some_and(|one| one.as_str() == case)
            })
            && args.metric.as_ref().is_none_or(|metric| {
                let mut words = reason.policy.iter().flat_map(|key| key.split(' ')).skip(1);
                reason.metric.as_ref() == Some(metric) || words.next() == Some(metric)
            })
    };
    let blessable = |reason: &&Reason| {
        reason.fails && !matches!(reason.rule, Rule::TooManyErrors | Rule::NothingMeasured | Rule::Interrupted)
    };
    let failing: Vec<&Reason> = results.gate.reasons.iter().filter(blessable).collect();
    let mut blessed = Vec::new();
    for reason in failing.iter().copied().filter(named) {
        let Some(suite) = &reason.suite else { continue };
        let blessing = Blessing {
            rule: reason.rule,
            suite: suite.clone(),
            case: reason.case.clone(),
            metric: reason.metric.clone(),
            slice: reason.slice.clone(),
            policy: reason.policy.clone(),
            to: reason.value,
            reason: args.reason.clone(),
        };
        let same = |other: &Blessing| {
            (other.rule, &other.suite, &other.case, &other.metric, &other.slice, &other.policy)
                == (blessing.rule, &blessing.suite, &blessing.case, &blessing.metric, &blessing.slice, &blessing.policy)
        };
        baseline.blessings.retain(|other| !same(other));
        baseline.blessings.push(blessing);
        blessed.push(&reason.message);
    }
    if blessed.is_empty() {
        let what = match failing.len() {
            0 => "the run was not failed for anything that could be blessed".to_owned(),
            count => format!("none of the {} for which it was failed is named so", counted(count, "reason")),
        };
        return Err(Failure::Usage(format!("{}: {what}", shown(&args.from))));
    }
    write(&settings, &baseline)?;
    for message in &blessed {
        console::print(&format!("blessed: {}\n", plain(message)));
    }
    console::print(&format!("{}: commit it with the change that it is about\n", settings.baseline.path));
    Ok(ExitCode::Passed)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
