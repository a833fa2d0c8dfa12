"""Every setting once, typed, read from a mapping such as the environment.

Knows names, types, defaults and bounds; reads no environment itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from matchbox.errors import BadSetting
from matchbox.setting_values import secret_in, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

PREFIX: Final = "MATCHBOX_"
NOT_SETTINGS: Final = frozenset({"MATCHBOX_TOKEN", "MATCHBOX_URL"})
"""Variables of the command line that share the prefix."""
WIDTH: Final = 250
"""The default number of bouts that a seat plays at once."""
MOST_DEALS: Final = 5000
"""The greatest number of deals that a match may have."""
FILE: Final = "_FILE"
"""Behind the name of a setting that holds a secret: the file that the secret is in."""
BOXES: Final = ("auto", "bwrap", "docker", "process")


MAIL_ADDRESS: Final = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", re.IGNORECASE
)
"""A plain mail address without a name, and without characters that can break a mail's header."""
_HOST: Final = re.compile(r"[a-z0-9.:-]{1,253}", re.IGNORECASE)
_ISSUER: Final = re.compile(
    r"(https://[^\s/?#@]+|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?)(/[^\s?#]*)?"
)
_DOMAINS: Final = re.compile(r"[a-z0-9.-]{1,253}( *, *[a-z0-9.-]{1,253})*", re.IGNORECASE)


