"""What a token has to be allowed for each address: a route declares its scope with `needs`.

Knows views and scopes; does not know who asks. Sessions have every scope of their account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from server.db.models import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    View = TypeVar("View", bound=Callable[..., Any])

__all__ = ["ANYBODY", "Scope", "needs", "scope_of"]

ANYBODY: Final = "none"
"""The scope of what somebody without an account may do: no token is looked at."""
_DECLARED: Final = "matchbox_scope"
_FROM_OTHERS: Final = {"openapi.spec": Scope.READ}
"""Views of the framework's own."""


def needs(scope: Scope | str) -> Callable[[View], View]:
    """Declares the scope that a token needs for this view of the API; `ANYBODY` for none."""

    def declare(view: View) -> View:
        setattr(view, _DECLARED, scope)
        return view

    return declare


def scope_of(endpoint: str, view: Callable[..., Any]) -> str | None:
    """What the view of this endpoint has declared, or None."""
    return getattr(view, _DECLARED, _FROM_OTHERS.get(endpoint))
