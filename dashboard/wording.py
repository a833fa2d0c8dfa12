"""Puts numbers, times and states into words for a page. Never reads the clock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from matchbox.lab.statistics import is_lopsided

_DELETED: Final = re.compile(r"\bdeleted-author-\d+x*")
STATES: Final = {
    "pending": "being tried out",
    "active": "active",
    "accepted": "accepted, not active",
    "quarantined": "in quarantine",
    "suspended": "suspended",
    "refused": "refused",
    "retired": "retired",
    "queued": "queued",
    "running": "under way",
    "finished": "finished",
    "parked": "parked",
    "void": "void",
    "draft": "draft",
    "open": "open for entries",
    "frozen": "frozen",
    "paused": "paused",
    "cancelled": "cancelled",
}
TONES: Final = {
    "active": "good",
    "accepted": "good",
    "refused": "bad",
    "suspended": "bad",
    "parked": "warning",
    "quarantined": "warning",
    "paused": "warning",
    "void": "warning",
    "pending": "busy",
    "running": "busy",
}
FAULTS: Final = {
    "crash": "raised an exception",
    "timeout": "took too long",
    "protocol": "answered with something that is not a move",
    "illegal": "made a move that the rules do not allow",
    "memory": "used too much memory",
}
"""The faults of bots in words, by kind."""
VERDICTS: Final = {
    **{kind: f"Your bot {text}." for kind, text in FAULTS.items()},
    "crash": "Your bot ended with an error.",
    "accepted": "It plays by the rules.",
    "bundle": "The file is not a bot.",
    "platform": "The platform failed whenever your bot was tried alone.",
}
_STEPS: Final = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (30 * 86_400, 86_400, "d"))


def state(name: str) -> str:
    """Returns the state in words."""
    return STATES.get(name, name)


def fault(kind: str) -> str:
    """Returns the words for a fault of this kind, without a subject."""
    return FAULTS.get(kind, "failed")


def tone(name: str) -> str:
    """Returns the meaning of the state's colour: good, bad, warning, busy or plain."""
    return TONES.get(name, "plain")


def whole(number: float | None) -> str:
    """Returns a count or an Elo: "1,574"; a dash for None."""
    return "–" if number is None else f"{round(number):,}".replace("-", "−")


def bound(elo: float) -> str:
    """Returns a bound of a comparison, which need not be whole: "20", "−2.5"."""
    return f"{elo:.6g}".replace("-", "−")


