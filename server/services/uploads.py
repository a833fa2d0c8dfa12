"""Accepts uploads: each becomes a version that waits for its try-out. Runs no bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import String, cast, func, literal, select, update

from matchbox import registry
from matchbox.bundle import Manifest, check_class_name, check_name, read_bundle
from matchbox.errors import Conflict, NotFound, TooMany, UploadsClosed
from server.db.models import Audit, Bot, Bundle, Role, User, Version, VersionState
from server.db.session import compare_and_set
from server.services import admission, audit, classes, disk, exclusions, fields, tryouts, turns
from server.services.accounts import require_owner
from server.services.entries import leave_early_seasons
from server.services.events import publish
from server.services.hourly_limits import check_hour
from server.services.lookup import active_version, find_bot
from server.services.notices import notify_account
from server.services.walls import wall
from server.times import HOUR_MS, lately

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

ACTIVATIONS: Final = 20
"""The number of times that a bot's owner may activate one of its versions in an hour."""


def upload(
    session: Session,
    actor: User,
    *,
    game: str | None,
    name: str,
    data: bytes,
    bundle: Manifest | None = None,
    class_name: str | None = None,
    network: str = "",
    settings: Settings,
    now: int,
) -> Version:
    """Makes a version of the actor's bot with that name from these bytes; a new name makes a bot.

    Without a `game` the bot must exist. If it has a version with the same bytes and class, that one
    is returned. `bundle` is what was read from `data` before the write turn, which is slow. Raises
    UnknownGame, NotFound, BadName, BadBundle, UploadsClosed, Conflict (the bot plays another game,
    or is retired), TooMany (uploads of an hour or to a league, pending ones, bytes), and DiskFull.
    """
    game = find_bot(session, name, actor).game if game is None else game
    registry.package_of(game)
    check_name(name)
    chosen = check_class_name(class_name or None) or ""
    digest = (bundle or read_bundle(data)).digest
    if why := refusal_for(session, actor):
        raise UploadsClosed(why)
    bot = _bot(session, actor, game, name, now)
    same = (Version.bot_id == bot.id, Version.digest == digest, Version.class_name == chosen)
    known = session.scalar(select(Version).where(*same))
    if known is not None:
        return known
    _check_quota(session, actor, digest, len(data), settings, now)
    admission.check_uploads(session, actor, game, now=now)
    network = turns.check_pending(session, actor, network, settings=settings)
    _keep(session, digest, data)
    version = Version(
        bot=bot,
        number=_next(session, bot),
        digest=digest,
        class_name=chosen,
        network=network,
        deadline=now,
        created_at=now,
    )
    session.add(version)
    session.flush()
    publish(session, "version.uploaded", version.id, now=now)
    turns.advance(session, settings=settings, now=now, author=actor.id)
    return version


def refusal_for(session: Session, user: User | None) -> str:
    """Returns the reason why this account may not upload now; empty if it may."""
    report = wall(session)
    if report.walled or (user is not None and user.trusted):
        return ""
    return f"only operators may submit bots here now: {report.why}"


def activate(session: Session, actor: User, name: str, number: int, *, now: int) -> Version:
    """Makes the accepted version with that number the active one of the bot owner/name.

    A bot that had none enters the open seasons of its owner's classes, as with a first version.
    Raises Forbidden, NotFound, Conflict if the version was not accepted, or TooMany.
    """
    bot = find_bot(session, name, actor)
    require_owner(actor, bot.owner_id)
    wanted = (Version.bot_id == bot.id, Version.number == number)
    version = session.scalar(select(Version).where(*wanted))
    if version is None:
        raise NotFound(f"{bot.full_name} has no version {number}")
    if version.state == VersionState.ACTIVE:
        return version
    if version.state == VersionState.ACCEPTED and not actor.operator:
        _check_activations(session, bot, now)
    plays_on = active_version(session, bot.id) is not None
    if not tryouts.make_active(session, version, VersionState.ACCEPTED):
        raise Conflict(
            f"version {number} is {version.state}; only an accepted one can be activated"
        )
    publish(session, "version.activated", version.id, now=now)
    if not plays_on:
        classes.enter_accepted(session, bot, now=now)
    audit.note(session, actor, "version.activate", f"version:{version.id}", now=now)
    return version


