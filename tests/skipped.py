#!/usr/bin/env python3
"""Reads logs of ctest and prints a line `name<tab>reason` for each test that was skipped, in whole or in part.

usage: skipped.py LastTest.log...
"""

import re
import sys

TEST = re.compile(r'^\d+/\d+ Test: (.*?)\n.*?^Output:\n-+\n(.*?)<end of output>\nTest time', re.MULTILINE | re.DOTALL)
REASONS = (
    re.compile(r"^\S+:\d+: Skipped\n(.+)$", re.MULTILINE),  # GoogleTest
    re.compile(r"^SKIPPED \[\d+\] (?:\S+: )?(.+)$", re.MULTILINE),  # pytest
    re.compile(r"^skipped: \S+: (.+)$", re.MULTILINE),  # tests/service
    re.compile(r"^.*(this CPU has no kernels named.*)$", re.MULTILINE),  # Core.WithKernels
)


def skipped(log):
    """Returns {name: reason} for the skipped tests of a log. If a test was repeated, only its last run counts.

    >>> def run(name, output):
    ...     return f'1/2 Test: {name}\\nCommand: "x"\\nOutput:\\n-----\\n{output}<end of output>\\nTest time =   0.01 sec\\n'
    >>> skipped(run("A.b", "[ RUN      ] A.b\\n/x/a_test.cc:9: Skipped\\nwrk is not installed\\n[  SKIPPED ] A.b (0 ms)\\n"))
    {'A.b': 'wrk is not installed'}
    >>> skipped(run("Python.types", ".s [100%]\\nSKIPPED [1] ../test_types.py:37: mypy is not installed\\n"))
    {'Python.types': 'mypy is not installed'}
    >>> skipped(run("Service.units", "skipped: units_test.Units.test_a: yaml is not installed\\n" * 2))
    {'Service.units': 'yaml is not installed'}
    >>> skipped(run("A.b", "/x/a_test.cc:9: Skipped\\nbusy\\n") + run("A.b", "[  OK ]\\n") + run("A.c", "[  OK ]\\n"))
    {}
    """
    found = {}
    for name, output in TEST.findall(log):
        reasons = [reason for pattern in REASONS for reason in pattern.findall(output)]
        found.pop(name, None)
        if reasons:
            found[name] = "; ".join(dict.fromkeys(reasons))
    return found


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="replace") as log:
            for name, reason in skipped(log.read()).items():
                print(f"{name}\t{reason}")
