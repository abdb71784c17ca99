"""From a document's bytes to plain JSON values, within limits that hold whatever the bytes are."""

import json
import math
from typing import Any

import yaml

from connectors.catalog.document import CatalogError
from connectors.catalog.openapi.yaml_document import load_yaml

MAX_BYTES = 32 * 1024 * 1024
MAX_NODES = 2_000_000
MAX_DEPTH = 120


def load_document(data: bytes) -> dict[str, Any]:
    """The mapping that JSON or YAML text holds, in any Unicode encoding.

    Keys come out as strings, numbers as JSON and PostgreSQL know them, and no string holds a NUL or a lone
    surrogate. Raises CatalogError.
    """
    if len(data) > MAX_BYTES:
        raise CatalogError(f"The document is larger than {MAX_BYTES // 1024 // 1024} MiB.")
    document = _Tidying().tidy(_parse(_decode(data)))
    if not isinstance(document, dict):
        raise CatalogError("The document is not a mapping, so it is no OpenAPI document.")
    return document


def _decode(data: bytes) -> str:
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise CatalogError(f"The document is not {encoding} text: byte {error.start} does not fit.") from error


def _parse(text: str) -> Any:
    """JSON is read as JSON, which is far faster; YAML can also start with a brace."""
    if not text.lstrip().startswith("{"):
        return _parse_yaml(text)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise _nested_too_deeply() from error
    except ValueError as json_error:
        try:
            return _parse_yaml(text)
        except CatalogError:
            raise CatalogError(f"The document is not valid JSON: {json_error}") from json_error


def _parse_yaml(text: str) -> Any:
    try:
        return load_yaml(text, max_nodes=MAX_NODES, max_depth=MAX_DEPTH)
    except RecursionError as error:
        raise _nested_too_deeply() from error
    except (yaml.YAMLError, ValueError) as error:
        raise CatalogError(f"The document is not valid YAML: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    """What is wrong and where, of PyYAML's message of several lines."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    if problem and mark:
        return f"{problem}, line {mark.line + 1}, column {mark.column + 1}"
    return " ".join(str(error).split())


def _nested_too_deeply() -> CatalogError:
    return CatalogError(f"The document is nested more than {MAX_DEPTH} levels deep.")


class _Tidying:
    """One pass that makes a copy of plain JSON values and counts them."""

    def __init__(self) -> None:
        self._nodes = 0

    def tidy(self, value: Any, depth: int = 0) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise CatalogError(f"The document holds more than {MAX_NODES:,} values.")
        if depth > MAX_DEPTH:
            raise _nested_too_deeply()
        if isinstance(value, str):
            return _clean_text(value)
        if isinstance(value, dict):
            return {_key(key): self.tidy(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set):
            return [self.tidy(item, depth + 1) for item in value]
        if isinstance(value, float):
            return _number(value)
        return value if value is None or isinstance(value, int) else str(value)


def _key(key: Any) -> str:
    """YAML keys such as `200:` and `null:` are numbers and null, and meant as text."""
    return _clean_text(key if isinstance(key, str) else json.dumps(key, default=str))


def _clean_text(text: str) -> str:
    # PostgreSQL's jsonb stores neither, and one of them would fail the whole import.
    if text.isascii():
        return text.replace("\x00", "") if "\x00" in text else text
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _number(value: float) -> int | float | None:
    """Whole numbers as integers, as jsonb gives them back; what JSON cannot hold as null."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else value
