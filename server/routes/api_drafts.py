"""Drafts: a verdict without a version."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.bots import Draft
from matchbox.bundle import read_bundle
from server.auth import acting, context, viewer
from server.queries import waiting
from server.rate_limits import client_network
from server.routes import schemas
from server.routes.responses import answered, gives_location, made_at
from server.routes.upload_body import read_upload, request_body
from server.scopes import Scope, needs
from server.services import drafts

routes = APIBlueprint("drafts", __name__, url_prefix="/api/v1", tag="Drafts")


@routes.post("/drafts")
@needs(Scope.SUBMIT)
@gives_location
@routes.output(Draft, status_code=201)
@routes.doc(extensions={"requestBody": request_body(schemas.NewDraft)})
def try_draft() -> Response:
    """Tries a file out without making a version of it; poll the Location for the verdict.

    An account may try as many drafts in an hour as it may upload. A draft is deleted after an hour.
    """
    form, data = read_upload(schemas.NewDraft)
    settings, bundle = context().settings, read_bundle(data)
    with acting() as (session, actor, now):
        row = drafts.try_draft(
            session,
            actor,
            game=form.game,
            data=data,
            bundle=bundle,
            class_name=form.class_name,
            network=client_network(),
            settings=settings,
            now=now,
        )
        made = waiting.draft(session, actor, row.id, settings=settings, now=now)
    return made_at(url_for("drafts.draft", number=made.id), made)


@routes.get("/drafts/<number:number>")
@needs(Scope.READ)
@routes.output(Draft)
def draft(number: int) -> Response:
    """Returns one of your drafts; its report is null until the verdict."""
    ctx = context()
    with ctx.read() as session:
        settings, now = ctx.settings, ctx.now()
        return answered(waiting.draft(session, viewer(session), number, settings=settings, now=now))
