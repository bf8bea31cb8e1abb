//! Source that a pure module must not have, and source that it may have: what this test is tested with.

use super::rules::{Edges, Lists, violations};
use super::source::Tree;

/// A small crate around the probe: `input` passes on what its edge offers, `repository` is an edge, `text` is pure.
const AROUND: &[(&str, &str)] = &[
    ("", "mod input; mod repository; mod stats; mod text; pub fn conclude() {}"),
    (
        "input",
        "mod files; mod nearest; pub use files::{read_text, write as put}; pub use nearest::*; pub mod disk { pub use super::files::*; }",
    ),
    ("input::files", "pub fn read_text() {} pub fn write() {} pub struct Found; pub type Handle = std::fs::File;"),
    ("input::nearest", "pub fn nearest() {}"),
    ("repository", "pub fn git() {}"),
    ("stats", "mod probe; mod mixed; mod mean;"),
    ("stats::mean", "pub fn mean() -> f64 { 0.0 }"),
    ("text", "pub fn plain() {} pub use crate::repository as history;"),
];

const EDGES: Edges = &[
    ("", "the flow"),
    ("input::files", "reads files"),
    ("repository", "asks git"),
    ("stats::mixed::load", "reads a file"),
    ("stats::mixed::Settings::resolve", "reads a file"),
];

