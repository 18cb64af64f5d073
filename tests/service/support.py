"""The common code of the tests that run the program as its users do, with only Python's standard library.

Each test is a program of its own, called with --sotto and --source. If all of a test was skipped, the test prints the
reason and ends with exit code 77.
"""

import argparse
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

SKIPPED = 77


class Tree:
    """The arguments of a test's command line, such as the program under test and the root of the source tree."""

    sotto = None
    lab = None
    source = None
    unit = None


def needs(*programs):
    """Decorates a test that needs other programs."""
    missing = [name for name in programs if shutil.which(name) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed: scripts/install-dependencies --ci does")


class InFolder(unittest.TestCase):
    """A test with a folder of its own, removed at its end."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sotto-test-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # Killed programs may leave files, which are removed with the folder.
        variables = unittest.mock.patch.dict(os.environ, {"TMPDIR": folder.name})
        variables.start()
        self.addCleanup(variables.stop)


def example(name):
    """Returns a module of apps/examples/live/."""
    path = str(Tree.source / "apps" / "examples" / "live")
    if path not in sys.path:
        sys.path.insert(0, path)
    return __import__(name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sotto", required=True, type=Path)
    parser.add_argument("--lab", type=Path, help="sotto-lab")
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--unit", type=Path, help="sotto@.service as it is installed")
    arguments, rest = parser.parse_known_args()
    Tree.sotto = arguments.sotto.resolve()
    Tree.source = arguments.source.resolve()
    Tree.lab = arguments.lab
    Tree.unit = arguments.unit
    run = unittest.main(module="__main__", argv=[sys.argv[0], *rest], exit=False, verbosity=2,
                        warnings="ignore").result
    if not run.wasSuccessful():
        sys.exit(1)
    for test, why in run.skipped:
        print(f"skipped: {test.id()}: {why}")
    if run.testsRun == 0:
        sys.exit("no test ran")
    if len(run.skipped) == run.testsRun:
        sys.exit(SKIPPED)
