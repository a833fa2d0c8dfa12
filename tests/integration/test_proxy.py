"""The proxy of docker-compose.yml, really started: which requests it passes on, and its answers."""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import slow_clients
from tests.installation import eventually
from tests.services import DEADLINE_S, free_port, needs, running
from worker.child import tied

VISITOR = "127.0.0.9"
CLAIMS = {
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
}


class Echo(BaseHTTPRequestHandler):
    """Echoes each request; a stream never ends by itself."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers with path and headers."""
        if self.path == "/api/v1/events":
            self.stream()
            return
        told = json.dumps({"path": self.path, **dict(self.headers)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def do_POST(self) -> None:
        """Answers with path and headers after reading the body."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def stream(self) -> None:
        """Sends one line, and waits for the client to go."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"retry: 2000\n\n")
        self.connection.recv(1)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """A stand-in for the web server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def proxying(checkout: Path, web: str, **knobs: str) -> Iterator[int]:
    """The port of a proxy in front of that server, until the block ends."""
    needs("nginx")
    port = free_port()
    # Its workers run as nobody, who may not look into a folder of the tests.
    folder = Path(tempfile.mkdtemp(prefix="mbx-proxy-"))
    folder.chmod(0o755)
    told = {"FOLDER": str(folder), "WEB": web, "LISTEN": str(port), "WATCHED": str(free_port())}
    command = ["env", *(f"{name}={value}" for name, value in (told | knobs).items())]
    command += ["sh", str(checkout / "server/proxy/start.sh")]

    def listens() -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", port)) == 0

    try:
        with running(tied(command), listens, folder / "log"):
            yield port
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def port(checkout: Path, web: str) -> Iterator[int]:
    """The port of a proxy with the default settings."""
    with proxying(checkout, web) as port:
        yield port


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a self-made certificate for bots.example."""
    folder = tmp_path_factory.mktemp("certificates")
    command = [needs("openssl"), "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=bots.example"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / "privkey.pem")]
    command += ["-out", str(folder / "fullchain.pem")]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def visitor(port: int, scheme: str = "http", **more: Any) -> httpx.Client:
    """A client that lies about its address."""
    transport = httpx.HTTPTransport(local_address=VISITOR, **more)
    url = f"{scheme}://127.0.0.1:{port}"
    return httpx.Client(base_url=url, headers=CLAIMS, transport=transport, timeout=DEADLINE_S)


def test_it_tells_the_visitors_address_and_not_what_he_says_of_it(port: int) -> None:
    with visitor(port) as mallory:
        told = mallory.get("/here?a=b").json()
    assert told["path"] == "/here?a=b"
    assert (told["X-Forwarded-For"], told["X-Forwarded-Proto"]) == (VISITOR, "http")
    assert told["X-Forwarded-Host"] == told["Host"] == f"127.0.0.1:{port}"


def test_a_proxy_in_front_is_believed_where_it_is_named(checkout: Path, web: str) -> None:
    with (
        proxying(checkout, web, FRONT_PROXY=f"192.0.2.0/24 {VISITOR}/32") as port,
        visitor(port) as front,
    ):
        told = front.get("/").json()
        assert (told["X-Forwarded-For"], told["X-Forwarded-Proto"]) == ("203.0.113.7", "https")
        stranger = httpx.get(f"http://127.0.0.1:{port}/", headers=CLAIMS).json()
        assert (stranger["X-Forwarded-For"], stranger["X-Forwarded-Proto"]) == ("127.0.0.1", "http")


@pytest.mark.parametrize("path", ["/internal", "/internal/claims", "//internal/claims",
                                  "/a/../internal/claims", "/%69nternal/claims",
                                  "/metrics", "//metrics", "/a/../metrics?x"])  # fmt: skip
def test_what_arenas_ask_is_not_let_through(port: int, path: str) -> None:
    with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as caller:
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"
        caller.sendall(head.encode() + b"{}")
        assert caller.recv(4096).startswith(b"HTTP/1.1 404 ")


def test_it_speaks_tls_where_a_name_is_set(checkout: Path, web: str, certificates: Path) -> None:
    knobs = {"TLS_NAME": "bots.example", "CERTIFICATES": str(certificates)}
    with proxying(checkout, web, **knobs) as port:
        trusting = ssl.create_default_context(cafile=str(certificates / "fullchain.pem"))
        with visitor(port, "https", verify=trusting) as alice:
            assert alice.get("/").json()["X-Forwarded-Proto"] == "https"
        plain = httpx.get(f"http://127.0.0.1:{port}/login")
        assert plain.status_code == 301
        assert plain.headers["Location"] == f"https://127.0.0.1:{port}/login"


def test_a_stream_comes_line_by_line(port: int) -> None:
    with (
        visitor(port) as alice,
        alice.stream("GET", "/api/v1/events") as stream,
    ):
        assert next(stream.iter_lines()) == "retry: 2000"


@contextmanager
def proxying_a_room(checkout: Path, web: str, folder: Path) -> Iterator[int]:
    """The port of an nginx with the lines of docs/operate.md, until the block ends."""
    port = free_port()
    page = (checkout / "docs/operate.md").read_text()
    (lines,) = re.findall(r"^```nginx\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    site = lines.replace("listen 80 ", f"listen 127.0.0.1:{port} ").replace("127.0.0.1:8000", web)
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    kept = "".join(f"{place}_temp_path {folder}/{place};\n" for place in places)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off;\n{kept}{site}}}\n"
    )

    def listens() -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", port)) == 0

    command = tied([needs("nginx"), "-c", str(folder / "nginx.conf")])
    with running(command, listens, folder / "log"):
        yield port


