"""A real OpenID Connect provider on loopback: Authlib's own authorization server over HTTP.

It signs with RSA keys of its own, publishes them and its description, and checks PKCE, the client's
secret and that a code is used once. It asks for no password: `person` is logged in. A test may make
it spoil the claims of its tokens, or sign them with another key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, redirect, request
from joserfc.jwk import RSAKey
from werkzeug.serving import WSGIRequestHandler, make_server

CLIENT = "matchbox"
SECRET = "a secret, with: signs & spaces"


@dataclass
class Person:
    """Somebody with an account at the provider."""

    id: str
    claims: dict[str, Any] = field(default_factory=dict)


@dataclass
class Client:
    """The platform, as the provider knows it. It has one address to come back to."""

    client_id: str = CLIENT
    redirect_uri: str = ""

    def get_client_id(self) -> str:
        return self.client_id

    def check_redirect_uri(self, uri: str) -> bool:
        return not self.redirect_uri or uri == self.redirect_uri

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uri

    def check_client_secret(self, secret: str) -> bool:
        return secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, kind: str) -> bool:
        return kind == "code"

    def check_grant_type(self, kind: str) -> bool:
        return kind == "authorization_code"

    def get_allowed_scope(self, scope: str) -> str:
        return scope


@dataclass
class Code:
    """A code that was given out."""

    code: str
    person: Person
    redirect_uri: str
    scope: str
    nonce: str | None
    code_challenge: str | None
    code_challenge_method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> None:
        return None

    get_acr = get_amr = get_auth_time


@dataclass
class Provider:
    """The provider: the person who is logged in there, its keys, and its misbehaviour."""

    person: Person | None
    issuer: str = ""
    client: Client = field(default_factory=Client)
    key: Any = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "first"}))
    forged: Any = None
    """The key with which it really signs, if that is not `key`."""
    further: list[dict[str, Any]] = field(default_factory=list)
    """Further keys that it publishes."""
    spoil: Callable[[dict[str, Any]], None] = lambda claims: None
    describe: Callable[[dict[str, Any]], None] = lambda known: None
    codes: dict[str, Code] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The paths of the requests that came."""
    prompts: list[str | None] = field(default_factory=list)


@contextmanager
def provider(person: Person | None = None) -> Iterator[Provider]:
    """A provider that runs until the block ends."""
    told = Provider(person or Person("1234", {"preferred_username": "Dóra"}))
    app = _application(told)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    told.issuer = f"http://127.0.0.1:{server.server_port}/realm"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Quiet(WSGIRequestHandler):
    def log(self, kind: str, message: str, *args: Any) -> None:
        pass


def _application(told: Provider) -> Flask:
    app = Flask("provider")
    server = AuthorizationServer(app, query_client=lambda name: _client(told, name),
                                 save_token=lambda token, asked: None)  # fmt: skip
    server.register_grant(_grant(told), [_tokens(told), CodeChallenge(required=True)])

    @app.before_request
    def note() -> None:
        told.asked.append(request.path)

    @app.get("/realm/.well-known/openid-configuration")
    def description() -> Any:
        known = {
            "issuer": told.issuer,
            "authorization_endpoint": f"{told.issuer}/authorize",
            "token_endpoint": f"{told.issuer}/token",
            "jwks_uri": f"{told.issuer}/keys",
            "end_session_endpoint": f"{told.issuer}/out",
        }
        told.describe(known)
        return jsonify(known)

    @app.get("/realm/keys")
    def keys() -> Any:
        return jsonify({"keys": [*told.further, told.key.as_dict(private=False)]})

    @app.get("/realm/authorize")
    def authorize() -> Any:
        told.prompts.append(request.args.get("prompt"))
        if told.person is None:
            back, state = request.args["redirect_uri"], request.args["state"]
            return redirect(f"{back}?error=access_denied&state={state}")
        grant = server.get_consent_grant(end_user=told.person)
        return server.create_authorization_response(grant_user=told.person, grant=grant)

    @app.post("/realm/token")
    def token() -> Any:
        return server.create_token_response()

    @app.get("/realm/out")
    def out() -> str:
        return "<title>Out</title>You are logged out there, too."

    return app


def _client(told: Provider, name: str) -> Client | None:
    return told.client if name == told.client.client_id else None


def _grant(told: Provider) -> type:
    class Grant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

        def save_authorization_code(self, code: str, asked: Any) -> None:
            sent = asked.payload.data
            told.codes[code] = Code(
                code,
                asked.user,
                asked.payload.redirect_uri,
                asked.scope,
                sent.get("nonce"),
                sent.get("code_challenge"),
                sent.get("code_challenge_method"),
            )

        def query_authorization_code(self, code: str, client: Client) -> Code | None:
            return told.codes.get(code)

        def delete_authorization_code(self, authorization_code: Code) -> None:
            del told.codes[authorization_code.code]

        def authenticate_user(self, authorization_code: Code) -> Person:
            return authorization_code.person

    return Grant


def _tokens(told: Provider) -> OpenIDCode:
    class Tokens(OpenIDCode):
        def exists_nonce(self, nonce: str, asked: Any) -> bool:
            return any(code.nonce == nonce for code in told.codes.values())

        def resolve_client_private_key(self, client: Client) -> Any:
            return told.forged or told.key

        def get_encode_header(self, client: Client) -> dict[str, str]:
            return {"alg": "RS256", "kid": told.key.kid}

        def get_client_claims(self, client: Client) -> dict[str, Any]:
            return {"iss": told.issuer, "aud": [client.client_id]}

        def generate_user_info(self, user: Person, scope: str) -> UserInfo:
            return UserInfo(sub=user.id, **user.claims)

        def get_compatible_claims(self, asked: Any) -> dict[str, Any]:
            return dict(super().get_compatible_claims(asked))

        def get_authorization_code_claims(self, code: Code) -> dict[str, Any]:
            return dict(super().get_authorization_code_claims(code))

        def encode_id_token(self, token: Any, asked: Any) -> str:
            return _spoiled(super(), told, token, asked)

    return Tokens()


def _spoiled(maker: Any, told: Provider, token: Any, asked: Any) -> str:
    """The ID token, with its claims spoiled by the test before they are signed."""
    from joserfc import jwt

    honest = maker.encode_id_token(token, asked)
    signer = told.forged or told.key
    opened = jwt.decode(honest, signer)
    told.spoil(opened.claims)
    return str(jwt.encode(opened.header, opened.claims, signer))
