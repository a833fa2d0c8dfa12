"""Cron in time zones, and across changes of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.errors import BadOption
from matchbox.league.format import Schedule
from server.services import schedule

BERLIN = "Europe/Berlin"


def at(text: str) -> int:
    """Returns the time in ms since 1970, from UTC text."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def starts(cron: str, zone: str, after: str, count: int) -> list[str]:
    """Returns the next starts of that schedule, in UTC."""

    def each() -> object:
        now = at(after)
        while True:
            found = schedule.next_start(Schedule(cron=cron, zone=zone), now)
            assert found is not None
            now = found
            yield f"{datetime.fromtimestamp(now / 1000, UTC):%m-%d %H:%M}"

    return list(islice(each(), count))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "cron, zone, after, wanted",
    [
        ("*/10 * * * *", "UTC", "2026-11-21T10:05", ["11-21 10:10", "11-21 10:20", "11-21 10:30"]),
        ("*/10 * * * *", "UTC", "2026-11-21T10:10", ["11-21 10:20"]),
        ("0 18 * * FRI", BERLIN, "2026-11-21T10:05", ["11-27 17:00", "12-04 17:00"]),
        ("0 18 1 * *", "Asia/Kolkata", "2026-11-21T10:05", ["12-01 12:30"]),
        # The clock goes from 02:00 to 03:00. A start in the skipped hour comes right after it.
        ("30 2 * * *", BERLIN, "2026-03-28T12:00", ["03-29 01:00", "03-30 00:30"]),
        ("0 3 * * *", BERLIN, "2026-03-28T12:00", ["03-29 01:00", "03-30 01:00"]),
        # The clock goes from 03:00 back to 02:00. A start in the repeated hour comes once, unless
        # it is hourly or more frequent.
        ("30 2 * * *", BERLIN, "2026-10-24T12:00", ["10-25 00:30", "10-26 01:30"]),
        ("30 2 * * *", BERLIN, "2026-10-25T00:30", ["10-26 01:30"]),
        ("30 2 * * *", BERLIN, "2026-10-25T01:10", ["10-26 01:30"]),
        ("0 * * * *", BERLIN, "2026-10-24T23:30", ["10-25 00:00", "10-25 01:00", "10-25 02:00"]),
        ("*/30 * * * *", BERLIN, "2026-03-29T00:10", ["03-29 00:30", "03-29 01:00"]),
        ("30 2 * * *", "Australia/Lord_Howe", "2026-10-03T02:00", ["10-03 15:30", "10-04 15:30"]),
    ],
)
def test_the_next_starts_are_those_of_cron(
    cron: str, zone: str, after: str, wanted: list[str]
) -> None:
    assert starts(cron, zone, after, len(wanted)) == wanted


def test_a_league_without_a_schedule_never_starts_by_itself() -> None:
    assert schedule.next_start(Schedule(), at("2026-11-21T10:05")) is None


@pytest.mark.parametrize(
    "cron, zone, why",
    [
        ("* * * *", "UTC", "is not a cron expression: write minute, hour"),
        ("0 * * * * *", "UTC", "is not a cron expression: write minute, hour"),
        ("@daily", "UTC", "is not a cron expression: write minute, hour"),
        ("61 * * * *", "UTC", "is not a cron expression: bad minute; write 0 to 59"),
        ("* 24 * * *", "UTC", "is not a cron expression: bad hour; write 0 to 23"),
        (
            "* * 30 2 *",
            "UTC",
            "bad day-of-month; write 1 to 31, .* a day that one of the months has",
        ),
        ("* * * 13 *", "UTC", "is not a cron expression: bad month; write 1 to 12, or JAN to DEC"),
        ("* * * * FRIDAY", "UTC", "bad day-of-week; write 0 to 7, or SUN to SAT"),
        ("0 0 29 2 MON#5", "UTC", None),
        ("* " * 400, "UTC", "is not a cron expression"),
        ("0 0 * * *", "Europe/Atlantis", "no time zone 'Europe/Atlantis'"),
        ("0 0 * * *", "Europe", "no time zone 'Europe'"),
        ("0 0 * * *", "../../etc/passwd", "no time zone"),
        ("0 0 * * *", "", "no time zone"),
        (None, "Mars/Base", "no time zone"),
    ],
)
def test_what_is_no_schedule_is_refused(cron: str | None, zone: str, why: str | None) -> None:
    wanted = Schedule(cron=cron, zone=zone)
    if why is None:
        schedule.check(wanted, at("2026-11-21T10:05"))
    else:
        with pytest.raises(BadOption, match=why) as caught:
            schedule.check(wanted, at("2026-11-21T10:05"))
        assert caught.value.fields == ("zone" if "zone" in why else "cron",)


ZONES = ("UTC", BERLIN, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo")


@pytest.mark.parametrize(
    "once, zone, wanted",
    [
        ("2026-12-11 18:00", "UTC", "2026-12-11T18:00"),
        ("2026-12-11 18:00", BERLIN, "2026-12-11T17:00"),
        ("2027-03-28 02:30", BERLIN, "2027-03-28T01:00"),  # skipped: right after it
        ("2027-10-31 02:30", BERLIN, "2027-10-31T00:30"),  # comes twice: the first
        ("2028-02-29 00:00", "Asia/Kolkata", "2028-02-28T18:30"),
        ("8999-12-31 23:59", BERLIN, "8999-12-31T22:59"),
    ],
)
def test_a_single_start_is_at_its_local_time_and_has_no_next_one(
    once: str, zone: str, wanted: str
) -> None:
    plan = Schedule(once=once, zone=zone)
    assert schedule.next_start(plan, at("2026-11-21T10:05")) == at(wanted)
    assert schedule.next_start(plan, at(wanted) - 1) == at(wanted)
    assert schedule.next_start(plan, at(wanted)) is None


def test_a_single_start_that_is_past_is_refused_unless_it_is_the_old_one() -> None:
    now, past = at("2026-12-11T17:00"), Schedule(once="2026-12-11 18:00", zone=BERLIN)
    why = r"once is 2026-12-11 18:00 \(Europe/Berlin\), which is past; name a time to come"
    with pytest.raises(BadOption, match=why) as caught:
        schedule.check(past, now)
    assert caught.value.fields == ("once",)
    schedule.check(past, now - 1)
    schedule.check(past, now, past)


@given(
    st.sampled_from(ZONES),
    st.one_of(st.just("*/10"), st.just("*"), st.integers(0, 59).map(str)),
    st.one_of(st.just("*"), st.just("*/6"), st.integers(0, 23).map(str)),
    st.integers(at("2026-01-01T00:00"), at("2027-12-31T00:00")),
)
def test_the_next_start_is_later_fits_the_fields_and_is_no_more_than_a_day_or_so_off(
    zone: str, minute: str, hour: str, after: int
) -> None:
    found = schedule.next_start(Schedule(cron=f"{minute} {hour} * * *", zone=zone), after)
    assert found is not None
    assert after < found <= after + 26 * 3_600_000
    local = datetime.fromtimestamp(found / 1000, ZoneInfo(zone))
    left_out = (local - timedelta(hours=1)).utcoffset() != local.utcoffset()
    if not left_out:
        assert minute.startswith("*") or local.minute == int(minute)
        assert hour.startswith("*") or local.hour == int(hour)
