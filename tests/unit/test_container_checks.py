"""The health checks of docker-compose.yml ask the container itself, past any proxy.

Compose puts the proxies of the operator's Docker client into the environment of every container.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

PROXIES = {
    "http_proxy": "http://127.0.0.1:1",
    "HTTP_PROXY": "http://127.0.0.1:1",
    "no_proxy": "127.0.0.0/8",  # As in Docker's own example; urllib understands no such range.
}


@pytest.fixture(scope="module")
def services(checkout: Path) -> dict[str, Any]:
    told = yaml.safe_load((checkout / "docker-compose.yml").read_text())
    found: dict[str, Any] = told["services"]
    return found


@pytest.mark.parametrize("service", ["web", "internal"])
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_a_check_of_the_web_asks_the_container_itself(
    services: dict[str, Any], service: str, status: int, healthy: bool
) -> None:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    word, program, *words = services[service]["healthcheck"]["test"]
    assert (word, program) == ("CMD", "python")
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [one.replace(":8000/", f":{server.server_port}/") for one in words]
        environment = {**os.environ, **PROXIES}
        done = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
        )
        server.shutdown()
    assert (done.returncode == 0) == healthy, done.stderr


def test_the_check_of_the_proxy_uses_no_proxy(services: dict[str, Any]) -> None:
    words = services["proxy"]["healthcheck"]["test"]
    assert words[:2] == ["CMD", "curl"]
    assert words[words.index("--noproxy") + 1] == "*"
