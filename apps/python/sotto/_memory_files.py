"""Files in memory, with names in a folder of their own: what the C++ part reads as it reads a command's files. No text
of them reaches a disk."""

from __future__ import annotations

import os
import re
import tempfile
from types import TracebackType


class MemoryFiles:
    """A folder that exists while the `with` block runs. Only this user can enter it, and it holds only links."""

    def __init__(self) -> None:
        self._open: list[int] = []

    def __enter__(self) -> MemoryFiles:
        self._folder = tempfile.TemporaryDirectory(prefix="sotto-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()
        for descriptor in self._open:
            os.close(descriptor)

    def add(self, name: str, text: str) -> str:
        """The path of a new file with this text."""
        descriptor = os.memfd_create(name)
        self._open.append(descriptor)
        with open(os.dup(descriptor), "wb") as file:
            file.write(text.encode())
        path = os.path.join(self._folder.name, name)
        os.symlink(f"/proc/{os.getpid()}/fd/{descriptor}", path)
        return path

    def respelled(self, message: str) -> str:
        """The message with "log, row 3" for the path of the file `log` and its line 5. Line 1 has names of columns."""

        def place(found: re.Match[str]) -> str:
            line = found.group(2)
            return found.group(1) + ("" if line is None or int(line) < 2 else f", row {int(line) - 2}")

        def rows(found: re.Match[str]) -> str:
            return "row" + re.sub(r"\d+", lambda line: str(int(line.group()) - 2), found.group(1))

        message = re.sub(re.escape(self._folder.name) + r"/([^:\s]+)(?::(\d+)(?::\d+)?)?", place, message)
        return re.sub(r"\bline(s? \d+(?:, \d+)*)", rows, message)
