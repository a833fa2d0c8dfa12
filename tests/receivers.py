"""Receivers of notices on loopback: a web server and a mail server that follow a script.

Each keeps the messages that it received. Knows no notice and checks no signature.
"""

from __future__ import annotations

import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests import services


@dataclass
class ReceivedRequest:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A web server that answers with `status`, or if it is `slow`, sends bytes one by one for
    ever."""

    status: int = 200
    body: bytes = b"thank you"
    moved_to: str = ""
    slow: threading.Event = field(default_factory=threading.Event)
    asked: list[ReceivedRequest] = field(default_factory=list)
    port: int = 0
    secure: bool = False

    def url(self, host: str = "127.0.0.1", path: str = "/hook") -> str:
        """Where it is."""
        return f"http{'s' if self.secure else ''}://{host}:{self.port}{path}"


@dataclass
class MailServer:
    """A mail server: takes mails, refuses recipients with `refuses` and texts with `dislikes`,
    wants `password` if any, and answers QUIT with `farewell`."""

    refuses: str = ""
    dislikes: str = ""
    password: str = ""
    farewell: str = "221 bye"
    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def receiver(trust: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A running receiver. With a certificate it uses TLS."""
    told = Receiver(secure=trust is not None)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told.asked.append(
                ReceivedRequest(self.command, self.path, headers, self.rfile.read(length))
            )
            if told.slow.is_set():
                self._drip()
                return
            self.send_response(told.status)
            if told.moved_to:
                self.send_header("Location", told.moved_to)
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self.wfile.write(told.body)

        def _drip(self) -> None:
            """Sends a byte of the head now and then, so that it is never silent for long, and never
            done."""
            try:
                while told.slow.is_set():
                    self.wfile.write(b"H")
                    time.sleep(0.05)
            except OSError:
                pass

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up
    if trust is not None:
        server.socket = trust.wrap_socket(server.socket, server_side=True)
    told.port = server.server_address[1]
    with _running(server):
        yield told
        told.slow.clear()


@contextmanager
def mail_server(
    trust: ssl.SSLContext | None = None, *, wrapped: bool = False
) -> Iterator[MailServer]:
    """A running mail server. With a certificate it offers STARTTLS, or is `wrapped` in TLS."""
    told = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.sender, self.to = "", list[str]()
            self._say("220 mail.example.org")
            for line in iter(lambda: self.rfile.readline(), b""):  # another one after STARTTLS
                told.said.append(line.decode().strip())
                if not self._answer(told.said[-1]):
                    return

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def _answer(self, line: str) -> bool:
            verb, _, rest = line.partition(" ")
            address = rest.partition(":")[2]  # of FROM: or TO:, whose case depends on the sender
            match verb.upper():
                case "EHLO":
                    self._say("250-mail.example.org")
                    secure = isinstance(self.request, ssl.SSLSocket)
                    if trust is not None and not secure:
                        self._say("250-STARTTLS")
                    self._say("250 AUTH PLAIN")
                case "STARTTLS":
                    self._say("220 go on")
                    assert trust is not None
                    self.request = trust.wrap_socket(self.request, server_side=True)
                    self.rfile = self.request.makefile("rb")
                    self.wfile = self.request.makefile("wb", buffering=0)
                case "MAIL":
                    self.sender = address
                    self._say("250 ok")
                case "RCPT":
                    self.to.append(address)
                    self._say(told.refuses or "250 ok")
                case "DATA":
                    self._say("354 go on")
                    lines = iter(self.rfile.readline, b".\r\n")
                    data = b"".join(line.removeprefix(b".").rstrip() + b"\n" for line in lines)
                    if told.dislikes:
                        self._say(told.dislikes)
                        return True
                    parsed = message_from_bytes(data, policy=policy.default)
                    assert isinstance(parsed, EmailMessage)
                    told.mails.append(parsed)
                    told.envelopes.append((self.sender, self.to))
                    self._say("250 taken")
                case "AUTH":
                    self._say("235 welcome" if told.password in rest else "535 who are you?")
                case "QUIT":
                    self._say(told.farewell)
                    return False
                case _:
                    self._say("250 ok")
            return True

        def _say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hung up."""

    server = Server(("127.0.0.1", 0), Handler)
    if wrapped and trust is not None:
        server.socket = trust.wrap_socket(server.socket, server_side=True)
    told.port = server.server_address[1]
    with _running(server):
        yield told


def certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The TLS context of a server of that name, and that of a client that trusts it."""
    key, shown = folder / f"{host}.key", folder / f"{host}.crt"
    subprocess.run(
        [services.needs("openssl"), "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec",
         "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", shown,
         "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(shown, key)
    return server, ssl.create_default_context(cafile=str(shown))


@contextmanager
def _running(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
