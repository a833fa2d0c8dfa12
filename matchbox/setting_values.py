"""Declares one setting, and reads its value from its text, or a secret from its file.

A field's metadata holds the bounds of its setting. Opens no file itself.
"""

from __future__ import annotations

from dataclasses import field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from matchbox.errors import BadSetting, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO


def setting(default: Any, meaning: str, *, shown: bool = True, **bounds: Any) -> Any:
    """Declares a setting: its default, its meaning and its bounds. Its value is printed only if
    `shown`."""
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
        return _whole(name, text, bounds["least"], bounds["most"])
    if "choices" in bounds and text not in bounds["choices"]:
        allowed = ", ".join(bounds["choices"])
        raise BadSetting(f"{name} is {quoted(text)}; it must be one of {allowed}")
    if "schemes" in bounds:
        _check_address(name, text, bounds["schemes"])
    if "form" in bounds and not bounds["form"][0].fullmatch(text):
        raise BadSetting(f"{name} is {quoted(text)}; it must be {bounds['form'][1]}")
    if bounds.get("secret") and len(text) < 32:
        raise BadSetting(f"{name} has {len(text)} characters; make it 32 or more")
    return text


def _check_address(name: str, text: str, schemes: Sequence[str]) -> None:
    """Raises BadSetting. Its text leaves out an address that may hold a password."""
    starts = [f"{scheme}://" for scheme in schemes]
    if not text.lower().startswith(tuple(starts)):
        raise BadSetting(f"{name} must start with {' or '.join(starts)}")
    if "http" in schemes and not names_host(text):
        raise BadSetting(
            f"{name} is {quoted(text)}; write a host, and its port if it has one, after ://"
        )


def names_host(address: str) -> bool:
    """Whether an http address has a host, and a port that is one, if any."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def celery_address(broker_url: str) -> str:
    """Returns the broker's address in Celery's form, where a unix socket is redis+socket:///path."""
    scheme, _, rest = broker_url.partition("://")
    return f"redis+socket://{rest}" if scheme == "unix" else broker_url


def is_loopback(address: str) -> bool:
    """Whether the address leads every computer to itself, as those with 127.0.0.1 do."""
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
    try:
        number = int(text)
    except ValueError:
        raise BadSetting(f"{name} is {quoted(text)}; it must be a whole number") from None
    if not least <= number <= most:
        raise BadSetting(f"{name} is {quoted(number)}; it must lie between {least} and {most}")
    return number
