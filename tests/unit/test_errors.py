"""The tree of errors is drawn in full, and a wrong value is repeated, but not without end."""

from __future__ import annotations

import re

import pytest

from matchbox import errors
from matchbox.errors import MAX_QUOTED, BadSetting, MatchboxError, quoted
from matchbox.settings import read_settings


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("it's", '"it\'s"'),
        ("x" * MAX_QUOTED, f"'{'x' * MAX_QUOTED}'"),
        ("x" * 9999, f"'{'x' * MAX_QUOTED}'..."),
        (7, "7"),
        (10**99, f"1{'0' * (MAX_QUOTED - 1)}..."),
    ],
)
def test_a_long_value_is_cut(value: object, text: str) -> None:
    assert quoted(value) == text


@pytest.mark.parametrize("name", ["MATCHBOX_BOX", "MATCHBOX_ARENAS", "MATCHBOX_PIN"])
@pytest.mark.parametrize("text", ["x" * 5000, "9" * 4000])
def test_a_wrong_setting_is_named_in_a_line(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=f"^{name} is ") as caught:
        read_settings({name: text})
    assert len(str(caught.value)) < 200


def test_the_tree_of_errors_shows_every_error_under_its_base() -> None:
    drawn, bases = {}, [""]
    for bar, name in re.findall(
        r"^([│├└─ ]*)([A-Z]\w+)(?:  |$)", errors.__doc__ or "", re.MULTILINE
    ):
        depth = len(bar) // 4
        bases[depth + 1 :] = [name]
        drawn[name] = bases[depth]
    made = {
        name: one.__mro__[1].__name__
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, MatchboxError) and one is not MatchboxError
    }
    assert drawn.pop("MatchboxError") == ""
    assert drawn == made
