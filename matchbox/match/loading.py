"""From a bundle's files to the one player class in it, inside the box.

Knows how a bot's modules are compiled and how its class is chosen; knows no game.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import inspect
import io
import marshal
import re
import sys
import warnings
import zipfile
from collections.abc import Callable
from importlib.resources.abc import Traversable, TraversableResources
from types import CodeType, ModuleType
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from matchbox.match import printed
from matchbox.match.fault_text import report_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Adopt = Callable[..., "type[Any] | None"]
"""`adopt(value, named=...)`: the player class that a game makes of the value, or None."""

MAIN: Final = "player.py"
CODE_BYTES: Final = 90 << 10
"""The longest code that is passed on to other seats: that of about 50 KB of source."""
_BOT: Final = "bot_under_test"
_MAIN_IS_LOADING: Final = (
    f"no other module can import {MAIN}; put what both need into a module of its own"
)
_GAME: Final = re.compile(r"matchbox\.games\.\w+")


class Loaded(NamedTuple):
    """A bot's modules by name, and the finder of those that it has not imported yet, if any."""

    modules: dict[str, ModuleType]
    finders: list[_Bundle]


class NotAPlayer(Exception):
    """The files hold no player class, or several and no choice among them."""


def load(
    files: Mapping[str, bytes],
    game: ModuleType,
    wanted: str | None,
    memory: bytes = b"",
    code: bytes = b"",
) -> type[Any]:
    """Loads the files; returns their player class for the game whose `player` module is given.

    The bot's `open` reads `memory` under the names in the game's `REMEMBERED`. `code` is the result
    of `compiled` for the main file, or b"". Exceptions of the bot's own code pass through. Raises
    NotAPlayer if the choice of the class is not clear.
    """
    offer_document_names(game)
    forget()
    names = _remembering(getattr(game, "REMEMBERED", {}), memory)
    bundle = _Bundle(files, names)
    if len(files) > 1:
        sys.meta_path.insert(0, bundle)
    module = ModuleType(_BOT)
    module.__file__ = MAIN
    module.__spec__ = importlib.machinery.ModuleSpec(_BOT, bundle, origin=MAIN)
    module.__loader__ = bundle
    sys.modules[_BOT] = module
    module.__dict__.update(names)
    source = source_text(files[MAIN])
    made = marshal.loads(code) if code else compile(source, MAIN, "exec", dont_inherit=True)
    exec(made, module.__dict__)
    return choose(module, base_of(game), wanted, getattr(game, "adopt", _adopt_nothing))


def offer_document_names(game: ModuleType) -> None:
    """Lets this process import the game's modules by the names of its source document."""
    for alias, module in getattr(game, "ALIASES", {}).items():
        sys.modules[alias] = importlib.import_module(module)


def compiled(main: bytes) -> bytes:
    """The code of a bot's main file, for `load`; runs no line of it.

    Returns b"" if the loading seat must compile the file itself: because there is a warning or an
    error for the author, or because the code changes when it is encoded and decoded.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            code = compile(source_text(main), MAIN, "exec", dont_inherit=True)
        written = marshal.dumps(code)
    except Exception:  # Any error: the bot's own seats meet it, too, and report it.
        return b""
    alike = len(written) <= CODE_BYTES and _alike(code, marshal.loads(written))
    return written if alike else b""


def _alike(one: CodeType, two: CodeType) -> bool:
    """Whether iterating over the sets in both gives the same order."""
    for mine, other in zip(one.co_consts, two.co_consts, strict=True):
        if isinstance(mine, CodeType):
            if not _alike(mine, other):
                return False
        elif isinstance(mine, frozenset) and list(mine) != list(other):
            return False
    return True


def base_of(game: ModuleType) -> type[Any]:
    """The class that authors subclass: `BASE` of a game's player module, else its `Player`."""
    base: type[Any] = getattr(game, "BASE", None) or game.Player
    return base


def maker_of(game: ModuleType, chosen: type[Any]) -> Callable[[], object]:
    """The function that constructs a player: the `maker` of the player module, else the class."""
    maker: Callable[[type[Any]], Callable[[], object]] | None = getattr(game, "maker", None)
    return maker(chosen) if maker else chosen


def report_of(game: ModuleType, chosen: type[Any]) -> Callable[[Any], object] | None:
    """The function that is called with the player after each of its decisions, or None.

    In every game, a class may have a method `report` of its own; its result is part of the bot's
    output. For other classes the function is `report` of the game's player module, if it has one.
    """
    if callable(getattr(chosen, "report", None)) and _needs_no_argument(chosen, "report"):
        return _own_report
    found: Callable[[Any], object] | None = getattr(game, "report", None)
    return found


