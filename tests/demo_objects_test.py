#!/usr/bin/env python3
"""Checks that a newcomer who builds the demo waits for little, and for nothing twice.

usage: demo_objects_test.py BUILD

The demo has at most half of the objects of `sotto`. All objects of the demo are also those of `sotto`, except the few
of apps/demo itself. The build must be one by Ninja with SOTTO_UNITY.
"""
import subprocess
import sys


def objects_of(build, program):
    """Returns the objects and precompiled headers that the program is made of, directly or indirectly."""
    inputs = subprocess.run(["ninja", "-C", build, "-t", "inputs", program], check=True, capture_output=True, text=True).stdout
    return {name for name in inputs.splitlines() if name.endswith((".o", ".gch"))}


def main(build):
    demo, sotto = objects_of(build, "apps/sotto-demo"), objects_of(build, "apps/sotto")
    own = {name for name in demo if name.startswith("apps/demo/")}
    faults = [f"only the demo compiles {name}" for name in sorted(demo - sotto - own)]
    if not own or len(own) > 2:
        faults.append(f"the demo has {len(own)} objects of its own, where one or two are due")
    if 2 * len(demo) > len(sotto):
        faults.append(f"the demo takes {len(demo)} of the {len(sotto)} objects of sotto")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1])