const IMPURE: &[&str] = &[
    // The file system, by every way to name it.
    "fn f() { std::fs::OpenOptions::new(); }",
    "use std::fs::OpenOptions;",
    "fn f() -> bool { std::fs::exists(\"a\").is_ok() }",
    "use std::fs;\nfn f() { fs::exists(\"a\"); }",
    "use std::fs::{self as disk};\nfn f() { disk::read(\"a\"); }",
    "use std as s;\nfn f() { s::fs::read(\"a\"); }",
    "use std::{self as s, fmt};\nfn f() { s::fs::read(\"a\"); }",
    "fn f() { ::std::fs::read(\"a\"); }",
    "use ::std::fs::*;",
    "use std::*;\nfn f() { fs::read(\"a\"); }",
    "use std::{collections::{BTreeMap, HashMap}, fs::{File as F, *}};",
    "extern crate std as s;\nfn f() { s::fs::read(\"a\"); }",
    "type Handle = std::fs::File;",
    "struct Log(std::fs::File);",
    "fn f(file: &mut impl std::io::Write) { file.write_all(b\"a\").ok(); }",
    "fn f() { use std::fs; fs::read(\"a\"); }",
    "mod inner { pub fn f() { std::fs::read(\"a\"); } }",
    "const READ: fn(&str) -> std::io::Result<Vec<u8>> = std::fs::read::<&str>;",
    "impl Drop for X { fn drop(&mut self) { std::fs::remove_file(\"a\").ok(); } }\nstruct X;",
    "fn f() { core::hint::black_box(tempfile::tempdir()); }",
    "fn f() { tempfile::tempdir(); }",
    "use tempfile::TempDir;",
    // Methods that need no name of a module.
    "use std::path::Path;\nfn f(path: &Path) -> bool { path.exists() }",
    "fn f(path: &std::path::Path) -> bool { path.try_exists().unwrap_or(false) }",
    "fn f(path: &std::path::Path) -> bool { path.is_file() || path.is_dir() || path.is_symlink() }",
    "fn f(path: &std::path::Path) { path.metadata().ok(); path.canonicalize().ok(); path.read_dir().ok(); }",
    "use std::path::Path;\nfn f(path: &Path) -> bool { Path::exists(path) }",
    "use std::path::Path;\nfn f(paths: &[&Path]) -> bool { paths.iter().any(|path| <Path>::exists(path)) }",
    "use std::path::Path;\nfn f(paths: &[&Path]) -> bool { paths.iter().copied().all(Path::is_file) }",
    "fn f() { \"127.0.0.1:1\".to_socket_addrs().ok(); }",
    // The network.
    "use std::net::TcpStream;\nfn f() { TcpStream::connect(\"127.0.0.1:1\").ok(); }",
    "fn f() { std::net::ToSocketAddrs::to_socket_addrs(&\"127.0.0.1:1\").ok(); }",
    "async fn f() { tokio::net::TcpStream::connect(\"127.0.0.1:1\").await.ok(); }",
    "async fn f() { reqwest::get(\"http://127.0.0.1:1\").await.ok(); }",
    "use reqwest as web;\nfn f() { web::Client::new(); }",
    // The clock and the environment.
    "use std::time::Instant;\nfn f() { Instant::now(); }",
    "use std::time;\nfn f() { time::SystemTime::now(); }",
    "fn f() { jiff::Timestamp::now(); }",
    "use jiff::Zoned;\nfn f() { Zoned::now(); }",
    "fn f() { std::thread::sleep(std::time::Duration::ZERO); }",
    "async fn f() { tokio::time::sleep(std::time::Duration::ZERO).await; }",
    "use std::env;\nfn f() { env::var(\"HOME\").ok(); }",
    "fn f() -> Option<&'static str> { option_env!(\"HOME\") }",
    "fn f() { std::hash::RandomState::new(); }",
    // Processes and what they write.
    "fn f() { std::process::Command::new(\"ls\"); }",
    "use std::process as p;\nfn f() { p::exit(1); }",
    "fn f() { std::io::stdout(); }",
    "fn f() { println!(\"a\"); }",
    // Our own edges, under any name.
    "use crate::input::read_text;",
    "use crate::input::put;\nfn f() { put(); }",
    "fn f() { crate::input::read_text(); }",
    "fn f() { super::super::input::files::read_text(); }",
    "use crate::input;\nfn f() { input::read_text(); }",
    "use crate::input::*;\nfn f() { read_text(); }",
    "use crate::input::disk;\nfn f() { disk::read_text(); }",
    "fn f() { crate::input::disk::read_text(); }",
    "use crate::repository::git;",
    "fn f() { crate::repository::git(); }",
    "fn f() { crate::text::history::git(); }",
    "use crate::{self as here};\nfn f() { here::repository::git(); }",
    "fn f(file: crate::input::disk::Handle) {}",
    "fn f() { crate::conclude(); }",
    // In macros, attributes and what the compiler pastes in.
    "fn f() { vec![std::fs::read(\"a\")]; }",
    "use std::fs;\nfn f() { format!(\"{:?}\", fs::read(\"a\")); }",
    "fn f(path: &std::path::Path) { assert!(path.exists()); }",
    "fn f(address: &str) { assert!(address.parse::<u8>().is_ok() && address.to_socket_addrs().is_ok()); }",
    "macro_rules! read { () => { std::fs::read(\"a\") } }",
    "macro_rules! read { () => { $crate::input::read_text() } }",
    "macro_rules! read { ($name:ident) => { std::fs::$name(\"a\") } }",
    "#[serde(with = \"crate::repository::git\")]\nstruct A;",
    "include!(\"other.rs\");",
    "fn f() { include!(\"other.rs\"); }",
    "#[path = \"../other.rs\"]\nmod other {}",
    "fn f() { mod hidden { pub fn g() { std::fs::read(\"a\"); } } hidden::g(); }",
    "fn f() { std::thread::Builder::new(); }",
    "use std::os::unix::fs::symlink;",
    "use octocrab::Octocrab;",
    "use ignore::WalkBuilder;",
];

