"""Every setting once, typed, read from a mapping such as the environment.

The settings are declared by theme in `settings_of_service`, `settings_of_play` and
`settings_of_upkeep`. Reads no environment itself.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from matchbox.errors import BadSetting
from matchbox.setting_values import secret_in, value_of
from matchbox.settings_of_play import PlaySettings
from matchbox.settings_of_service import ServiceSettings
from matchbox.settings_of_upkeep import UpkeepSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

PREFIX: Final = "MATCHBOX_"
NOT_SETTINGS: Final = frozenset({"MATCHBOX_TOKEN", "MATCHBOX_URL", "MATCHBOX_ARENA_KEY"})
"""Variables of the command line that share the prefix."""
FILE: Final = "_FILE"
"""The suffix of the variable that names the file of a secret; it follows the name of the setting.
"""


@dataclass(frozen=True, kw_only=True)
class Settings(UpkeepSettings, PlaySettings, ServiceSettings):
    """The platform's settings; `MATCHBOX_` + the field's name in capitals sets each."""

    @property
    def https(self) -> bool:
        """True if browsers reach the server over HTTPS."""
        return self.secure_cookies or urlsplit(self.server_url).scheme == "https"


def read_settings(
    environment: Mapping[str, str], open_file: Callable[[str], TextIO] | None = None
) -> Settings:
    """Returns the settings in this environment. Raises BadSetting; its text says what to change.

    `open_file` opens the files of secrets, as `open` does. If it is None, the files are not read: a
    program that needs no secret passes none. Such a program does not play matches, so the lease is
    not checked either.
    """
    if open_file is not None:
        environment = with_secrets(environment, open_file)
    known = {PREFIX + setting.name.upper(): setting for setting in fields(Settings)}
    for name in environment:
        if name.startswith(PREFIX) and name not in {*known, *SECRET_FILES, *NOT_SETTINGS}:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise BadSetting(f"there is no setting {name}{hint}")
    values = {
        setting.name: value_of(name, setting.default, setting.metadata, environment[name])
        for name, setting in known.items()
        if environment.get(name, "") != ""
    }
    settings = Settings(**values)
    _check_mail(settings)
    if settings.secret_key and settings.secret_key == settings.arena_token:
        raise BadSetting(
            "MATCHBOX_SECRET_KEY and MATCHBOX_ARENA_TOKEN are the same; give them two values, "
            "because arenas must not hold the key that signs sessions"
        )
    if bool(settings.openid_issuer) != bool(settings.openid_client_id):
        raise BadSetting(
            "MATCHBOX_OPENID_ISSUER and MATCHBOX_OPENID_CLIENT_ID go together; set both, or none"
        )
    if settings.fewest_deals > settings.most_deals:
        raise BadSetting(
            f"MATCHBOX_FEWEST_DEALS is {settings.fewest_deals} and MATCHBOX_MOST_DEALS only "
            f"{settings.most_deals}; raise the most, or lower the fewest"
        )
    if open_file is not None:
        _check_lease(settings)
    return settings


SECRET_FILES: Final = {
    f"{PREFIX}{setting.name.upper()}{FILE}": f"{PREFIX}{setting.name.upper()}"
    for setting in fields(Settings)
    if setting.metadata.get("from_file")
}
"""The variables that name the file of a secret, each with the setting whose value it holds."""


def with_secrets(
    environment: Mapping[str, str], open_file: Callable[[str], TextIO]
) -> dict[str, str]:
    """Returns the environment with each secret in place of the variable that names its file.

    Raises BadSetting if the secret is given as well, or if its file is empty or cannot be read.
    """
    read = dict(environment)
    for variable, name in SECRET_FILES.items():
        if path := read.pop(variable, ""):
            if read.get(name):
                raise BadSetting(f"{name} and {variable} are both set; remove one of them")
            read[name] = secret_in(path, variable, open_file)
    return read


def limits_of(settings: Settings) -> dict[str, int]:
    """The limits of one seat, by their names in sandbox.policy.Limits."""
    names = ("cpu_ms", "start_cpu_ms", "bank_ms", "wall_factor", "memory_mb", "log_bytes")
    return {name: getattr(settings, name) for name in names}


def libraries_of(settings: Settings) -> tuple[str, ...]:
    """The libraries that bots may import beside the standard library."""
    return () if settings.libraries == "none" else (settings.libraries,)


def limits_for_authors(settings: Settings) -> dict[str, object]:
    """The settings on which the verdict on a bot depends, as `matchbox.answers.games.Limits`."""
    return {
        **limits_of(settings),
        "tryout_deals": settings.tryout_deals,
        "libraries": list(libraries_of(settings)),
    }


def _check_mail(settings: Settings) -> None:
    """Raises BadSetting if a setting is missing that sending mail needs, or two contradict."""
    if settings.smtp_host and not settings.smtp_sender:
        raise BadSetting("MATCHBOX_SMTP_SENDER is empty; give the sender address of mails")
    if settings.smtp_host and (settings.smtp_port, settings.smtp_tls) == (465, "starttls"):
        raise BadSetting(
            "MATCHBOX_SMTP_PORT is 465, where mail servers expect TLS from the start; set "
            "MATCHBOX_SMTP_TLS to tls, or the port to 587"
        )
    if bool(settings.smtp_user) != bool(settings.smtp_password):
        raise BadSetting(
            "MATCHBOX_SMTP_USER and MATCHBOX_SMTP_PASSWORD go together; set both, or none"
        )


FRAME_DECISIONS: Final = 10
"""A frame's time limit is that of at most this many decisions; see
`sandbox.policy.FRAME_DECISIONS`.
"""
LEARN_CPU_MS: Final = 10_000
"""A bot's processor time for a lesson, in ms, as `sandbox.policy.LEARN_CPU_MS` says. Its bank is as
much wall time."""


def _check_lease(settings: Settings) -> None:
    """Raises BadSetting if an arena would lose its job while a bot still may take its time: the
    next arena would, too, and the job would never be done."""
    lesson_ms = LEARN_CPU_MS * settings.wall_factor
    for step, budget_ms, bank_ms, names in (
        (
            "for a question",
            min(FRAME_DECISIONS * settings.cpu_ms, settings.bank_ms),
            settings.bank_ms,
            "MATCHBOX_CPU_MS and MATCHBOX_WALL_FACTOR let",
        ),
        (
            "to load",
            settings.start_cpu_ms,
            max(settings.bank_ms, lesson_ms),
            "MATCHBOX_START_CPU_MS and MATCHBOX_WALL_FACTOR let",
        ),
        ("for a lesson", LEARN_CPU_MS, lesson_ms, "MATCHBOX_WALL_FACTOR lets"),
    ):
        allowed_ms = min(budget_ms * settings.wall_factor, max(budget_ms, bank_ms))
        minutes = allowed_ms // 60_000 + 1
        if minutes > settings.lease_minutes:
            raise BadSetting(
                f"{names} a bot take {allowed_ms // 1000} s {step}, "
                f"and MATCHBOX_LEASE_MINUTES is {settings.lease_minutes}: an arena without "
                f"progress loses its job by then; raise MATCHBOX_LEASE_MINUTES to {minutes}, or "
                f"lower {names.rpartition(' ')[0]}"
            )
