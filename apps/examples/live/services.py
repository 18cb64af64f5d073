"""All roles of a decision service on this machine, each a process in its own folder, as two companies would run them.

A shop runs party 0, the actor and the rewarder, and its data partner runs party 1. A third organisation, which both
trust, runs the dealer or the helper.
"""

import ctypes
import json
import random
import re
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from calls import Role, Unreachable

SHOP = ("party_0", "actor", "rewarder")
READY_WITHIN = 60.0


class Failed(Exception):
    """A command or a role failed."""


class Ports:
    """Free TCP ports. A process owns a block of 50 port numbers as long as it has bound UDP to the first of them."""

    def __init__(self):
        blocks = list(range(12000, 32000, 50))
        random.shuffle(blocks)
        for begin in blocks:
            self.held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                self.held.bind(("127.0.0.1", begin))
                self.next = begin + 1
                return
            except OSError:
                self.held.close()
        raise Failed("no ports are free")

    def take(self):
        while True:
            port, self.next = self.next, self.next + 1
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    trial.bind(("127.0.0.1", port))
                    return f"127.0.0.1:{port}"
                except OSError:
                    continue


def ends_with_its_starter():
    """Makes the system end this child process if the program that started the child is killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


class Services:
    """`service` has the keys and values of [service] in the configs, and `columns` the CSV text of each party."""

    def __init__(self, sotto, folder, service, columns, epsilon=0.1, steps=1_000_000, preprocessing="dealer"):
        self.sotto = str(Path(sotto).resolve())
        self.folder = Path(folder).resolve()
        self.processes = {}
        self.serve_words = ()  # further arguments of `sotto serve`
        self.ports = Ports()
        third = () if preprocessing == "ot" else (preprocessing,)
        self.names = ("party_0", "party_1", *third, "actor", "rewarder")
        hosts = [f"--host={role}={self.ports.take()}" for role in self.names if role not in ("actor", "rewarder")]
        settings = [f"--set=service.{key}={value}" for key, value in service.items()]
        self.run("init", "--live", "--parties", "2", "--epsilon", str(epsilon), "--steps", str(steps),
                 "--preprocessing", preprocessing, *hosts, *settings, "--out", str(self.folder))
        self.make_keys()
        self.addresses = {role: self.ports.take() for role in self.names}
        self.tokens = {role: secrets.token_hex(32) for role in self.names}
        for party, text in columns.items():
            (self.folder / party / "columns.csv").write_text(text)
        for role in self.names:
            self.give_interface(role)
        self.roles = {role: Role(self.addresses[role], self.tokens[role]) for role in self.names}

    def run(self, *words):
        done = subprocess.run([self.sotto, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"sotto {words[0]} ends with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def config(self, role):
        return str(self.folder / role / "config.toml")

    def make_keys(self):
        """Makes and trusts all keys. In a real deployment people compare the fingerprints by telephone."""
        for role in self.names:
            self.run("keys", "new", "--out", str(self.folder / role / "key.pem"), "--name", role)
        for role in self.names:
            for other in self.names:
                self.run("keys", "trust", "--config", self.config(role), other, str(self.folder / other / "key.crt"))

    def give_interface(self, role):
        token = self.folder / role / "token"
        token.touch(mode=0o600)
        token.write_text(self.tokens[role] + "\n")
        config = Path(self.config(role))
        lines = f'[http]\nlisten = "{self.addresses[role]}"\ntoken_file = "token"\n'
        text, count = re.subn(r"^\[http\]\n", lines, config.read_text(), count=1, flags=re.MULTILINE)
        config.write_text(text if count else text + "\n" + lines)

    def doctor(self):
        """Runs `sotto doctor` for all roles at once, because each doctor tries to reach the other roles."""
        examined = {role: subprocess.Popen([self.sotto, "doctor", "--config", self.config(role)],
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                           preexec_fn=ends_with_its_starter)
                    for role in self.names}
        said = {role: process.communicate()[0] for role, process in examined.items()}
        for role, process in examined.items():
            if process.returncode != 0:
                raise Failed(f"sotto doctor at {role} ends with {process.returncode}:\n{said[role]}")

    def start(self, role):
        log = open(self.folder / role / "log", "ab")
        # The role is in another session, so Ctrl-C reaches only this program, which then shuts down all roles.
        self.processes[role] = subprocess.Popen([self.sotto, "serve", "--config", self.config(role), *self.serve_words],
                                                stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                                preexec_fn=ends_with_its_starter)
        log.close()

    def kill(self, role):
        self.processes[role].kill()
        self.processes[role].wait()

    def watch(self):
        """Raises Failed if a role has ended."""
        for role, process in self.processes.items():
            if process.poll() is not None:
                raise Failed(f"{role} has ended with {process.returncode}: see {self.folder / role / 'log'}")

    def wait_until_ready(self):
        """Returns the waiting time in seconds."""
        began = time.monotonic()
        waiting = list(self.names)
        while waiting:
            self.watch()
            try:
                status, _ = self.roles[waiting[0]].once("GET", "/readyz")
            except OSError:
                status = 0
            if status == 200:
                waiting.pop(0)
            elif time.monotonic() > began + READY_WITHIN:
                raise Failed(f"{waiting[0]} is not ready after {READY_WITHIN:.0f} s: see {self.folder}")
            else:
                time.sleep(0.02)
        return time.monotonic() - began

    def drain(self):
        """Waits until no event is pending. Returns the number of the last event."""
        try:
            status, answer = self.roles["actor"].ask("POST", "/v1/drain", within=READY_WITHIN)
        except Unreachable as error:
            raise Failed(f"the actor does not drain: {error}") from error
        if status != 200:
            raise Failed(f"the actor does not drain: {status} {json.dumps(answer)}")
        return answer["number"]

    def stop(self):
        """Raises Failed if a role ends with an error."""
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        ends = {}
        for role, process in self.processes.items():
            try:
                ends[role] = process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                ends[role] = process.wait()
        self.processes.clear()
        wrong = [f"{role} with {code}" for role, code in ends.items() if code != 0]
        if wrong:
            raise Failed(f"ended: {', '.join(wrong)}: see {self.folder}")
