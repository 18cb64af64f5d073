"""The errors with which a run fails. An error in an argument, a config or data is a ValueError instead."""

from __future__ import annotations


class Error(RuntimeError):
    """A run that failed. `exit_code` is the exit code of the commands (docs/reference/faults.md of the package sotto)."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit_code)


class NetworkError(Error):
    """A peer cannot be reached, closed its link, or stayed silent past the deadline."""


class TrustError(Error):
    """A peer showed a certificate that this role does not trust for the peer, or refused this role's certificate."""


class DisagreementError(Error):
    """The configs or the programs of two roles differ."""


class ProtocolError(Error):
    """A peer sent a message that the protocol does not allow."""


class ResourceError(Error):
    """This machine lacks a resource: memory, disk space, a free port."""


class RemoteFailure(Error):
    """Another role ended the run and gave the reason. `exit_code` is the exit code of the other role's error."""
