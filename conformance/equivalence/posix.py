#!/usr/bin/env python3
"""Holds what evalratchet says about POSIX against `shellcheck -s sh` and `checkbashisms`. Both know the syntax of the shell;
neither knows the options of utilities, so only syntax is compared, over the commands below and those of the datasets."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Findings of shellcheck about what is not in POSIX sh.
SYNTAX = re.compile(r"SC30\d\d|SC2039")
# shellcheck and checkbashisms follow POSIX.1-2017: `$'…'` and `read -d` came in 2024.
NEWER = re.compile(r"SC3003|SC3045|\$'")


def commands():
    for path in sorted((ROOT / "datasets/correctness").glob("*.json")):
        for case in json.loads(path.read_text())["test_cases"]:
            yield case["expected_command"]
            yield from case.get("accepted_commands", [])
    yield from (HERE / "posix.txt").read_text().splitlines()


def main():
    binary = os.environ["EVALRATCHET"]
    if not shutil.which("shellcheck") or not shutil.which("checkbashisms"):
        print("shellcheck or checkbashisms (Debian devscripts) is not installed")
        sys.exit(2)
    wrong = count = 0
    for command in dict.fromkeys(line for line in commands() if line.strip()):
        count += 1
        ours = json.loads(subprocess.run([binary, "danger", "--jsonl"], input=json.dumps({"command": command}) + "\n", text=True, capture_output=True, check=True).stdout)
        syntax = [what for what in ours["not_posix"] if what.startswith("the syntax") or what.endswith("of test") or what.endswith("of echo") or what in ("the utility source", "the utility local", "the utility declare", "the utility let")]
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write("#!/bin/sh\n" + command + "\n"); file.flush()
            check = subprocess.run(["shellcheck", "-s", "sh", "-f", "gcc", file.name], capture_output=True, text=True).stdout
            bashisms = subprocess.run(["checkbashisms", "-p", file.name], capture_output=True, text=True)
        theirs = [code for code in SYNTAX.findall(check) if not NEWER.search(code)]
        if bool(theirs) and not syntax:
            wrong += 1
            print(f"shellcheck finds {', '.join(sorted(set(theirs)))}, we find nothing: {command}")
        if bashisms.returncode == 1 and not ours["not_posix"] and not NEWER.search(bashisms.stderr):
            wrong += 1
            print(f"checkbashisms finds something, we find nothing: {command}")
        if syntax and not theirs and bashisms.returncode == 0:
            wrong += 1
            print(f"we find {', '.join(syntax)}, the others nothing: {command}")
    print(f"{count} commands compared, {wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
