"""The files for Prometheus and Grafana name only existing metrics and pages."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from sqlalchemy import delete

from dashboard import markdown
from server.db.models import Setting
from server.services import walls
from server.services.findings import SYMPTOMS
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
    assert set(own) <= set(SYMPTOMS)
    (other,) = [alert["expr"] for alert in ALERTS if alert["alert"] == "MatchboxFinding"]
    left_out = re.findall(r'kind!~"([\w|]+)"', other)
    assert [sorted(one.split("|")) for one in left_out] == [sorted(own)]


def test_a_kind_of_two_levels_leaves_its_severity_to_the_level(checkout: Path) -> None:
    code = "".join(
        (checkout / f"server/services/{name}.py").read_text() for name in ("health", "arena_checks")
    )
    levels = {
        level: set(re.findall(rf'\b{level}\)*\(\s*"(\w+)"', code)) for level in ("bad", "warning")
    }
    assert levels["bad"] | levels["warning"] == set(SYMPTOMS)
    of_level = {kind for kind in SYMPTOMS if severity(kind, "bad") != severity(kind, "warning")}
    assert levels["bad"] & levels["warning"] <= of_level
    assert {kind for kind in levels["bad"] if severity(kind, "bad") == "warning"} == {"arenas"}


def alert_of(kind: str) -> dict[str, Any]:
    """Returns the alert that a finding of this kind raises."""
    own = [alert for alert in ALERTS if kind in kinds_in(alert["expr"])]
    return own[0] if own else next(one for one in ALERTS if one["alert"] == "MatchboxFinding")


def severity(kind: str, level: str) -> str:
    """Returns the severity of the alert of a finding of this kind and level."""
    told: str = alert_of(kind)["labels"]["severity"]
    return {"bad": "critical", "warning": "warning"}[level] if "$labels.level" in told else told


def test_prometheus_raises_the_alert_of_each_kind_and_no_other(tmp_path: Path) -> None:
    found = [(kind, level) for kind in (*SYMPTOMS, "unheard") for level in ("bad", "warning")]
    shown = 'count by (alertname, severity) (ALERTS{alertstate="firing"})'

    def told(kind: str, level: str, value: int) -> dict[str, str]:
        series = f'matchbox_findings{{job="matchbox",kind="{kind}",level="{level}"}}'
        return {"series": series, "values": f"{value}x60"}

    def labels(kind: str, level: str) -> str:
        return f'{{alertname="{alert_of(kind)["alert"]}", severity="{severity(kind, level)}"}}'

    tests = [
        {
            "interval": "1m",
            "input_series": [told(*one, int(one == finding)) for one in found],
            "promql_expr_test": [
                {
                    "expr": shown,
                    "eval_time": "30m",
                    "exp_samples": [{"labels": labels(*finding), "value": 1}],
                }
            ],
        }
        for finding in found
    ]
    quiet = {"expr": shown, "eval_time": "30m", "exp_samples": []}
    nothing = [told(*one, 0) for one in found]
    tests.append({"interval": "1m", "input_series": nothing, "promql_expr_test": [quiet]})
    file = tmp_path / "tests.yml"
    rules = [str(FOLDER / "alerts.yml")]
    file.write_text(yaml.safe_dump({"rule_files": rules, "tests": tests}))
    command = [services.needs("promtool"), "test", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_for_operators_has_every_kind_of_finding_with_its_section(checkout: Path) -> None:
    text = (checkout / "docs/operate.md").read_text()
    told = re.findall(r"^\| \[`(\w+)`\]\(symptoms\.md#([\w-]+)\) \|", text, re.MULTILINE)
    assert sorted(told) == sorted(SYMPTOMS.items())


def test_every_alert_leads_to_its_section_of_the_symptoms(checkout: Path) -> None:
    page = markdown.read((checkout / "docs/symptoms.md").read_text())
    known = {f"docs/symptoms.md#{one.anchor}" for one in page.sections} | {"docs/symptoms.md"}
    assert {one["annotations"]["runbook"] for one in ALERTS} <= known


def test_a_prometheus_of_containers_reaches_both_programs_from_the_network_that_it_is_told(
    checkout: Path,
) -> None:
    told = yaml.safe_load((checkout / "docker-compose.yml").read_text())
    both = set(told["services"]["web"]["networks"]) & set(told["services"]["internal"]["networks"])
    reached = {name for name in both if not told["networks"][name].get("internal")}
    (named,) = re.findall(r"the\n# network `(\w+)`", (FOLDER / "prometheus.yml").read_text())
    page = (checkout / "docs/operate.md").read_text()
    assert named in reached
    assert f"networks: [{named}]\nnetworks:\n  {named}: {{external: true" in page


@pytest.mark.parametrize("words", [("config", "prometheus.yml"), ("rules", "alerts.yml")])
def test_prometheus_accepts_the_files(words: tuple[str, str]) -> None:
    command = [services.needs("promtool"), "check", words[0], str(FOLDER / words[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