def test_the_proxy_for_one_room_tells_the_visitors_address(
    checkout: Path, web: str, tmp_path: Path
) -> None:
    with proxying_a_room(checkout, web, tmp_path) as port, visitor(port) as mallory:
        told = mallory.get("/here").json()
        assert (told["X-Forwarded-For"], told["X-Forwarded-Proto"]) == (VISITOR, "http")
        assert told["X-Forwarded-Host"] == told["Host"] == f"127.0.0.1:{port}"
        with mallory.stream("GET", "/api/v1/events") as stream:
            assert next(stream.iter_lines()) == "retry: 2000"


def test_what_is_too_long_is_told_so(port: int) -> None:
    with visitor(port) as alice:
        answer = alice.post("/submit", content=b"#" * (3 << 20))
        assert answer.status_code == 413
        assert "64 KiB" in answer.text


def test_a_class_behind_one_address_opens_a_page_together(port: int, web: str) -> None:
    addresses = ["/", *(f"/assets/{number}.js" for number in range(6))] * 30

    def answers(address: str) -> httpx.Response:
        with visitor(port) as one:
            return one.get(address)

    with ThreadPoolExecutor(len(addresses)) as browsers:
        assert {one.status_code for one in browsers.map(answers, addresses)} == {200}


def test_an_address_that_never_ends_its_long_bodies_has_few_and_is_told_to_wait(port: int) -> None:
    upload = b"POST /submit HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    with visitor(port) as alice, slow_clients.hoarding(port, upload, 40) as hoard:
        (refusal,) = {
            re.sub(rb"Date: .*?\r\n", b"", answer)
            for answer in eventually(lambda: hoard.answers[:20] if len(hoard.answers) > 20 else [])
        }
        assert b" 429 " in refusal
        assert b"\r\nRetry-After: 5\r\n" in refusal
        assert alice.post("/submit", content=b"#" * 1_000_000).status_code == 200


def test_half_sent_requests_wait_there_and_an_address_has_so_many(port: int, web: str) -> None:
    with (
        slow_clients.hoarding(port, slow_clients.HALF_A_LOGIN, 200) as hoard,
        slow_clients.neighbour(port, DEADLINE_S) as bob,
    ):
        eventually(lambda: any(b" 429 " in answer for answer in hoard.answers))
        for _ in range(10):
            assert bob.get("/").status_code == 200
        assert hoard.most_granted == 0
