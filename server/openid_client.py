"""Identifies people with an OpenID Connect provider: authorization code flow with PKCE.

Knows HTTP, the provider's answers and Authlib, but no accounts and no database. Authlib is an
extra: this module imports it only where a provider is set. The provider is the operator's choice,
so its addresses may be private ones; they must be HTTPS unless its own is on this machine.
"""

from __future__ import annotations

import json
import secrets
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx

from matchbox.errors import BadSetting, Forbidden, Unavailable

if TYPE_CHECKING:
    from matchbox.settings import Settings

PATH: Final = "/login/openid/back"
"""The path to which the provider sends people back."""
TIMEOUT_S: Final = 5.0
MAX_BYTES: Final = 1 << 20
KEPT_S: Final = 3600.0
"""The time for which the provider's description and keys are kept, in seconds."""
LEEWAY_S: Final = 60
"""The greatest difference between the provider's clock and ours, in seconds."""
_SIGNATURES: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
)  # fmt: skip
"""The algorithms with which an ID token may be signed: those whose key the provider alone holds."""
_ADDRESSES: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True)
class Start:
    """The address to which a browser is sent, and the values that must be remembered until it is
    back."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Identity:
    """A person, as the provider describes them. The issuer and the subject together never
    change."""

    issuer: str
    subject: str
    names: tuple[str, ...] = ()
    """The provider's names for the person, the best first."""
    domain: str = ""
    """The domain of their mail address, if the provider has verified it."""


def check_installed(settings: Settings) -> None:
    """Raises BadSetting if a provider is set, but the library for it is not installed."""
    if settings.openid_issuer and find_spec("authlib") is None:
        raise BadSetting(
            "MATCHBOX_OPENID_ISSUER is set, but the extra `openid` is not installed: run `pip "
            "install --no-deps --require-hashes -r requirements-openid.lock`, or remove the setting"
        )


