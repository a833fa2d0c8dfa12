"""Settles versions and drafts by the reports of their try-outs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from matchbox.answers.bots import Report
from server.db.models import Draft, DraftState, Notice, Version, VersionState
from server.db.session import compare_and_set
from server.services import classes, exclusions, fields, jobs, notices, quarantine, tryouts, turns
from server.services.events import longest_log, publish, storable
from server.services.lookup import active_version
from server.services.tryouts import TRY_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from matchbox.match.wire import TriedOut
    from matchbox.settings import Settings
    from server.db.models import Season


def settle(session: Session, message: TriedOut, *, settings: Settings, now: int) -> bool:
    """Makes the version active, accepted or refused; a draft accepted or refused.

    Returns False if it was settled before.

    An accepted version becomes the active one unless a later upload is active already. A version
    released from quarantine becomes active only if its bot has no active version.

    Raises NotFound or Forbidden if we never sent that attempt.
    """
    version = jobs.find(
        session, TRY_OUT, message.version, message.attempt, message.token, settings=settings
    )
    if isinstance(version, Draft):
        return _settle_draft(session, version, message, settings, now)
    values: dict[str, Any] = {
        "report": _report(message, settings, version.report).plain(),
        # A quarantine ends no earlier finding, and its time stays: a season looks only at marks
        # from before its start.
        "unrepeatable": version.unrepeatable or message.unrepeatable,
        "stateful_at": version.stateful_at or (now if message.stateful else None),
        "learns": version.learns if message.learns is None else message.learns,
        "settled_at": now,
        "deadline": None,
        "network": "",
        "trouble": "",
    }
    played = active_version(session, version.bot_id) is not None
    held = version.state == VersionState.QUARANTINED
    if held:
        settled = _release(session, version, message, values, now)
    else:
        settled = _settle(session, version, message.accepted, values)
    if settled:
        publish(session, "version.settled", version.id, now=now)
        plays = version.state == VersionState.ACTIVE
        entered = []
        if plays and not played:  # Its author may have taken a bot that played out of a season.
            entered = classes.enter_accepted(session, version.bot, now=now)
        accepted = "has passed its new try-out" if held else "was accepted"
        _notify_of_verdict(session, version, accepted, message.reasons, entered, now)
        turns.advance(session, settings=settings, now=now, author=version.bot.owner_id)
    return settled


def _settle_draft(
    session: Session, draft: Draft, message: TriedOut, settings: Settings, now: int
) -> bool:
    """Stores the verdict on a draft. Sends no notice: its author is waiting on the page."""
    values = {
        "state": DraftState.ACCEPTED if message.accepted else DraftState.REFUSED,
        "report": _report(message, settings).plain(),
        "settled_at": now,
        "deadline": None,
        "network": "",
    }
    settled = compare_and_set(session, draft, values, Draft.state == DraftState.PENDING)
    if settled:
        turns.advance(session, settings=settings, now=now, author=draft.owner_id)
    return settled


def _settle(session: Session, version: Version, accepted: bool, values: dict[str, Any]) -> bool:
    if accepted and not _outdated(session, version):
        return tryouts.make_active(session, version, VersionState.PENDING, **values)
    state = VersionState.ACCEPTED if accepted else VersionState.REFUSED
    pending = Version.state == VersionState.PENDING
    return compare_and_set(session, version, {"state": state, **values}, pending)


def _release(
    session: Session, version: Version, message: TriedOut, values: dict[str, Any], now: int
) -> bool:
    """Takes the version out of quarantine, accepted or refused.

    A refused version leaves the queues, since its matches may be what broke the arenas. Only the
    result of the present attempt counts, since the verdict of an earlier try-out may be delivered
    again.
    """
    if not message.accepted:
        state = VersionState.REFUSED
    elif active_version(session, version.bot_id) is None:
        state = VersionState.ACTIVE
    else:
        state = VersionState.ACCEPTED
    present = (Version.state == VersionState.QUARANTINED, Version.attempt == message.attempt)
    if not compare_and_set(session, version, {"state": state, **values}, *present):
        return False
    quarantine.forget(session, version)
    if state == VersionState.REFUSED:
        why = f"{version.bot.full_name} version {version.number} was refused"
        exclusions.leave_queues(session, version.id, why, now=now)
    fields.change(session, version.game)
    return True


def _notify_of_verdict(
    session: Session,
    version: Version,
    accepted: str,
    reasons: Sequence[str],
    entered: list[Season],
    now: int,
) -> None:
    what = f"{version.bot.full_name} version {version.number}"
    if version.state == VersionState.REFUSED:
        text = f"{what} was refused: {reasons[0] if reasons else 'see its report'}"
    elif version.state == VersionState.ACTIVE:
        text = f"{what} {accepted}, and plays from now on."
        if entered:
            text += f" It is entered into {' and '.join(season.name for season in entered)}."
        for season, names in classes.full_seasons(session, version.bot):
            full = f". {season.name} takes no more of your bots: "
            if not _has_said(session, version, full):
                verb = "is" if len(names) == 1 else "are"
                text = (
                    f"{text[:-1]}{full}{' and '.join(names)} {verb} in it. "
                    "Take one out there to enter this one."
                )
        for season in classes.shut_seasons(session, version.bot):
            text += (
                f" It was disqualified in an earlier season, so it does not enter {season.name} "
                "by itself; you may enter it."
            )
    else:
        text = (
            f"{what} {accepted}. Another version plays; activate this one if you want it to play."
        )
    subject = f"version:{version.id}"
    notices.notify_account(session, version.bot.owner_id, "verdict", subject, text, now=now)


def _has_said(session: Session, version: Version, words: str) -> bool:
    """Whether a notice of an earlier verdict on a version of the bot has these words."""
    versions = select(Version.id).where(Version.bot_id == version.bot_id)
    subjects = [f"version:{number}" for number in session.scalars(versions)]
    its_own = (Notice.user_id == version.bot.owner_id, Notice.subject.in_(subjects))
    said = (Notice.kind == "verdict", Notice.text.contains(words, autoescape=True))
    return session.scalar(select(Notice.id).where(*its_own, *said).limit(1)) is not None


def _outdated(session: Session, version: Version) -> bool:
    """True if a later version of the bot is active already."""
    active = active_version(session, version.bot_id)
    return active is not None and active.number > version.number


def _report(
    message: TriedOut, settings: Settings, before: Mapping[str, Any] | None = None
) -> Report:
    """The report of a try-out. If the version's report `before` it found that the version does not
    repeat itself, this one says so, too."""
    return Report(
        accepted=message.accepted,
        verdict=storable(message.verdict, 32),
        reasons=[storable(reason, 2000) for reason in message.reasons[:20]],
        class_name=message.class_name and storable(message.class_name, 64),
        games=message.games,
        cpu_ms_per_decision=message.cpu_ms_per_decision,
        cpu_ms_per_deal=message.cpu_ms_per_deal,
        peak_bytes=message.peak_bytes or None,
        log=storable(message.log, longest_log(settings)),
        box=storable(message.box, 32),
        unrepeatable=message.unrepeatable or bool((before or {}).get("unrepeatable")),
    )
