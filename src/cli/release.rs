//! `report release`: how quality changed between two tags.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::reference::file_name;
use super::remote::{client, needs_token, say, unreachable};
use super::{ConfigArgs, Failure, Overrides, block_on, console, settings};
use crate::baseline::{Baseline, ReleaseError, Tag, Versions, at_commit, commit_of, is_ancestor, tags, versions};
use crate::ci::CiContext;
use crate::github::GithubError;
use crate::github::release::{Asset, Attached, attach};
use crate::input::{nearest, write_atomically};
use crate::model::{ExitCode, Sha};
use crate::report::release::{self, Gaps, Named, RELEASE_BUDGET, Range, ReleaseReport};
use crate::repository::{Checkout, Git};
use crate::settings::{Settings, parse_duration};
use crate::text::plain;

const WHOLE_CLONE: &str = "this is a shallow clone: check out with `fetch-depth: 0`";

/// Flags of `report release`.
#[derive(Debug, Clone, Args)]
pub(super) struct ReleaseArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The earlier release: a tag, or none to compare with nothing [default: the tag before --to]
    #[arg(long, value_name = "TAG|none")]
    from: Option<String>,
    /// The release: a tag, or any commit [default: the newest tag in the history of HEAD]
    #[arg(long, value_name = "TAG")]
    to: Option<String>,
    /// Where release.md, release.html and release.json go
    #[arg(long, value_name = "DIR", default_value = "evalratchet-release")]
    out: PathBuf,
    /// Exit 1 for these: worse, below-min
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<ReleaseGate>,
    /// Attach the three files to the release on GitHub, and put a summary into its text
    #[arg(long)]
    publish: bool,
    /// How long that may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m", requires = "publish")]
    deadline: Duration,
}

pub(super) fn report(args: &ReleaseArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let args = &released(args, ci)?;
    let range = range(args, &settings)?;
    let report =
        release::release(&range).ok_or_else(|| Failure::Usage("there is no baseline between the two".to_owned()))?;
    let key = format!("{}{}", Checkout::of(&settings.root, "")?.prefix, file_name(&settings.config));
    let files = write(&args.out, &report, &key)?;
    let published = if args.publish { publish(args, &key, &report, files, ci)? } else { ExitCode::Passed };
    Ok(gated(args, &range, &report).or(published))
}

/// What a release job can gate on.
fn gated(args: &ReleaseArgs, range: &Range, report: &ReleaseReport) -> ExitCode {
    let fails = |gate: &ReleaseGate| {
        let bad = match gate {
            ReleaseGate::Worse => release::worse(report),
            ReleaseGate::BelowMin => release::below_min(range),
        };
        if !bad.is_empty() {
            console::error(&format!("{}: {}", gate.words(), plain(&bad.join(", "))));
        }
        !bad.is_empty()
    };
    // Each is said, not only the first.
    let failing = args.fail_on.iter().filter(|gate| fails(gate)).count();
    if failing > 0 { ExitCode::GateFailed } else { ExitCode::Passed }
}

/// What makes a report fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReleaseGate {
    /// A case or a metric is worse than in the release before
    Worse,
    /// A metric is below its floor
    BelowMin,
}

impl ReleaseGate {
    const fn words(self) -> &'static str {
        match self {
            Self::Worse => "worse than in the release before",
            Self::BelowMin => "below its floor",
        }
    }
}

/// On a release, that one is meant unless another is named.
fn released(args: &ReleaseArgs, ci: &CiContext) -> Result<ReleaseArgs, Failure> {
    let mut args = args.clone();
    if args.publish && args.to.is_none() {
        args.to = ci.event()?.tag.clone();
    }
    Ok(args)
}

