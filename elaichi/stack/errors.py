"""What can go wrong in the local stack. Each message is one line that says what to do."""


class StackError(Exception):
    """Anything that keeps the local stack from running; its text is shown to the person as it is."""


class NoPostgresError(StackError):
    """No PostgreSQL server binaries that we can use are on this machine."""


class DataVersionError(StackError):
    """The data directory was made by another major version than any that is here."""


class DatabaseStartError(StackError):
    """PostgreSQL was there and did not come up, or did not stop."""


class ForeignDirectoryError(StackError):
    """A directory that has to be private to us belongs to somebody else."""


class PortTakenError(StackError):
    """Another program already listens where we were asked to."""


class ProcessDiedError(StackError):
    """One of the stack's processes ended by itself."""
