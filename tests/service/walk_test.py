"""Runs the commands of docs/guides/live.md exactly as printed, in a shell in an empty folder. In the output on the
page, `...` means any text within a line, and a line with only `...` means any number of lines.

The shell's environment gives free ports in place of the ports in the page's configs.
"""

import os
import re
import signal
import subprocess
import threading

from support import InFolder, Tree, example, main

WITHIN = 180.0
PROMPT = re.compile(r"^( {4,})\$ (.*)$")


def commands_of(page):
    """Returns [(command with its continuation lines, lines of output)] of all blocks with prompts, in order."""
    found = []
    indent = None
    lines = iter(page.split("\n"))
    for line in lines:
        prompt = PROMPT.match(line)
        if prompt:
            indent = prompt[1]
            command = [prompt[2]]
            while command[-1].endswith("\\"):
                command.append(next(lines).strip())
            found.append(("\n".join(command), []))
        elif indent is not None and line.startswith(indent):
            found[-1][1].append(line[len(indent):])
        else:
            indent = None
    return found


def pattern_of(lines):
    """Returns a pattern that matches the output that the page shows."""
    parts = [".*\n" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + "\n" for line in lines]
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


class PageWalk(InFolder):
    """Runs all commands of a page, in order, in one shell."""

    page = None
    least_commands = 1

    def prepare(self):
        """Prepares the folder before the first command."""

    def text(self):
        """Returns the text of the page."""
        return (Tree.source / self.page).read_text()

    def setUp(self):
        super().setUp()
        self.prepare()
        self.ports = example("services").Ports()
        self.environment = {**os.environ, "PATH": f"{Tree.sotto.parent}{os.pathsep}{os.environ['PATH']}",
                            "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        for role in ("party_0", "party_1", "dealer"):
            self.environment[f"SOTTO_PEERS_{role.upper()}"] = self.ports.take()

    def walk(self):
        commands = commands_of(self.text())
        self.assertGreater(len(commands), self.least_commands)
        shell = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=self.folder, env=self.environment,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 start_new_session=True)
        self.addCleanup(self.end_all, shell)
        for command, expected in commands:
            said, status = run(shell, command)
            self.assertEqual(status, 0, f"{command}\n{said}\n{self.logs()}")
            if expected:
                self.assertRegex(said if said.endswith("\n") else said + "\n", pattern_of(expected), command)
        said, status = run(shell, "jobs -r")
        self.assertEqual(said, "", "roles that still run")

    def end_all(self, shell):
        """Ends all processes of the shell's session, including any roles that a failed test has left running."""
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()

    def logs(self):
        return "\n".join(f"{file.name}:\n{file.read_text()[-2000:]}" for file in self.folder.glob("**/*.log"))


class Walk(PageWalk):
    page = "docs/guides/live.md"
    least_commands = 15

    def test_every_command_does_what_the_page_says(self):
        self.walk()


def run(shell, command):
    """Returns the command's output, without the mark at the end, and the command's exit code."""
    mark = "end of the command:"
    shell.stdin.write(f"{command}\nprintf '\\n{mark} %d\\n' $?\n")
    shell.stdin.flush()
    said = ""
    patience = threading.Timer(WITHIN, os.killpg, (shell.pid, signal.SIGKILL))
    patience.start()
    for line in shell.stdout:
        if line.startswith(mark):
            patience.cancel()
            return said[:-1] if said.endswith("\n") else said, int(line[len(mark):])
        said += line
    patience.cancel()
    return said + "\nthe shell has ended", -1


if __name__ == "__main__":
    main()