const INNOCENT: &[&str] = &[
    "use std::collections::{BTreeMap, HashMap as Map};\nfn f() { Map::<u8, u8>::new(); BTreeMap::<u8, u8>::new(); }",
    "use std::fmt::{self, Write as _};\nfn f(out: &mut String) -> fmt::Result { write!(out, \"{}\", 1) }",
    "use std::path::{Path, PathBuf};\nfn f(path: &Path) -> PathBuf { path.join(\"a\").with_extension(\"b\") }",
    "use std::time::Duration;\nfn f() -> Duration { Duration::from_secs(1) }",
    "use std::sync::{Arc, LazyLock, atomic::AtomicUsize};",
    "fn f(fs: &str) -> String { fs.to_owned() }",
    "mod fs { pub fn read() {} }\nfn f() { fs::read(); }",
    "fn f(exists: bool) -> bool { exists }",
    "struct A { exists: bool }\nfn f(a: &A) -> bool { a.exists }",
    "struct A { exists: bool }\nfn f(a: &A) { assert!(a.exists); }",
    "use crate::text::plain;\nfn f() { plain(); }",
    "use crate::input::nearest;\nfn f() { nearest(); }",
    "use super::mean::mean;\nfn f() -> f64 { mean() }",
    "fn f() -> f64 { super::mean::mean() }",
    "const TEXT: &str = include_str!(\"a.txt\");",
    "const VERSION: &str = env!(\"CARGO_PKG_VERSION\");",
    "fn f() -> Option<jiff::Timestamp> { \"2026-01-01T00:00:00Z\".parse().ok() }",
    "#[derive(Debug, serde::Serialize)]\n#[serde(rename_all = \"kebab-case\")]\nstruct A;",
    "#[cfg(test)]\nmod tests { fn f() { std::fs::read(\"a\"); } }",
    "#[cfg(test)]\nfn f() { std::fs::read(\"a\"); }",
    "enum Where { Disk }\nuse Where::*;\nfn f() { let _ = Disk; }",
    "impl Where { fn now() {} }\nenum Where {}\nfn f() { Where::now(); }",
    "fn f() -> &'static str { \"std::fs::read\" }",
    "pub(in crate::stats) fn f() {}",
];

/// The same for a module with functions at the edge: `load` and `Settings::resolve`.
const MIXED: &[&str] = &[
    "use std::fs;\nfn load() { fs::read(\"a\"); }\nfn f() { load(); }",
    "use std::fs;\nfn load() { fs::read(\"a\"); }\nfn f(all: &[u8]) { all.iter().for_each(|_| super::mixed::load()); }",
    "use std::fs;\nfn load() {}\nfn f() { fs::read(\"a\"); }",
    "struct Settings;\nimpl Settings { fn resolve() {} fn validate() { Self::resolve(); } }",
    "struct Settings;\nimpl Settings { fn resolve() {} }\nfn f() { Settings::resolve(); }",
    "use std::fs::*;\nfn load() { read(\"a\"); }",
    "fn load() {}\nfn f(all: &[u8]) { all.iter().for_each(load); }",
];

const INNOCENT_MIXED: &[&str] = &[
    "use std::fs;\nfn load() { fs::read(\"a\"); }\nfn f(load: u8) -> u8 { load }",
    "struct Settings;\nimpl Settings { fn resolve() { std::fs::read(\"a\"); } fn validate() {} }\nfn f() { Settings::validate(); }",
];

fn found(name: &str, probe: &str) -> Vec<String> {
    let crates = ["jiff", "ignore", "octocrab", "reqwest", "serde", "tempfile", "tokio"].map(str::to_owned);
    let mut tree = Tree::with_crates(&crates);
    let split = |path: &str| path.split("::").filter(|one| !one.is_empty()).map(str::to_owned).collect();
    for (path, text) in AROUND {
        tree.add_text(split(path), text);
    }
    tree.add_text(split(name), probe);
    // The small crate passes on more than it may, so that there is something to find.
    let all = violations(&tree, Lists { edges: EDGES, pure: &[] }).into_iter();
    all.filter(|one| one.place.starts_with(&format!("{name}:"))).map(|one| one.what).collect()
}

/// Where a probe stands, and the probe.
fn probes(pure: &'static [&str], mixed: &'static [&str]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let pure = pure.iter().map(|probe| ("stats::probe", *probe));
    pure.chain(mixed.iter().map(|probe| ("stats::mixed", *probe)))
}

#[test]
fn every_impure_probe_is_rejected() {
    let missed: Vec<(&str, &str)> =
        probes(IMPURE, MIXED).filter(|(name, probe)| found(name, probe).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_innocent_source_is_rejected() {
    for (name, probe) in probes(INNOCENT, INNOCENT_MIXED) {
        assert_eq!(found(name, probe), [""; 0], "{probe}");
    }
}
