"""Alice's notices and their deliveries, for the pages of the cast."""

from __future__ import annotations

from typing import Any

from matchbox.answers.notices import DeliverySettings, NoticeLine, Notices, WebhookLine

EARLIER = "2026-11-21T11:57:00Z"


def inbox(**asked: Any) -> Notices:
    """An unread notice, a read one, and one of an unknown kind."""
    told = [("verdict", "version:3", "alice/careful version 3 was refused: no player", None),
            ("rank-change", "season:7", "alice/careful rose from rank 3 to 2 of 6", EARLIER),
            ("something-new", "match:1", "a match", None)]  # fmt: skip
    items = [
        NoticeLine(id=9 - at, kind=kind, subject=subject, text=text, path="/seasons/7",
                   at=EARLIER, read_at=read_at)
        for at, (kind, subject, text, read_at) in enumerate(told)
    ]  # fmt: skip
    return Notices(items=items, next="7", unread=2)


def delivery_settings() -> DeliverySettings:
    """An address, another one that awaits confirmation, and a webhook in each state."""
    fates = [(None, None, ""), (EARLIER, None, ""), (EARLIER, None, "it answered 500"),
             (None, EARLIER, "it answered 410")]  # fmt: skip
    hooks = [
        WebhookLine(id=at, url=f"https://hooks.example/{at}", created_at=EARLIER,
                    arrived_at=arrived, disabled_at=disabled, trouble=trouble)
        for at, (arrived, disabled, trouble) in enumerate(fates)
    ]  # fmt: skip
    return DeliverySettings(
        mail=True, email="alice@example.org", email_asked="new@example.org",
        kinds=["verdict", "rank-change", "season-end"], muted=["rank-change"],
        hooks="public", webhooks=hooks, shares=False,
    )  # fmt: skip
