"""A progress bar."""

from __future__ import annotations

import sys
from typing import Any

WIDTH = 30


class Bar:
    """A progress bar. If the stream is no terminal, the bar writes only the last line of each stage."""

    def __init__(self, steps: int, stream: Any = None) -> None:
        self._steps = steps
        self._stream = sys.stderr if stream is None else stream
        self._shown = ""

    def __call__(self, rewarded: int, read: int) -> None:
        """Shows new numbers."""
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
        """Ends the line."""
        if self._shown:
            self._stream.write("\n" if self._stream.isatty() else f"{self._shown}\n")
            self._stream.flush()
        self._shown = ""
