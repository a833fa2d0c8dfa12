"""Says in our words what is wrong with a field of a request. Knows pydantic's words, no field."""

from __future__ import annotations

import re
from typing import Final

UNKNOWN: Final = "is unknown here: leave it out, or correct its name"
REPEATED: Final = "is there more than once: send it once"
NO_OBJECT: Final = "must be a JSON object"
OURS: Final = (UNKNOWN, REPEATED, NO_OBJECT)
_SAME: Final = {"Field required": "is missing: send it", "Extra inputs are not permitted": UNKNOWN}
_OBJECT: Final = re.compile("a valid dictionary( or instance of .*)?")
_ASIDE: Final = re.compile(" after validation|, (unable|got) .*")
_SUBJECT: Final = re.compile("[A-Z][A-Za-z]*( input)? should ")


def in_our_words(reason: str) -> str:
    """Returns a sentence without its beginning, the field: what it must be, or what to do.

    Pydantic says "Input should be a valid integer, unable to parse string as an integer", and the
    same of a String or a List. Its word for an object names a class of ours.
    """
    if reason in OURS:
        return reason
    if reason in _SAME:
        return _SAME[reason]
    said = _ASIDE.sub("", _OBJECT.sub("a JSON object", reason))
    if named := _SUBJECT.match(said):
        return f"must {said[named.end() :]}"
    return f"is wrong: {reason.removeprefix('Value error, ')}"
