"""The examples in the docstrings of the package."""

import doctest
import importlib
import pkgutil

import pytest

import sotto

MODULES = [f"sotto.{module.name}" for module in pkgutil.iter_modules(sotto.__path__) if module.name != "_core"]


@pytest.mark.parametrize("name", ["sotto", *MODULES])
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(found.examples) for found in finder.find(sotto))
    assert examples >= 4
    assert {"sotto._bandit", "sotto.datasets", "sotto._live"} <= set(MODULES)


def test_what_is_public_is_documented():
    for name in sotto.__all__:
        thing = getattr(sotto, name)
        assert isinstance(thing, str) or (thing.__doc__ or "").strip(), name
