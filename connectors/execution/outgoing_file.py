"""A stored file on its way out, as the body of a call or as a part of it."""

from collections.abc import Callable
from dataclasses import dataclass

from accesscontrol.exceptions import Refusal


@dataclass(frozen=True, kw_only=True)
class OutgoingFile:
    """`name` and `media_type` may be anything: they came from whoever made the file."""

    name: str
    media_type: str
    content: bytes


type OpenFile = Callable[[str], OutgoingFile]
"""From the id that a caller gave to the file; raises Refusal where there is none that the caller may send."""


class NoFilesHere(Refusal):
    """The call is made where no caller's files can be reached."""

    code = "conflict"

    def __init__(self) -> None:
        super().__init__("This tool sends a file, and no stored file can be sent from here. Call it with execute_tool.")


def refuse_files(file_id: str) -> OutgoingFile:
    raise NoFilesHere
