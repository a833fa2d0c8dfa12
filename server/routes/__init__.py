"""The web routes: they parse requests, call services or queries, and render answers.

They never use the database directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Blueprint


def blueprints() -> list[Blueprint]:
    """Returns every public blueprint, in the order of the OpenAPI document."""
    return [*_for_programs(), *_for_people()]


def _for_programs() -> list[Blueprint]:
    """Returns the blueprints of the API."""
    from server.routes import (
        api_accounts,
        api_arenas,
        api_bots,
        api_classes,
        api_comparisons,
        api_drafts,
        api_events,
        api_games,
        api_leagues,
        api_lessons,
        api_matches,
        api_notices,
        api_operations,
        api_play,
        api_proof,
        api_queue,
        api_seasons,
        api_users,
        api_versions,
        remote,
    )

    return [
        api_accounts.routes,
        api_users.routes,
        api_games.routes,
        api_bots.routes,
        api_versions.routes,
        api_drafts.routes,
        api_comparisons.routes,
        api_matches.routes,
        api_play.routes,
        api_leagues.routes,
        api_classes.routes,
        api_seasons.routes,
        api_lessons.routes,
        api_proof.routes,
        api_arenas.routes,
        api_operations.routes,
        api_queue.routes,
        api_notices.routes,
        api_events.routes,
        remote.routes,
    ]


def _for_people() -> list[Blueprint]:
    """Returns the blueprints of the health checks and of the pages' forms."""
    from server.routes import (
        forms_accounts,
        forms_bots,
        forms_classes,
        forms_leagues,
        forms_matches,
        forms_notices,
        forms_openid,
        forms_operations,
        forms_play,
        forms_users,
        health,
    )

    return [
        health.routes,
        forms_accounts.routes,
        forms_openid.routes,
        forms_bots.routes,
        forms_notices.routes,
        forms_leagues.routes,
        forms_classes.routes,
        forms_operations.routes,
        forms_users.routes,
        forms_play.routes,
        forms_matches.routes,
    ]
