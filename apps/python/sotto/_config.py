"""A role's config."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from . import _core


class Config:
    """The config.toml of one role, as `sotto init --protocol program` writes it.

    `settings` such as "role.report=report.json" take precedence over the file.
    """

    def __init__(self, file: str | os.PathLike[str], *, settings: Sequence[str] = ()) -> None:
        flags = [flag for setting in settings for flag in ("--set", setting)]
        self._config = _core.Config(["--config", os.fspath(file), *flags])

    @classmethod
    def from_arguments(cls, arguments: Sequence[str] | None = None) -> Config:
        """Reads the arguments of a command: `--config FILE`, and any number of `--set table.key=value`. `--help` prints
        the possible arguments and exits."""
        given = list(sys.argv[1:] if arguments is None else arguments)
        if "--help" in given or "-h" in given:
            print("Plays one role of a program of several parties: --config FILE, and as often as needed --set table.key=value")
            raise SystemExit(0)
        config = cls.__new__(cls)
        config._config = _core.Config(given)
        return config

    @property
    def parties(self) -> int:
        """Number of parties."""
        return self._config.parties

    @property
    def party(self) -> int | None:
        """The number of this party, or None at the dealer or the helper."""
        return self._config.party

    @property
    def role(self) -> str:
        """The name of this role, such as "party 0" or "dealer"."""
        return self._config.role

    @property
    def preprocessing(self) -> str:
        """The maker of the randomness: "dealer", "replicated", "ot" or "helper"."""
        return self._config.preprocessing

    @property
    def bits(self) -> int:
        """The number of fraction bits."""
        return self._config.bits

    @property
    def data(self) -> str | None:
        """The party's data file, or None if the config names no data file."""
        return self._config.data or None

    def __repr__(self) -> str:
        return f"<config of {self.role}, {self.parties} parties, {self.bits} fraction bits>"
