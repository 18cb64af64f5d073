#!/usr/bin/env python3
"""Prints which tests were skipped, whole or in part, and why: a line `name<tab>reason` for each, from logs of ctest.

usage: skipped.py LastTest.log...
"""

import re
import sys

TEST = re.compile(r'^\d+/\d+ Test: (.*?)\n.*?^Output:\n-+\n(.*?)^<end of output>', re.MULTILINE | re.DOTALL)
REASONS = (
    re.compile(r"^\S+:\d+: Skipped\n(.+)$", re.MULTILINE),  # GoogleTest
    re.compile(r"^SKIPPED \[\d+\] (?:\S+: )?(.+)$", re.MULTILINE),  # pytest
    re.compile(r"^skipped: \S+: (.+)$", re.MULTILINE),  # tests/service
    re.compile(r"^.*(this CPU has no kernels named.*)$", re.MULTILINE),  # Core.WithKernels
)


def skipped(log):
    """{name: reason} of a log; the last run of a test that was repeated counts."""
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
