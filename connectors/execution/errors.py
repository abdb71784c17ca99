"""Why a tool call could not be made or failed on its way, as refusals that a person and a model can act on.

No message holds a secret or an argument's value.
"""

from accesscontrol.exceptions import Refusal


class UnusableTool(Refusal):
    """The stored schema, binding or auth scheme of a tool can't be used, whatever the arguments."""

    code = "conflict"

    def __init__(self, what: str) -> None:
        super().__init__(f"This tool can't be called: {what}. Ask an administrator to correct its connector.")


class UnsupportedMediaType(Refusal):
    """The tool's body travels in a format that can't be written."""

    code = "conflict"

    def __init__(self, media_type: str) -> None:
        super().__init__(f"This tool sends {media_type} bodies, which are not supported. Use another tool.")


class NeedsReauth(Refusal):
    """The account's credential is missing, can't be sent, or was not accepted by the upstream."""

    code = "needs_reauth"

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Connect the account again.")


class CredentialRefused(NeedsReauth):
    """The upstream answered 401: it knows who the account is not, and did nothing."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} does not accept the account's credential.")


class BlockedAddress(Refusal):
    """The destination is not a public address, or a redirect leads where no call may go.

    The message names the host as it was asked for, never the address behind it: that would map the network.
    """

    code = "blocked_address"

    def __init__(self, host: str, why: str = "is not a public address") -> None:
        super().__init__(f"{host} {why}, so nothing was sent there. Check the connector's base URL.", host=host)


class UpstreamUnreachable(Refusal):
    code = "upstream_unreachable"

    def __init__(self, host: str, why: str = "could not be reached") -> None:
        super().__init__(f"{host} {why}. Try again later.", host=host)


class DeadlineExceeded(UpstreamUnreachable):
    """The whole call took longer than it may, redirects and the retry included."""

    def __init__(self, host: str, seconds: float) -> None:
        super().__init__(host, f"did not finish answering within {seconds:g} seconds")


class UpstreamError(Refusal):
    """The upstream answered, and not with a result."""

    code = "upstream_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class ErrorStatus(UpstreamError):
    """`excerpt` is redacted plain text of at most 500 characters."""

    def __init__(self, host: str, status: int, excerpt: str) -> None:
        said = f" It said: {excerpt}" if excerpt else ""
        super().__init__(f"{host} answered with status {status}.{said}")
        self.help = {"status": status, "excerpt": excerpt}


class ResponseTooLarge(UpstreamError):
    def __init__(self, host: str, max_bytes: int) -> None:
        size = f"{max_bytes // 1024**2} MiB" if max_bytes >= 1024**2 else f"{max_bytes} bytes"
        super().__init__(f"The answer of {host} is larger than {size}. Ask for less, or for a smaller page.")


class TooManyCalls(Refusal):
    """`seconds` is how long to wait, None where nobody knows."""

    code = "rate_limited"

    def __init__(self, why: str, seconds: int | None) -> None:
        wait = "later" if seconds is None else f"in {seconds} seconds"
        super().__init__(f"{why} Try again {wait}.", seconds=seconds)
        self.seconds = seconds


class RateLimited(TooManyCalls):
    """The upstream's own limit; `seconds` is what it asks for."""

    def __init__(self, host: str, seconds: int | None) -> None:
        super().__init__(f"{host} limits how often it may be called.", seconds)


class AccountBusy(TooManyCalls):
    """Our limit on one account's calls, at a time or in a minute; nothing was sent."""

    def __init__(self, account: str, seconds: int) -> None:
        super().__init__(f"The account {account} has as many calls as it may have at the moment.", seconds)


class AccountPaused(TooManyCalls):
    """The upstream named a time to wait, and it is not over; nothing was sent."""

    def __init__(self, account: str, seconds: int) -> None:
        super().__init__(f"The product asked for a pause in the calls through the account {account}.", seconds)


class Cancelled(Refusal):
    """Whoever asked for the call hung up while it ran; nobody reads this but the audit trail."""

    code = "cancelled"

    def __init__(self) -> None:
        super().__init__("The client hung up before the call was over.")
