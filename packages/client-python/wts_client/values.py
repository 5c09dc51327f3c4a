"""JSON without rounded numbers, and queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlencode


def to_json(value: object) -> bytes:
    """
    The JSON of a value, with decimals, days and times as texts. Raises ValueError for a number that is not finite, and
    for a time without a time zone.
    """
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=to_text
    )
    # Writes an unpaired surrogate as `\udXXX`, which is valid JSON, so that the service can report the fault.
    return text.encode("utf-8", "backslashreplace")


def from_json(body: bytes | str) -> Any:
    """Parses JSON. Numbers with a decimal point or an exponent become decimals."""
    return json.loads(body, parse_float=Decimal)


def to_query(parameters: Mapping[str, object]) -> str:
    """Percent-encodes parameters: a list repeats its parameter, and None means blank."""
    pairs: list[tuple[str, str]] = []
    for name, value in parameters.items():
        several = value if isinstance(value, (list, tuple, set, frozenset)) else (value,)
        pairs += [(name, to_text(each)) for each in several]
    return urlencode(pairs, quote_via=quote, safe="")


def to_path(*parts: str) -> str:
    """Percent-encodes each name of a path once."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def to_text(value: object) -> str:
    """
    Formats a value for the service: exact decimals, days and times in ISO 8601, `true` or `false`, and "" for None.
    Cuts times to milliseconds, because the service refuses finer times. Raises ValueError for a decimal that is not
    finite, and for a time without a time zone.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a finite number")
        return format(value, "f")
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError(f"{value} has no time zone, such as timezone.utc")
        return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not a value of JSON")
