"""Two things about a junit.xml, for conformance/run.

junit.py strip IN OUT       write IN without the three attributes that the Jenkins schema does not know
junit.py count XML RESULTS  read XML with junitparser and compare every count with results.json
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter


def strip(source, target):
    tree = ElementTree.parse(source)
    root = tree.getroot()
    assert root.tag == "testsuites", root.tag
    root.attrib.pop("skipped", None)
    for case in root.iter("testcase"):
        case.attrib.pop("file", None)
        case.attrib.pop("line", None)
    tree.write(target, encoding="utf-8", xml_declaration=True)


def count(source, results):
    from junitparser import Error, Failure, JUnitXml, Skipped

    with open(results, encoding="utf-8") as file:
        results = json.load(file)
    wrong = []

    def same(what, read, expected):
        if read != expected:
            wrong.append(f"{what}: junit.xml has {read}, results.json has {expected}")

    same("known_failures of the run", "show", results["run"]["known_failures"])
    kinds = {"failed": Failure, "error": Error, "unmeasured": Skipped, "skipped": Skipped}
    xml = JUnitXml.fromfile(source)
    suites = list(xml)
    same("number of suites", len(suites), len(results["suites"]))
    total = Counter()
    names = Counter()
    for read, suite in zip(suites, results["suites"]):
        statuses = Counter(case["status"] for case in suite["cases"])
        expected = {
            "tests": len(suite["cases"]),
            "failures": statuses["failed"],
            "errors": statuses["error"],
            "skipped": statuses["unmeasured"] + statuses["skipped"],
        }
        total.update(expected)
        cases = list(read)
        at = f"suite {suite['id']!r}"
        for key, value in expected.items():
            same(f"{at}, attribute {key}", getattr(read, key), value)
        same(f"{at}, number of test cases", len(cases), len(suite["cases"]))
        for case, ours in zip(cases, suite["cases"]):
            names[case.classname, case.name] += 1
            found = {type(one) for one in case.result}
            wanted = {kinds[ours["status"]]} if ours["status"] in kinds else set()
            same(f"{at}, case {ours['id']!r}", sorted(map(str, found)), sorted(map(str, wanted)))
    for key, value in total.items():
        same(f"all suites, attribute {key}", getattr(xml, key), value)
    wrong += [f"{times} cases are called {name}" for name, times in names.items() if times > 1]
    print("\n".join(wrong[:20]) or f"{sum(names.values())} test cases in {len(suites)} suites agree")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit({"strip": strip, "count": count}[sys.argv[1]](*sys.argv[2:]))
