"""The commands of docs/own-data.md, run as they are printed, by a shell in a folder with the two tables that the page names;
and those tables are what their script writes."""

import shutil
import subprocess
import unittest

from support import InFolder, Tree, main
from walk_test import PageWalk

TABLES = "apps/examples/own-data"


class Walk(PageWalk):
    page = "docs/own-data.md"
    least_commands = 15

    def prepare(self):
        for name in ("shop.csv", "bank.csv"):
            shutil.copy(Tree.source / TABLES / name, self.folder)

    def test_every_command_does_what_the_page_says(self):
        self.walk()


class Tables(InFolder):
    @unittest.skipIf(shutil.which("awk") is None, "awk is not installed")
    def test_are_what_their_script_writes(self):
        subprocess.run([Tree.source / TABLES / "make-tables", self.folder], check=True)
        for name in ("shop.csv", "bank.csv"):
            self.assertEqual((self.folder / name).read_bytes(), (Tree.source / TABLES / name).read_bytes(), name)


if __name__ == "__main__":
    main()
