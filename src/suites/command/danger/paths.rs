//! What sort of place a path is.

use crate::suites::command::calls::CallWord;

/// Directories that the system needs.
const SYSTEM: [&str; 17] = [
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr",
    "var", "System",
];
/// Files without which a system does not start, or which decide who may do what.
const VITAL: [&str; 13] = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/fstab",
    "/etc/ld.so.preload",
    "/etc/crypttab",
    "/etc/inittab",
    "/etc/pam.conf",
    "/proc/sysrq-trigger",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
];
const VITAL_UNDER: [&str; 11] = [
    "/boot/",
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/lib/",
    "/lib64/",
    "/usr/lib/",
    "/etc/pam.d/",
    "/etc/sudoers.d/",
    "/etc/systemd/system/",
];
/// Devices that hold no data.
const HARMLESS: [&str; 12] =
    ["null", "zero", "full", "stdout", "stderr", "stdin", "tty", "random", "urandom", "fd", "shm", "pts"];

/// Whether a word is a path of one of these sorts.
pub(super) fn is_one_of(word: &CallWord, sorts: &[String]) -> bool {
    sorts.iter().any(|sort| is(word, sort))
}

fn is(word: &CallWord, sort: &str) -> bool {
    // `of=/dev/sda` and `--output=/dev/sda`.
    let text = match word.text.split_once('=') {
        Some((key, value)) if key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => value,
        _ => &word.text,
    };
    let path = tidy(text);
    let path = path.as_str();
    match sort {
        "any" => true,
        "root" => is_root(path),
        "system" => is_system(path),
        "home" => is_home(path),
        "here" => matches!(
            path,
            "*" | "." | ".." | "./*" | "../*" | ".*" | "./.*" | "**" | "./**" | "*.*" | "{*,.*}" | "-- *"
        ),
        "variable" => word.may_be_empty && (path.contains('/') || path.ends_with('*')),
        "variable-alone" => word.may_be_empty,
        "glob" => word.glob,
        "device" => path.strip_prefix("/dev/").is_some_and(|name| {
            let first = name.split('/').next().unwrap_or(name);
            !HARMLESS.contains(&first) && !first.starts_with("tty") && !first.starts_with("std") && !name.is_empty()
        }),
        "vital" => VITAL.contains(&path) || VITAL_UNDER.iter().any(|under| path.starts_with(under)),
        "configuration" => {
            path.starts_with("/etc/")
                || path.starts_with("/sys/")
                || path.starts_with("/proc/")
                || path.starts_with("/usr/")
                || path.starts_with("/lib")
        }
        "login" => ["authorized_keys", ".bashrc", ".profile", ".bash_profile", ".zshrc", ".ssh/config", "/etc/profile"]
            .iter()
            .any(|name| path.ends_with(name)),
        "system-source" => is_system(path),
        "tcp" => path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/"),
        "nowhere" => path == "/dev/null",
        "absolute" => path.starts_with('/') || path.starts_with('~'),
        "remote" => {
            text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
                || text.contains("://")
        }
        literal => text == literal,
    }
}

/// Without doubled slashes, `/./`, `..` that leads back, and a slash at the end.
fn tidy(text: &str) -> String {
    let absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" => {}
            "." if absolute || !parts.is_empty() => {}
            ".." if absolute && parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.starts_with(['~', '$', '*'])) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute {
        format!("/{joined}")
    } else if joined.is_empty() && !text.is_empty() {
        ".".to_owned()
    } else {
        joined
    }
}

fn is_root(path: &str) -> bool {
    matches!(path, "/" | "/*" | "/**" | "/.*" | "/*/*" | "/?*" | "/mnt/c" | "/[a-z]*" | "C:" | "C:\\")
}

fn is_system(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let mut parts = rest.split('/');
    let (first, second, third) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let top = SYSTEM.contains(&first);
    let deep = matches!(
        (first, second),
        ("usr", Some("bin" | "lib" | "sbin" | "local" | "share" | "lib64"))
            | ("var", Some("lib" | "log" | "cache" | "spool" | "mail"))
    ) || matches!(first, "bin" | "sbin" | "boot" | "lib" | "lib64" | "sys" | "proc");
    top && (second.is_none()
        || second.is_some_and(|name| name.starts_with('*')) && third.is_none()
        || deep && third.is_none_or(|name| name == "*"))
}

fn is_home(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [tilde] | [tilde, "*" | "**" | ".*" | ".ssh" | "Documents" | "Desktop"] if tilde.starts_with('~') => true,
        ["", "home" | "Users"]
        | ["", "home" | "Users", _]
        | ["", "home" | "Users", _, "*" | ".*"]
        | ["", "root"]
        | ["", "root", "*"] => true,
        _ => false,
    }
}
