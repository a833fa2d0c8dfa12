"""The first day of a platform: `make up`, its operator, its first author, and authors' usual
mistakes. A real browser on the real platform."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import become_operator, write_text
from tests.installation import PASSWORD, Installation, eventually, installed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

IMPORTS: Final = "import random as random_number\nfrom matchbox.games.bomb import *\n\n\n"
NOTEBOOK: Final = Path(__file__).parent.parent / "documents" / "bomb" / "medium.py"
TURN: Final = "        return None\n"
BIRTH: Final = "    def __init__(self):\n"
PLAYER: Final = f"""class Mine(Player):
    def name(self):
        return "Mine"

    def turn(self, game_data, play_a_card):
{TURN}
    def defuse(self, game_data):
        return 0
"""
MINE: Final = IMPORTS + PLAYER


def turning(body: str) -> str:
    """A player with this body of `turn`."""
    return MINE.replace(TURN, f"        {body}\n")


def born(body: str) -> str:
    """A player with this body of `__init__`."""
    return MINE.replace(":\n", f":\n{BIRTH}        {body}\n\n", 1)


def zipped(text: str) -> bytes:
    """A zip with that player."""
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("player.py", text)
    return whole.getvalue()


LOOP: Final = "while True: pass"
REFUSED: Final = [
    ("syntax-error", MINE.replace("turn(", "turn"), "crash", r"not valid Python.*line 9\)"),
    ("no-player", IMPORTS, "bundle", r"no subclass of Player; write one"),
    ("two-players", MINE + PLAYER.replace("Mine", "Yours"), "bundle", r"\(Mine, Yours\); choose"),
    ("no-turn", MINE.replace("def turn", "def move"), "crash", r"lacks a method:.*turn\(game_data"),
    ("wrong-return", turning("return 'skip'"), "illegal", r"turn\(\) returned.*type str; return"),
    ("exception", turning("return [][3]"), "crash", r"line 10, in turn\): IndexError: list index"),
    ("import-loop", MINE + LOOP, "timeout", r"being imported \(player.py, line 14\).*5000 ms"),
    ("init-loop", born(LOOP), "timeout", r"line 7, in __init__\): it used.*1000 ms"),
    ("turn-loop", turning(LOOP), "timeout", r"line 10, in turn\): it used.*loop that does not end"),
    ("memory-hog", turning("return bytearray(1 << 30)"), "memory", r"more memory than the 256 MiB"),
    (
        "exit",
        turning("raise SystemExit"),
        "crash",
        r"stopped.*line 10, in turn\): SystemExit; a player",
    ),
    ("hard-exit", turning("__import__('os')._exit(0)"), "crash", r"ended with exit code 0"),
    (
        "flood",
        turning("while True: print('x' * 999)"),
        "timeout",
        r"16384 bytes, and 4096 of one",
    ),
]
"""Files that the try-out refuses: name, file, verdict, words of the sentence."""
TURNED_AWAY: Final = [
    ("ten-megabytes", b"#" * (10 << 20), 413, r"longer than 1 MiB; a single file may have 64 KiB"),
    ("zip-bomb", zipped("#" * (3 << 20)), 422, r"unpacks to more than 20 times its size"),
    ("not-utf8", MINE.encode() + b"# \xe9t\xe9\n", 422, r"not UTF-8 in line 14; save it as UTF-8"),
]
"""Files that the upload refuses: name, file, status, words of the sentence."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform that has just been started."""
    settings = {"MATCHBOX_LEAGUE_MATCHES": "4", "MATCHBOX_MATCH_DEALS": "5"}
    with installed(tmp_path_factory.mktemp("day") / "data", settings, anew=True) as platform:
        yield platform


@pytest.fixture(scope="module")
def token(platform: Installation) -> str:
    """A token of bob for the API."""
    return platform.author("bob")


def test_the_first_day(platform: Installation, browser: Browser, shots: Path) -> None:
    with browser.new_context() as one, browser.new_context() as other:
        charlie, alice = one.new_page(), other.new_page()
        become_operator(charlie, platform.link)
        sign_up(alice, platform)
        submit_file(alice, NOTEBOOK)
        picture(alice, shots, "accepted")
        submit_text(alice, "pasted", turning("return skip_crad"))
        verdict = alice.locator("#verdict")
        expect(verdict).to_contain_text("Refused. Your bot ended with an error.")
        expect(verdict).to_contain_text("name 'skip_crad' is not defined")
        expect(verdict.locator(".wrong")).to_contain_text("return skip_crad")
        picture(alice, shots, "refused")
        submit_text(alice, "pasted", turning("return None"))
        expect(verdict).to_contain_text("Active. It plays by the rules")
        see_it_play(alice, platform)
        picture(alice, shots, "match")
        alice.goto(platform.url + "/account")
        expect(alice.locator("tr", has_text="alice/notebook")).to_contain_text("active")
        picture(alice, shots, "account")
        alice.goto(platform.url + "/submit")
        picture(alice, shots, "submit")
        charlie.goto(platform.url + "/admin")
        charlie.get_by_role("link", name="Show all 2 accounts").click()
        expect(charlie.locator("tr", has_text="alice")).to_contain_text("2")
        picture(charlie, shots, "accounts")


