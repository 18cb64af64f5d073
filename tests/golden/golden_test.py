#!/usr/bin/env python3
"""Checks that short runs of each program with a fixed seed still give the same numbers.

Compares the runs' JSON, except times and memory, with golden.json. Fractions must agree to nine digits, because kernels
of different CPUs round differently. The test also compares the tables of stores and the configs of `sotto init`.
Use --write, which replaces golden.json, only if a change is meant to change the numbers.

usage: golden_test.py --sotto PROGRAM [--write]
"""
import argparse
import json
import math
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden.json"
TWO = "--party p0.csv --party p1.csv"
THREE = TWO + " --party p2.csv"
WORLD = "--environment labels.csv --max-norm 1"
SEEDED = "--insecure-seed 7 --insecure-plaintext --json"

# A run that continues from another run is listed after that run.
RUNS = {
    "dealer": f"bandit {TWO} {WORLD} {SEEDED} --steps 60 --checkpoint-every 20 --separate-rewarder --compare-plaintext --out dealt",
    "batches": f"bandit {THREE} {WORLD} {SEEDED} --steps 96 --batch 16 --reward-lag 20 --computing-only 1 --reveal-model",
    "pulled_arm": f"bandit {TWO} {WORLD} {SEEDED} --steps 20 --update pulled-arm --repeat 2",
    "replicated": f"bandit {THREE} {WORLD} {SEEDED} --steps 20 --preprocessing replicated",
    "ot": f"bandit {TWO} {WORLD} {SEEDED} --steps 12 --preprocessing ot",
    "helper": f"bandit {TWO} {WORLD} {SEEDED} --steps 20 --preprocessing helper",
    "owners": f"bandit --owner p0.csv --owner p1.csv --computing-only 2 {WORLD} {SEEDED} --steps 20",
    "log": f"bandit {TWO} --log log.csv --max-norm 1 {SEEDED} --checkpoint-every 200 --out learned",
    "from_log": f"bandit {TWO} {WORLD} {SEEDED} --steps 20 --from learned",
    "evaluate": f"evaluate {TWO} --log log.csv --max-norm 1 {SEEDED} --held-out 0.9 --split mixed",
    "plan": f"plan --columns 10,10 --arms 10 --steps 1000 --compare-preprocessing --json",
    "plan_batches": "plan --columns 5,5,5 --arms 40 --steps 100000 --batch 256 --reward-lag 1000 --json",
    "o3m": f"o3m --ap ap.csv --passive passive.csv --environment rewards.csv --algorithm ucb --compare-central {SEEDED}",
    "o3m_ts": f"o3m --ap ap.csv --passive passive.csv --environment rewards.csv --algorithm ts {SEEDED}",
    "robin": f"robin --clients 200 --eps 10 --dim 4 --arms 5 {SEEDED}",
    "p2b": "p2b epsilon --p 0.5 --threshold 10 --json",
}
VOLATILE = re.compile(r"(seconds|memory|per_second|^command$|^commit$|^started$|^ended$|^id$|^duration$|^load$|^cpu|^out$|_ms$)")


def write_inputs(folder):
    """Writes data from a small random generator of its own, because a library's generator could change."""
    draw = random.Random(1)
    parts = [[",".join(f"x{i}" for i in range(3))] for _ in range(3)]
    labels, log = ["label"], ["arm,reward,propensity"]
    for _ in range(1200):
        x = [round(draw.uniform(-0.3, 0.3), 3) for _ in range(9)]
        label = max(range(3), key=lambda arm: x[arm] + x[3 + arm])
        for part, begin in zip(parts, (0, 3, 6)):
            part.append(",".join(str(value) for value in x[begin:begin + 3]))
        labels.append(str(label))
        arm = draw.randrange(3)
        log.append(f"{arm},{int(arm == label)},0.333333")
    ap, passive, rewards = ["t,arm,a0,a1"], ["t,arm,b0,b1"], ["t,arm,reward,mean"]
    for t in range(48):
        for arm in range(3):
            a, b = ([round(draw.uniform(-0.5, 0.5), 3) for _ in range(2)] for _ in range(2))
            ap.append(f"{t},{arm},{a[0]},{a[1]}")
            passive.append(f"{t},{arm},{b[0]},{b[1]}")
            mean = round(0.5 + 0.4 * a[0] - 0.3 * b[1], 4)
            rewards.append(f"{t},{arm},{int(draw.random() < mean)},{mean}")
    files = {"labels": labels, "log": log, "ap": ap, "passive": passive, "rewards": rewards}
    files.update({f"p{i}": part for i, part in enumerate(parts)})
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def settled(value):
    """Returns the value without the fields that differ from run to run."""
    if isinstance(value, dict):
        return {key: settled(each) for key, each in sorted(value.items()) if not VOLATILE.search(key)}
    if isinstance(value, list):
        return [settled(each) for each in value]
    return value


def differences(path, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key not in old or key not in new:
                yield f"{path}.{key} is only {'there' if key in old else 'here'}"
            else:
                yield from differences(f"{path}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(f"{path}[{i}]", a, b)
    elif isinstance(old, float) and isinstance(new, (int, float)):
        if not math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{path} was {old} and is {new}"
    elif old != new or type(old) is not type(new):
        yield f"{path} was {str(old)[:80]} and is {str(new)[:80]}"


def said_by(program, words, folder):
    run = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode != 0:
        sys.exit(f"sotto {words}\nended with {run.returncode}: {run.stderr[-1000:]}")
    return json.loads(run.stdout)


def tables_of(store):
    """The SQL statements that created a store's tables."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
        made = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        return [" ".join(statement.split()) for (statement,) in made]


def config_without_keys(text, folder):
    text = text.replace(str(folder), "FOLDER")
    return re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", re.sub(r'(127\.0\.0\.1|localhost):\d+', r"\1:PORT", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", type=lambda name: Path(name).absolute(), required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_inputs(folder)
        for name, words in RUNS.items():
            found[name] = settled(said_by(options.sotto, words, folder))
        subprocess.run([options.sotto, *f"bandit {TWO} {WORLD} --steps 20 --checkpoint-every 10 --insecure-seed 7 --out kept".split()],
                       cwd=folder, capture_output=True, check=True)
        found["stores"] = {store.parent.name: tables_of(store) for store in sorted(folder.glob("kept/state/*/store.db"))}
        found["configs"] = {config.parent.name: config_without_keys(config.read_text(), folder).splitlines()
                            for config in sorted(folder.glob("kept/state/*/config.toml"))}
    if options.write:
        lines = (f'"{name}":{json.dumps(value, separators=(",", ":"))}' for name, value in found.items())
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    golden = json.loads(GOLDEN.read_text())
    faults = [fault for name, value in found.items() for fault in differences(name, golden[name], value)]
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