def _needs_no_argument(chosen: type[Any], name: str) -> bool:
    """Whether this method can be called without arguments; the platform must not call it
    otherwise."""
    method = inspect.getattr_static(chosen, name)
    bind = getattr(method, "__get__", None)
    try:
        inspect.signature(bind(object(), chosen) if bind else method).bind()
    except TypeError:
        return False
    except ValueError:  # It has no signature.
        return True
    return True


def _own_report(player: Any) -> None:
    if text := report_text(player.report()):
        printed.put(printed.REPORT, text)


def _remembering(empty: Mapping[str, bytes], memory: bytes) -> dict[str, Any]:
    """The names that a bot's modules find beside the built-in ones: an `open` that reads these
    files."""
    if not empty:
        return {}

    def open_file(file: Any, mode: str = "r", *given: Any, **named: Any) -> IO[Any]:
        if not isinstance(file, str) or file not in empty or set(mode) - set("rbt"):
            return open(file, mode, *given, **named)
        data = io.BytesIO(memory or empty[file])
        return data if "b" in mode else io.TextIOWrapper(data, encoding="utf-8")

    return {"open": open_file}


def forget() -> Loaded:
    """Unloads a bot, and returns what `restore` takes. Outside a box, bots share a process."""
    found = {_BOT: sys.modules.pop(_BOT)} if _BOT in sys.modules else {}
    finders = [finder for finder in sys.meta_path if type(finder) is _Bundle]
    if finders:  # Else it has no other modules. Looping over all would copy their memory in a box.
        sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder) is not _Bundle]
        for name, module in list(sys.modules.items()):
            if type(getattr(module, "__loader__", None)) is _Bundle:
                found[name] = sys.modules.pop(name)
    return Loaded(found, finders)


def restore(loaded: Loaded) -> None:
    """Lets this process import the bot's modules again."""
    sys.modules.update(loaded.modules)
    sys.meta_path[:0] = loaded.finders


def _adopt_nothing(value: object, *, named: bool) -> None:
    """In most games only classes are players."""


def choose(
    module: ModuleType, base: type[Any], wanted: str | None, adopt: Adopt = _adopt_nothing
) -> type[Any]:
    """The player class that is asked for, or that the module names, or else its only one.

    A class that another player class of the module extends does not count. A game's `adopt` may
    make a class of another value, such as a function; `named` tells it whether the author has named
    the value as the bot.
    """
    if wanted is not None:
        return _named(module, base, wanted, adopt)
    bot = vars(module).get("BOT")
    if bot is not None:
        return _checked(bot, base, "BOT", adopt)
    found = [
        value if _is_player(value, base) else adopt(value, named=False)
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and _name_of(value) == name
    ]
    own = [player for player in found if player is not None]
    leaves = [one for one in own if not any(issubclass(two, one) for two in own if two is not one)]
    if len(leaves) == 1:
        only: type[Any] = leaves[0]
        return only
    if not leaves:
        missing = f"the file defines no subclass of {base.__name__}"
        if other := _other_game(module, base):
            raise NotAPlayer(
                f"{missing} of this game, but imports {other}; "
                f"choose that game, or import from this game's package"
            )
        raise NotAPlayer(f"{missing}; {_what_to_write(module, base, adopt)}")
    names = ", ".join(sorted(one.__name__ for one in leaves))
    raise NotAPlayer(
        f"the file defines several players ({names}); choose one with BOT = Class in the file, as "
        "you submit it (“The file has several players”), or in a command with FILE.py:Class"
    )


def _name_of(value: object) -> object:
    """The value's own name; None if it has none."""
    try:
        return getattr(value, "__name__", None)
    except Exception:  # As of a dict whose __getattr__ raises KeyError.
        return None


def _what_to_write(module: ModuleType, base: type[Any], adopt: Adopt) -> str:
    """How the file gets a player: by the last class or function that it defines, if it does."""
    own = [
        (name, value)
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
    ]
    for name, value in reversed(own):
        if adopt(value, named=True) is not None:
            return f"if the function {name} is your player, write BOT = {name} at the end"
    for name, value in reversed(own):
        if _is_player(value, base):  # It has another name, as if a function has made it.
            return f"if {name} is your player, write BOT = {name} at the end"
        if isinstance(value, type) and name != base.__name__:
            return f"if {name} is your player, write class {name}({base.__name__}):"
    return "write one, or name an imported one with BOT = Class"


