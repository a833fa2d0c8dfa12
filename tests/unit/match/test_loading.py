"""From files to the one player class, and the message to an author whose files have none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from matchbox.games.bomb import player as bomb
from matchbox.match.loading import CODE_BYTES, NotAPlayer, compiled, load, maker_of, report_of


class Player:
    """The base class for authors here."""


GAME = ModuleType("game")
GAME.Player = Player  # type: ignore[attr-defined]
IMPORT = "from tests_game import Player\n"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tests_game", GAME)
    monkeypatch.setitem(sys.modules, "bot_under_test", ModuleType("bot_under_test"))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))


def loaded(source: str, wanted: str | None = None, **files: bytes) -> type[Any]:
    named = {name.replace("__", "/", 1) + ".py": data for name, data in files.items()}
    return load({"player.py": (IMPORT + source).encode(), **named}, GAME, wanted)


def test_the_one_player_class_is_found() -> None:
    assert loaded("class Mine(Player): pass").__name__ == "Mine"


def test_a_game_may_name_its_own_class_to_subclass() -> None:
    game = ModuleType("game")
    game.Player = int  # type: ignore[attr-defined]
    game.BASE = Player  # type: ignore[attr-defined]
    source = (IMPORT + "class Mine(Player): pass").encode()
    assert load({"player.py": source}, game, None).__name__ == "Mine"


def adopting() -> ModuleType:
    """A game of which functions are players: those called strategy, or named by the author."""

    def adopt(value: Any, *, named: bool) -> type[Any] | None:
        meant = callable(value) and (named or value.__name__ == "strategy")
        return type(value.__name__, (Player,), {"function": value}) if meant else None

    game = ModuleType("game")
    game.Player = Player  # type: ignore[attr-defined]
    game.adopt = adopt  # type: ignore[attr-defined]
    return game


@pytest.mark.parametrize(
    "source, wanted, name",
    [
        ("def strategy(): pass\ndef distance(): pass", None, "strategy"),
        ("def strategy(): pass\ndef other(): pass\nBOT = other", None, "other"),
        ("def strategy(): pass\ndef other(): pass", "other", "other"),
        ("from math import floor\nBOT = floor", None, "floor"),
        ("class Mine(Player): pass\ndef distance(): pass", None, "Mine"),
    ],
)
def test_a_game_may_take_functions_as_players(source: str, wanted: str | None, name: str) -> None:
    files = {"player.py": (IMPORT + source).encode()}
    player = load(files, adopting(), wanted)
    assert issubclass(player, Player)
    assert player.__name__ == name


@pytest.mark.parametrize(
    "source, told",
    [
        (
            "def helper(): pass\ndef other(): pass",
            "no subclass of Player; if the function other is your player, write ",
        ),
        ("from math import floor", "defines no subclass of Player; write one"),
        ("def strategy(): pass\nclass Mine(Player): pass", r"several players \(Mine, strategy\)"),
        ("BOT = 3", "BOT is not a subclass of Player"),
    ],
)
def test_a_function_that_the_game_does_not_take_is_no_player(source: str, told: str) -> None:
    with pytest.raises(NotAPlayer, match=told):
        load({"player.py": (IMPORT + source).encode()}, adopting(), None)


def remembering(source: str, memory: bytes, **files: bytes) -> dict[str, Any]:
    """Returns the globals of a bot's module in a game that lets it open `kept.txt`."""
    game = ModuleType("game")
    game.Player = Player  # type: ignore[attr-defined]
    game.REMEMBERED = {"kept.txt": b"nothing"}  # type: ignore[attr-defined]
    text = IMPORT + source + "\nclass Mine(Player): pass\n"
    load({"player.py": text.encode()} | files, game, None, memory)
    return vars(sys.modules["bot_under_test"])


@pytest.mark.parametrize("memory, kept", [(b"", "nothing"), (b"a line", "a line")])
def test_a_bot_opens_what_it_remembers_by_the_names_its_game_gives(
    memory: bytes, kept: str
) -> None:
    source = (
        "with open('kept.txt') as file: text = file.read()\ndata = open('kept.txt', 'rb').read()"
    )
    names = remembering(source, memory)
    assert (names["text"], names["data"]) == (kept, kept.encode())


def test_every_module_of_a_bot_finds_what_it_remembers() -> None:
    more = b"with open('kept.txt', encoding='utf-8') as file: text = file.read()"
    names = remembering("import more\ntext = more.text", b"a line", **{"more.py": more})
    assert names["text"] == "a line"


