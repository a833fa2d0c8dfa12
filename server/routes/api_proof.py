"""The proof of a season: its archive, its verifications, and each owner's consent to share bots."""

from __future__ import annotations

from typing import IO, Annotated, Final, Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import FailFast, Field

from matchbox.answers import lessons as answers
from server.auth import account, acting, context, viewer
from server.queries.archive import may_be_archived, write_archive
from server.queries.lessons import verification
from server.routes import schemas
from server.routes.responses import answered, described
from server.scopes import Scope, needs
from server.services import accounts, verifications
from server.zips import ZIP, Turns, zip_response

Count = Annotated[int, Field(ge=0, le=1_000_000)]
Id = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
MOST_NAMED: Final = 30_000
"""The most matches or lessons with a finding that a body has room to name."""
# Of many errors, the first is enough.
Ids = Annotated[list[Id], Field(max_length=MOST_NAMED), FailFast()]
Names = Annotated[
    list[Annotated[str, Field(max_length=300)]], Field(max_length=MOST_NAMED), FailFast()
]

routes = APIBlueprint("proof", __name__, url_prefix="/api/v1", tag="Seasons")


class WhichBundles(schemas.Query):
    """The choice of the files and memories in an archive."""

    bundles: Literal["mine", "allowed", "all"] = "allowed"


class LessonsFound(schemas.Body):
    """The results of repeating a season's lessons."""

    lessons: Count
    out_of: Count
    same: Count
    different: Names
    unrepeatable: Names
    not_repeated: Names


class Counts(schemas.Body):
    """How many matches have each finding."""

    different: Count
    unrepeatable: Count
    replayed_only: Count


class LessonCounts(schemas.Body):
    """How many lessons have each finding."""

    different: Count
    unrepeatable: Count
    not_repeated: Count


class Found(schemas.Body):
    """The results of replaying a season.

    If there are many, the lists may name only the first matches, or lessons, with a finding; then
    `counts`, or `lesson_counts`, say how many there are.
    """

    matches: Count
    out_of: Count
    same: Count
    different: Ids
    unrepeatable: Ids
    replayed_only: Ids
    lessons: LessonsFound
    standing: Literal["same", "different"]
    counts: Counts | None = None
    lesson_counts: LessonCounts | None = None


_ARCHIVES: Final = Turns()


class NewSharing(schemas.Body):
    """Whether the account's bots may be included in exported seasons."""

    shares: bool


@routes.get("/seasons/<season:season>/archive")
@needs(Scope.READ, public=True)
@routes.input(WhichBundles, location="query")
@routes.doc(responses={**described("A zip", ZIP), 409: "Conflict"})
def archive(season: str, query_data: WhichBundles) -> Response:
    """Returns a season that is over as a zip; `bundles` chooses whose bots it contains."""

    with context().read() as session:
        may_be_archived(session, viewer(session), season, query_data.bundles)

    def write(file: IO[bytes]) -> str:
        with context().read() as session:
            return write_archive(session, viewer(session), season, query_data.bundles, file)

    return zip_response(write, "private, no-cache", _ARCHIVES)


@routes.post("/seasons/<season:season>/verifications")
@needs(Scope.OPERATE)
@routes.input(Found)
@routes.output(answers.Verification, status_code=201)
def verified(season: str, json_data: Found) -> Response:
    """Stores the result of an operator's replay of the season; for operators."""
    with acting() as (session, actor, now):
        row = verifications.store(session, actor, season, **json_data.model_dump(), now=now)
        return answered(verification(row), 201)


@routes.get("/account/sharing")
@needs(Scope.READ)
@routes.output(answers.Sharing)
def sharing() -> Response:
    """Returns whether exported seasons include your bots' files and memories."""
    with context().read() as session:
        return answered(answers.Sharing(shares=account(session).shares))


@routes.post("/account/sharing")
@needs(Scope.SUBMIT)
@routes.input(NewSharing)
@routes.output(answers.Sharing)
def share(json_data: NewSharing) -> Response:
    """Sets whether exported seasons include your bots' files and memories."""
    with acting() as (_, actor, _now):
        accounts.share(actor, shares=json_data.shares)
    return answered(answers.Sharing(shares=json_data.shares))