def _setting(default: Any, meaning: str, *, shown: bool = True, **bounds: Any) -> Any:
    return field(default=default, repr=shown, metadata={"meaning": meaning, **bounds})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The platform's settings; `MATCHBOX_` + the field's name in capitals sets each."""

    data: str = _setting("data", "folder for the database, the queue and the secrets")
    database_url: str = _setting(
        "",
        "SQLAlchemy address; empty: SQLite in the data folder",
        schemes=("sqlite", "postgresql+psycopg"),
        from_file=True,
    )
    broker_url: str = _setting(
        "",
        "Redis or Valkey address; empty: an embedded Valkey in the data folder",
        schemes=("redis", "rediss", "redis+socket", "unix"),
        from_file=True,
    )
    server_url: str = _setting(
        "http://127.0.0.1:8000",
        "the address that people use, for links",
        schemes=("http", "https"),
    )
    internal_url: str = _setting(
        "",
        "where arenas reach the server; `matchbox up` sets it; empty: `MATCHBOX_SERVER_URL`",
        schemes=("http", "https"),
    )
    internal_port: int = _setting(
        0, "port of 127.0.0.1 that `matchbox up` keeps for arenas; 0: any", least=0, most=65_535
    )
    secret_key: str = _setting(
        "",
        "signs sessions and tokens; 32 characters or more",
        secret=True,
        shown=False,
        from_file=True,
    )
    arena_token: str = _setting(
        "",
        "the secret by which the server knows its arenas; 32 characters or more",
        secret=True,
        shown=False,
        from_file=True,
    )
    box: str = _setting("auto", "the wall around bots; auto: the best that works", choices=BOXES)
    docker_runtime: str = _setting(
        "", "the engine's runtime for containers of seats; empty: the engine's default"
    )
    sockets: str = _setting(
        "",
        "folder for the control sockets of containers, with the same path for the engine; empty: "
        "`/run/matchbox`, or one in `/tmp` without root",
    )
    signup: str = _setting("open", "who may make an account", choices=("open", "closed"))
    cpu_ms: int = _setting(1000, "processor time for one decision, ms", least=10, most=600_000)
    start_cpu_ms: int = _setting(5000, "processor time to load a bot, ms", least=100, most=600_000)
    bank_ms: int = _setting(
        60_000,
        "time for all decisions of a match, ms: processor time and sleep",
        least=100,
        most=3_600_000,
    )
    wall_factor: int = _setting(
        4, "wall time allowed, as a multiple of the processor time", least=2, most=100
    )
    memory_mb: int = _setting(256, "memory of one seat, MiB", least=32, most=65_536)
    log_bytes: int = _setting(
        16_384, "a bot's output that is kept for each match, bytes", least=0, most=1 << 20
    )
    libraries: str = _setting(
        "numpy",
        "the libraries that bots may import beside the standard library",
        choices=("numpy", "none"),
    )
    match_deals: int = _setting(
        10,
        "deals of a match if its league has no number and its bots' pace is not known; each is "
        "played in all rotations",
        least=1,
        most=MOST_DEALS,
    )
    match_seconds: int = _setting(
        2,
        "wanted length of a match, s: it has as many deals as lately took this long, unless its "
        "league or season has a number of its own; 0: always the league's number",
        least=0,
        most=60,
    )
    fewest_deals: int = _setting(
        2, "least number of deals of such a match", least=1, most=MOST_DEALS
    )
    most_deals: int = _setting(
        250, "greatest number of deals of such a match", least=1, most=MOST_DEALS
    )
    tryout_deals: int = _setting(2, "deals of the try-out of a new version", least=1, most=100)
    width: int = _setting(WIDTH, "bouts that a seat plays at once", least=1, most=1024)
    sample_percent: int = _setting(
        5,
        "percentage of matches of which some bouts are played again alone, beside each version's "
        "first match; 0: none at all",
        least=0,
        most=100,
    )
    arenas: int = _setting(0, "arena workers of `matchbox up`; 0: one per core", least=0, most=1024)
    pin: bool = _setting(
        True, "keep each arena and its bots on a processor core of their own, if one is free"
    )
    compiled: bool = _setting(
        True, "use the compiled hot path, if one was made at install; false: plain Python"
    )
    lease_minutes: int = _setting(
        5,
        "a job that no arena has taken by then, or with which its arena does not get on, is sent "
        "again",
        least=1,
        most=1440,
    )
    attempts: int = _setting(2, "platform faults after which a match is parked", least=1, most=100)
    forfeit_percent: int = _setting(
        5,
        "a version that forfeits more than this percentage of its bouts is suspended",
        least=1,
        most=100,
    )
    forfeit_matches: int = _setting(
        20, "ranked and season matches before a version may be suspended", least=1, most=100_000
    )
    ranked_backlog: int = _setting(
        8, "matches that a continuous league keeps in the queue", least=1, most=10_000
    )
    dispatch_window: int = _setting(
        0,
        "matches that are in the queue at once; 0: four for each arena, at least 32",
        least=0,
        most=100_000,
    )
    league_matches: int = _setting(
        200,
        "least number of matches that a version plays in a continuous league before it rests",
        least=1,
        most=1_000_000,
    )
    comparison_games: int = _setting(
        20_000,
        "bouts of comparisons that an author may ask for in a day; 0: none",
        least=0,
        most=100_000_000,
    )
    comparisons_at_once: int = _setting(
        2, "comparisons of one author that run at once", least=1, most=1000
    )
    play_tables: int = _setting(
        50, "tables where persons play against bots that may be open; 0: none", least=0, most=10_000
    )
    play_tables_each: int = _setting(
        3, "open tables at which one person may sit", least=1, most=1000
    )
    play_idle_minutes: int = _setting(
        30, "minutes after which a table that nobody touches ends", least=1, most=1440
    )
    play_keep_days: int = _setting(
        90, "days for which a table that is over can be watched", least=1, most=36_500
    )
    verifications_per_day: int = _setting(
        20, "matches that one account may have verified in a day; 0: none", least=0, most=100_000
    )
    least_free_mb: int = _setting(
        200,
        "free space on the disk of the data folder, MB; with less, no matches are sent and no "
        "uploads are taken; 0: no limit",
        least=0,
        most=1 << 20,
    )
    log_json: bool = _setting(False, "write logs as JSON, one object a line; false: as text")
    access_log: bool = _setting(True, "write a line to the log for every request")
    tick_seconds: int = _setting(
        2, "seconds between two ticks, at which the ledger does what is due", least=1, most=60
    )
    uploads_per_hour: int = _setting(30, "uploads of one account in an hour", least=1, most=100_000)
    pending_tryouts: int = _setting(
        4, "uploads of one account that may wait for their verdicts", least=1, most=100_000
    )
    pending_tryouts_per_address: int = _setting(
        20,
        "uploads from one address or IPv6 /64 that may wait for their verdicts",
        least=1,
        most=100_000,
    )
    logins_per_minute: int = _setting(
        10, "log-in attempts from one address or IPv6 /64 in a minute", least=1, most=100_000
    )
    requests_per_minute: int = _setting(
        600, "requests of one account, address or IPv6 /64 in a minute", least=1, most=10_000_000
    )
    headers_seconds: int = _setting(
        10, "a request's headers must arrive within, s", least=1, most=600
    )
    body_seconds: int = _setting(60, "a request's body must arrive within, s", least=1, most=3600)
    connections_per_address: int = _setting(
        128,
        "connections that one address may hold to each of the two web processes; not used behind "
        "trusted proxies",
        least=1,
        most=10_000,
    )
    streams_per_address: int = _setting(
        4, "event streams that one account or address may hold", least=1, most=48
    )
    secure_cookies: bool = _setting(
        False,
        "send session cookies only over HTTPS, also if the server's address is not `https://`",
    )
    trusted_proxies: int = _setting(0, "reverse proxies in front of the server", least=0, most=10)
    smtp_host: str = _setting(
        "", "mail server for notices; empty: no e-mail", form=(_HOST, "a host")
    )
    smtp_port: int = _setting(587, "the mail server's port", least=1, most=65_535)
    smtp_tls: str = _setting(
        "starttls",
        "encryption of mail: upgraded to TLS, TLS from the start, or none",
        choices=("starttls", "tls", "none"),
    )
    smtp_user: str = _setting("", "account at the mail server; empty: no login")
    smtp_password: str = _setting("", "password of that account", shown=False, from_file=True)
    smtp_sender: str = _setting("", "sender address of mails", form=(MAIL_ADDRESS, "an address"))
    openid_issuer: str = _setting(
        "",
        "the OpenID Connect provider with whose accounts people may log in; empty: passwords only",
        form=(_ISSUER, "an https:// address without a query, as the provider gives it"),
    )
    openid_client_id: str = _setting("", "the name by which the provider knows this platform")
    openid_client_secret: str = _setting(
        "",
        "the secret that the provider gave this platform; empty: a public client",
        shown=False,
        from_file=True,
    )
    openid_label: str = _setting("OpenID Connect", "what pages call the provider")
    openid_signup: str = _setting(
        "open", "whether who logs in there may make an account", choices=("open", "closed")
    )
    openid_domains: str = _setting(
        "",
        "mail domains of which an address must be verified there for a new account, separated by "
        "commas; empty: no address is asked for",
        form=(_DOMAINS, "domains such as example.org, separated by commas"),
    )
    webhooks: str = _setting(
        "public",
        "where webhooks may lead: over HTTPS to public addresses, to any address that the ledger "
        "reaches, or nowhere",
        choices=("public", "any", "none"),
    )

    @property
    def https(self) -> bool:
        """True if browsers reach the server over HTTPS."""
        return self.secure_cookies or urlsplit(self.server_url).scheme == "https"


def read_settings(
    environment: Mapping[str, str], open_file: Callable[[str], TextIO] | None = None
) -> Settings:
    """Returns the settings in this environment. Raises BadSetting; its text says what to change.

    `open_file` opens the files of secrets, as `open` does. A program that needs no secret gives
    none, and the files are not read.
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
    if bool(settings.openid_issuer) != bool(settings.openid_client_id):
        raise BadSetting(
            "MATCHBOX_OPENID_ISSUER and MATCHBOX_OPENID_CLIENT_ID go together; set both, or none"
        )
    if settings.fewest_deals > settings.most_deals:
        raise BadSetting(
            f"MATCHBOX_FEWEST_DEALS is {settings.fewest_deals} and MATCHBOX_MOST_DEALS only "
            f"{settings.most_deals}; raise the most, or lower the fewest"
        )
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


def _check_mail(settings: Settings) -> None:
    """Raises BadSetting if a setting is missing that sending mail needs."""
    if settings.smtp_host and not settings.smtp_sender:
        raise BadSetting(
            "MATCHBOX_SMTP_SENDER is empty; give the address that mails shall come from"
        )
    if bool(settings.smtp_user) != bool(settings.smtp_password):
        raise BadSetting(
            "MATCHBOX_SMTP_USER and MATCHBOX_SMTP_PASSWORD go together; set both, or none"
        )
