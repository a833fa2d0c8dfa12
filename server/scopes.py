"""The scope that a token needs for each view of the API. A view declares it with `needs`.

Knows views and scopes, but not who sends a request. A session has every scope of its account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from server.db.models import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    View = TypeVar("View", bound=Callable[..., Any])

__all__ = ["ANYBODY", "Scope", "is_public", "needs", "scope_of"]

ANYBODY: Final = "none"
"""The scope of a view that needs no account: a token's scopes are not checked."""
_DECLARED: Final = "matchbox_scope"
_PUBLIC: Final = "matchbox_public"
_FROM_OTHERS: Final = {"openapi.spec": Scope.READ}
"""The scopes of the framework's own views."""


def needs(scope: Scope | str, *, public: bool = False) -> Callable[[View], View]:
    """Declares the scope that a token needs for this view of the API; `ANYBODY` for none.

    A `public` view also answers a request that comes without an account.
    """

    def declare(view: View) -> View:
        setattr(view, _DECLARED, scope)
        setattr(view, _PUBLIC, public or scope == ANYBODY)
        return view

    return declare


def scope_of(endpoint: str, view: Callable[..., Any]) -> str | None:
    """Returns the scope that the view of this endpoint has declared, or None."""
    return getattr(view, _DECLARED, _FROM_OTHERS.get(endpoint))


def is_public(endpoint: str, view: Callable[..., Any]) -> bool:
    """Returns whether the view of this endpoint answers a request without an account."""
    return getattr(view, _PUBLIC, endpoint in _FROM_OTHERS)
