#!/usr/bin/env python3
"""Checks that layers include only layers that they may include, and that only source files include heavy headers.

A header next to its sources belongs to the layer of their folder. A header of include/sotto/protocol belongs to the
layer of its namespace, and any other header of include/sotto to the library. Folders must not include each other in a
cycle.

usage: layers_test.py
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LAYERS = {
    "core": [],
    "protocols": ["core"],
    "library": ["core", "protocols"],
    "net": ["core", "protocols"],
    "kit": ["core", "protocols", "net"],
    "prepare": ["core", "protocols", "net", "kit"],
    "bandit/model": ["core", "protocols", "net", "kit", "prepare"],
    "bandit/run": ["core", "protocols", "net", "library", "kit", "prepare", "bandit/model"],
    "demo": ["core", "protocols", "net", "kit", "prepare", "bandit/model"],
    "live": ["core", "protocols", "net", "kit", "prepare", "bandit/model"],
    "run": ["core", "protocols", "net", "library", "kit"],
    "o3m": ["core", "protocols", "net", "kit", "prepare"],
    "robin": ["core", "protocols", "net", "kit", "prepare"],
    "p2b": ["core", "protocols", "net", "kit", "prepare"],
    "programs": ["core", "protocols", "net", "kit", "prepare", "bandit/model", "bandit/run", "live", "o3m", "robin", "p2b", "run"],
    "lab": ["core", "protocols", "net", "library", "kit", "prepare", "bandit/model", "bandit/run", "live", "o3m", "robin", "p2b",
            "programs"],
    "instructions": ["core", "protocols", "net", "library", "kit", "prepare", "bandit/model", "bandit/run", "live", "programs"],
    "python": ["core", "protocols", "net", "library", "kit", "prepare", "bandit/model", "bandit/run", "run"],
    "examples": ["core", "protocols", "net", "library", "run", "bandit/run"],
}
# The folders whose names differ from the names of their layers.
FOLDERS = {"apps/examples": "examples", "apps/bandit/model": "bandit/model", "apps/bandit/run": "bandit/run", "bench/lab": "lab",
           "bench/instructions": "instructions"}

# Headers must not include these libraries. The exceptions are the wrappers of Asio and of toml++, which only sources
# include, and Matrix, which is an Eigen matrix.
HEAVY = re.compile(r'[<"](Eigen/|CLI/|toml|boost/|openssl/|sodium|sqlite3|utf8proc|asio|net/transport/asio\.h'
                   r'|apps/kit/settings/toml_file\.h)')
HEAVY_HEADERS = {"net/transport/asio.h", "apps/kit/settings/toml_file.h", "include/sotto/matrix.h"}

# Composed protocols and programs run the same code at every role. Only primitives ask which role runs them. These
# folders have only primitives. In other folders, the header of a primitive has the field Primitive.
PRIMITIVES = ("io/", "lookup/", "preprocessing/", "sets/", "simulate/", "summation/")
PROGRAM = re.compile(r"apps/bandit/model/(program/private_bandit|batch/(decide|learn|private_batches)|evaluate/private_evaluation)\.cc$")
ASKS_FOR_THE_ROLE = re.compile(r"(holds_shares|adds_constants|preprocessing) *\(|[.>]is *\(")

faults = []


def folders_in_cycles(edges):
    """Returns the folders that have cycles, from {folder: {folder that it includes: an include}}. The function
    repeatedly removes all folders that include nothing, and all folders that nothing includes.
    """
    edges = {folder: dict(others) for folder, others in edges.items()}
    while True:
        included = {other for others in edges.values() for other in others}
        kept = {folder: {other: line for other, line in others.items() if other in edges}
                for folder, others in edges.items() if folder in included}
        kept = {folder: others for folder, others in kept.items() if others}
        if kept == edges:
            return kept
        edges = kept


def layer_of(path, text):
    """Returns the layer of the file, or None for an umbrella, which only includes other headers."""
    if path.startswith("include/sotto/protocol"):
        named = re.search(r"^namespace sotto(?:::(protocols|net)\b)?", text, re.MULTILINE)
        return (named[1] or "core") if named else None
    if path.startswith("include/sotto/"):
        return {"epsilon_greedy.h": "bandit/run", "run.h": "run", "sotto.h": None}.get(path[len("include/sotto/"):], "library")
    for folder, layer in FOLDERS.items():
        if path.startswith(folder + "/"):
            return layer
    parts = path.split("/")
    if parts[0] == "bench":
        return "lab"
    if parts[0] == "apps":
        return parts[1] if len(parts) > 2 else "programs"
    return parts[0]


def main():
    texts = {}
    for top in ("include", "core", "protocols", "net", "apps", "bench"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".h", ".cc", ".inc"):
                texts[str(path.relative_to(ROOT))] = path.read_text()
    layers = {path: layer_of(path, text) for path, text in texts.items()}
    for layer in LAYERS:
        if layer not in layers.values():
            faults.append(f"no source is in the layer {layer}: the test looks in the wrong place")

    asking = 0
    edges = {}
    for path, text in texts.items():
        layer = layers[path]
        for line in text.splitlines():
            named = re.match(r'\s*#\s*include\s+([<"].*[>"])', line)
            if not named:
                continue
            if path.endswith(".h") and path not in HEAVY_HEADERS and HEAVY.match(named[1]):
                faults.append(f"{path}: headers include no heavy library: {line}")
            if named[1][0] == "<":
                continue
            word = named[1].strip('"')
            found = "include/" + word if word.startswith("sotto/") else word
            if found not in texts:
                faults.append(f"{path}: there is no {found}: {line}")
            elif layer and layers[found] and layers[found] != layer and layers[found] not in LAYERS[layer]:
                faults.append(f"{path}: {layer} includes nothing of {layers[found]}: {line}")
            here, there = (str(Path(name.removeprefix("include/sotto/")).parent) for name in (path, found))
            if here != there and found in texts:
                edges.setdefault(here, {})[there] = f"{path} includes {found}"
            if path.startswith("include/") and not word.startswith("sotto/"):
                faults.append(f"{path}: what is installed includes what is installed: {line}")
        header = texts.get(re.sub(r"^protocols/(.*)\.cc$", r"include/sotto/protocol/\1.h", path), "")
        is_composed = path.startswith("apps/library/") or (
            path.startswith("protocols/") and not path.startswith(tuple("protocols/" + folder for folder in PRIMITIVES)) and
            not re.search(r"^// Primitive  ", header, re.MULTILINE))
        if is_composed or PROGRAM.match(path):
            asking += 1
            faults.extend(f"{path}: only primitives ask for the role: {line.strip()}"
                          for line in text.splitlines() if ASKS_FOR_THE_ROLE.search(line))
    faults.extend(f"a cycle of folders: {line}" for others in folders_in_cycles(edges).values() for line in others.values())
    if asking < 20:
        faults.append(f"only {asking} composed protocols and programs: the test looks in the wrong place")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