@pytest.mark.parametrize("call", ["open('kept.txt', 'w')", "open('other.txt')", "open(99)"])
def test_any_other_file_is_opened_as_ever(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"try:\n    {call}.close()\nexcept OSError as error: failed = True"
    assert remembering(source, b"a line").get("failed", False) == ("'w'" not in call)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"] * ("'w'" in call)


def test_without_such_names_a_bot_has_the_built_in_open() -> None:
    loaded("class Mine(Player): pass")
    assert "open" not in vars(sys.modules["bot_under_test"])


def test_a_game_may_say_how_its_players_are_made() -> None:
    game = ModuleType("game")
    assert maker_of(game, Player) is Player
    game.maker = lambda chosen: lambda: [chosen]  # type: ignore[attr-defined]
    assert maker_of(game, Player)() == [Player]


def test_an_imported_base_class_does_not_count() -> None:
    assert loaded("class Mine(Player): pass\nOther = Player").__name__ == "Mine"


def test_the_last_of_a_line_of_classes_is_meant() -> None:
    assert loaded("class Base(Player): pass\nclass Mine(Base): pass").__name__ == "Mine"


def test_a_second_name_of_a_class_is_no_second_player() -> None:
    assert loaded("class Mine(Player): pass\nAlso = Mine").__name__ == "Mine"


def test_an_object_whose_attributes_are_its_items_is_no_player() -> None:
    items = (
        "class Items(dict):\n    def __getattr__(self, key): return self[key]\nitems = Items()\n"
    )
    assert loaded(f"{items}class Mine(Player): pass").__name__ == "Mine"


def test_bot_names_the_class() -> None:
    source = "class One(Player): pass\nclass Two(Player): pass\nBOT = One"
    assert loaded(source).__name__ == "One"


def test_the_wanted_class_comes_before_bot() -> None:
    source = "class One(Player): pass\nclass Two(Player): pass\nBOT = One"
    assert loaded(source, "Two").__name__ == "Two"


@pytest.mark.parametrize(
    "source, wanted, told",
    [
        ("", None, "the file defines no subclass of Player"),
        ("BOT = Player", None, "BOT is not a subclass of Player"),
        ("BOT = 3", None, "BOT is not a subclass of Player"),
        (
            "class Two: pass\nclass One: pass",
            None,
            r"if One is your player, write class One\(Player\):",
        ),
        ("class Player: pass", None, "the file defines no subclass of Player; write one"),
        (
            "def made():\n    class One(Player): pass\n    return One\nMine = made()",
            None,
            "if Mine is your player, write BOT = Mine at the end",
        ),
        (
            "class One(Player): pass\nBOT = One()",
            None,
            r"BOT is not a subclass of Player; it is an object: write BOT = One, without \(\)",
        ),
        ("BOT = 'One'", None, "the name of the class without quotation marks"),
        (
            "class One(Player): pass\nclass Two(Player): pass",
            None,
            r"several players \(One, Two\); choose one with BOT = Class.*FILE.py:Class",
        ),
        ("class One(Player): pass", "Two", "the file has no class 'Two'"),
        ("One = 1", "One", "One is not a subclass of Player"),
    ],
)
def test_where_the_choice_is_not_clear_the_author_is_told(
    source: str, wanted: str | None, told: str
) -> None:
    with pytest.raises(NotAPlayer, match=told):
        loaded(source, wanted)


@pytest.mark.parametrize(
    "line", ["from matchbox.games.skull import *", "import matchbox.games.skull as skull"]
)
def test_a_file_for_another_game_is_told_which(line: str) -> None:
    with pytest.raises(NotAPlayer, match=r"of this game, but imports matchbox\.games\.skull; "):
        load({"player.py": line.encode()}, bomb, None)
    with pytest.raises(NotAPlayer, match="Player; write one"):
        load({"player.py": b"from matchbox.games.bomb import *"}, bomb, None)


@pytest.mark.parametrize(
    "source, error", [("class", SyntaxError), ("1 / 0", ZeroDivisionError), ("exit()", SystemExit)]
)
def test_what_the_file_raises_passes_through(source: str, error: type[BaseException]) -> None:
    with pytest.raises(error):
        loaded(source)


def test_a_byte_order_mark_and_other_line_ends_are_read() -> None:
    source = ("\ufeff" + IMPORT + "class Mine(Player): pass\n").replace("\n", "\r\n")
    assert load({"player.py": source.encode()}, GAME, None).__name__ == "Mine"


def test_the_other_modules_of_a_bundle_are_imported_from_memory() -> None:
    source = (
        "import plan\nfrom parts.hand import number\n"
        "class Mine(Player): value = plan.value + number"
    )
    files: Any = {"plan": b"value = 1", "parts____init__": b"", "parts__hand": b"number = 2"}
    assert loaded(source, **files).value == 3


def test_a_second_bundle_does_not_get_the_modules_of_the_first() -> None:
    source = "import plan\nclass Mine(Player): value = plan.value"
    assert loaded(source, plan=b"value = 1").value == 1
    assert loaded(source, plan=b"value = 2").value == 2


def test_a_bundles_data_is_read_from_memory() -> None:
    files = {
        "player.py": (
            IMPORT + "import pkgutil, importlib.resources\n"
            "class Mine(Player):\n"
            "    first = pkgutil.get_data(__name__, 'table.txt')\n"
            "    second = (importlib.resources.files('data') / 'more.txt').read_text()\n"
        ).encode(),
        "table.txt": b"one",
        "data/__init__.py": b"",
        "data/more.txt": b"two",
    }
    player = load(files, GAME, None)
    assert (player.first, player.second) == (b"one", "two")


def test_a_folder_without_an_init_file_is_a_package_unless_the_library_has_its_name() -> None:
    source = (
        "import this_too.deep.table as table\nfrom own.part import X\nimport colorsys\n"
        "class Mine(Player): value = X, table.Y, hasattr(colorsys, 'rgb_to_hsv')"
    )
    files: Any = {"own__part": b"X = 1", "this_too/deep/table": b"Y = 2", "colorsys__a": b""}
    sys.modules.pop("colorsys", None)
    assert loaded(source, **files).value == (1, 2, True)


@pytest.mark.parametrize("file", ["calendar", "calendar____init__"])
def test_the_library_imports_no_module_of_a_bundle(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http.cookiejar", "calendar"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    files: Any = {file: b"def timegm(when): return -1"}
    source = (
        "from http.cookiejar import http2time\n"
        "class Mine(Player): value = http2time('02 Jan 1970 00:00:00 GMT')"
    )
    assert loaded(source, **files).value == 86400


def test_data_lies_beside_a_module_or_in_a_package() -> None:
    source = (
        "import deep.part\n"
        "spec = __spec__, deep.__spec__, deep.part.__spec__\n"
        "found = [one.loader.get_resource_reader(one.name).files() for one in spec]\n"
        "class Mine(Player): value = [(one / 'more.txt').read_text() for one in found]"
    )
    files = {"player.py": (IMPORT + source).encode(), "more.txt": b"one"}
    files |= {"deep/part.py": b"", "deep/more.txt": b"two"}
    assert load(files, GAME, None).value == ["one", "two", "two"]


def test_a_module_that_imports_the_main_file_is_told_that_it_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "player", raising=False)  # A game's own name for a module.
    with pytest.raises(ModuleNotFoundError, match=r"no other module can import player\.py; put"):
        loaded("from part import X", part=b"from player import Y")


def test_a_module_that_a_bundle_does_not_hold_is_missed_by_name() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        loaded("import no_such_module\nclass Mine(Player): pass", plan=b"")


def test_a_traceback_names_the_file_and_the_line() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        loaded("\n\n1 / 0")
    assert [(entry.path, entry.lineno + 1) for entry in raised.traceback][-1] == ("player.py", 4)


def test_a_games_aliases_are_there_before_the_file_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAME, "ALIASES", {"document_module": "json"}, raising=False)
    monkeypatch.setitem(sys.modules, "document_module", GAME)
    assert loaded("import document_module\nclass Mine(Player): it = document_module").it.dumps


