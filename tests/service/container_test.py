"""Runs the steps of the container file in bare system trees from debootstrap, then the image's command.

The test needs root, the network and some minutes, so it runs only if SOTTO_TEST_CONTAINER names a folder for the trees.
Debootstrap's base tree stays in this folder for the next run.

With SOTTO_TEST_CONTAINER_BUILD=no the first stage is only parsed. The program under test then takes the place of the
program of this stage. scripts/package --bare-tree runs the test in this way."""

import os
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from support import InFolder, Tree, main, needs

WHERE = os.environ.get("SOTTO_TEST_CONTAINER")
BUILDS = os.environ.get("SOTTO_TEST_CONTAINER_BUILD") != "no"
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "STOPSIGNAL", "ENTRYPOINT", "CMD"}


def steps():
    """Returns (instruction, rest of the line) of each step. Each line of the file has one step."""
    found = []
    for line in (Tree.source / "apps/deploy/container/Containerfile").read_text().splitlines():
        if line and not line.startswith("#"):
            name, rest = line.split(maxsplit=1)
            found.append((name, rest))
    return found


def stages():
    """Returns {name or number of a stage: the steps after FROM} of all stages, and the image that each stage begins
    with.
    """
    found = []
    for name, rest in steps():
        if name == "FROM":
            image, _, alias = rest.partition(" AS ")
            found.append({"image": image, "name": alias, "steps": []})
        else:
            found[-1]["steps"].append((name, rest))
    return found


class Form(InFolder):
    """Checks of the container file that do not run its steps."""

    def test_steps_are_those_that_the_other_test_runs(self):
        self.assertLessEqual({name for name, _ in steps()}, KNOWN)
        build, image = stages()
        for stage in (build, image):
            self.assertRegex(stage["image"], r"^docker\.io/library/debian:bookworm(-slim)?$")
        self.assertEqual(build["name"], "build")

    def test_every_command_parses(self):
        for name, rest in steps():
            if name == "RUN":
                subprocess.run(["bash", "-n", "-c", rest], check=True)

    def test_it_runs_as_nobody_special(self):
        last = dict(stages()[-1]["steps"])
        self.assertRegex(last["USER"], r"^[1-9]\d+:[1-9]\d+$")
        self.assertEqual(last["ENTRYPOINT"], '["/usr/bin/sotto"]')
        self.assertNotIn("root", last["CMD"])

    def test_the_image_has_the_program_and_no_package(self):
        """The program of the image has all libraries except glibc's in itself (scripts/package checks the program)."""
        build, image = stages()
        self.assertIn(("RUN", "cmake --build /build --target sotto_portable"), build["steps"])
        self.assertNotIn("apt", " ".join(rest for _, rest in image["steps"]))


@needs("debootstrap", "chroot")
@unittest.skipIf(WHERE is None, "SOTTO_TEST_CONTAINER names no folder for the trees")
@unittest.skipIf(os.geteuid() != 0, "it takes root")
class Steps(InFolder):
    def tree(self, name):
        """Returns a bare tree with this machine's devices and name server, and with a container's file of hosts."""
        base, root = Path(WHERE) / "base", Path(WHERE) / name
        if not (base / "usr/bin/apt-get").exists():
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", base], check=True, capture_output=True)
        # A step must never run twice in one tree.
        subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)
        subprocess.run(["cp", "-a", base, root], check=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
        return root

    def run_in(self, root, command, environment, folder="/", user=None):
        words = ["chroot", *([f"--userspec={user}"] if user else []), root, "/bin/sh", "-c", f"cd {folder} && {command}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                                   "LC_ALL": "C.UTF-8", **environment})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def copy(self, rest, root, roots, folder):
        origin = Tree.source
        words = rest.split()
        if words[0].startswith("--from="):
            origin = roots[words.pop(0)[len("--from="):]]
        source, target = words
        place = root / target.lstrip("/") if target.startswith("/") else root / folder.lstrip("/") / target
        if source == ".":
            files = subprocess.run(["git", "-C", origin, "ls-files", "-z"], check=True, capture_output=True).stdout
            place.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "--parents", "--target-directory", place, *filter(None, files.decode().split("\0"))],
                           cwd=origin, check=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin / source.lstrip("/"), place)

    def test_the_image_starts_a_role(self):
        roots = {}
        said = {}
        for stage in stages():
            name = stage["name"] or "image"
            if name == "build" and not BUILDS:
                roots[name] = self.stand_in()
                continue
            root = roots[name] = self.tree(name)
            environment, folder = {}, "/"
            for instruction, rest in stage["steps"]:
                if instruction == "WORKDIR":
                    folder = rest
                    (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
                elif instruction == "COPY":
                    self.copy(rest, root, roots, folder)
                elif instruction == "RUN":
                    self.run_in(root, rest, environment, folder)
                elif instruction == "ENV":
                    key, _, value = rest.partition("=")
                    environment[key] = value
                else:
                    said[instruction] = rest
        self.start_role(roots["image"], environment, said)

    def stand_in(self):
        root = self.folder / "built"
        (root / "installed/usr/bin").mkdir(parents=True)
        shutil.copy(Tree.sotto, root / "installed/usr/bin/sotto")
        return root

    def start_role(self, root, environment, said):
        """Starts a role under the user name of the image, with a config of `sotto init`. The role must find its key
        and its store again.
        """
        user = said["USER"]
        words = [*re.findall(r'"([^"]*)"', said["ENTRYPOINT"]), *re.findall(r'"([^"]*)"', said["CMD"])]
        etc = root / "etc/sotto"
        shutil.rmtree(etc, ignore_errors=True)
        etc.mkdir()
        shutil.chown(etc, *map(int, user.split(":")))
        make = ("/usr/bin/sotto init --live --parties 2 --set service.arms=a,b --set service.baseline_arm=a "
                "--set service.reward_wait=1h --insecure-shared-keys --out /etc/sotto/all && "
                "cp /etc/sotto/all/actor/* /etc/sotto/ && chmod 0400 /etc/sotto/key.pem")
        self.run_in(root, make, environment, user=user)
        shown = self.run_in(root, f"exec {shlex.join([*words, '--print-config'])}", environment, user=user)
        self.assertIn('state = "/var/lib/sotto/state"', shown)
        ended = self.run_in(root, f"timeout --preserve-status --signal TERM 5 {shlex.join(words)} 2>&1; echo \"ended $?\"",
                            environment, user=user)
        self.assertIn("answers at unix:/run/sotto/actor.sock", ended)
        self.assertIn("ended 0\n", ended)
        self.assertTrue((root / "var/lib/sotto/state/live.db").exists())


if __name__ == "__main__":
    main()