/// Brings the report to the release of its tag.
fn publish(
    args: &ReleaseArgs,
    key: &str,
    report: &ReleaseReport,
    files: Vec<Asset>,
    ci: &CiContext,
) -> Result<ExitCode, Failure> {
    let event = ci.event()?;
    needs_token("nothing can be attached")?;
    let tag = &report.to.name;
    let page = files.iter().find(|file| file.name.ends_with(".html")).map(|file| file.name.clone());
    let repository = format!("{}/{}", event.server, event.repository);
    let links = page.map(|page| release::ReleaseLinks { repository, page });
    let summary = release::summary(report, links.as_ref()).map_err(|error| cannot(&error))?;
    let attached = block_on(async {
        let client = client(event, args.deadline)?;
        let body = |body: &str| release::with_summary(body, &summary, key);
        Ok::<_, Failure>(attach(&client, tag, &files, body).await)
    })??;
    match attached {
        Ok(Attached::All) => {
            console::note(&format!("attached to the release of {}", plain(tag)));
            Ok(ExitCode::Passed)
        }
        Ok(Attached::TextOnly(error)) => {
            let why = "The text of the release has the summary. To a release that is immutable nothing can be attached after it was published: attach the files to its draft";
            let help = match error {
                GithubError::Refused(_) => ". If it is not immutable, give the job:\npermissions:\n  contents: write",
                GithubError::Unauthorized(_)
                | GithubError::NotFound(_)
                | GithubError::Rejected { .. }
                | GithubError::Graphql { .. }
                | GithubError::Unreachable(_)
                | GithubError::Uncertain(_) => "",
            };
            say(ci, &format!("the files could not be attached to the release of {}: {error}. {why}{help}", plain(tag)));
            Ok(ExitCode::Passed)
        }
        Ok(Attached::NoRelease) => {
            let help = "publish the release first, or name its tag with --to";
            Err(Failure::Usage(format!("{} has no release of `{}`\n  = {help}", event.repository, plain(tag))))
        }
        Err(GithubError::Refused(why)) => {
            say(
                ci,
                &format!(
                    "the report could not be attached: the token may not ({why}). Give the job:\npermissions:\n  contents: write"
                ),
            );
            Ok(ExitCode::Passed)
        }
        Err(error) => Ok(unreachable("the report could not be attached", &error)),
    }
}

fn cannot(error: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("the report cannot be made: {error:#}"))
}

/// Writes the three files and prints one.
fn write(directory: &Path, report: &ReleaseReport, key: &str) -> Result<Vec<Asset>, Failure> {
    let markdown = release::markdown(report, RELEASE_BUDGET).map_err(|error| cannot(&error))?;
    let html = release::html(report).map_err(|error| cannot(&error))?;
    let json = release::json(report).map_err(|error| cannot(&error))?;
    for (name, text) in [("release.md", &markdown), ("release.html", &html), ("release.json", &json)] {
        let path = directory.join(name);
        write_atomically(&path, text.as_bytes())
            .map_err(|error| Failure::Write { path: path.display().to_string(), error })?;
    }
    console::print(&markdown);
    console::note(&format!("{}", directory.join("release.html").display()));
    // Reports of several configurations stand side by side.
    let own = key.strip_suffix(".toml").unwrap_or(key).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let asset = |name: &str, text: String| Asset { name: format!("{own}-{name}"), bytes: text.into_bytes() };
    Ok(vec![asset("release.md", markdown), asset("release.html", html), asset("release.json", json)])
}

