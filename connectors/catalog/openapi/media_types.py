"""The media types of request bodies: of which kind each is, and which of several to send."""

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
FORMS = (FORM, MULTIPART)


def essence(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    return essence(media_type).endswith(("/json", "+json"))


def is_text(media_type: str) -> bool:
    """Whether its content is text that a caller can write."""
    kind = essence(media_type)
    return kind.startswith("text/") or kind.endswith(("xml", "yaml", "ndjson", "graphql"))


def is_form(media_type: str) -> bool:
    return essence(media_type) in FORMS


def preference(media_type: str) -> int:
    """The smaller, the rather it is sent."""
    kind = essence(media_type)
    order = [kind == JSON, is_json(kind), is_form(kind), kind.startswith("text/"), "*" not in kind]
    return order.index(True) if True in order else len(order)
