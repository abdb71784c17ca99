"""Which media types a stored file is served under; whoever made the file chose the one that it has."""

import re

OCTETS = "application/octet-stream"
_NAME = re.compile(r"[a-z0-9][a-z0-9.+_-]*/[a-z0-9][a-z0-9.+_-]*")
_LONGEST = 100
# What no browser runs or renders as a page of ours. Not SVG, HTML, XML or scripts.
_SERVED = frozenset(
    {
        "application/gzip",
        "application/json",
        "application/msword",
        "application/pdf",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/zip",
        "audio/mpeg",
        "audio/ogg",
        "audio/wav",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/csv",
        "text/plain",
        "video/mp4",
        "video/webm",
    }
)


def named(content_type: str) -> str:
    """The type in lower case and without parameters; that of mere bytes where it is none."""
    essence = content_type.partition(";")[0].strip().lower()
    return essence if len(essence) <= _LONGEST and _NAME.fullmatch(essence) else OCTETS


def served(media_type: str) -> str:
    """What goes into the Content-Type of the file's page; a text was kept as UTF-8 or is the member's own."""
    return media_type if media_type in _SERVED else OCTETS