def elo(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Returns a rating with its interval: "1574 ± 23"; a dash for None."""
    if value is None:
        return "–"
    error = f" ± {round((interval[1] - interval[0]) / 2)}" if interval else ""
    return f"{round(value)}{error}"


def score(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Returns a cooperative score with its interval: "41.3 ± 0.8"; a dash for None."""
    if value is None:
        return "–"
    error = f" ± {(interval[1] - interval[0]) / 2:.1f}" if interval else ""
    return f"{value:.1f}{error}"


def rank(number: int, ranks: Sequence[int]) -> str:
    """Returns a rank with the interval of its possible ranks: "2 (1–4)"."""
    low, high = ranks
    return f"{number}" if low == high == number else f"{number} ({low}–{high})"


def span(ranks: Sequence[int]) -> str:
    """Returns the ranks from best to worst: "1–3"; only one if they are equal."""
    low, high = ranks
    return f"{low}" if low == high else f"{low}–{high}"


def share(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Returns a share or a probability with its interval: "61.2% ± 1.4"; a dash for None.

    An interval that ends at 0 or 100%, or reaches a point further to one side, is written out:
    "97.0% (91.5 to 100.0)".
    """
    if value is None:
        return "–"
    text = f"{100 * value:.1f}%"
    if not interval:
        return text
    low, high = 100 * interval[0], 100 * interval[1]
    if low <= 0 or high >= 100 or is_lopsided(value, (interval[0], interval[1])):
        return f"{text} ({low:.1f} to {high:.1f})"
    return f"{text} ± {(high - low) / 2:.1f}"


def short(digest: str, length: int = 10) -> str:
    """Returns the first digits of a digest or seed."""
    return digest[:length]


def parse_time(text: str | None) -> datetime | None:
    """Parses an ISO 8601 text; returns the time in UTC, or None."""
    if not text:
        return None
    read = datetime.fromisoformat(text)
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)


def exact(text: str | None) -> str:
    """Returns the exact time: "2026-11-21 08:40:12 UTC"."""
    read = parse_time(text)
    return f"{read:%Y-%m-%d %H:%M:%S} UTC" if read else ""


def ago(text: str | None, now: datetime) -> str:
    """Returns the age of a time: "3 min ago", "in 3 min"; the date if it is a month off."""
    read = parse_time(text)
    if read is None:
        return "–"
    seconds = int((now - read).total_seconds())
    if -60 < seconds < 5:  # Clocks differ a little.
        return "just now"
    for below, unit, name in _STEPS:
        if abs(seconds) < below:
            age = f"{abs(seconds) // unit} {name}"
            return f"{age} ago" if seconds > 0 else f"in {age}"
    return f"{read:%Y-%m-%d}"


def result(places: Sequence[int], seat: int) -> str:
    """Returns the bout's result for that seat: "won", "lost", "drew", "place 3 of 5"."""
    best = places.count(1)
    if places[seat] == 1:
        return "won" if best == 1 else "drew" if best == len(places) else "shared the first place"
    return "lost" if len(places) == 2 else f"place {places[seat]} of {len(places)}"


def author(name: str) -> str:
    """Returns the name of an account. All deleted accounts have the same name."""
    return "a deleted author" if name.startswith("deleted-author-") else name


def bot(full_name: str) -> str:
    """Returns the full name of a bot. All deleted authors have the same name."""
    owner, slash, name = full_name.partition("/")
    return f"{author(owner)}{slash}{name}"


def told(text: str) -> str:
    """Returns the platform's own sentence; deleted authors are named in it as by `author`."""
    return _DELETED.sub(lambda name: author(name[0]), text)


def flat(detail: Mapping[str, Any], under: str = "") -> list[tuple[str, str]]:
    """Returns a mapping as lines: [("format kind", "swiss"), ("again", "yes")].

    The name of a nested mapping stands before its keys. Empty values are left out.
    """
    lines: list[tuple[str, str]] = []
    for name, value in sorted(detail.items()):
        if isinstance(value, Mapping):
            lines += flat(value, f"{under}{name} ")
        elif isinstance(value, list | tuple):
            lines.append((under + name, ", ".join(map(str, value))))
        elif value not in (None, ""):
            lines.append((under + name, option(value)))
    return lines


def capital(text: str) -> str:
    """Returns the text with a capital letter at its beginning, unless that is a bot's full name."""
    return text if "/" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Returns the text with a full stop, unless it has a mark at its end."""
    return text if text[-1:] in ("", *".!?") else f"{text}."


def option(given: object) -> str:
    """Returns the value of an option: "yes" or "no" for a tick, else itself."""
    return ("yes" if given else "no") if isinstance(given, bool) else str(given)


def plural(number: int, one: str, many: str = "") -> str:
    """Returns the number with its noun: "1 bot", "3 bots"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def length(seconds: float) -> str:
    """Returns a length of time, rounded: "12 s", "5 min", "3 h", "2 days"."""
    for below, unit, name in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < below:
            value = seconds / unit
            return f"{value:.1f} {name}" if value < 10 and unit == 1 else f"{round(value)} {name}"
    return f"{round(seconds / 86_400)} days"


def seats(sizes: Sequence[int]) -> str:
    """Returns the possible numbers of players: "2", "2 to 6", "2, 4 or 6"."""
    ordered = sorted(sizes)
    if len(ordered) == 1:
        return str(ordered[0])
    if ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered[:-1])) + f" or {ordered[-1]}"


FILTERS: Final = (
    *(author, bot, capital, sentence, option, told, exact, flat, state, fault, tone, whole, bound),
    *(elo, score, rank, span, share, result, short, plural, length, seats),
)
"""The template filters; each has the name `format_` followed by the function's name."""
