"""Every page of the site has a screenshot in `make screenshots`, or an exception with a reason."""

from __future__ import annotations

import re
from pathlib import Path

from tests.screenshots.table import EXCEPTIONS, SHOTS
from tests.unit.dashboard.cast import make_app
from tests.unit.dashboard.states import LOOKS

HOME = Path(__file__).parents[2]
PAGES = make_app().url_map


def endpoint(address: str) -> str:
    """The endpoint of this address of the table."""
    path = re.sub(r"\{\w+\}", "7", address.partition("?")[0])
    found: str = PAGES.bind("127.0.0.1").match(path)[0]
    return found


def test_every_page_is_photographed_or_is_an_exception() -> None:
    pages = {rule.endpoint for rule in PAGES.iter_rules() if rule.endpoint.startswith("pages.")}
    photographed = {endpoint(shot.address) for shot in SHOTS}
    assert pages - photographed - set(EXCEPTIONS) == set()
    assert set(EXCEPTIONS) <= pages - photographed


def test_axe_looks_at_every_page() -> None:
    looked_at = {endpoint(path) for look in LOOKS.values() for path in look.paths}
    pages = {rule.endpoint for rule in PAGES.iter_rules() if rule.endpoint.startswith("pages.")}
    assert pages - looked_at - set(EXCEPTIONS) == set()


def test_every_picture_has_a_name_of_its_own() -> None:
    names = [shot.name for shot in SHOTS]
    assert sorted(set(names)) == sorted(names)


def test_the_readme_shows_pictures_of_the_table() -> None:
    shown = re.findall(r"\]\((docs/screenshots/[\w-]+\.png)\)", (HOME / "README.md").read_text())
    assert len(shown) == 3
    names = {re.sub(r"-(wide|phone)-(light|dark)$", "", Path(path).stem) for path in shown}
    assert names <= {shot.name for shot in SHOTS}
    assert all((HOME / path).stat().st_size < 300_000 for path in shown)
