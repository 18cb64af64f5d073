"""The numbered examples in Python: each compares itself with plain text, and prints what it took."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("[0-9]*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    done = subprocess.run([sys.executable, "-B", name], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " rounds, " in done.stdout and " bytes sent" in done.stdout
    assert len((FOLDER / name).read_text().splitlines()) < 60
