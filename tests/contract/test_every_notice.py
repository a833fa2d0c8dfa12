"""Every kind of notice that a service sends is known, and explained to authors."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from matchbox.answers.notices import NOTICE_KINDS

SENDERS = ("notify_account", "notify_accounts")
KIND = 2
"""The place of the kind among the arguments of the sender, and of a function that calls the
sender."""


def sent_kinds(tree: ast.Module, senders: Collection[str] = SENDERS) -> Iterator[str]:
    """The kinds that the calls of `senders` in this module name.

    A function that passes on its own argument `kind` is a sender, too. Raises ValueError for a kind
    that is neither a text nor a constant of another service.
    """
    for function in (one for one in tree.body if isinstance(one, ast.FunctionDef)):
        for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
            if getattr(call.func, "attr", getattr(call.func, "id", "")) not in senders:
                continue
            match call.args[KIND]:
                case ast.Constant(value=str(kind)):
                    yield kind
                case ast.IfExp(
                    body=ast.Constant(value=str(kind)), orelse=ast.Constant(value=other)
                ):
                    yield from (kind, str(other))
                case ast.Attribute(value=ast.Name(id=service), attr=name):
                    yield getattr(import_module(f"server.services.{service}"), name)
                case ast.Name(id="kind") if function.args.args[KIND].arg == "kind":
                    yield from sent_kinds(tree, [function.name])
                case unknown:
                    raise ValueError(f"line {call.lineno} sends {ast.unparse(unknown)}")


def test_every_kind_that_a_service_sends_is_known_and_every_known_kind_is_sent(
    checkout: Path,
) -> None:
    modules = (checkout / "server/services").glob("*.py")
    trees = [ast.parse(path.read_text()) for path in modules]
    assert {kind for tree in trees for kind in sent_kinds(tree)} == set(NOTICE_KINDS)


def test_a_kind_is_found_however_it_is_sent() -> None:
    def kinds(*lines: str) -> list[str]:
        return list(sent_kinds(ast.parse("\n".join(lines))))

    assert kinds("def a(): notify_account(session, 1, 'rise', '')") == ["rise"]
    assert kinds("def a(): notices.notify_account(session, 1, notices.CONFIRM, '')") == [
        "confirm-email"
    ]
    assert kinds("def a(): notify_account(session, 1, 'rise' if over else 'fall', '')") == [
        "rise",
        "fall",
    ]
    passed_on = "def a(session, owner, kind): notify_account(session, owner, kind, '')"
    assert kinds(passed_on, "def b(): a(session, 1, 'fall')") == ["fall"]
    with pytest.raises(ValueError, match="line 1 sends which"):
        kinds("def a(): notify_account(session, 1, which, '')")


def test_authors_are_told_every_kind_that_a_webhook_may_get(checkout: Path) -> None:
    text = (checkout / "docs/write-a-bot.md").read_text()
    (listed,) = re.findall(r"`kind`\s+\((.+?)\)", text, re.DOTALL)
    assert sorted(re.findall(r"`([\w-]+)`", listed)) == sorted(NOTICE_KINDS)
