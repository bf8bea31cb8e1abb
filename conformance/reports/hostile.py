"""Fills the results of a run with text that tries to break out: hostile.py RESULTS OUT

Every text that a model, a program, a data set or a pull request can choose is replaced, and what fails in the baseline
too is called a regression, so that the reports show the texts of every kind of suite.
"""

import json
import sys

RUN = "https://github.com/octo/evals/actions/runs/1"
PAYLOADS = [
    "```\n</pre></details>\n\n# heading\n@everyone",
    "``````` \n```diff\n- x\n~~~~\n@octocat",
    "</details></summary></code></td></table><h1>out</h1>",
    "<!-- x --><!-- evalratchet --> --> <!--",
    "@everyone @octo/team cc:@octocat (@octocat)",
    "#1 GH-1 octo/evals#1 fixes #1",
    "[x](javascript:alert(1)) [y](https://evil.example/) [z][r]\n\n[r]: https://evil.example/",
    "![i](https://evil.example/i.png) <img src=x onerror=alert(1)>",
    "https://evil.example/a www.evil.example mailto:a@evil.example a@evil.example <https://evil.example>",
    "]]> <![CDATA[ &lt; &#0; &amp;#64;everyone &#64;everyone",
    "nul\u0000 bell\u0007 back\u0008 delete\u007f next\u0085 \ufffe\uffff",
    "\u202eright\u202c to \u2066left\u2069 \u200f\u200e\u061c",
    "\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007",
    "::error file=a,line=1::x%0A::set-output name=a::b\n::add-mask::x\r\n::stop-commands::x",
    "| a | b |\n|---|---|\n| c | d | \\| \\",
    "🎉🏳️‍🌈👩‍👩‍👧 :tada: e\u0301 ﷽ 𝕏",
    "`one` ``two`` ` \\` **bold** _it_ ~~no~~ $x$ <b>b</b> <a href=https://evil.example>a</a>",
    "> [!CAUTION]\n> quoted\n- [x] task\n\n---\n\n1. @octocat\n\n    indented @octocat",
    "<script>alert(1)</script></script><style>*{display:none}</style><svg onload=alert(1)>",
    "[^1] \n\n[^1]: https://evil.example/note\n\n<details open><summary>@octocat",
    "{{ 7*7 }} {% raw %} ${{ github.token }} $(id) `id` %s %n ../../etc/passwd",
]
# Keys whose text is free wherever they stand below a case, and what stays because the program itself says it.
OWN = {"kind", "status", "ending", "fingerprint", "method", "rule", "risk_level", "lane", "source", "type", "scope", "goal", "measure", "better", "energy", "priority", "effort", "state"}


class Hostile:
    def __init__(self):
        self.next = 0
        self.names = {}

    def text(self):
        self.next += 1
        return PAYLOADS[self.next % len(PAYLOADS)] + f" {PAYLOADS[self.next * 7 % len(PAYLOADS)]}"

    def name(self, kind, old):
        """The same new name for the same old one, and never the same for two."""
        if (kind, old) not in self.names:
            self.names[kind, old] = f"{PAYLOADS[len(self.names) % len(PAYLOADS)]} {len(self.names)}"
        return self.names[kind, old]

    def fill(self, value, key=None):
        if isinstance(value, dict):
            return {at: one if at in OWN else self.fill(one, at) for at, one in value.items()}
        if isinstance(value, list):
            return [self.fill(one, key) for one in value]
        return self.text() if isinstance(value, str) else value


def main(source, target):
    with open(source, encoding="utf-8") as file:
        results = json.load(file)
    hostile = Hostile()
    results["run"]["url"] = RUN
    results["run"]["branch"] = hostile.text()
    for suite in results["suites"]:
        if suite["model"]:
            suite["model"] = hostile.text()
        for case in suite["cases"]:
            fresh = hostile.fill({key: case[key] for key in ("checks", "output", "reproduce", "diff", "detail", "location") if key in case})
            case.update(fresh)
            case["id"] = hostile.name(suite["id"], case["id"])
            case["slices"] = [hostile.name("slice", one) for one in case["slices"]]
        suite["slices"] = {hostile.name("slice", key): one for key, one in suite["slices"].items()}
    comparison = results["comparison"]
    comparison["baseline"]["source"] = hostile.text()
    for suite in comparison["suites"]:
        suite["slices"] = {hostile.name("slice", key): one for key, one in suite["slices"].items()}
        for case in suite["cases"]:
            case["id"] = hostile.name(suite["id"], case["id"])
            if case["now"] == "failed":
                case.update(change="regressed", was="passed")
    for reason in results["gate"]["reasons"]:
        reason["message"] = hostile.text()
        if reason["case"]:
            reason["case"] = hostile.name(reason["suite"], reason["case"])
        if reason["slice"]:
            reason["slice"] = hostile.name("slice", reason["slice"])
    with open(target, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
