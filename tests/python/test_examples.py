"""The numbered examples of the package, and the examples in its docstrings."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import sotto

FOLDER = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("[0-9]*.py"))
NEEDED = {"sotto._recipe": "pandas"}  # other libraries that examples need
MODULES = [f"sotto.{module.name}" for module in pkgutil.iter_modules(sotto.__path__) if module.name != "_core"]


def test_there_are_examples():
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    done = subprocess.run([sys.executable, "-B", name], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " rounds, " in done.stdout and " bytes sent" in done.stdout
    assert len((FOLDER / name).read_text().splitlines()) < 60


@pytest.mark.parametrize("name", ["sotto", *MODULES])
def test_docstring(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_docstrings_have_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(found.examples) for found in finder.find(sotto))
    assert examples >= 4
    assert {"sotto._bandit", "sotto.datasets", "sotto._live"} <= set(MODULES)


def test_what_is_public_is_documented():
    for name in sotto.__all__:
        thing = getattr(sotto, name)
        assert isinstance(thing, str) or (thing.__doc__ or "").strip(), name
