"""Declares one setting, and reads its value from its text, or a secret from its file.

A field's metadata holds the bounds of its setting. Opens no file itself.
"""

from __future__ import annotations

import re
from dataclasses import field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from matchbox.errors import BadSetting, quoted
from matchbox.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO

_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?|[0-9a-f.]*:[0-9a-f:.]*(%[\w.-]+)?")
"""A name or an IPv4 address, or an IPv6 address without its brackets."""
_IN_HEADERS: Final = re.compile(r"[!-~]([ -~]*[!-~])?")
"""A text that an HTTP header takes, and gives back with all its blanks."""


def setting(default: Any, meaning: str, *, shown: bool = True, **bounds: Any) -> Any:
    """Declares a setting: its default, its meaning and its bounds. Its value is printed only if
    `shown`. A number beyond its `cap` counts as the cap."""
    return field(default=default, repr=shown, metadata={"meaning": meaning, **bounds})


def secret_in(path: str, variable: str, open_file: Callable[[str], TextIO]) -> str:
    """Returns the secret in the file that the variable names, without the line ends behind it.

    Raises BadSetting if the file is empty or cannot be read.
    """
    try:
        with open_file(path) as file:
            secret = file.read().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{variable} names {path}, which cannot be read: {error}") from error
    if not secret:
        raise BadSetting(f"{variable} names {path}, which is empty; write the secret into it")
    return secret


def value_of(name: str, default: object, bounds: Mapping[str, Any], text: str) -> Any:
    """Returns the value of this text for a setting with this default. Raises BadSetting."""
    if isinstance(default, bool):
        return _boolean(name, text)
    if isinstance(default, int):
        most = bounds["most"]
        return min(_whole(name, text, bounds["least"], most), bounds.get("cap", most))
    if "choices" in bounds and text not in bounds["choices"]:
        allowed = ", ".join(bounds["choices"])
        raise BadSetting(f"{name} is {quoted(text)}; it must be one of {allowed}")
    if "schemes" in bounds:
        _check_address(name, text, bounds["schemes"])
    if bounds.get("site"):
        _check_site(name, text)
    if "form" in bounds and not bounds["form"][0].fullmatch(text):
        raise BadSetting(f"{name} is {quoted(text)}; it must be {bounds['form'][1]}")
    if bounds.get("secret"):
        _check_secret(name, text, sent=bounds.get("sent", False))
    return text


def _check_address(name: str, text: str, schemes: Sequence[str]) -> None:
    """Raises BadSetting. Its text leaves out an address that may hold a password."""
    starts = [f"{scheme}://" for scheme in schemes]
    if not text.lower().startswith(tuple(starts)):
        raise BadSetting(f"{name} must start with {' or '.join(starts)}")
    if "redis" in schemes and not _can_be_split(text):
        raise BadSetting(
            f"{name} cannot be read: its port must be a number, and a password in it takes %2F for "
            "a /, %3F for a ?, %23 for a #, %40 for an @ and %5B for a ["
        )
    if "http" in schemes and "@" in text:
        raise BadSetting(
            f"{name} has an @, which it cannot hold; leave out an account and a password, if it "
            "has them"
        )
    if "http" in schemes and not names_host(text):
        raise BadSetting(
            f"{name} is {quoted(text)}; write a host, and its port if it has one, after ://"
        )


def _can_be_split(address: str) -> bool:
    """Whether a broker's address has a valid port or none, and no @ behind its host.

    The path of a unix socket may have any.
    """
    try:
        parts = urlsplit(address)
        if parts.scheme in ("redis+socket", "unix"):
            return True
        return parts.port != 0 and "@" not in parts.path + parts.query + parts.fragment
    except ValueError:
        return False


def names_host(address: str) -> bool:
    """Whether an http address has a host and, if it names a port, a valid one."""
    try:
        parts = urlsplit(address)
        known = bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return False
    return known and address.isprintable() and " " not in address


def _check_site(name: str, text: str) -> None:
    """Raises BadSetting if the address goes on after the host: all links of pages begin there."""
    if urlsplit(text).path.strip("/") or "?" in text or "#" in text:
        raise BadSetting(
            f"{name} is {quoted(text)}; it must end after the host and its port, because the site "
            "cannot be a folder of another one"
        )


def _check_secret(name: str, text: str, *, sent: bool) -> None:
    """Raises BadSetting for a secret that is short, or that is `sent` and no HTTP header takes."""
    if len(text.strip()) < 32:
        raise BadSetting(f"{name} has {len(text.strip())} characters; make it 32 or more")
    if sent and not _IN_HEADERS.fullmatch(text):
        raise BadSetting(
            f"{name} has characters that no HTTP header takes; use ASCII letters, digits and signs"
        )


def celery_address(broker_url: str) -> str:
    """Returns the broker's address in Celery's form, where a unix socket is redis+socket:///path."""
    scheme, _, rest = broker_url.partition("://")
    return f"redis+socket://{rest}" if scheme == "unix" else broker_url


def is_loopback(address: str) -> bool:
    """Whether the host of an http address is a loopback address, such as 127.0.0.1 or localhost."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _boolean(name: str, text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in known:
        raise BadSetting(f"{name} is {quoted(text)}; it must be true or false")
    return known[text.lower()]


def _whole(name: str, text: str, least: int, most: int) -> int:
    number = whole_number(text, 100)
    if number is None:
        raise BadSetting(f"{name} is {quoted(text)}; it must be a whole number")
    if not least <= number <= most:
        raise BadSetting(f"{name} is {quoted(number)}; it must lie between {least} and {most}")
    return number
