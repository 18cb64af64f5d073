"""Checks the package's annotations with mypy, and that the stub of the module names everything that the module has."""

import ast
import inspect
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sotto import _core

SOURCE = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/python/sotto"
ONLY_TYPES = {"Cost", "PhaseCost", "PlannedCost", "OpenedCost", "PlayedGraph", "GraphCost"}


def test_the_stub_names_what_there_is():
    stub = ast.parse((SOURCE / "_core.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    there = {name for name in dir(_core) if not name.startswith("__")}
    assert (set(classes) | functions) - ONLY_TYPES == there
    for name in set(classes) - ONLY_TYPES:
        named = {item.name for item in classes[name].body if isinstance(item, ast.FunctionDef)} | {
            item.target.id for item in classes[name].body if isinstance(item, ast.AnnAssign)
        }
        own = {member for member in vars(getattr(_core, name)) if not member.startswith("__")}
        assert named - {"__init__"} == own, name
        assert inspect.isclass(getattr(_core, name))


def test_mypy():
    program = shutil.which("mypy", path="/usr/bin:" + os.environ["PATH"])
    if program is None:
        pytest.skip("mypy is not installed")
    done = subprocess.run(
        [program, "--strict", "--no-incremental", "--cache-dir=/dev/null", "--python-version=3.11", "--package", "sotto"],
        cwd=SOURCE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
