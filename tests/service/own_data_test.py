"""Runs the commands of docs/start/two-companies.md and of docs/guides/own-data.md exactly as printed, in one shell
per page.

The tutorial (two-companies.md) writes its two tables itself. The guide (own-data.md) begins in a folder that has both
tables.
"""

import hashlib
import shutil
import subprocess
import unittest

from support import InFolder, Tree, main
from walk_test import PageWalk

# The SHA-256 of the files that the script writes.
TABLES = {
    "shop.csv": "4e1c77247efef37bb325a209a986e54bbd95ef4385a6c03b96367dc473f57461",
    "bank.csv": "2d4e4969c0691e7d4aa5fa5b53311bca46ae3c84b3f6bdbaf101b3f89cb0ff4a",
}


def make_tables(folder):
    subprocess.run([Tree.source / "apps/examples/make-tables", folder], check=True)


@unittest.skipIf(shutil.which("awk") is None, "awk is not installed")
class Walk(PageWalk):
    page = "docs/start/two-companies.md"
    least_commands = 21

    def prepare(self):
        # The page's first command is meant for the root of a checkout, so the folder links to the checkout's apps/.
        (self.folder / "apps").symlink_to(Tree.source / "apps")

    def test_every_command_does_what_the_page_says(self):
        self.walk()


@unittest.skipIf(shutil.which("awk") is None, "awk is not installed")
class Guide(PageWalk):
    page = "docs/guides/own-data.md"
    least_commands = 2

    def prepare(self):
        make_tables(self.folder)

    def test_every_command_does_what_the_page_says(self):
        self.walk()


@unittest.skipIf(shutil.which("awk") is None, "awk is not installed")
class Tables(InFolder):
    def test_are_the_same_everywhere(self):
        make_tables(self.folder)
        for name, digest in TABLES.items():
            self.assertEqual(hashlib.sha256((self.folder / name).read_bytes()).hexdigest(), digest, name)


if __name__ == "__main__":
    main()