def test_code_that_was_compiled_elsewhere_is_loaded_in_place_of_the_source() -> None:
    source = (IMPORT + "class Mine(Player):\n    def fail(self):\n        raise KeyError").encode()
    code = compiled(source)
    found = load({"player.py": source}, GAME, None, code=code)
    with pytest.raises(KeyError) as failed:
        found().fail()
    last = failed.traceback[-1]
    assert (found.__name__, last.name, last.lineno) == ("Mine", "fail", 3)
    assert last.frame.code.raw.co_filename == "player.py"


def test_compiling_runs_no_line() -> None:
    assert compiled(b"raise SystemExit")


@pytest.mark.parametrize(
    "source",
    [
        b"class Mine(:",
        b"same = 1000 is 1000",
        b"x = \xff",
        b"x = " + b"(" * 300 + b")" * 300,
        b"x = " + b"-" * 100_000 + b"1",
        b"x = '" + b"y" * CODE_BYTES + b"'",
    ],
)
def test_nothing_is_handed_on_of_a_file_that_has_to_be_told_about(source: bytes) -> None:
    assert compiled(source) == b""


def test_nothing_is_handed_on_where_a_set_would_be_in_another_order() -> None:
    assert compiled(b"def loop():\n    for x in {8, 0}:\n        print(x)") == b""
    assert compiled(b"def loop():\n    return 8 in {1, 2, 3}")


@pytest.mark.parametrize(
    ("method", "reports"),
    [
        ("def report(self): ...", True),
        ("def report(self, text='', *more): ...", True),
        ("@staticmethod\n    def report(): ...", True),
        ("@classmethod\n    def report(cls): ...", True),
        ("report = lambda self: 1", True),
        ("def report(self, text): ...", False),
        ("@classmethod\n    def report(cls, text): ...", False),
        ("report = True", False),
    ],
)
def test_a_method_that_needs_more_arguments_is_no_report(method: str, reports: bool) -> None:
    chosen = loaded(f"class Mine(Player):\n    {method}\n")
    assert (report_of(GAME, chosen) is not None) is reports
