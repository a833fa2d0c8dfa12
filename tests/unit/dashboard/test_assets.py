from __future__ import annotations

import gzip
import re
from hashlib import sha256

import pytest
from plotly.offline import get_plotlyjs_version

from dashboard.assets import STATIC, asset_url
from tests.unit.dashboard.cast import make_app

TABLE = (STATIC / "vendor/README.md").read_text()
VENDORED = re.findall(r"^\| (\S+\.js) \| (\S+) \| (\S+) \| (.*) \| ([0-9a-f]{64}) \|$", TABLE, re.M)


def test_every_script_of_others_is_told_with_its_digest() -> None:
    files = {path.name for path in (STATIC / "vendor").glob("*.js")}
    assert files == {name for name, *_ in VENDORED}
    for name, *_, digest in VENDORED:
        assert sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest


def test_the_drawing_script_is_the_one_of_the_python_package() -> None:
    versions = {package: version for _, package, version, *_ in VENDORED}
    assert versions["plotly.js-cartesian-dist-min"] == get_plotlyjs_version()


def test_every_script_of_others_has_its_licence() -> None:
    assert VENDORED
    for script, _, _, licence, _ in VENDORED:
        (name,) = re.findall(r"\S+-LICENSE\.txt", licence)
        assert (STATIC / "vendor" / name).stat().st_size > 200, script


def test_no_script_declares_a_name_that_the_script_of_every_page_declares() -> None:
    """Scripts of a page share their names, and one that declares a name again does not run."""
    name = re.compile(r"^(?:let|const|class|(?:async )?function) (\w+)", re.M)
    declared = {path.name: set(name.findall(path.read_text())) for path in STATIC.glob("*.js")}
    own = declared.pop("site.js")
    assert own
    assert {script: own & names for script, names in declared.items() if own & names} == {}


def test_an_asset_is_kept_for_a_year_under_an_address_of_its_content() -> None:
    app = make_app()
    with app.test_request_context():
        address = asset_url("site.css")
    answer = app.test_client().get(address, headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.mimetype == "text/css"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data) == (STATIC / "site.css").read_bytes()


def test_another_version_is_not_kept() -> None:
    answer = make_app().test_client().get("/assets/site.css?v=older")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "Content-Encoding" not in answer.headers
    assert answer.data == (STATIC / "site.css").read_bytes()


@pytest.mark.parametrize("name", ["no.css", "../pages.py", "..%2Fpages.py", "%00", "vendor"])
def test_nothing_else_is_sent(name: str) -> None:
    assert make_app().test_client().get(f"/assets/{name}").status_code == 404
