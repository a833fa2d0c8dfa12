"""`matchbox status`: what is wrong with a running platform, in words. The server judges."""

from __future__ import annotations

from typing import Final

from cli import output
from cli.playing import JsonOption
from cli.remote import connect

WAIT_S: Final = 20.0
"""How long the server may take to judge itself: with a broker that hangs, some seconds."""


def status(json: JsonOption = False) -> None:
    """Say what is wrong with the platform; exits 1 if anything is. For operators."""
    from matchbox.answers.health import Health

    with connect() as client:
        late = "it hangs or is overloaded; see web.log, and restart `web`"
        told = client.answer(Health, "/health", wait_s=WAIT_S, late=late)
    if json:
        output.document(told.plain())
    else:
        for one in told.findings:
            print(f"{one.text} {one.remedy}")
        reporting = sum(one.state == "reports" for one in told.arenas)
        waiting = sum(one.queued for one in told.jobs)
        print(
            f"{'' if told.findings else 'All is well. '}Arenas: {reporting}. Waiting: {waiting:,}."
        )
    if told.findings:
        output.exit_no()
