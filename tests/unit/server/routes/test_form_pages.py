"""Each form and the page that is shown again if it fails: their arguments fit."""

from __future__ import annotations

import inspect
from typing import Any

from apiflask import APIFlask

from server.problems import AGAIN


def test_a_form_s_page_takes_what_the_form_hands_to_it(app: APIFlask) -> None:
    seen = 0
    for rule in app.url_map.iter_rules():
        again = getattr(app.view_functions[rule.endpoint], AGAIN, None)
        if again is None:
            continue
        told: Any = inspect.getclosurevars(again).nonlocals
        handed = {*rule.arguments, "values", "error"} - {*told["without"]}
        inspect.signature(told["page"]).bind("the source", **dict.fromkeys(handed))
        seen += 1
    assert seen > 40
