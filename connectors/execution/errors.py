"""Why a tool call was refused or failed, as values that a model and a person can act on.

Each type has the refusal's stable `code`. Its message says what to do and holds no secret, no argument value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the arguments. `path` is a JSON pointer (RFC 6901), empty for all of them."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path or 'arguments'}: {self.reason}"


class ExecutionError(Exception):
    """The message is for a person; `code` is stable."""

    code: ClassVar[str]


class InvalidArguments(ExecutionError):
    code = "invalid_arguments"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("The arguments do not fit this tool. " + "; ".join(map(str, problems)) + ".")
        self.problems = tuple(problems)


class UnsupportedMediaType(ExecutionError):
    """The tool's body travels in a format that can't be written."""

    code = "conflict"

    def __init__(self, media_type: str) -> None:
        super().__init__(f"This tool sends {media_type} bodies, which are not supported. Use another tool.")
        self.media_type = media_type


class UnusableTool(ExecutionError):
    """The stored schema, binding or auth scheme of a tool can't be used, whatever the arguments."""

    code = "conflict"

    def __init__(self, what: str) -> None:
        super().__init__(f"This tool can't be called: {what}. Ask an administrator to correct its connector.")


class NeedsReauth(ExecutionError):
    """The account's credential is missing, can't be sent, or was refused by the upstream."""

    code = "needs_reauth"

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Connect the account again.")


class BlockedAddress(ExecutionError):
    """The destination is not a public address, or a redirect leads where no call may go.

    The message names the host as it was asked for, never the address behind it: that would map the network.
    """

    code = "blocked_address"

    def __init__(self, host: str, why: str = "is not a public address") -> None:
        super().__init__(f"{host} {why}, so nothing was sent there. Check the connector's base URL.")
        self.host = host


class UpstreamUnreachable(ExecutionError):
    code = "upstream_unreachable"

    def __init__(self, host: str, why: str = "could not be reached") -> None:
        super().__init__(f"{host} {why}. Try again later.")
        self.host = host


class DeadlineExceeded(UpstreamUnreachable):
    """The whole call took longer than it may, redirects and the retry included."""

    def __init__(self, host: str, seconds: float) -> None:
        super().__init__(host, f"did not finish answering within {seconds:g} seconds")
        self.seconds = seconds


class UpstreamError(ExecutionError):
    """The upstream answered, and not with a result. `excerpt` is redacted text, at most 500 characters."""

    code = "upstream_error"

    def __init__(self, message: str, *, status: int | None = None, excerpt: str = "") -> None:
        super().__init__(f"{message} It said: {excerpt}" if excerpt else message)
        self.status = status
        self.excerpt = excerpt


class ResponseTooLarge(UpstreamError):
    def __init__(self, host: str, max_bytes: int) -> None:
        size = f"{max_bytes // 1024**2} MiB" if max_bytes >= 1024**2 else f"{max_bytes} bytes"
        super().__init__(f"The answer of {host} is larger than {size}. Ask for less, or for a smaller page.")


class RateLimited(ExecutionError):
    """`seconds` is how long the upstream asks to wait, None where it does not say."""

    code = "rate_limited"

    def __init__(self, seconds: int | None) -> None:
        wait = "later" if seconds is None else f"in {seconds} seconds"
        super().__init__(f"The upstream's rate limit is reached. Try again {wait}.")
        self.seconds = seconds
