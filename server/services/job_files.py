"""The files that an arena needs for a job: bundles, memories and records. Reads none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.db.models import Draft, Lesson, Match, MatchVerification, Turn, Version
from server.services import tryouts

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.services.jobs import Job


def files_of(session: Session, job: Job) -> set[str]:
    """Returns the digests of the bundles and memories that the job needs, and the ids of the
    matches whose records it needs."""
    match job:
        case Match():
            return _of_match(job)
        case MatchVerification():
            return {job.match_id} | _of_match(job.match)
        case Version() | Draft():
            beside = tryouts.house_bot(session, job)
            return {job.digest} | ({beside.version} if beside else set())
        case Lesson():
            memory = {job.before} if job.before else set()
            return {job.version.digest, *(name for name, _ in job.played)} | memory
        case Turn():
            return {seat.version.digest for seat in job.table.seats if seat.version}


def _of_match(match: Match) -> set[str]:
    bundles = {seat.version.digest for seat in match.seats}
    return bundles | {seat.memory for seat in match.seats if seat.memory}
