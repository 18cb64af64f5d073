"""Errors of a run. An error in an argument, a config or data is a ValueError instead."""

from __future__ import annotations


class Error(RuntimeError):
    """`exit_code` is the exit code with which a command would end."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit_code)


class NetworkError(Error):
    """A peer cannot be reached, closed its link, or stayed silent past the deadline."""


class TrustError(Error):
    """One role does not trust the other's certificate."""


class DisagreementError(Error):
    """The configs or the programs of two roles differ."""


class ProtocolError(Error):
    """A peer sent a message that the protocol does not allow."""


class ResourceError(Error):
    """This machine lacks a resource: memory, disk space, a free port."""


class RemoteFailure(Error):
    """Another role ended the run and gave the reason."""
