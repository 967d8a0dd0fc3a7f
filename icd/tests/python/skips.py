"""How many tests are skipped on each driver, and why: a test that no longer runs is not to go unnoticed.

`skips.json` has the expected numbers by driver and reason. They are compared where HEKLA_TEST_SKIPS is "check", as
`cargo xtask test` runs the whole suite; "write" writes those of this run. What depends on the machine is left out.
"""

import collections
import json
import os
import pathlib

FILE = pathlib.Path(__file__).with_name("skips.json")
# Taken away, since tests start other runs.
MODE = os.environ.pop("HEKLA_TEST_SKIPS", "")
# Beginnings of reasons that are the machine's and not the driver's: what is installed, and how, and what clang takes.
OF_MACHINE = (
    "clang",
    "by cargo xtask differ --ingest",
    "no MPI",
    "spirv-as knows no matrices",
    "the processes that it starts lack",
)


def count(reports):
    """The number of skipped tests by reason."""
    reasons = (str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    found = collections.Counter(why for why in reasons if not why.startswith(OF_MACHINE))
    return dict(sorted(found.items()))


def differences(expected, found):
    """What is wrong with the numbers, a line each."""
    return [
        f"{found.get(why, 0)} tests are skipped, {expected.get(why, 0)} are expected to be: {why}"
        for why in sorted(expected.keys() | found.keys())
        if found.get(why, 0) != expected.get(why, 0)
    ]


def judge(driver, reports):
    """Returns what is wrong with the skips of a run of the whole suite on a driver."""
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    found = count(reports)
    if MODE == "check" and driver not in known:
        print(f"{FILE.name} has no numbers for {driver}: {json.dumps(found, indent=2)}")
    elif MODE == "check":
        return differences(known[driver], found)
    if MODE == "write":
        FILE.write_text(json.dumps({**known, driver: found}, indent=2, sort_keys=True) + "\n")
    return []
