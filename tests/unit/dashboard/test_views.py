"""Each address and its page: the parts of the one are arguments of the other."""

from __future__ import annotations

import inspect

import pytest
from werkzeug.routing import Rule

from tests.unit.dashboard.cast import make_app

APP = make_app()


@pytest.mark.parametrize("rule", list(APP.url_map.iter_rules()), ids=str)
def test_a_page_takes_the_parts_of_its_address(rule: Rule) -> None:
    page = inspect.signature(APP.view_functions[rule.endpoint])
    page.bind(**dict.fromkeys(rule.arguments | ({"source"} & set(page.parameters))))
