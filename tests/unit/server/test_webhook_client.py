"""A webhook's message: signed for anybody to check, and never posted to a private address."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from threading import Event

import pytest

from matchbox.errors import BadOption, Forbidden, Unavailable
from server import ssrf_guard, webhook_client
from tests.receivers import certificate, mail_server, receiver

BODY = json.dumps({"id": 7, "text": "größer"}).encode()


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    """Returns the HMAC by its definition in RFC 2104, without the library that signs."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(one ^ 0x36 for one in key) + data).digest()
    return hashlib.sha256(bytes(one ^ 0x5C for one in key) + inner).digest()


def here(*addresses: str) -> ssrf_guard.Resolve:
    """Returns a resolver that gives these addresses for every name."""
    return lambda host, port: addresses


def test_a_receiver_can_check_the_signature_by_the_standard() -> None:
    secret = webhook_client.make_secret()
    with receiver() as told:
        given = webhook_client.headers(secret, "notice_7", 1_700_000_000, BODY)
        assert webhook_client.post(told.url(), BODY, given, anywhere=True) == 200
    (asked,) = told.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/hook", BODY)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode()
    version, _, mark = asked.headers["webhook-signature"].partition(",")
    assert (version, base64.b64decode(mark)) == ("v1", hmac_sha256(key, signed + asked.body))
    assert asked.headers["content-type"] == "application/json"
    assert len(key) == 32


def test_the_signature_is_that_of_the_standards_own_example() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    signature = webhook_client.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("status", [200, 204, 302, 404, 410, 500])
def test_the_status_is_what_counts_and_no_redirect_is_followed(status: int) -> None:
    with receiver() as other, receiver() as told:
        told.status, told.moved_to = status, other.url()
        told.body = b"" if status == 204 else b"x" * 100_000
        assert webhook_client.post(told.url(), BODY, {}, anywhere=True) == status
        assert not other.asked


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as proxy, receiver() as told:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url(path=""))
        assert webhook_client.post(told.url(), BODY, {}, anywhere=True) == 200
    assert (len(told.asked), len(proxy.asked)) == (1, 0)


def test_a_receiver_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_client, "TIMEOUT_S", 0.4)
    with receiver() as told:
        told.slow.set()
        with pytest.raises(Unavailable, match="did not answer"):
            webhook_client.post(told.url(), BODY, {}, anywhere=True)
    assert told.asked


def test_nobody_at_the_door_is_told() -> None:
    with receiver() as told:
        url = told.url()
    with pytest.raises(Unavailable, match="did not answer"):
        webhook_client.post(url, BODY, {}, anywhere=True)


def test_what_another_kind_of_server_says_is_not_told() -> None:
    with mail_server() as told, pytest.raises(Unavailable, match="its answer is not HTTP") as error:
        webhook_client.post(f"http://127.0.0.1:{told.port}/", BODY, {}, anywhere=True)
    assert "mail.example.org" not in str(error.value)


def test_over_tls_the_name_is_checked_though_the_address_is_pinned(tmp_path: Path) -> None:
    shown, trust = certificate(tmp_path, "hooks.example")
    with receiver(shown) as told:
        found = here("127.0.0.1")
        good, bad = told.url("hooks.example"), told.url("other.example")
        assert webhook_client.post(good, BODY, {}, anywhere=True, resolve=found, trust=trust) == 200
        assert told.asked[0].headers["host"] == f"hooks.example:{told.port}"
        with pytest.raises(Unavailable, match="Hostname mismatch"):
            webhook_client.post(bad, BODY, {}, anywhere=True, resolve=found, trust=trust)
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
            webhook_client.post(good, BODY, {}, anywhere=True, resolve=found)
    assert len(told.asked) == 1


PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "fc00::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_at_a_private_address_is_never_reached(address: str) -> None:
    assert not ssrf_guard.is_public(address)
    with pytest.raises(Forbidden, match=r"evil.example has no public address"):
        webhook_client.post(
            "https://evil.example/", BODY, {}, anywhere=False, resolve=here(address)
        )


def test_one_private_address_among_public_ones_is_enough() -> None:
    found = here("93.184.215.14", "127.0.0.1")
    with pytest.raises(Forbidden):
        webhook_client.post("https://evil.example/", BODY, {}, anywhere=False, resolve=found)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_a_public_address_is_one(address: str) -> None:
    assert ssrf_guard.is_public(address)


def test_a_name_is_looked_up_once_and_its_answer_is_where_it_goes() -> None:
    answers = iter([["127.0.0.1"], ["192.0.2.1"]])
    with receiver() as told:
        url = told.url("changes.example")
        done = webhook_client.post(url, BODY, {}, anywhere=True, resolve=lambda *_: next(answers))
    assert done == 200
    assert next(answers) == ["192.0.2.1"]


def test_a_name_server_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_client, "TIMEOUT_S", 0.2)
    over = Event()

    def hang(host: str, port: int) -> list[str]:
        over.wait(30)
        return ["127.0.0.1"]

    with pytest.raises(Unavailable, match="its name was not resolved in time"):
        webhook_client.post("https://slow.example/", BODY, {}, anywhere=True, resolve=hang)
    over.set()


def test_a_name_that_nobody_knows_is_told_as_such() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(Unavailable, match="did not answer: Name or service not known"):
        webhook_client.post("https://no.example/", BODY, {}, anywhere=True, resolve=unknown)


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    with receiver() as told:
        found = here("127.0.0.2", "127.0.0.1")
        assert (
            webhook_client.post(told.url("two.example"), BODY, {}, anywhere=True, resolve=found)
            == 200
        )


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f000001", "0"])
def test_other_spellings_of_this_machine_are_seen_through(host: str) -> None:
    with pytest.raises(Forbidden, match="has no public address"):
        webhook_client.post(f"https://{host}/", BODY, {}, anywhere=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/",
        "ftp://hooks.example/",
        "hooks.example",
        "https://",
        "https:///path",
        "https://user:password@hooks.example/",
        "https://hooks.example:0/",
        "https://hooks.example:99999/",
        "https://hooks.example/a b",
        "https://hooks.example/\r\nHost: other",
        "https://hooks.exämple/",
        "https://hooks.example/#part",
        "https://[::1/",
        "https://[::1]/",
        "https://127.0.0.1/",
        "https://hooks.example/" + "x" * 500,
    ],
)
def test_a_url_that_may_not_be_is_refused_before_anything_is_looked_up(url: str) -> None:
    with pytest.raises(BadOption):
        ssrf_guard.read_url(url, anywhere=False)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://hooks.example", (True, "hooks.example", 443, "/")),
        ("https://hooks.example:8443/a/b?c=d", (True, "hooks.example", 8443, "/a/b?c=d")),
        ("http://10.0.0.1:8000/x", (False, "10.0.0.1", 8000, "/x")),
        ("https://[::1]/", (True, "::1", 443, "/")),
    ],
)
def test_a_url_names_a_place(url: str, place: tuple[bool, str, int, str]) -> None:
    assert ssrf_guard.read_url(url, anywhere=True) == ssrf_guard.UrlParts(*place)
