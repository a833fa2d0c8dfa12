"""The files for Prometheus and Grafana name only metrics and pages that exist."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from dashboard import markdown
from tests import services
from tests.unit.server.routes.conftest import Caller, MakeApp

FOLDER = Path(__file__).parents[4] / "server/monitoring"
ALERTS = [
    rule
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
PANELS = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
QUERIES = [one["expr"] for one in ALERTS] + [t["expr"] for one in PANELS for t in one["targets"]]


def names_in(query: str) -> set[str]:
    """The metrics of ours that a query names."""
    return set(re.findall(r"\bmatchbox_\w+", query))


def test_every_metric_in_the_files_exists_and_every_metric_is_shown(
    make_app: MakeApp, redis_url: str
) -> None:
    site = Caller(make_app(broker_url=redis_url).test_client())
    site.get("/games")
    told = site.client.get("/metrics").text
    families = set(re.findall(r"^# TYPE (\w+)", told, re.MULTILINE))
    samples = set(re.findall(r"^(\w+)", told, re.MULTILINE)) | families
    named = {name for query in QUERIES for name in names_in(query)}
    assert named <= samples
    shown = {name.removesuffix("_bucket").removesuffix("_total") for name in named}
    assert {name.removesuffix("_total") for name in families} - shown <= {
        "matchbox_requests_created", "matchbox_request_seconds_created",
    }  # fmt: skip


def test_every_alert_leads_to_its_section_of_the_symptoms(checkout: Path) -> None:
    page = markdown.read((checkout / "docs/symptoms.md").read_text())
    known = {f"docs/symptoms.md#{one.anchor}" for one in page.sections}
    assert {one["annotations"]["runbook"] for one in ALERTS} <= known


@pytest.mark.parametrize("words", [("config", "prometheus.yml"), ("rules", "alerts.yml")])
def test_prometheus_accepts_the_files(words: tuple[str, str]) -> None:
    command = [services.needs("promtool"), "check", words[0], str(FOLDER / words[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
