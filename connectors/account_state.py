"""Whether an account works, and if not why and what to do, in plain words."""

from connectors.models import Connection

_WHAT_TO_DO = {
    Connection.Status.PENDING: "It has not been authorized yet. Connect it to use it.",
    Connection.Status.NEEDS_REAUTH: "The product does not accept its sign-in any more. Connect it again.",
    Connection.Status.DISCONNECTED: "It was disconnected and its secret erased. Connect it again to use it.",
    Connection.Status.ERROR: "It could not be used. Connect it again.",
}
LOST_KEY = (
    "Its secret was encrypted with a key that is not among CREDENTIAL_KEYS any more. Connect it again, or ask who runs "
    "this server to bring the lost key back."
)


def reason(connection: Connection) -> str:
    """Empty for one that works, as far as can be told here. Reads the credential, which is to be loaded."""
    if connection.credential and not connection.credential.is_readable():
        return LOST_KEY
    return connection.status_reason or _WHAT_TO_DO.get(Connection.Status(connection.status), "")