def _other_game(module: ModuleType, base: type[Any]) -> str:
    """The package of another game from which the module has a name; "" if there is none."""
    own = _game_package(base.__module__)
    for value in vars(module).values():
        name = "__name__" if isinstance(value, ModuleType) else "__module__"
        package = _game_package(getattr(value, name, None))
        if package not in ("", own):
            return package
    return ""


def _game_package(module: object) -> str:
    """The package of the built-in game with this module; "" if it is in no such game."""
    found = _GAME.match(module) if isinstance(module, str) else None
    return found[0] if found else ""


def _named(module: ModuleType, base: type[Any], wanted: str, adopt: Adopt) -> type[Any]:
    value = vars(module).get(wanted)
    if value is None:
        raise NotAPlayer(f"the file has no class {wanted!r}, which was asked for")
    return _checked(value, base, wanted, adopt)


def _checked(value: object, base: type[Any], name: str, adopt: Adopt) -> type[Any]:
    player = value if _is_player(value, base) else adopt(value, named=True)
    if player is None:
        hint = ""
        if isinstance(value, base):
            hint = f"; it is an object: write {name} = {type(value).__name__}, without ()"
        elif type(value) is str:
            hint = "; it is a text: write the name of the class without quotation marks"
        raise NotAPlayer(f"{name} is not a subclass of {base.__name__}{hint}")
    assert isinstance(player, type)
    return player


def _is_player(value: object, base: type[Any]) -> bool:
    return isinstance(value, type) and issubclass(value, base) and value is not base


def source_text(data: bytes) -> str:
    """The text of a file, which is UTF-8 whatever encoding the file names."""
    return data.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _folders(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """An empty `__init__.py` for each folder, since Python imports folders that have none."""
    folders = {name[:at] for name in files for at, sign in enumerate(name) if sign == "/"}
    return {f"{folder}/__init__.py": b"" for folder in folders}


class _Bundle(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    """Imports a bundle's other modules from memory, and hands out its data."""

    def __init__(self, files: Mapping[str, bytes], names: Mapping[str, Any]) -> None:
        self._files = {**_folders(files), **files}
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        """Runs a module with the names that every module of the bot finds."""
        module.__dict__.update(self._names)
        super().exec_module(module)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        found = self._find(fullname)
        if found is None:
            if f"{fullname}.py" == MAIN:
                raise ModuleNotFoundError(_MAIN_IS_LOADING, name=fullname)
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=found)
        spec.has_location = True  # Without it a module has no `__file__` to find its data by.
        if found.endswith("/__init__.py"):
            spec.submodule_search_locations = []
        return spec

    def get_source(self, fullname: str) -> str:
        found = self._find(fullname)
        if found is None:
            raise ImportError(f"the bundle holds no module {fullname}")
        return source_text(self._files[found])

    def get_filename(self, fullname: str) -> str:
        """The file name in tracebacks of the module."""
        return self._find(fullname) or fullname

    def is_package(self, fullname: str) -> bool:
        return (self._find(fullname) or "").endswith("/__init__.py")

    def get_data(self, path: str) -> bytes:
        """The bytes of one of the bundle's files, for `pkgutil.get_data`."""
        try:
            return self._files[path.removeprefix("./")]
        except KeyError:
            raise FileNotFoundError(path) from None

    def get_resource_reader(self, fullname: str) -> TraversableResources:
        """The data files in a package, or beside a module, for `importlib.resources`."""
        package = fullname if self.is_package(fullname) else fullname.rpartition(".")[0]
        return _Resources(self._files, package.replace(".", "/"))

    def _find(self, fullname: str) -> str | None:
        """The file of a module; None if there is none, or if its name is the standard library's:
        the library's own modules import each other by these names."""
        if fullname.partition(".")[0] in sys.stdlib_module_names:
            return None
        stem = fullname.replace(".", "/")
        for name in (f"{stem}.py", f"{stem}/__init__.py"):
            if name in self._files and name != MAIN:
                return name
        return None


class _Resources(TraversableResources):
    """One folder of a bundle."""

    def __init__(self, files: Mapping[str, bytes], folder: str) -> None:
        self._files = files
        self._folder = folder

    def files(self) -> Traversable:
        """The folder, as a part of a zip in memory."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in self._files.items():
                archive.writestr(name, data)
        return zipfile.Path(packed, f"{self._folder}/" if self._folder else "")