/// Both ends, and every version of the baseline from one to the other.
fn range(args: &ReleaseArgs, settings: &Settings) -> Result<Range, Failure> {
    let path = settings.baseline.path.as_str();
    let git = Git::open(&settings.root)?.ok_or_else(no_commit)?;
    let shallow = git.is_shallow()?;
    let to = later(args, &git, shallow)?;
    let from = earlier(args, &git, shallow, &to)?;
    let to_help = "make the baseline before the tag (evalratchet run, evalratchet baseline update, commit), or name another with --to";
    let (written, now) = baseline(&git, path, &to, to_help)?;
    let Some(from) = from else {
        let gaps = Gaps { shallow, ..Gaps::default() };
        return Ok(Range { from: None, to: named(&to), versions: vec![(written, now)], gaps });
    };
    if from.commit != to.commit && is_ancestor(&git, &to.commit, &from.commit)? {
        let message = format!("`{}` comes after `{}`\n  = swap --from and --to", plain(&from.name), plain(&to.name));
        return Err(Failure::Usage(message));
    }
    let from_help = format!("name a later one with --from, or show `{}` alone with --from none", plain(&to.name));
    let first = baseline(&git, path, &from, &from_help)?;
    let Versions { readable, unreadable, left_out } = versions(&git, path, &from.commit, &to.commit)?;
    let between = readable.into_iter().filter(|(commit, _)| *commit != first.0 && *commit != written);
    let mut versions: Vec<(Sha, Baseline)> = Vec::new();
    let same = first.0 == written;
    versions.push(first.clone());
    versions.extend(between);
    if !same {
        versions.push((written, now));
    }
    Ok(Range { from: Some(named(&from)), to: named(&to), versions, gaps: Gaps { shallow, unreadable, left_out } })
}

fn named(tag: &Tag) -> Named {
    Named { name: tag.name.clone(), commit: tag.commit.clone() }
}

fn no_commit() -> Failure {
    Failure::Usage("this is no git repository with a commit".to_owned())
}

fn later(args: &ReleaseArgs, git: &Git, shallow: bool) -> Result<Tag, Failure> {
    let head = git.head()?.ok_or_else(no_commit)?;
    let known = tags(git, &head)?;
    if let Some(name) = &args.to {
        return find(git, name, "--to", &known, shallow);
    }
    release::newest(&known).cloned().ok_or_else(|| {
        let help = if shallow { WHOLE_CLONE } else { "fetch them (git fetch --tags), or name a commit with --to" };
        Failure::Usage(format!("there is no tag in the history of this commit\n  = {help}"))
    })
}

fn earlier(args: &ReleaseArgs, git: &Git, shallow: bool, to: &Tag) -> Result<Option<Tag>, Failure> {
    let known = tags(git, &to.commit)?;
    match args.from.as_deref() {
        Some("none") => Ok(None),
        Some(name) => find(git, name, "--from", &known, shallow).map(Some),
        None => match release::before(&known, to) {
            Some(tag) => Ok(Some(tag.clone())),
            // An earlier one may well be in what is missing.
            None if shallow => {
                let message = format!("no tag before `{}` is here", plain(&to.name));
                Err(Failure::Usage(format!("{message}\n  = {WHOLE_CLONE}, or show it alone with --from none")))
            }
            None => {
                console::note(&format!(
                    "there is no tag before `{}`, so there is nothing to compare with: values are absolute",
                    plain(&to.name)
                ));
                Ok(None)
            }
        },
    }
}

/// A tag, or whatever else has this name.
fn find(git: &Git, name: &str, flag: &str, known: &[Tag], shallow: bool) -> Result<Tag, Failure> {
    if let Some(commit) = commit_of(git, name)? {
        return Ok(Tag { name: name.to_owned(), commit, date: 0 });
    }
    let names = known.iter().map(|tag| tag.name.as_str());
    let help = match nearest(name, names) {
        _ if shallow => WHOLE_CLONE.to_owned(),
        Some(near) => format!("did you mean `{}`?", plain(near)),
        None => "git tag lists what is here, git fetch --tags fetches what is not".to_owned(),
    };
    Err(Failure::Usage(format!("{flag}: there is no tag `{}` here\n  = {help}", plain(name))))
}

fn baseline(git: &Git, path: &str, tag: &Tag, help: &str) -> Result<(Sha, Baseline), Failure> {
    let name = plain(&tag.name);
    let cannot = |error| match error {
        ReleaseError::Git(error) => error.into(),
        ReleaseError::Invalid(errors) => {
            Failure::Usage(format!("`{name}` has a baseline that cannot be read\n  = {help}\n{errors}"))
        }
    };
    at_commit(git, path, &tag.commit)
        .map_err(cannot)?
        .ok_or_else(|| Failure::Usage(format!("`{name}` has no {path}\n  = {help}")))
}
