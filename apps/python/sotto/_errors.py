"""How a run fails. What is wrong with an argument, a config or data is a ValueError instead."""

from __future__ import annotations


class Error(RuntimeError):
    """A run that failed. `exit_code` is that of the commands (docs/faults.md of the package sotto)."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit_code)


class NetworkError(Error):
    """A peer cannot be reached, closed its link, or stayed silent past the deadline."""


class TrustError(Error):
    """A peer showed a certificate that this role does not trust for it, or refused this role's."""


class DisagreementError(Error):
    """The configs of two roles differ, or their programs."""


class ProtocolError(Error):
    """A peer sent something that the protocol does not allow."""


class ResourceError(Error):
    """This machine lacks something: memory, disk space, a free port."""


class RemoteFailure(Error):
    """Another role ended the run and said why; `exit_code` is that of its cause."""
