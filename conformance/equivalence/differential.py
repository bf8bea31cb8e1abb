#!/usr/bin/env python3
"""Runs pairs of commands that `evalratchet equiv` calls equal, and reports those that do not do the same.

Commands are made from the program tables: options in any name, form, order and place, also in forms that the program may
refuse. `equiv` is asked about each pair; what it calls equal is run twice, each time in a fresh copy of a scratch
directory, and exit status, output and the files that are there afterwards are compared. A command that does not even
agree with itself says nothing and is left out.
"""
import argparse, concurrent.futures, hashlib, json, os, pathlib, random, re, resource, shlex, shutil, signal, subprocess, sys, tempfile, time, tomllib

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "src/suites/command/equivalence/programs"
NOBODY = 65534
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SECONDS = 5


# --- the scratch directory ---

def template(root):
    """What every command finds: texts, an archive, a program, and for git a repository with two branches."""
    (root / "d").mkdir(parents=True)
    files = {
        "a.txt": "one\ntwo\nthree foo\nfour\n", "b.txt": "one\nTwo\nthree bar\n", "d/e.txt": "deep\none\n",
        "j.json": '{"a": 1, "b": [2, {"c": "x y"}]}\n', "x.csv": "a,b\n1,2\n3,4\n", "c.c": "int main(void) { return 0; }\n",
        "p.py": "import sys\nprint(len(sys.argv))\n", "p.js": "console.log(process.argv.length)\n", "p.rb": "puts ARGV.length\n",
        "p.pl": "print scalar(@ARGV), qq(\\n);\n", "A.java": "class A { public static void main(String[] a) { System.out.println(a.length); } }\n",
        "Makefile": "m:\n\t@echo made\nall: m\n", "x.po": 'msgid "a"\nmsgstr "b"\n', "7": "seven\n", "1": "first\n", "3": "third\n",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    run = lambda *words: subprocess.run(words, cwd=root, env=environment(root), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    run("tar", "-cf", "x.tar", "a.txt", "d")
    (root / "x.gz").write_bytes(subprocess.run(["gzip", "-nc", "a.txt"], cwd=root, stdout=subprocess.PIPE).stdout)
    if shutil.which("zip"):
        run("zip", "-qX", "x.zip", "a.txt", "b.txt")
    if shutil.which("gcc"):
        run("gcc", "-o", "prog", "c.c")
    for path in sorted(root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def repository(root):
    run = lambda *words: subprocess.run(("git", *words), cwd=root, env=environment(root), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    (root / "d").mkdir(parents=True)
    run("init", "-q", "-b", "main")
    shutil.rmtree(root / ".git/hooks", ignore_errors=True)
    for name, text in (("a.txt", "one\ntwo\nthree\n"), ("d/e.txt", "deep\n")):
        (root / name).write_text(text)
    run("add", "."); run("commit", "-qm", "first foo"); run("tag", "v1")
    (root / "a.txt").write_text("one\n2\nthree\nfour\n"); (root / "new.c").write_text("int x;\n")
    run("add", "."); run("commit", "-qm", "second bar"); run("branch", "topic")
    run("mv", "d/e.txt", "d/f.txt"); run("commit", "-qm", "third"); run("tag", "-a", "v2", "-m", "two")
    (root / "a.txt").write_text("one\n2\nthree!\nfour\n"); (root / "untracked").write_text("u\n")


def environment(home):
    return {
        "PATH": PATH, "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "EDITOR": "true",
        "GIT_EDITOR": "true", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LESSSECURE": "1", "x": "X Y", "e": "", "PYTHONDONTWRITEBYTECODE": "1",
    }


# --- running ---

class Runner:
    """A directory that is made again for every command, always under the same name."""

    def __init__(self, base, number, templates):
        self.place, self.templates = base / f"w{number}", templates

    def run(self, text, kind):
        shutil.rmtree(self.place, ignore_errors=True)
        if self.place.exists():
            subprocess.run(["chmod", "-R", "u+rwx", str(self.place)], check=False)
            shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.templates[kind], self.place, symlinks=True)
        if os.geteuid() == 0:
            for folder, _, names in os.walk(self.place):
                os.chown(folder, NOBODY, NOBODY)
                for name in names:
                    os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)

        def limits():
            os.setsid()
            for what, much in ((resource.RLIMIT_CPU, 10), (resource.RLIMIT_FSIZE, 1 << 26), (resource.RLIMIT_CORE, 0)):
                resource.setrlimit(what, (much, much))
            if os.geteuid() == 0:
                os.setgroups([]); os.setresgid(NOBODY, NOBODY, NOBODY); os.setresuid(NOBODY, NOBODY, NOBODY)

        child = subprocess.Popen(["bash", "--norc", "--noprofile", "-c", text], cwd=self.place, env=environment(self.place), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits)
        try:
            out, err = child.communicate(b"one\ntwo foo\nthree\n", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            if child.poll() is None:
                child.kill(); child.wait()
        status = child.returncode
        if status in (126, 127):
            return None
        return status, out, err, self.tree()

    def tree(self):
        digest = hashlib.sha256()
        for folder, folders, names in os.walk(self.place):
            folders[:] = sorted(name for name in folders if name != "logs")
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name in ("index", "ORIG_HEAD") and ".git" in folder:
                    continue
                try:
                    seen = os.lstat(path)
                    body = os.readlink(path).encode() if os.path.islink(path) else open(path, "rb").read() if seen.st_mode & 0o170000 == 0o100000 else b""
                except OSError:
                    seen, body = None, b"?"
                digest.update(repr((os.path.relpath(path, self.place), seen and seen.st_mode, body)).encode())
            digest.update(repr((os.path.relpath(folder, self.place), os.stat(folder).st_mode)).encode())
        return digest.hexdigest()

    def compare(self, pair):
        """same, different, or None if it cannot be said."""
        kind, a, b = pair["kind"], pair["a"], pair["b"]
        first, second = self.run(a, kind), self.run(b, kind)
        if first is None or second is None:
            return None, None
        if alike(first, second, pair["table"]):
            return "same", first[0]
        for _ in range(2):
            time.sleep(0.3)
            again = self.run(a, kind), self.run(b, kind)
            if None in again or again != (first, second):
                return None, None
        return "different", (first[:3], second[:3])


# Programs that answer with their status: 1 is not just another failure.
ANSWERS = {"grep", "egrep", "fgrep", "zgrep", "rgrep", "rg", "ag", "ack", "diff", "diff3", "sdiff", "cmp", "comm", "expr", "test", "the shell", "git diff", "git grep"}


def alike(first, second, table):
    """Whether two commands did the same. Two that fail may name their failure by other numbers, and warnings quote the
    command line."""
    (status, out, err, tree), (other, other_out, other_err, other_tree) = first, second
    failed = status != 0 and other != 0 and (table not in ANSWERS or bool(err and other_err))
    warned = bool(err) == bool(other_err) or status != 0
    return (status == other or failed) and out == other_out and tree == other_tree and warned


# --- making pairs ---

# Options that print something and end the program, before it sees what is wrong with the others.
ENDS = re.compile(r"\b(and exit|help|completion|generate a|show the version|version number|print the (version|help|license)|display the license|print (version|help)|list (all )?(supported|available|input|output|the) )", re.I)
VALUES = ["1", "2", "3", "a", "a.txt", "d", "x", "never", "7", "o", "utf-8", "100", "name", "long", "b.txt"]


def options(table, sets):
    found = []
    for source in [sets.get(name, {}) for name in table.get("uses", [])] + [table.get("options", {})]:
        found += [(key.split(", "), entry) for key, entry in source.items()]
    return found


def spell(random, names, entry, value):
    """One option as words, in some name and form; also in forms that the program may not know."""
    name = random.choice(names)
    if name.startswith("--") and random.random() < 0.1 and len(name) > 5:
        name = name[: random.randrange(4, len(name))]
    kind = entry.get("value")
    if value is None:
        return [name]
    if kind in ("optional", "attached"):
        return [name + ("=" if name.startswith("--") else "") + value]
    if kind == "two":
        return [name, value, "1"]
    forms = [[name, value], [name, value], [name + "=" + value]]
    forms.append([name + "=" + value] if name.startswith("--") else [name + value])
    return random.choice(forms)


def render(random, head, chosen, operands, dash):
    words = [spell(random, *option) for option in chosen]
    if random.random() < 0.5:
        random.shuffle(words)
    merged = []
    for word in words:
        short = len(word) == 1 and len(word[0]) == 2 and word[0][0] == "-"
        if merged and short and random.random() < 0.4 and len(merged[-1]) == 1 and merged[-1][0][0] == "-" and not merged[-1][0].startswith("--"):
            merged[-1] = [merged[-1][0] + word[0][1:]]
        else:
            merged.append(word)
    before, after = merged, []
    if random.random() < 0.35:
        cut = random.randrange(len(merged) + 1)
        before, after = merged[:cut], merged[cut:]
    if dash and random.random() < 0.2 and not after:
        before = before + [["--"]]
    places = [[word] for word in operands]
    cut = random.randrange(1, len(places) + 1) if places else 0
    words = before + places[:cut] + after + places[cut:]
    return " ".join([*head, *(shlex.quote(word) for part in words for word in part)])


def candidates(random, name, table, sets, heads, operands, left_out, kind, values=VALUES):
    known = [(names, entry) for names, entry in options(table, sets)
             if not left_out & set(names) and not ENDS.search(entry["about"]) and entry.get("value") != "command" and not all(len(n) == 1 for n in names)]
    while True:
        head = random.choice(heads)
        chosen = []
        for names, entry in random.sample(known, min(len(known), random.choice([0, 1, 1, 1, 2, 2, 3, 4]))):
            wants = entry.get("value")
            value = random.choice(values)
            if entry.get("value-aliases") and random.random() < 0.5:
                key = random.choice(sorted(entry["value-aliases"])); value = random.choice([key, *entry["value-aliases"][key]])
            if entry.get("default") and random.random() < 0.3:
                value = entry["default"]
            chosen.append((names, entry, None if wants is None or (wants in ("optional", "number") and random.random() < 0.4) else value))
        if chosen and random.random() < 0.1:
            chosen.append(random.choice(chosen))
        words = random.choice(operands)
        other, other_words = chosen, words
        if chosen and random.random() < 0.15:
            other = [o for o in chosen if o is not random.choice(chosen)]
        for again in range(2):
            a, b = render(random, head, chosen, words, True), render(random, head, other, other_words, True)
            if a != b:
                yield {"a": a, "b": b, "table": name, "kind": kind}


def shell_words(random):
    """Words that the shell reads, in other quotes, with redirections and expansions."""
    texts = ["a", "a b", "*", "a*", "$x", "${x}", "~", "[a-c]*", "?", "{1,2}", "{a..c}", "-n", "", "a\\b", "'", "\"", "$e", "!", "#", "a#b", "a;b", "&", "$(echo hi)", "`echo hi`", "\t", "\\", "\n", "=", "x=1", "$((1+2))", "%s", "[", "]", "~/a", "a~", "!(a)", "$'a\\tb'"]
    quotes = [lambda t: t, lambda t: shlex.quote(t), lambda t: '"' + t.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`").replace("$", "\\$") + '"',
              lambda t: '"' + t.replace('"', '\\"') + '"', lambda t: "".join("\\" + c if not c.isalnum() and c != "\n" else c for c in t) or "''",
              lambda t: '"' + t.replace("$x", "${x}").replace("$e", "${e}").replace('"', '\\"') + '"', lambda t: t.replace("$x", "${x}")]
    tails = ["", "", "", " >out", " 1>out", " >out 2>&1", " &>out", " 2>&1 >out", " >>out", " 2>/dev/null", " >&2", " >|out", " <a.txt", " 0<a.txt", " | cat", " |cat -", " |& cat", " 2>&1 | cat", "; echo z", "\necho z", " && echo z", " # note", " >& out", " 2>&-", " >& \"out\"", " 2>&\\-"]
    fronts = ["", "", "", ">out ", "x=1 ", "! ", "{ ", "( "]
    commands = ["printf '<%s>'", "echo", "printf '%s\\n'", "[ -n", "test -n"]
    while True:
        picked = [random.choice(texts) + random.choice(["", "", random.choice(texts)]) for _ in range(random.choice([1, 1, 2, 3]))]
        def one():
            front, command, tail = random.choice(fronts), random.choice(commands), random.choice(tails)
            return front, command, tail
        shape = one()
        def text(shape):
            front, command, tail = shape
            words = " ".join(random.choice(quotes)(t) for t in picked)
            body = f"{command} {words}" + (" ]" if command.startswith("[") else "")
            return front + body + {"{ ": "; }", "( ": " )"}.get(front, "") + tail
        other = shape if random.random() < 0.6 else tuple(x if random.random() < 0.7 else y for x, y in zip(shape, one()))
        a, b = text(shape), text(other)
        if a != b:
            yield {"a": a, "b": b, "table": "the shell", "kind": "files"}


def find_expressions(random):
    tests = ["-name '*.txt'", "-type f", "-type d", "-size -2", "-newer a.txt", "-empty", "-path './d*'", "-iname 'A*'", "-perm -u+r", "-maxdepth 1", "-mindepth 1", "-readable", "-links 1", "-regex '.*t'"]
    acts = ["-print", "-print0", "-prune", "-delete", "-exec echo {} \\;", "-exec echo {} +", "-quit", "-printf '%p\\n'", "-ls"]
    def primary():
        return random.choice(acts if random.random() < 0.25 else tests)
    def expression(depth):
        if depth == 0 or random.random() < 0.4:
            return [primary()]
        left, right = expression(depth - 1), expression(depth - 1)
        joined = left + random.choice([[], [], ["-a"], ["-o"], ["-or"], ["-and"], [","]]) + right
        if random.random() < 0.25:
            joined = ["\\("] + joined + ["\\)"]
        if random.random() < 0.15:
            joined = [random.choice(["!", "-not"])] + joined
        return joined
    def change(parts):
        parts = list(parts)
        for _ in range(random.choice([1, 1, 2])):
            how = random.randrange(6)
            if how == 0: parts = parts + ["-print"]
            elif how == 1: parts = ["\\("] + parts + ["\\)"]
            elif how == 2: random.shuffle(parts)
            elif how == 3: parts = [p for p in parts if p not in ("-a", "-and")]
            elif how == 4: parts = [{"!": "-not", "-not": "!", "-o": "-or", "-or": "-o"}.get(p, p) for p in parts]
            elif len(parts) > 1:
                at = random.randrange(len(parts) - 1); parts[at], parts[at + 1] = parts[at + 1], parts[at]
        return parts
    while True:
        parts = expression(random.choice([1, 2, 2, 3]))
        start = random.choice([". ", "", ". ", "d "])
        a, b = f"find {start}" + " ".join(parts), f"find {random.choice([start, start, '. '])}" + " ".join(change(parts))
        if a != b:
            yield {"a": a, "b": b, "table": "find", "kind": "files"}


def generators(seed):
    plan = json.loads((HERE / "programs.json").read_text())
    operands = {}
    for words, names in plan["operands"].items():
        for name in names.split():
            operands.setdefault(name, []).append([] if words == "[]" else words.split())
    leave = plan["leave-out"]
    builtins = set(plan["builtins"].split())
    made = {}
    for name in sorted(operands):
        path = TABLES / f"{name}.toml"
        if not path.exists() or not (name in builtins or shutil.which(name, path=PATH)) or name == "find":
            continue
        table = tomllib.loads(path.read_text())
        for _ in range(3):
            if "alias" in table and (TABLES / f"{table['alias'][0]}.toml").exists():
                table = tomllib.loads((TABLES / f"{table['alias'][0]}.toml").read_text())
        made[name] = candidates(random.Random(f"{seed} {name}"), name, table, table.get("sets", {}), [[name]], operands[name],
                                set(leave["*"]) | set(leave.get(name, [])), "files", plan["values"].get(name, VALUES))
    if shutil.which("tar", path=PATH):
        table = tomllib.loads((TABLES / "tar.toml").read_text())
        heads = [["tar", "-cf", "o.tar"], ["tar", "tf", "x.tar"], ["tar", "-xf", "x.tar"], ["tar", "--create", "--file=o.tar"], ["tar"]]
        made["tar"] = candidates(random.Random(f"{seed} tar"), "tar", table, {}, heads, [["a.txt"], ["a.txt", "d"]], set(leave["*"]), "files")
    table = tomllib.loads((TABLES / "git.toml").read_text())
    whole = set(leave["*"]) | set(leave["git"])
    for command in plan["git"].split():
        if command in table["commands"]:
            made[f"git {command}"] = candidates(random.Random(f"{seed} git {command}"), f"git {command}", table["commands"][command], table["sets"],
                                                [["git", command]], [o.split() for o in plan["git-operands"]], whole, "git")
    made["the shell"] = shell_words(random.Random(f"{seed} shell"))
    made["find"] = find_expressions(random.Random(f"{seed} find"))
    return made


# --- the whole ---

def equal_pairs(binary, pairs):
    lines = "".join(json.dumps({"a": pair["a"], "b": pair["b"]}) + "\n" for pair in pairs)
    said = subprocess.run([binary, "equiv", "--jsonl"], input=lines, text=True, stdout=subprocess.PIPE, check=True).stdout
    return [pair for pair, line in zip(pairs, said.splitlines(), strict=True) if json.loads(line)["score"] > 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=20, help="pairs per table [default: 20]")
    parser.add_argument("--only", action="append", help="only this table")
    parser.add_argument("--part", default="1/1", help="only the first of so many parts of the tables, as 1/20")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--binary", default=os.environ.get("EVALRATCHET", "evalratchet"))
    args = parser.parse_args()
    os.umask(0o022)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") and not os.statvfs("/dev/shm").f_flag & os.ST_NOEXEC else None) as base:
        base = pathlib.Path(base)
        base.chmod(0o755)
        templates = {"files": base / "files", "git": base / "git"}
        template(templates["files"]); repository(templates["git"])
        part, parts = map(int, args.part.split("/"))
        tables = {name: made for index, (name, made) in enumerate(generators(args.seed).items())
                  if (not args.only or name in args.only) and index % parts == part - 1}
        pairs = []
        for name, made in tables.items():
            fresh, seen, asked = [], set(), 0
            wanted = args.pairs * (5 if name in ("the shell", "find") else 1)
            while len(fresh) < wanted and asked < 60 * wanted:
                batch = [next(made) for _ in range(max(50, 4 * wanted))]
                asked += len(batch)
                for pair in equal_pairs(args.binary, batch):
                    if (pair["a"], pair["b"]) not in seen and len(fresh) < wanted:
                        seen.add((pair["a"], pair["b"])); fresh.append(pair)
            pairs += fresh
        counts = {"same": 0, "different": 0, None: 0}
        worked, differences, by_table = 0, [], {}
        runners = [Runner(base, number, templates) for number in range(args.jobs)]
        def work(number):
            for pair in pairs[number :: args.jobs]:
                yield pair, runners[number].compare(pair)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for results in pool.map(lambda number: list(work(number)), range(args.jobs)):
                for pair, (verdict, seen) in results:
                    counts[verdict] += 1
                    if verdict == "same":
                        by_table[pair["table"]] = by_table.get(pair["table"], 0) + 1
                        worked += seen == 0
                    if verdict == "different":
                        differences.append((pair, seen))
        for pair, (first, second) in differences:
            print(f"{pair['table']}:\n    {pair['a']!r}\n    {pair['b']!r}")
            for status, out, err in (first, second):
                print(f"      exit {status} {out[:200]!r} {err[:200]!r}")
        judged = counts["same"] + counts["different"]
        print(f"seed {args.seed}: {judged} pairs of {len(by_table)} tables were run, {worked} of them with success; "
              f"{counts['different']} differ; {counts[None]} more could not be judged")
    sys.exit(1 if differences else 0 if judged else 2)


if __name__ == "__main__":
    main()
