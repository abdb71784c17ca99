"""Other processes that use the local database."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

_USER = """
import sys
from elaichi.stack.postgres import database
with database():
    print("in", flush=True)
    sys.stdin.read()
"""


class User:
    """A process that uses the database until its standard input ends."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _USER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def is_in(self) -> bool:
        assert self.process.stdout
        return self.process.stdout.readline() == "in\n"

    def leave(self) -> int:
        self.process.communicate()
        return self.process.returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def user() -> Iterator[User]:
    someone = User()
    try:
        assert someone.is_in()
        yield someone
    finally:
        someone.kill()


def note(url: str, text: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])


def notes(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM note")]


def setting(url: str, name: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row
    return str(row[0])
