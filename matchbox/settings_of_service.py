"""The settings of the service: its addresses, secrets, limits of requests, mail and log-ins.

Declares names, types, defaults and bounds; `matchbox.settings` reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from matchbox.setting_values import setting

MAIL_ADDRESS: Final = re.compile(
    r"(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*",
    re.IGNORECASE | re.ASCII,
)
"""A plain mail address without a name, and without characters that can break a mail's header."""
_HOST: Final = re.compile(r"[a-z0-9.-]{1,253}|(?=.*:.*:)[0-9a-f:.]{2,45}", re.IGNORECASE)
"""A name, an IPv4 or an IPv6 address; none of these with a port."""
_ISSUER: Final = re.compile(
    r"(https://[^\s/?#@]+|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?)(/[^\s?#]*)?"
)
_DOMAINS: Final = re.compile(r"[a-z0-9.-]{1,253}( *, *[a-z0-9.-]{1,253})*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The settings of the database, the broker, the web servers and the mail."""

    data: str = setting(
        "data",
        "folder for the database, the queue and the secrets; `--data` of a command overrides it",
    )
    database_url: str = setting(
        "",
        "SQLAlchemy address; empty: SQLite in the data folder",
        schemes=("sqlite", "postgresql+psycopg"),
        from_file=True,
    )
    database_wait_seconds: int = setting(
        60,
        "how long a start waits for a Postgres or broker that is still starting, s; 0: not at all",
        least=0,
        most=3600,
    )
    broker_url: str = setting(
        "",
        "Redis or Valkey address; empty: an embedded Valkey in the data folder",
        schemes=("redis", "rediss", "redis+socket", "unix"),
        from_file=True,
    )
    server_url: str = setting(
        "http://127.0.0.1:8000",
        "the address that people use, for links",
        schemes=("http", "https"),
        site=True,
    )
    internal_url: str = setting(
        "",
        "where arenas reach the server; `matchbox up` sets it; empty: `MATCHBOX_SERVER_URL`",
        schemes=("http", "https"),
    )
    internal_port: int = setting(
        0, "port of 127.0.0.1 that `matchbox up` keeps for arenas; 0: any", least=0, most=65_535
    )
    secret_key: str = setting(
        "",
        "signs sessions and tokens; 32 characters or more",
        secret=True,
        shown=False,
        from_file=True,
    )
    arena_token: str = setting(
        "",
        "the secret by which the server knows its arenas; 32 characters or more",
        secret=True,
        sent=True,
        shown=False,
        from_file=True,
    )
    signup: str = setting("open", "who may make an account", choices=("open", "closed"))
    uploads_per_hour: int = setting(30, "uploads of one account in an hour", least=1, most=100_000)
    uploads_mb: int = setting(
        500,
        "MB that the files of one account's versions may take together, unless an operator's; "
        "0: no limit",
        least=0,
        most=1 << 20,
    )
    pending_tryouts: int = setting(
        4, "uploads of one account that may wait for their verdicts", least=1, most=100_000
    )
    pending_tryouts_per_address: int = setting(
        20,
        "uploads from one address or IPv6 /64 that may wait for their verdicts",
        least=1,
        most=100_000,
    )
    logins_per_minute: int = setting(
        10,
        "wrong passwords and sign-ups from one address or IPv6 /64 in a minute",
        least=1,
        most=100_000,
    )
    requests_per_minute: int = setting(
        600, "requests of one account, address or IPv6 /64 in a minute", least=1, most=10_000_000
    )
    headers_seconds: int = setting(
        10, "a request's headers must arrive within, s", least=1, most=600
    )
    body_seconds: int = setting(60, "a request's body must arrive within, s", least=1, most=3600)
    connections_per_address: int = setting(
        128,
        "connections that one address may hold to each of the two web processes; not used behind "
        "trusted proxies",
        least=1,
        most=10_000,
    )
    streams_per_address: int = setting(
        4, "event streams that one account or address may hold", least=1, most=48
    )
    secure_cookies: bool = setting(
        False,
        "send session cookies only over HTTPS, also if the server's address is not `https://`",
    )
    trusted_proxies: int = setting(0, "reverse proxies in front of the server", least=0, most=10)
    smtp_host: str = setting(
        "", "mail server for notices; empty: no e-mail", form=(_HOST, "a host without a port")
    )
    smtp_port: int = setting(587, "the mail server's port", least=1, most=65_535)
    smtp_tls: str = setting(
        "starttls",
        "encryption of mail: upgraded to TLS, TLS from the start, or none",
        choices=("starttls", "tls", "none"),
    )
    smtp_user: str = setting("", "account at the mail server; empty: no login")
    smtp_password: str = setting("", "password of that account", shown=False, from_file=True)
    smtp_sender: str = setting("", "sender address of mails", form=(MAIL_ADDRESS, "an address"))
    openid_issuer: str = setting(
        "",
        "the OpenID Connect provider with whose accounts people may log in; empty: passwords only",
        form=(_ISSUER, "an https:// address without a query, as the provider gives it"),
    )
    openid_client_id: str = setting("", "the name by which the provider knows this platform")
    openid_client_secret: str = setting(
        "",
        "the secret that the provider gave this platform; empty: a public client",
        shown=False,
        from_file=True,
    )
    openid_label: str = setting("OpenID Connect", "the provider's name on pages")
    openid_signup: str = setting(
        "open", "whether people who log in there may make an account", choices=("open", "closed")
    )
    openid_domains: str = setting(
        "",
        "mail domains of which an address must be verified there for a new account, separated by "
        "commas; empty: no address is asked for",
        form=(_DOMAINS, "domains such as example.org, separated by commas"),
    )
    webhooks: str = setting(
        "public",
        "where webhooks may lead: over HTTPS to public addresses, to any address that the ledger "
        "reaches, or nowhere",
        choices=("public", "any", "none"),
    )