class Provider:
    """The provider of the settings. Its description and keys are fetched when needed, and cached
    for KEPT_S seconds."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.label = settings.openid_label
        self._issuer = settings.openid_issuer
        self._client = settings.openid_client_id
        self._secret = settings.openid_client_secret
        self._redirect = settings.server_url.rstrip("/") + PATH
        self._clock = clock
        self._kept: dict[str, tuple[float, dict[str, Any]]] = {}

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def start(self, *, ask_again: bool = False) -> Start:
        """Returns the address to which to send a browser. With `ask_again`, the person must choose
        an account there.

        Raises Unavailable if the provider does not answer as it should.
        """
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        url = prepare_grant_uri(
            self._metadata()["authorization_endpoint"],
            client_id=self._client,
            response_type="code",
            redirect_uri=self._redirect,
            scope="openid profile email",
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            **({"prompt": "select_account"} if ask_again else {}),
        )
        return Start(url, state, nonce, verifier)

    def finish(self, answer: Mapping[str, str], start: Start, *, now: int) -> Identity:
        """Returns the identity, from the parameters that the provider gave the browser.

        `now` is the time in ms UTC. Raises Forbidden if the answer does not fit the request, or
        Unavailable if the provider does not answer as it should.
        """
        if not secrets.compare_digest(answer.get("state", "").encode(), start.state.encode()):
            raise Forbidden("this log-in was not begun in this browser; begin it again")
        if answer.get("iss", self._issuer) != self._issuer:
            raise Forbidden(f"this answer is not from {self.label}; begin the log-in again")
        if "error" in answer:
            raise Forbidden(f"{self.label} did not log you in: {_plain(answer['error'])}")
        if not answer.get("code"):
            raise Forbidden(f"{self.label} sent no code; begin the log-in again")
        token = self._token(answer["code"], start.verifier)
        return self._identity(token, start.nonce, now)

    def end_address(self) -> str:
        """Returns the provider's address for logging out, or "" if it has none or does not
        answer."""
        from authlib.common.urls import add_params_to_uri

        try:
            address = self._metadata().get("end_session_endpoint")
        except Unavailable:
            return ""
        if not isinstance(address, str) or not self._allowed(address):
            return ""
        return str(add_params_to_uri(address, {"client_id": self._client}))

    def _token(self, code: str, verifier: str) -> dict[str, Any]:
        """Exchanges the code for the provider's tokens."""
        from authlib.oauth2.auth import ClientAuth
        from authlib.oauth2.rfc6749.parameters import prepare_token_request

        ways = self._metadata().get("token_endpoint_auth_methods_supported")
        way = "client_secret_basic"
        if not self._secret:
            way = "none"
        elif ways and way not in ways:
            way = "client_secret_post"
        sent = prepare_token_request(
            "authorization_code", code=code, redirect_uri=self._redirect, code_verifier=verifier
        )
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        where = self._metadata()["token_endpoint"]
        auth = ClientAuth(self._client, self._secret, way)
        url, headers, sent = auth.prepare("POST", where, headers, sent)
        status, token = self._ask("POST", url, headers, sent)
        if "error" in token:
            raise Forbidden(
                f"{self.label} refused the log-in: {_plain(token['error'])}; begin it again"
            )
        if status != 200:
            raise self._trouble(f"its answer has the status {status}")
        return token

    def _identity(self, token: Mapping[str, Any], nonce: str, now: int) -> Identity:
        """Checks the ID token's signature and claims, and returns the identity in it."""
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        text = token.get("id_token")
        if not isinstance(text, str):
            raise self._trouble("it sent no ID token")
        try:
            opened = self._opened(text)
            wanted = {
                "iss": {"essential": True, "value": self._issuer},
                "aud": {"essential": True, "value": self._client},
            }
            known = {
                "nonce": nonce,
                "client_id": self._client,
                "access_token": token.get("access_token"),
            }
            claims = CodeIDToken(opened.claims, opened.header, wanted, known)
            claims.validate(now=now // 1000, leeway=LEEWAY_S)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise Forbidden(
                f"the ID token of {self.label} is not valid ({_plain(error)}); begin the log-in "
                "again, and tell an operator if it fails again"
            ) from error
        return _identity_of(self._issuer, claims)

    def _opened(self, text: str) -> Any:
        """The token, decoded with the provider's keys. Fetches them again if the token's key is not
        among them, or may be a new one of the same name."""
        from joserfc import jwt
        from joserfc.errors import BadSignatureError, InvalidKeyIdError
        from joserfc.jws import JWSRegistry

        registry = JWSRegistry(algorithms=_SIGNATURES, strict_check_header=False)
        where = self._metadata()["jwks_uri"]
        try:
            return jwt.decode(text, key=_usable_keys(self._published(where)), registry=registry)
        except (BadSignatureError, InvalidKeyIdError):
            self._kept.pop(where, None)
            return jwt.decode(text, key=_usable_keys(self._published(where)), registry=registry)

    def _metadata(self) -> dict[str, Any]:
        """The provider's description of itself. Raises Unavailable."""
        where = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
        found = self._published(where)
        if found.get("issuer") != self._issuer:
            self._kept.pop(where, None)
            raise self._trouble("it calls itself by another name than MATCHBOX_OPENID_ISSUER")
        for name in _ADDRESSES:
            if not isinstance(found.get(name), str) or not self._allowed(found[name]):
                self._kept.pop(where, None)
                raise self._trouble(f"its {name} is missing, or not an https:// address")
        return found

    def _allowed(self, address: str) -> bool:
        return urlsplit(address).scheme in ("https", urlsplit(self._issuer).scheme)

    def _published(self, address: str) -> dict[str, Any]:
        """The JSON object at an address, which may be up to KEPT_S seconds old."""
        known = self._kept.get(address)
        if known is not None and self._clock() < known[0] + KEPT_S:
            return known[1]
        status, found = self._ask("GET", address, {"Accept": "application/json"})
        if status != 200:
            raise self._trouble(f"{urlsplit(address).path} has the status {status}")
        self._kept[address] = (self._clock(), found)
        return found

    def _ask(
        self, method: str, address: str, headers: Mapping[str, str], body: str = ""
    ) -> tuple[int, dict[str, Any]]:
        """Returns the status and the JSON object of the answer. Follows no redirect."""
        end = time.monotonic() + 2 * TIMEOUT_S
        try:
            with (
                httpx.Client(verify=self._trust, timeout=TIMEOUT_S, trust_env=False) as client,
                client.stream(method, address, headers=headers, content=body) as answer,
            ):
                data = b""
                for part in answer.iter_bytes():
                    data += part
                    if len(data) > MAX_BYTES or time.monotonic() > end:
                        raise self._trouble("its answer is too long, or takes too long")
                found = json.loads(data)
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as error:
            raise self._trouble(_plain(error)) from error
        if not isinstance(found, dict):
            raise self._trouble("its answer is not a JSON object")
        return status, found

    def _trouble(self, why: str) -> Unavailable:
        return Unavailable(
            f"{self.label} does not work at the moment: {why}; try again in a minute, or log in "
            "with a password"
        )


def _usable_keys(published: Mapping[str, Any]) -> Any:
    """The provider's keys without those of a kind or curve that is not known here, as RFC 7517
    asks."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    keys = []
    for one in published["keys"]:
        with suppress(JoseError, ValueError, KeyError):
            keys.append(JWKRegistry.import_key(one))
    return KeySet(keys)


def _identity_of(issuer: str, claims: Mapping[str, Any]) -> Identity:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= 255 or "\0" in subject:
        raise Forbidden("the provider names nobody; tell an operator")
    email = claims.get("email")
    address = email if isinstance(email, str) else ""
    local, _, domain = address.rpartition("@")
    named = (claims.get("preferred_username"), local, claims.get("name"))
    names = tuple(name.partition("@")[0][:64] for name in named if isinstance(name, str) and name)
    verified = claims.get("email_verified") is True
    return Identity(issuer, subject, names, domain.lower() if verified else "")


def _plain(error: object) -> str:
    """The error's text in one line, of printable characters."""
    text = str(error) or type(error).__name__
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]
