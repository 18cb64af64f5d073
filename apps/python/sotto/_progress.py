"""A bar in the terminal that shows how far a simulation is."""

from __future__ import annotations

import sys
from typing import Any

WIDTH = 30


class Bar:
    """Writes to stderr, or to `stream`. A terminal has one line that changes. Any other stream gets only the last line
    of each stage, so logs stay short."""

    def __init__(self, steps: int, stream: Any = None) -> None:
        self._steps = steps
        self._stream = sys.stderr if stream is None else stream
        self._shown = ""

    def __call__(self, rewarded: int, read: int) -> None:
        """Shows that so many steps of the private run have their reward, and that the plays in plain text have read so
        many rows."""
        if read > 0 and self._shown.startswith("private"):
            self.close()
        text = f"plays in plain text: {read:,} rows read" if read > 0 else self._private(rewarded)
        if text == self._shown:
            return
        if self._stream.isatty():
            self._stream.write(f"\r{text.ljust(len(self._shown))}")
            self._stream.flush()
        self._shown = text

    def _private(self, rewarded: int) -> str:
        done = WIDTH * rewarded // self._steps
        return f"private run [{'#' * done}{'.' * (WIDTH - done)}] {100 * rewarded // self._steps}%"

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self._shown:
            self._stream.write("\n" if self._stream.isatty() else f"{self._shown}\n")
            self._stream.flush()
        self._shown = ""