@pytest.mark.parametrize("name, text, verdict, says", REFUSED, ids=[name for name, *_ in REFUSED])
def test_a_broken_bot_is_refused_with_a_sentence_that_names_the_cause(
    platform: Installation, token: str, name: str, text: str, verdict: str, says: str
) -> None:
    told = platform.upload(name, text.encode(), token=token)
    assert told.status_code == 201, told.text
    version = platform.verdict(told.json()["id"], token=token)
    assert version["state"] == "refused"
    assert version["report"]["verdict"] == verdict
    (reason,) = version["report"]["reasons"]
    assert re.search(says, reason), reason


@pytest.mark.parametrize(
    "name, data, status, says", TURNED_AWAY, ids=[name for name, *_ in TURNED_AWAY]
)
def test_a_file_that_can_be_no_bot_is_turned_away_at_the_door(
    platform: Installation, token: str, name: str, data: bytes, status: int, says: str
) -> None:
    told = platform.upload(name, data, token=token)
    assert told.status_code == status
    assert told.headers["Content-Type"].startswith("application/problem+json")
    assert re.search(says, told.json()["detail"]), told.text


def test_a_flood_that_ends_is_cut_and_forgiven(platform: Installation, token: str) -> None:
    text = turning("return print('x' * 9999)")
    version = platform.upload("chatty", text.encode(), token=token).json()["id"]
    told = platform.verdict(version, token=token)
    assert told["state"] == "active"
    assert len(told["report"]["log"]) <= 16_384


def test_of_two_players_one_may_be_chosen(platform: Installation, token: str) -> None:
    text = MINE + PLAYER.replace("Mine", "Yours")
    answer = platform.upload("chosen", text.encode(), token=token, **{"class": "Yours"})
    told = platform.verdict(answer.json()["id"], token=token)
    assert told["state"] == "active"
    assert told["report"]["class_name"] == "Yours"


def sign_up(page: Page, platform: Installation) -> None:
    """Makes alice's account."""
    page.goto(platform.url)
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Submit a bot")).to_be_visible()


def submit_file(page: Page, file: Path) -> None:
    """Submits a player written for the notebook, as the file that it is."""
    page.get_by_label("Name of the bot").fill("notebook")
    page.get_by_label("Or a file").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#verdict")).to_contain_text("Active. It plays by the rules")


def submit_text(page: Page, name: str, text: str) -> None:
    """Pastes a player into the form."""
    page.get_by_role("link", name="Submit").first.click()
    page.get_by_label("Name of the bot").fill(name)
    write_text(page, text)
    page.get_by_role("button", name="Submit", exact=True).click()


def see_it_play(page: Page, platform: Installation) -> None:
    """Follows a bot from its verdict to the leaderboard with its interval, and through a match."""

    def rated() -> bool:
        lines = platform.get("/leaderboards/bomb")["lines"]
        return any(line["bot"] == "alice/notebook" and line["matches"] for line in lines)

    eventually(rated, why="alice/notebook is not rated")
    page.get_by_role("link", name="Bomb league").first.click()
    expect(page.locator(".canvas")).to_have_attribute("data-ready", "")
    line = page.locator("table.sortable tr", has_text="alice/notebook")
    expect(line).to_contain_text("±")
    line.get_by_role("link").click()
    finished = page.locator("#recent tr", has_text="finished").first
    finished.get_by_role("link").first.click()
    expect(page.locator("#replay")).to_have_attribute("data-ready", "")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at")).to_have_text("1")
    expect(page.locator("#board svg")).to_be_visible()
    page.get_by_label("Last step").click()
    expect(page.locator("#now")).not_to_be_empty()


def picture(page: Page, folder: Path, name: str) -> None:
    """Takes a screenshot, for a person who looks for a fault."""
    page.screenshot(path=folder / f"{name}.png", full_page=True)


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the screenshots."""
    return tmp_path_factory.mktemp("shots")
