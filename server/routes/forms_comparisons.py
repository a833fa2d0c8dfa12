"""What the pages' forms do to comparisons: ask, cancel. Fields as the templates say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from matchbox.errors import BadOption
from server.routes.api_comparisons import begin, end
from server.routes.forms import field, go_to

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_comparisons", __name__)


@routes.post("/bots/<name:owner>/<name:name>/compare")
def compare(owner: str, name: str) -> Response:
    """Begins a comparison, and goes to its page."""
    names = ("challenger", "defender", "field", "games")
    asked = {name: _whole(name, field(name)) for name in names}
    return go_to("pages.comparison", comparison=begin(f"{owner}/{name}", **asked))


@routes.post("/comparisons/<number:number>/cancel")
def cancel(number: int) -> Response:
    """Ends a comparison."""
    end(number)
    return go_to("pages.comparison", comparison=number)


def _whole(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadOption(f"{name} is {text!r}; it must be a whole number")
    return int(text)
