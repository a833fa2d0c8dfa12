"""The files for Prometheus and Grafana name only existing metrics and pages."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from sqlalchemy import delete

from dashboard import markdown
from server.db.models import Setting
from server.services import health, walls
from tests import services
from tests.books import Books
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
    """Returns our metrics that a query names."""
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


def test_an_express_arena_keeps_no_alert_quiet_that_no_arena_plays(
    books: Books, nobody: Caller
) -> None:
    express = {"arena": "arena-express@here", "box": "bwrap", "walled": True, "express": True}
    with books.write() as session:
        session.execute(delete(Setting).where(Setting.name == walls.NAME))
        walls.report_wall(session, express, now=books.clock())
    told = nobody.client.get("/metrics").text
    assert 'matchbox_arenas{state="reports"} 0.0' in told
    with books.write() as session:
        playing = {**express, "arena": "arena-1@here", "express": False}
        walls.report_wall(session, playing, now=books.clock())
    assert 'matchbox_arenas{state="reports"} 1.0' in nobody.client.get("/metrics").text


def kinds_in(expression: str) -> set[str]:
    """Returns the kinds of findings that an alert is for."""
    return set(re.findall(r'matchbox_findings\{job="matchbox",kind="(\w+)"\}', expression))


def test_every_kind_of_finding_raises_an_alert() -> None:
    own = [kind for alert in ALERTS for kind in kinds_in(alert["expr"])]
    assert len(own) == len(set(own))
    assert set(own) <= set(health.SYMPTOMS)
    (other,) = [alert["expr"] for alert in ALERTS if alert["alert"] == "MatchboxFinding"]
    left_out = re.findall(r'kind!~"([\w|]+)"', other)
    assert [sorted(one.split("|")) for one in left_out] == [sorted(own)]


def test_prometheus_raises_the_alert_of_each_kind_and_no_other(tmp_path: Path) -> None:
    alerts = {kind: alert["alert"] for alert in ALERTS for kind in kinds_in(alert["expr"])}
    kinds = {kind: alerts.get(kind, "MatchboxFinding") for kind in (*health.SYMPTOMS, "unheard")}
    shown = 'count by (alertname) (ALERTS{alertstate="firing"})'

    def told(kind: str, value: int) -> dict[str, str]:
        series = f'matchbox_findings{{job="matchbox",kind="{kind}"}}'
        return {"series": series, "values": f"{value}x60"}

    tests = [
        {
            "interval": "1m",
            "input_series": [told(one, int(one == kind)) for one in kinds],
            "promql_expr_test": [
                {
                    "expr": shown,
                    "eval_time": "30m",
                    "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1}],
                }
            ],
        }
        for kind, alert in kinds.items()
    ]
    quiet = {"expr": shown, "eval_time": "30m", "exp_samples": []}
    nothing = [told(one, 0) for one in kinds]
    tests.append({"interval": "1m", "input_series": nothing, "promql_expr_test": [quiet]})
    file = tmp_path / "tests.yml"
    rules = [str(FOLDER / "alerts.yml")]
    file.write_text(yaml.safe_dump({"rule_files": rules, "tests": tests}))
    command = [services.needs("promtool"), "test", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_leads_to_its_section_of_the_symptoms(checkout: Path) -> None:
    page = markdown.read((checkout / "docs/symptoms.md").read_text())
    known = {f"docs/symptoms.md#{one.anchor}" for one in page.sections} | {"docs/symptoms.md"}
    assert {one["annotations"]["runbook"] for one in ALERTS} <= known


@pytest.mark.parametrize("words", [("config", "prometheus.yml"), ("rules", "alerts.yml")])
def test_prometheus_accepts_the_files(words: tuple[str, str]) -> None:
    command = [services.needs("promtool"), "check", words[0], str(FOLDER / words[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
