//! What outlives the run: a process that left its group, such as a daemon. Whatever is evaluated must not go on once its
//! results are written, when later steps of a job hold a token.

/// From now on processes whose parent ends become children of this one, so that they are found again.
#[cfg(target_os = "linux")]
pub fn adopt() {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}

/// Ends every process that descends from this one, and says how many there were.
#[cfg(target_os = "linux")]
pub fn end_all() -> usize {
    use rustix::process::{Pid, Signal, kill_process};
    /// One that starts others all the time is stopped before it is ended, so few rounds are enough.
    const ROUNDS: usize = 50;
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut ended = std::collections::BTreeSet::new();
    for _ in 0..ROUNDS {
        let left = descendants(own, &parents());
        if left.is_empty() {
            break;
        }
        let pids = || left.iter().filter_map(|pid| Pid::from_raw(*pid));
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in pids() {
                // It may be gone already, which is what is wanted.
                kill_process(pid, signal).ok();
            }
        }
        ended.extend(left);
        reap();
    }
    ended.len()
}

/// Every process and its parent; what has ended and only waits to be noticed does not count.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "edge: asks the system for its processes")]
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let about = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let text = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name is in parentheses and may have anything in it.
        let mut fields = text.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent: i32 = fields.next()?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some((pid, parent))
    };
    entries.flatten().filter_map(about).collect()
}

#[cfg(target_os = "linux")]
fn descendants(of: i32, parents: &[(i32, i32)]) -> Vec<i32> {
    let mut all = Vec::new();
    let mut next = vec![of];
    while let Some(parent) = next.pop() {
        let children = parents.iter().filter(|(pid, of)| *of == parent && !all.contains(pid)).map(|(pid, _)| *pid);
        let children: Vec<i32> = children.collect();
        next.extend(&children);
        all.extend(children);
    }
    all
}

/// Takes notice of children that have ended.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "edge: the clock")]
fn reap() {
    use rustix::process::{WaitOptions, wait};
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    std::thread::sleep(std::time::Duration::from_millis(2));
}

#[cfg(not(target_os = "linux"))]
pub fn adopt() {}

/// Nothing tells here what descends from this process.
#[cfg(not(target_os = "linux"))]
pub fn end_all() -> usize {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_children_and_their_children() {
        let parents = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 9)];
        let mut all = descendants(2, &parents);
        all.sort_unstable();
        assert_eq!(all, [3, 4]);
    }
}
