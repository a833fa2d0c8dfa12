"""Fills a platform with accounts, bots and seasons, so that every page has content.

Knows the API; knows no page and no picture.
"""

from __future__ import annotations

from typing import Any, Final

from tests.builders import shipped
from tests.installation import Installation, eventually

SETTINGS: Final = {
    "MATCHBOX_LEAGUE_MATCHES": "4",
    "MATCHBOX_MATCH_DEALS": "4",
    "MATCHBOX_UPLOADS_PER_HOUR": "1000",
}
"""The settings of the platform. It has much to play, so matches are small."""
MANY: Final = 8
"""The number of matches of every game to wait for."""
WAIT_S: Final = 1200.0
AUTHORS: Final = {
    "alice": ("careful", "medium"),
    "bob": ("ledger", "scared"),
    "dora": ("lantern", "medium"),
    "emil": ("pocket", "simple"),
    "fatima": ("clockwork", "medium"),
    "george": ("tin-drum", "scared"),
    "hana": ("magpie", "medium"),
    "ivo": ("nightshift", "scared"),
}
"""Authors, each with the name of a bot for bomb, and the shipped bot of which it is a variant."""
EVERYBODY: Final = {"everybody": True}
GAMES: Final = ("bomb", "creatures", "skull", "thegame", "war")
BROKEN: Final = b"from matchbox.games.bomb import *\n\n\nclass Careful(Player)\n    pass\n"


def fill(platform: Installation) -> dict[str, str]:
    """Fills the platform and waits until its pages have content; returns values for the parts of
    addresses."""
    platform.operator()
    tokens = {name: platform.author(name) for name in AUTHORS}
    for name, (bot, like) in AUTHORS.items():
        _upload(platform, tokens[name], bot, _variant(like, name), state="active")
    _upload(platform, tokens["alice"], "careful", _variant("scared", "alice"), state="accepted")
    _upload(platform, tokens["alice"], "careful", BROKEN, state="refused")
    seasons = _seasons(platform)
    compared = {"bot": "alice/careful", "games": 200}
    told = platform.ask("POST", "/comparisons", token=tokens["alice"], json=compared)
    assert told.status_code == 201, told.text
    for ended in ("cup", "swiss"):
        _wait(platform, lambda ended=ended: _state(platform, seasons[ended]) == "finished")
    for game in GAMES:
        _wait(platform, lambda game=game: _finished(platform, game=game, limit=MANY)[MANY - 1 :])
    seasons["running"] = _running(platform)
    _wait(platform, lambda: _finished(platform, season=seasons["running"], limit=12)[11:])
    return {
        **seasons,
        **{game: _finished(platform, game=game)[0]["id"] for game in GAMES},
        "own": _finished(platform, bot="alice/careful")[0]["id"],
        "arena": str(platform.get("/health")["arenas"][0]["full_name"]),
        "comparison": str(told.json()["id"]),
        "table": _table(platform, tokens["alice"]),
        "code": str(platform.post("/leagues/weekly/code")["code"]),
    }


def _seasons(platform: Installation) -> dict[str, str]:
    """Makes and starts seasons that end soon, and one that waits; returns their numbers by name."""
    cup = _season(
        *(platform, "Autumn cup"),
        game="bomb",
        deals=2,
        admission=EVERYBODY,
        format={"kind": "knock-out", "group": 3, "through": 2},
    )
    swiss = _season(
        *(platform, "Swiss evening"),
        game="bomb",
        deals=2,
        admission=EVERYBODY,
        format={"kind": "swiss", "rounds": 4},
    )
    platform.post(
        "/leagues",
        name="weekly",
        game="bomb",
        deals=5,
        format={"kind": "adaptive", "question": "top", "top": 3},
        schedule={"cron": "0 18 * * FRI", "zone": "Europe/Berlin"},
    )
    waiting = _wait(platform, lambda: platform.get("/leagues/weekly")["seasons"])
    for number in (cup, swiss):
        platform.post(f"/seasons/{number}/start")
    return {"cup": cup, "swiss": swiss, "open": str(waiting[0]["id"])}


def _running(platform: Installation) -> str:
    """Starts a season that lasts long; returns its number."""
    number = _season(
        *(platform, "Long winter"),
        game="bomb",
        deals=50,
        admission=EVERYBODY,
        format={"kind": "round-robin", "cycles": 20},
    )
    platform.post(f"/seasons/{number}/start")
    return number


def _season(platform: Installation, name: str, **how: Any) -> str:
    return str(platform.post("/seasons", name=name, **how)["id"])


def _state(platform: Installation, season: str) -> str:
    return str(platform.get(f"/seasons/{season}")["state"])


def _finished(platform: Installation, **which: Any) -> list[dict[str, Any]]:
    """The newest finished matches whose record may be read."""
    found = platform.get("/matches", **{"state": "finished", "limit": MANY, **which})["items"]
    return [
        one for one in found if one["score"] is not None or one["entrants"][0]["points"] is not None
    ]


def _variant(like: str, author: str) -> bytes:
    return shipped("bomb", like) + f"# {author}'s own\n".encode()


def _upload(platform: Installation, token: str, bot: str, data: bytes, *, state: str) -> None:
    known = [one["bot"] for one in platform.ask("GET", "/bots", token=token).json()["items"]]
    owner = platform.ask("GET", "/whoami", token=token).json()["name"]
    if f"{owner}/{bot}" in known:
        path, form = f"/bots/{bot}/versions", {}
    else:
        path, form = "/bots", {"game": "bomb", "name": bot}
    answer = platform.ask("POST", path, token=token, data=form, files={"file": ("bot.py", data)})
    assert answer.status_code == 201, answer.text
    told = platform.verdict(answer.json()["id"], token=token)
    assert (told["state"] == "refused") == (state == "refused"), told


def _wait(platform: Installation, look: Any) -> Any:
    return eventually(look, WAIT_S, why=platform.logs(), pause_s=0.5)


def _table(platform: Installation, token: str) -> str:
    """The id of a table at which it is the person's turn."""
    wanted = {"game": "skull", "seats": ["me", "house/bluffer", "house/regret"]}
    told = platform.ask("POST", "/tables", token=token, json=wanted)
    assert told.status_code == 201, told.text
    table: str = told.json()["id"]

    def state() -> str:
        found: str = platform.ask("GET", f"/tables/{table}", token=token).json()["state"]
        return found

    _wait(platform, lambda: state() == "persons")
    return table