def retire(session: Session, actor: User, name: str, *, now: int) -> None:
    """Retires the bot owner/name for ever: it leaves every leaderboard and every season that has
    not begun, but its matches stay. Only a version in quarantine leaves the queues, since nobody
    knows whether its matches break arenas.

    Raises Forbidden, NotFound, or Conflict if it is retired already.
    """
    bot = find_bot(session, name, actor)
    require_owner(actor, bot.owner_id)
    if not compare_and_set(session, bot, {"retired_at": now}, Bot.retired_at.is_(None)):
        raise Conflict(f"{bot.full_name} is retired already")
    held = (Version.bot_id == bot.id, Version.state == VersionState.QUARANTINED)
    for number in session.scalars(select(Version.id).where(*held)).all():
        exclusions.leave_queues(session, number, f"{bot.full_name} was retired", now=now)
    kept = (VersionState.REFUSED, VersionState.RETIRED)
    versions = (Version.bot_id == bot.id, Version.state.not_in(kept))
    values = {"state": VersionState.RETIRED, "deadline": None, "network": ""}
    session.execute(update(Version).where(*versions).values(**values))
    leave_early_seasons(session, Bot.id == bot.id, now=now)
    fields.change(session, bot.game)
    publish(session, "bot.retired", bot.full_name, now=now)
    audit.note(session, actor, "bot.retire", f"bot:{bot.id}", now=now)
    if actor.id != bot.owner_id:
        newest = session.scalar(select(func.max(Version.id)).where(Version.bot_id == bot.id))
        text = f"An operator has retired {bot.full_name} for ever. Its matches stay."
        notify_account(session, bot.owner_id, "retirement", f"version:{newest}", text, now=now)


def _bot(session: Session, user: User, game: str, name: str, now: int) -> Bot:
    bot = session.scalar(select(Bot).where(Bot.owner_id == user.id, Bot.name == name))
    if bot is None:
        bot = Bot(owner_id=user.id, name=name, game=game, created_at=now)
        session.add(bot)
        session.flush()
    if bot.game != game:
        raise Conflict(
            f"your bot {name!r} plays {bot.game}, and a name stays with its game; choose another"
        ).of("name")
    if bot.retired_at is not None:
        raise Conflict(
            f"your bot {name!r} is retired, and no name is used again; choose another"
        ).of("name")
    return bot


def _keep(session: Session, digest: str, data: bytes) -> None:
    kept = session.get(Bundle, digest)
    if kept is None:
        session.add(Bundle(digest=digest, data=data))
    elif not kept.data:  # A version with these bytes was refused, and they were removed.
        kept.data = data
    session.flush()


def _check_quota(
    session: Session, user: User, digest: str, size: int, settings: Settings, now: int
) -> None:
    if user.role == Role.HOUSE:
        return
    disk.require_room(settings)
    recent = (Bot.owner_id == user.id, lately(Version.created_at, HOUR_MS, now))
    made = select(Version.created_at).join(Bot).where(*recent).order_by(Version.created_at.desc())
    most = settings.uploads_per_hour
    check_hour(session, made, most, f"uploaded {most} versions", now=now)
    _check_bytes(session, user, digest, size, settings)


def _check_bytes(session: Session, user: User, digest: str, size: int, settings: Settings) -> None:
    """Raises TooMany if the account's files would take more than `uploads_mb` with this one.

    A file that several versions of the account have is counted once.
    """
    if user.trusted or not settings.uploads_mb:
        return
    own = select(Version.digest).join(Version.bot).where(Bot.owner_id == user.id)
    others = (Bundle.digest.in_(own), Bundle.digest != digest)
    taken = session.scalar(select(func.sum(func.length(Bundle.data))).where(*others))
    if (taken or 0) + size <= settings.uploads_mb << 20:
        return
    wait = ""
    refused = own.join(Bundle, Bundle.digest == Version.digest).where(
        Version.state == VersionState.REFUSED, func.length(Bundle.data) > 0
    )
    days = settings.keep_refused_days
    if days and session.scalar(refused.limit(1)) is not None:
        wait = f"wait until those of refused versions are removed, after {days} days, or "
    raise TooMany(
        f"the files of your versions may take {settings.uploads_mb} MB together, which this one "
        f"would exceed; {wait}ask an operator to raise MATCHBOX_UPLOADS_MB"
    )


def _check_activations(session: Session, bot: Bot, now: int) -> None:
    """Raises TooMany if versions of the bot were activated ACTIVATIONS times within an hour."""
    name = literal("version:") + cast(Version.id, String)
    mine = Audit.subject.in_(select(name).where(Version.bot_id == bot.id))
    recent = (mine, Audit.action == "version.activate", lately(Audit.at, HOUR_MS, now))
    made = select(Audit.at).where(*recent).order_by(Audit.at.desc())
    done = f"activated {ACTIVATIONS} versions of {bot.full_name}"
    check_hour(session, made, ACTIVATIONS, done, now=now)


def _next(session: Session, bot: Bot) -> int:
    query = select(func.max(Version.number)).where(Version.bot_id == bot.id)
    return 1 + (session.scalar(query) or 0)
