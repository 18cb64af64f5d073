"""Tests scripts/demo: the run has exactly the roles of the chosen mode, and each is a process. In a mode without a
dealer, no process is a dealer. With a dealer, the script runs the demo's own program and says how to build the rest."""

import json
import os
import subprocess
import threading

from support import InFolder, Tree, main

ROLES = {"dealer", "party_0", "party_1", "party_2", "helper", "actor", "rewarder"}


def roles_below(root):
    """Returns the names of the roles that the process `root` has started as processes, directly or indirectly. The name
    of a role is that of its config, or that of its process."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{entry}/cmdline", "rb") as line:
                words = line.read().decode(errors="replace").split("\0")
            with open(f"/proc/{entry}/comm") as name:
                words.append(name.read().strip().removeprefix("the ").replace(" ", "_") + ".toml")
        except (OSError, ValueError):  # the process has ended in the meantime
            continue
        children.setdefault(parent, []).append((int(entry), words))
    found, left = set(), [root]
    while left:
        for process, words in children.get(left.pop(), []):
            left.append(process)
            found.update(os.path.basename(word).removesuffix(".toml") for word in words if word.endswith(".toml"))
    return found & ROLES


class ScriptsDemo(InFolder):
    """Runs the demo in a tree with the script, the program under test, and stubs that install and build nothing."""

    def setUp(self):
        super().setUp()
        for folder in ("scripts", "bin", "build/release/apps"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "scripts/demo").write_bytes((Tree.source / "scripts/demo").read_bytes())
        for stub in ("scripts/install-dependencies", "bin/cmake"):
            (self.folder / stub).write_text("#!/bin/sh\nexit 0\n")
        for program in ("scripts/demo", "scripts/install-dependencies", "bin/cmake"):
            (self.folder / program).chmod(0o755)
        for program in ("sotto", "sotto-demo"):
            (self.folder / "build/release/apps" / program).symlink_to(Tree.sotto.parent / program)

    def run_demo(self, mode):
        """Returns the result, and the roles that were running as processes."""
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        demo = subprocess.Popen([str(self.folder / "scripts/demo"), "--preprocessing", mode, "--steps", "120", "--out",
                                 str(self.folder / "out")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=environment)
        self.addCleanup(demo.kill)
        seen, said = set(), []
        reader = threading.Thread(target=lambda: said.append(demo.stdout.read()))
        reader.start()
        running = True
        while running:
            seen |= roles_below(demo.pid)
            try:
                running = demo.wait(timeout=0.01) is None
            except subprocess.TimeoutExpired:
                pass
        reader.join()
        self.assertEqual(demo.returncode, 0, said)
        self.assertIn("report.html", said[0])
        self.said = said[0]
        return json.loads((self.folder / "out/run/run.json").read_text()), seen

    def check(self, mode, parties, dealer):
        result, seen = self.run_demo(mode)
        roles = {f"party {number}" for number in range(parties)} | {"actor"} | ({"dealer"} if dealer else set())
        self.assertEqual(result["status"], "complete")
        self.assertEqual(result["preprocessing"], mode)
        self.assertEqual({role["role"] for role in result["roles"]}, roles)
        self.assertEqual(seen, {role.replace(" ", "_") for role in roles})

    def test_three_parties(self):
        self.check("replicated", 3, dealer=False)

    def test_two_parties(self):
        self.check("ot", 2, dealer=False)

    def test_with_a_dealer(self):
        self.check("dealer", 2, dealer=True)
        self.assertIn("average reward", self.said)
        self.assertIn("--target sotto\n", self.said.splitlines(keepends=True)[-1])
        for file in ("data/party_0.csv", "data/party_1.csv", "data/environment.csv", "run/report.html"):
            self.assertTrue((self.folder / "out" / file).is_file(), file)

    def test_it_keeps_earlier_results(self):
        program = self.folder / "build/release/apps/sotto-demo"
        subprocess.run([program, self.folder / "out", "50"], check=True, capture_output=True)
        before = (self.folder / "out/run/run.json").read_bytes()
        again = subprocess.run([program, self.folder / "out", "50"], capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 2)
        self.assertIn("earlier demo", again.stderr)
        self.assertEqual((self.folder / "out/run/run.json").read_bytes(), before)

    def test_it_refuses_other_words(self):
        program = self.folder / "build/release/apps/sotto-demo"
        for words in ([], ["out"], ["out", "0"], ["out", "many"], ["out", "99999999999"], ["out", "1", "more"]):
            refused = subprocess.run([program, *words], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertEqual(refused.returncode, 2, words)
            self.assertIn("usage: sotto-demo FOLDER STEPS", refused.stderr)


if __name__ == "__main__":
    main()
