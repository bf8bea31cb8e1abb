#!/usr/bin/env python3
"""Holds program tables against the completions of fish: pairs of names that fish knows as one option, and whether it takes a
value. A contradiction must be explained in fish.json."""
import json, pathlib, re, shlex, sys, tomllib

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "src/suites/command/equivalence/programs"
COMPLETIONS = pathlib.Path("/usr/share/fish/completions")


def completions(text, program):
    """The options of the program itself: those without a condition, which may belong to a subcommand."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        line = line.strip()
        if not line.startswith("complete "):
            continue
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        names, takes, command, condition, at = [], False, None, False, 1
        while at < len(words):
            word, value = words[at], words[at + 1] if at + 1 < len(words) else ""
            word, _, attached = word.partition("=") if word.startswith("--") else (word, "", "")
            if word in ("-c", "--command"):
                command = attached or value; at += not attached
            elif word in ("-s", "--short-option"):
                names.append("-" + (attached or value)); at += not attached
            elif word in ("-l", "--long-option"):
                names.append("--" + (attached or value)); at += not attached
            elif word in ("-o", "--old-option"):
                names.append("-" + (attached or value)); at += not attached
            elif word in ("-n", "--condition"):
                condition = True; at += not attached
            elif word in ("-d", "--description", "-a", "--arguments"):
                at += not attached
            elif re.fullmatch(r"-[a-zA-Z]+", word) and not word.startswith("--"):
                takes |= "r" in word or "x" in word
                if word[-1] in "acdlnos" and len(word) > 2:
                    kind = word[-1]
                    if kind == "s": names.append("-" + value)
                    elif kind == "l": names.append("--" + value)
                    elif kind == "o": names.append("-" + value)
                    elif kind == "c": command = value
                    elif kind == "n": condition = True
                    at += 1
            takes |= word in ("-r", "-x", "--require-parameter", "--exclusive")
            at += 1
        if command == program and not condition and names and not any("$" in name or "(" in name for name in names):
            yield names, takes


def main():
    if not COMPLETIONS.is_dir():
        print("fish is not installed")
        sys.exit(2)
    explained = json.loads((HERE / "fish.json").read_text())["explained"]
    compared = contradictions = 0
    unused = {f"{program} {what}" for program, notes in explained.items() for what in notes}
    for path in sorted(TABLES.glob("*.toml")):
        program, table = path.stem, tomllib.loads(path.read_text())
        completion = COMPLETIONS / f"{program}.fish"
        if "alias" in table or not completion.exists() or table.get("commands"):
            continue
        known = {name: (key, entry) for key, entry in table.get("options", {}).items() for name in key.split(", ")}
        for names, takes in completions(completion.read_text(errors="replace"), program):
            here = [known[name] for name in names if name in known]
            if not here:
                continue
            compared += 1
            wrong = []
            if len({key for key, _ in here}) > 1:
                same = {tuple(entry.get("same-as", ())) for _, entry in here}
                if not any(name in words for words in same for name in names):
                    wrong.append(f"{' '.join(names)} are one option to fish")
            value = here[0][1].get("value")
            if takes and value is None and "same-as" not in here[0][1]:
                wrong.append(f"{' '.join(names)} takes a value to fish")
            for what in wrong:
                if what in explained.get(program, {}):
                    unused.discard(f"{program} {what}")
                    continue
                contradictions += 1
                print(f"{program}: {what}")
    for what in sorted(unused):
        print(f"no contradiction any more: {what}")
    print(f"{compared} options compared, {contradictions} contradictions that are not explained")
    sys.exit(1 if contradictions else 0)


if __name__ == "__main__":
    main()
