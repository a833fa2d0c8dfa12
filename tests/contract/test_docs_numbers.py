"""The numbers that a page tells, and that have no setting, are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from cli import supervisor
from matchbox.league import knock_out, tail
from matchbox.settings import Settings
from sandbox.policy import Limits, rlimits
from server import rate_limits, zips
from server.services import (
    accounts,
    alarms,
    arenas,
    backup_schedule,
    classes,
    contact,
    deliveries,
    jobs,
    logins,
    notices,
    password_links,
    passwords,
    sessions,
    uploads,
    webhooks,
)
from server.times import DAY_MS, HOUR_MS, MINUTE_MS
from worker import logs
from worker.arena import separation

WORDS: Final = {number: str(number) for number in range(1000)} | {
    2: "two", 3: "three", 5: "five", 20: "twenty",
}  # fmt: skip
BACKOFF: Final = [f"{wait / MINUTE_MS:g}" for wait in deliveries.BACKOFF_MS if wait < HOUR_MS]
HOURS: Final = [f"{wait / HOUR_MS:g}" for wait in deliveries.BACKOFF_MS if wait >= HOUR_MS]
USUAL: Final = Settings()
DESCRIPTORS: Final = rlimits(Limits(), 0)["RLIMIT_NOFILE"]

OPERATE: Final = [
    f"its newest {notices.KEPT:,} notices",
    f"tried again after {', '.join(BACKOFF[:-1])} and {BACKOFF[-1]} minutes, "
    f"and after {' and '.join(HOURS)} hours",
    f"After {WORDS[jobs.MAX_ATTEMPTS]} attempts without a result the match is parked",
    f"a file longer than {supervisor._LOG_BYTES >> 20} MiB is moved to `.log.1`",
    f"are written at most {WORDS[logs.MAX_LINES]} times in a minute",
    f"An account gets at most {WORDS[password_links.LINKS]} links a day",
    f"An account may request {WORDS[contact.LINKS]} links a day, and "
    f"{WORDS[contact.ACCOUNTS]} accounts a link to the same address",
    f"A backup that fails is tried again after {backup_schedule.AGAIN_MS // MINUTE_MS} minutes",
]
SEASONS: Final = [
    f"one a line and at most {classes.MAX_NAMES}, and print the cards",
    f"In a minute at most {rate_limits.CLASS_RATE} accounts are made with one code, and "
    f"{rate_limits.CLASS_RATE} from one address, from which there may be {rate_limits.CLASS_RATE} "
    "log-ins",
    f"waits for a random time between {separation.SHORTEST_S:g} and {separation.LONGEST_S:g} "
    "seconds",
    f"it stops at a doubt of {tail.MAX_DOUBT['thrifty']} instead of {tail.MAX_DOUBT['strict']}",
]
THREAT_MODEL: Final = [
    f"| {rate_limits.CLASS_RATE} from an address in a minute |",
    f"| {zips.MAX_UNREAD} of each kind in a process |",
    f"| activated versions | {uploads.ACTIVATIONS} of a bot in an hour |",
    f"| {2 * accounts.TOKENS} and {webhooks.ADDED} in an hour |",
    f"| {accounts.TOKENS}, {webhooks.MAX_WEBHOOKS} and {sessions.MAX_SESSIONS} of an account;",
    f"| links to set a password; and links to confirm an address | {contact.LINKS} each",
    f"| uploads; and drafts that are tried out | {USUAL.uploads_per_hour} each of an account",
    f"| {USUAL.comparison_games:,} and {USUAL.verifications_per_day} of an account in a day |",
    f"| {WORDS[passwords.MAX_CONCURRENT]} of each process; others wait up to "
    f"{passwords.WAIT_S:g} s",
    f"| after {logins.NETWORK.free}, a pause of 1 s, which doubles with each further one up to "
    f"{logins.NETWORK.longest_ms // MINUTE_MS} minutes |",
    f"| after {logins.ACCOUNT.free}, a pause of 1 s, which doubles up to a minute |",
    f"the owner logged in within the last {logins.KNOWN_MS // DAY_MS} days",
    f"a match is parked after {jobs.MAX_ATTEMPTS} attempts",
    f"processes 0, {DESCRIPTORS} descriptors,",
]
TOLD: Final = {
    "docs/operate.md": OPERATE,
    "docs/seasons.md": SEASONS,
    "docs/threat-model.md": THREAT_MODEL,
}


@pytest.mark.parametrize("page", TOLD)
def test_the_numbers_of_a_page_are_those_of_the_code(checkout: Path, page: str) -> None:
    text = " ".join((checkout / page).read_text().split())
    assert [sentence for sentence in TOLD[page] if sentence not in text] == []


@pytest.mark.parametrize(
    ("page", "sentence", "found", "told"),
    [
        ("operate", "has been wrong for half a minute", alarms.LASTS_MS, MINUTE_MS // 2),
        ("operate", "has been right again for two minutes", alarms.OVER_MS, 2 * MINUTE_MS),
        ("scale", "of the same key within a week", arenas.DIFFERENT_FOR_MS, 7 * DAY_MS),
        ("seasons", "A level tie is played up to twice more", knock_out.MAX_REPLAYS, 2),
    ],
)
def test_what_a_page_tells_without_a_number_is_what_the_code_does(
    checkout: Path, page: str, sentence: str, found: int, told: int
) -> None:
    assert sentence in " ".join((checkout / f"docs/{page}.md").read_text().split())
    assert found == told


def test_the_size_of_a_platform_is_told_as_it_was_measured(checkout: Path) -> None:
    text = (checkout / "docs/performance.md").read_text()
    growth = text[text.index("\n## Growth") :]

    def measured(what: str) -> list[list[str]]:
        """The cells of SQLite and of Postgres in the table's rows about that."""
        rows = re.findall(rf"^\| {what} \|(.*)\|$", growth, re.MULTILINE)
        return [[cell.strip() for cell in row.split("|") if cell.strip()] for row in rows]

    (fast, *_), (slow, *_) = measured("to record a match")
    _, (few, _, many, most) = measured("memory of its process for standings")
    disk = [f"{min(row).split()[0]} to {max(row)}" for row in measured("on disk, a match")]
    (long,) = re.findall(r"66 deals takes (\S+) kB on SQLite and (\S+) kB on Postgres", growth)
    scale = (checkout / "docs/scale.md").read_text()
    page = " ".join(scale.split())
    for told in (
        f"takes {fast} (SQLite) to {slow} (Postgres) to record a match of two deals",
        f"takes {fast} for a match of two deals on SQLite and {slow} on Postgres",
        f"{few} with 10 bots, {many} with 1,000, and {most} with 10,000 in one league",
        f"included, {long[0]} kB on SQLite and {long[1]} kB on Postgres; "
        f"for one of two deals {disk[0]} and {disk[1]} (measured)",
    ):
        assert told in page
    row = re.compile(r"^\| .*? \| ([\d,]+) \| ([\d.]+) GB \|.*(SQLite|Postgres)", re.MULTILINE)
    years = row.findall(scale)
    assert len(years) == 4
    for matches, gigabytes, database in years:
        year = 365 * int(matches.replace(",", "")) * float(long[database == "Postgres"]) / 1e6
        assert float(gigabytes) == pytest.approx(year, rel=0.02)
