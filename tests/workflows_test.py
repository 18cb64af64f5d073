#!/usr/bin/env python3
"""Checks that .github/workflows runs the scripts that .ci/run runs.

Every script that a workflow calls must exist and must know the flags in the call. Every script of .ci/run except the
script for the bare tree must have a job in a workflow. The workflows use a container in place of the bare tree.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INSTEAD = {"scripts/bare-tree", "scripts/stages.sh"}

calls = []
for workflow in sorted((ROOT / ".github/workflows").glob("*.yml")):
    calls += re.findall(r"run: (scripts/\S+)((?: [^\n]*)?)$", workflow.read_text(), re.M)

faults = []
for script, arguments in calls:
    path = ROOT / script
    if not path.is_file():
        faults.append(f"a workflow calls {script}, which does not exist")
        continue
    text = path.read_text()
    faults += [f"a workflow calls {script} {flag}, which that script does not know"
               for flag in re.findall(r"--[a-z-]+", arguments) if flag not in text]

called = {script for script, _ in calls}
needed = set(re.findall(r"scripts/[a-z.-]+", "\n".join(
    line for line in (ROOT / ".ci/run").read_text().split("\n") if not line.startswith("#")))) - INSTEAD
faults += [f"no workflow calls {script}, which .ci/run does" for script in sorted(needed - called)]
if len(called) < 5:
    faults.append(f"only {len(called)} scripts are called: the test looks in the wrong place")

print("\n".join(faults))
sys.exit(1 if faults else 0)
