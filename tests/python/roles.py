"""Roles of a program over the network: configs of `sotto init`, their own ports, and a process or a thread per role."""

import os
import socket
import subprocess
import sys

import pytest

FIRST, LAST, BLOCK = 12_000, 32_000, 50  # below the ports that the system gives to connections


class Ports:
    """A block of ports for this process, which the UDP port at its beginning reserves."""

    def __init__(self):
        for first in range(FIRST, LAST, BLOCK):
            self._held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                self._held.bind(("127.0.0.1", first))
            except OSError:
                self._held.close()
                continue
            self._next = iter(range(first + 1, first + BLOCK))
            return
        raise RuntimeError("no ports are left for the test")

    def take(self):
        for port in self._next:
            with socket.socket() as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    tried.bind(("127.0.0.1", port))
                except OSError:
                    continue
                return port
        self.__init__()
        return self.take()


PORTS = Ports()


def init(out, parties=2, *flags):
    """The folder of each role, with its config.toml and its key. A role waits at most 30 s for the other roles."""
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    command = [program, "init", "--protocol", "program", "--parties", str(parties), "--insecure-shared-keys", "--out", str(out)]
    done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    folders = {path.name: path for path in out.iterdir() if path.is_dir()}
    ports = {}
    for folder in folders.values():
        config = folder / "config.toml"
        text = config.read_text()
        for line in text.splitlines():
            if '= "localhost:' in line:
                name = line.partition(" =")[0]
                ports.setdefault(name, PORTS.take())
                text = text.replace(line, f'{name} = "127.0.0.1:{ports[name]}"')
        config.write_text(text.replace("connect_deadline_seconds = 300", "connect_deadline_seconds = 30"))
    return folders


def start(script, folder, *flags):
    """Starts the role of a folder as a process."""
    command = [sys.executable, "-B", "-u", str(script), "--config", "config.toml", *flags]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(processes):
    """(exit code, stdout, stderr) by role."""
    ends = {}
    for role, process in processes.items():
        out, err = process.communicate(timeout=120)
        ends[role] = (process.returncode, out, err)
    return ends


def taken(config, role):
    """A socket that listens at the address of the role."""
    line = next(line for line in config.read_text().splitlines() if line.startswith(f"{role} = \"127."))
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(line.rpartition(":")[2].strip('"'))))
    listener.listen()
    return listener
