"""A league's class: its code, accounts from a list of names, bots that enter automatically."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from argon2 import PasswordHasher, extract_parameters
from sqlalchemy import select

from matchbox.errors import BadNames, BadOption, Conflict, Forbidden, NotFound
from matchbox.league.format import Admission, given
from matchbox.league.line import Line
from server.db.models import (
    Audit,
    Invitation,
    League,
    Notice,
    Season,
    Standing,
    User,
    Version,
    VersionState,
)
from server.queries import classes as queries
from server.queries.classes import memberships
from server.queries.users import users
from server.services import (
    account_operations,
    accounts,
    admission,
    classes,
    entries,
    leagues,
    operations,
    passwords,
    seasons,
    uploads,
)
from tests.books import SIMPLE, Books
from tests.plans import explained

PASSWORD = "a password of dora"


@pytest.fixture
def cup(books: Books, charlie: User) -> str:
    """A league of bomb by invitation, with a code."""
    with books.write() as session:
        leagues.create(
            session,
            charlie,
            name="cup",
            game="bomb",
            admission=given(Admission, {"by": "invitation", "bots": 1}),
            settings=books.settings,
            now=books.clock(),
        )
        return classes.renew_code(session, charlie, "cup", now=books.clock())


def open_season(books: Books, charlie: User, name: str = "spring", draft: bool = False) -> int:
    """A season of the cup."""
    with books.write() as session:
        made = seasons.create(
            session, charlie, name=name, league="cup", draft=draft, now=books.clock()
        )
        return made.id


def entered(books: Books, season: int) -> list[str]:
    """The bots in the season."""
    with books.context.read() as session:
        return sorted(one.bot.full_name for one in session.get_one(Season, season).entries)


def deeds(books: Books) -> list[str]:
    """The audit log's actions, oldest first."""
    with books.context.read() as session:
        return list(session.scalars(select(Audit.action).order_by(Audit.id)))


def test_a_code_signs_up_and_lets_in_where_sign_up_is_closed(books: Books, cup: str) -> None:
    with books.write() as session:
        dora = classes.sign_up(session, cup, "dora", PASSWORD, now=books.clock())
        league = classes.league_of(session, cup)
        assert admission.may_enter(session, league, dora)
        assert [one.name for one in classes.leagues_of(session, dora)] == ["cup"]
    assert deeds(books)[-2:] == ["league.code", "league.join"]


@pytest.mark.parametrize("typed", [str.upper, lambda code: code.replace("-", " "), lambda c: c])
def test_a_code_is_read_however_it_was_typed(books: Books, cup: str, typed) -> None:  # type: ignore[no-untyped-def]
    with books.context.read() as session:
        assert classes.league_of(session, typed(cup)).name == "cup"


def test_a_new_code_replaces_the_one_before_and_one_can_be_taken_back(
    books: Books, charlie: User, cup: str
) -> None:
    with books.write() as session:
        fresh = classes.renew_code(session, charlie, "cup", now=books.clock())
        assert fresh != cup
        with pytest.raises(NotFound):
            classes.league_of(session, cup)
        classes.withdraw_code(session, charlie, "cup", now=books.clock())
        for code in (fresh, "", "-", "none"):
            with pytest.raises(NotFound):
                classes.league_of(session, code)
        with pytest.raises(NotFound):
            classes.withdraw_code(session, charlie, "cup", now=books.clock())


def test_only_operators_make_codes_and_accounts(books: Books, alice: User, cup: str) -> None:
    with books.write() as session:
        for action in (classes.renew_code, classes.withdraw_code):
            with pytest.raises(Forbidden):
                action(session, alice, "cup", now=books.clock())
    with pytest.raises(Forbidden):
        classes.make_accounts(books.context, alice, books.acting(alice), "cup", ["dora"])


def test_a_bot_of_the_class_is_entered_when_it_is_accepted(
    books: Books, alice: User, bob: User, charlie: User, cup: str
) -> None:
    spring = open_season(books, charlie)
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    books.bot(alice, "one")
    books.bot(bob, "rival")
    assert entered(books, spring) == ["alice/one"]
    books.bot(alice, "two")
    assert entered(books, spring) == ["alice/one"], "the league takes one bot of an author"


def test_who_has_no_place_left_in_a_season_is_told_so(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    spring = open_season(books, charlie)
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    with books.context.read() as session:
        (before,) = memberships(session, session.get_one(User, alice.id))
    books.bot(alice, "one")
    books.bot(alice, "two")
    with books.context.read() as session:
        (after,) = memberships(session, session.get_one(User, alice.id))
        told = session.scalars(
            select(Notice.text).where(Notice.kind == "verdict").order_by(Notice.id)
        ).all()
    assert (before.full, after.seasons) == ([], ["spring"])
    assert [(one.id, one.name, one.bots) for one in after.full] == [(spring, "spring", ["one"])]
    assert told[0].endswith("It is entered into spring.")
    full = "spring takes no more of your bots: one is in it. Take one out there to enter this one."
    assert told[1].endswith(f"plays from now on. {full}")
    late = open_season(books, charlie, "late spring")
    assert entered(books, late) == ["alice/two"]
    assert full not in new_version(books, alice, "two", b"# 2\n"), "it has been said"
    other = full.replace("one", "two", 1)
    for number, said in ((2, True), (3, False)):
        told = new_version(books, alice, "one", b"# %d\n" % number)
        assert told.endswith(f" late {other}" if said else "plays from now on.")
    third = new_version(books, alice, "three", b"# 3\n")
    assert third.endswith(f"{full} late {other}")


def new_version(books: Books, owner: User, name: str, text: bytes) -> str:
    """Uploads a version; returns the notice of its verdict."""
    books.bot(owner, name, SIMPLE + text)
    with books.context.read() as session:
        return session.scalars(select(Notice.text).order_by(Notice.id.desc()).limit(1)).one()


def test_a_disqualified_bot_s_author_is_told_that_it_is_not_entered(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    winter = open_season(books, charlie, "winter")
    books.bot(alice, "one")
    with books.write() as session:
        season = session.get_one(Season, winter)
        season.state, season.entries[0].out = "finished", "disqualified"
    spring = open_season(books, charlie)
    for text in (b"# second\n", b"# third\n"):
        books.bot(alice, "one", SIMPLE + text)
        with books.write() as session:
            told = session.scalars(select(Notice.text).order_by(Notice.id)).all()
            if not entered(books, spring):
                entries.enter(session, alice, spring, "one", now=books.clock())
    assert told[-2].endswith(
        "plays from now on. It was disqualified in an earlier season, so it does not enter spring "
        "by itself; you may enter it."
    )
    assert told[-1].endswith("plays from now on.")


def test_whoever_joins_later_is_entered_with_what_plays_already(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    books.bot(alice, "one")
    spring, draft = open_season(books, charlie), open_season(books, charlie, "summer", draft=True)
    with books.write() as session:
        for _ in range(2):
            classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    assert (entered(books, spring), entered(books, draft)) == (["alice/one"], [])
    with books.write() as session:
        seasons.publish(session, charlie, draft, now=books.clock())
    assert entered(books, draft) == ["alice/one"]


def test_joining_again_writes_no_log_and_brings_no_bot_back(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    books.bot(alice, "one")
    spring = open_season(books, charlie)
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
        entries.leave(session, alice, spring, "one", now=books.clock())
    before = deeds(books)
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    assert (entered(books, spring), deeds(books)) == ([], before)


@pytest.mark.parametrize("way", ["activated", "reinstated", "reopened"])
def test_a_bot_of_the_class_that_plays_again_is_entered(
    books: Books, alice: User, charlie: User, cup: str, way: str
) -> None:
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    first, second = books.bot(alice, "one"), books.bot(alice, "one", SIMPLE + b"# second\n")
    if way == "reopened":
        spring = open_season(books, charlie)
        with books.write() as session:
            account_operations.close(session, charlie, "alice", "a quarrel", now=books.clock())
    else:
        with books.write() as session:
            session.get_one(Version, second.id).state = VersionState.SUSPENDED
        spring = open_season(books, charlie)
    assert entered(books, spring) == []
    with books.write() as session:
        now = books.clock()
        if way == "activated":
            uploads.activate(session, alice, "one", first.number, now=now)
        elif way == "reinstated":
            operations.reinstate_version(session, charlie, second.id, "a mistake", now=now)
        else:
            account_operations.reopen(session, charlie, "alice", now=now)
    assert entered(books, spring) == ["alice/one"]


def test_another_version_brings_no_bot_back_that_its_owner_took_out(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    first = books.bot(alice, "one")
    books.bot(alice, "one", SIMPLE + b"# second\n")
    spring = open_season(books, charlie)
    with books.write() as session:
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
        entries.leave(session, alice, spring, "one", now=books.clock())
        uploads.activate(session, alice, "one", first.number, now=books.clock())
    assert entered(books, spring) == []
    books.bot(alice, "one", SIMPLE + b"# third\n")
    assert entered(books, spring) == []


def test_who_was_invited_by_name_enters_by_hand_as_ever(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    books.bot(alice, "zero")
    with books.write() as session:
        admission.invite(session, charlie, "cup", "alice", now=books.clock())
    spring = open_season(books, charlie)
    assert entered(books, spring) == []
    books.bot(alice, "one")
    assert entered(books, spring) == []


def test_an_account_is_in_the_classes_that_it_has_joined_itself(
    books: Books, alice: User, bob: User, charlie: User, cup: str
) -> None:
    with books.write() as session:
        leagues.create(
            session, charlie, name="autumn", game="bomb", settings=books.settings, now=books.clock()
        )
        admission.invite(session, charlie, "autumn", "alice", now=books.clock())
        classes.join(session, session.get_one(User, alice.id), cup, now=books.clock())
    with books.read() as session:
        assert [one.name for one in classes.leagues_of(session, alice)] == ["cup"]
        assert classes.leagues_of(session, bob) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("anna\n\n  ben \r\ncleo", ["anna", "ben", "cleo"]),
        ("anna,7b\nben,7b\n", ["anna", "ben"]),
        ("class;name\n7b;anna\n7b;ben\n7b", ["anna", "ben", ""]),
        ("Name\tGroup\nanna\t1\n", ["anna"]),
        ("", []),
        ("\ufeffname;mail\nalice;a@b.org", ["alice"]),
    ],
)
def test_names_are_read_one_a_line_or_as_csv(text: str, names: list[str]) -> None:
    assert classes.read_list(text).names == names


@pytest.mark.parametrize(
    "text",
    [
        "owl, Anna Müller\nheron,Ben\nswan",
        "note,account\nAnna Müller,owl\nBen,heron\n,swan",
        "account\tnote\nowl\tAnna Müller\nheron\tBen\nswan",
        "Name;Class;Account\nAnna Müller;7b;owl\nBen;7b;heron\n;7b;swan",
        "note,name\nAnna Müller,owl\nBen,heron\n,swan",
        "Login;Name\nowl;Anna Müller\nheron;Ben\nswan",
        "Accounts;Notes\nowl;Anna Müller\nheron;Ben\nswan",
    ],
)
def test_a_list_may_have_notes_on_the_accounts_in_either_column(text: str) -> None:
    names, notes = classes.read_list(text)
    assert (names, notes) == (["owl", "heron", "swan"], {"owl": "Anna Müller", "heron": "Ben"})


def test_a_note_may_hold_a_comma_in_quotation_marks_and_these() -> None:
    names, notes = classes.read_list('owl, "Müller, Anna"\nheron,"Ben" Bo\nswan, Cleo')
    assert names == ["owl", "heron", "swan"]
    assert notes == {"owl": "Müller, Anna", "heron": "Ben Bo", "swan": "Cleo"}


@pytest.mark.parametrize("text", ['owl,"Anna\nheron,Ben\nswan', 'owl,"Anna\nheron,"Ben"'])
def test_a_quotation_mark_that_is_not_closed_swallows_no_accounts(text: str) -> None:
    with pytest.raises(BadOption, match="is not closed in its line"):
        classes.read_list(text)


@pytest.mark.parametrize(
    "text",
    [
        "username,name\npupil-1,anna\npupil-2,ben",
        "Vorname;Name\nanna;schmidt\nben;meier",
        "user,login,name\npupil-1,owl,Anna Müller\npupil-2,heron,Ben",
    ],
)
def test_real_names_become_no_accounts_by_mistake(text: str) -> None:
    with pytest.raises(BadOption, match="does not say which column has the names of the accounts"):
        classes.read_list(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Anna Müller;owl\nBen;heron\n;swan", "'Anna Müller' can be no account"),
        ("heron,ben\nBär,anna", "'Bär' can be no account"),  # The notes are no accounts.
        ("owl,anna\n,ben", "'' can be no account"),
        ("ben,swan\nanna,owl\nanna,heron", "'anna' is there twice"),
    ],
)
def test_columns_without_a_heading_are_not_exchanged(text: str, wrong: str) -> None:
    with pytest.raises(BadOption, match=f"in the first column, and {wrong}: correct it; or, if"):
        classes.read_list(text)


@pytest.mark.parametrize(
    "text", ["username,vorname\nowl,anna", "Login\nowl\nheron", "Vorname;Username\nAnna;owl"]
)
def test_a_heading_that_says_too_little_becomes_no_account(text: str) -> None:
    with pytest.raises(BadOption, match="looks like a heading; call the column"):
        classes.read_list(text)


def test_a_note_may_be_a_word_that_headings_have() -> None:
    found = classes.read_list("anna,user\nben,operator")
    assert found == (["anna", "ben"], {"anna": "user", "ben": "operator"})


def test_a_column_that_is_no_note_is_not_kept() -> None:
    assert classes.read_list("name;mail\nowl;a@b.org") == (["owl"], {})
    assert classes.read_list("owl\nheron") == (["owl", "heron"], {})


def test_a_note_is_shown_to_operators_beside_the_account_and_to_nobody_else(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    acting = books.acting(charlie)
    notes = {"owl": " Anna  Müller "}
    made = classes.make_accounts(books.context, charlie, acting, "cup", ["owl", "heron"], notes)
    assert [one.note for one in made] == ["Anna Müller", ""]
    with books.context.read() as session:
        found = queries.author_results(session, charlie, "cup")
        assert {one.author: one.note for one in found.items} == {"owl": "Anna Müller", "heron": ""}
        listed = users(session, charlie, wanted="müller").items
        assert [(one.name, one.note) for one in listed] == [("owl", "Anna Müller")]
        assert "Müller" not in str(session.scalars(select(Audit.detail)).all())
    with books.context.read() as session, pytest.raises(Forbidden):
        queries.author_results(session, alice, "cup")


@pytest.mark.parametrize(
    ("notes", "why"),
    [({"owl": "x" * 101}, "more than 100 characters"), ({"swan": "Cleo"}, "none of the names")],
)
def test_a_note_that_is_too_long_or_on_nobody_is_refused(
    notes: dict[str, str], why: str, books: Books, charlie: User, cup: str
) -> None:
    with pytest.raises(BadOption, match=why):
        classes.make_accounts(books.context, charlie, books.acting(charlie), "cup", ["owl"], notes)


def test_thirty_names_make_thirty_accounts_with_passwords_of_their_own(
    books: Books, charlie: User, cup: str
) -> None:
    names = [f"pupil-{number}" for number in range(30)]
    made = classes.make_accounts(books.context, charlie, books.acting(charlie), "cup", names)
    assert [one.name for one in made] == names
    assert len({one.password for one in made}) == 30
    with books.context.read() as session:
        user = accounts.log_in(session, "pupil-7", made[7].password)
        joined = select(Invitation).where(Invitation.joined.is_(True))
        assert len(session.scalars(joined).all()) == 30
        assert (user.role, user.closed_at) == ("author", None)
    assert deeds(books).count("user.create") == 30


def test_the_drawn_passwords_of_a_class_are_hashed_quickly(
    books: Books, charlie: User, cup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "hash_password", lambda *_: pytest.fail("it was hashed slowly"))
    (made,) = classes.make_accounts(books.context, charlie, books.acting(charlie), "cup", ["dora"])
    with books.context.read() as session:
        user = accounts.log_in(session, "dora", made.password)
        assert user.password is not None
        assert extract_parameters(user.password).memory_cost < PasswordHasher().memory_cost / 4


def test_names_that_do_not_do_are_told_one_by_one_and_nothing_is_half_done(
    books: Books, alice: User, charlie: User, cup: str
) -> None:
    names = ["dora", "alice", "Anna Müller", "dora", "x", "admin"]
    with pytest.raises(BadNames) as told:
        classes.make_accounts(books.context, charlie, books.acting(charlie), "cup", names)
    assert told.value.refused == (
        ("alice", "is taken"),
        ("Anna Müller", "cannot be an account's name; try anna-mueller"),
        ("dora", "is in the list twice"),
        ("x", "cannot be an account's name; use 2 to 32 of a-z, 0-9 and -"),
        ("admin", "is taken"),
    )
    with books.context.read() as session:
        assert session.scalar(select(User.id).where(User.name == "dora")) is None


@pytest.mark.parametrize("count", [0, classes.MAX_NAMES + 1])
def test_a_list_has_some_names_and_not_too_many(
    books: Books, charlie: User, cup: str, count: int
) -> None:
    with pytest.raises(BadOption):
        classes.make_accounts(
            books.context,
            charlie,
            books.acting(charlie),
            "cup",
            [f"n-{one}" for one in range(count)],
        )


def test_a_taken_name_does_not_join(books: Books, alice: User, cup: str) -> None:
    with books.write() as session, pytest.raises(Conflict):
        classes.sign_up(session, cup, "alice", PASSWORD, now=books.clock())


def test_the_results_name_everybody_of_the_class_with_or_without_a_bot(
    books: Books, alice: User, bob: User, charlie: User, cup: str
) -> None:
    with books.write() as session:
        for user in (alice, bob):
            classes.join(session, session.get_one(User, user.id), cup, now=books.clock())
    books.bot(alice, "one")
    with books.context.read() as session:
        with explained(session, only="FROM bot") as plans:
            found = queries.author_results(session, charlie, "cup")
        assert [plan for plan in plans if "(owner_id=?)" in plan], plans
        assert not [plan for plan in plans if "ix_bot_game" in plan], "the bots of all authors"
        told = [(one.author, one.rank, one.bots, one.joined) for one in found.items]
        assert told == [("alice", None, 1, True), ("bob", None, 0, True)]
        with pytest.raises(Forbidden):
            queries.author_results(session, alice, "cup")


@pytest.mark.parametrize(("final", "ranks"), [(False, [1, None]), (True, [1, 2])])
def test_the_results_rank_nobody_without_a_match_unless_a_knock_out_does(
    books: Books, alice: User, bob: User, charlie: User, cup: str, final: bool, ranks: list[Any]
) -> None:
    rows = [books.bot(user, f"{user.name}-bot").id for user in (alice, bob)]
    with books.write() as session:
        league = session.scalars(select(League).where(League.name == "cup")).one()
        one = Season(
            league_id=league.id, name="spring", state="finished", edition=1, deals=1, seed="s",
            created_at=1, finished_at=1, places=rows if final else [],
        )  # fmt: skip
        session.add(one)
        session.flush()
        lines = [
            {**asdict(Line(1, (1, 2), "", 1500.0, (1490.0, 1510.0), matches)), "version_id": row}
            for row, matches in zip(rows, (4, 0), strict=True)
        ]
        standing = Standing(
            scope=f"season:{one.id}", rows_digest="", field="", lines=lines, matches=4,
            computed_at=1, facts={"by": "elo"},
        )  # fmt: skip
        session.add(standing)
    with books.read() as session:
        found = queries.author_results(session, charlie, "cup")
    assert [one.author for one in found.items] == ["alice", "bob"]
    assert [one.rank for one in found.items] == ranks
    assert [one.board_rank for one in found.items] == ranks
    assert [one.best_bot is None for one in found.items] == [rank is None for rank in ranks]


def test_the_results_have_the_newest_upload_and_count_only_accepted_bots(
    books: Books, alice: User, bob: User, charlie: User, cup: str
) -> None:
    with books.write() as session:
        for user in (alice, bob):
            classes.join(session, session.get_one(User, user.id), cup, now=books.clock())
    books.bot(alice, "one")
    refused = books.upload(alice, "two", SIMPLE + b"# refused\n")
    with books.write() as session:
        session.get_one(Version, refused.id).state = VersionState.REFUSED
    with books.read() as session:
        found = queries.author_results(session, charlie, "cup")
    told = [
        (one.author, one.bots, one.newest_bot, one.newest_version, one.newest_state)
        for one in found.items
    ]
    assert told == [("alice", 1, "alice/two", 1, "refused"), ("bob", 0, None, None, None)]


def test_the_results_of_divisions_that_rank_by_different_figures_are_told_in_elo(
    books: Books, alice: User, bob: User, charlie: User, cup: str
) -> None:
    rows = [books.bot(user, f"{user.name}-bot").id for user in (alice, bob)]
    with books.write() as session:
        league = session.scalars(select(League).where(League.name == "cup")).one()
        for division, (row, by) in enumerate(zip(rows, ("borda", "elo"), strict=True), 1):
            one = Season(
                league_id=league.id, name=f"division {division}", state="finished", edition=1,
                division=division, deals=1, seed=f"{division}", created_at=1, finished_at=1,
            )  # fmt: skip
            session.add(one)
            session.flush()
            line = Line(1, (1, 1), "", 1500.0 + division, (1490.0, 1510.0), 4, 4)
            told = {**asdict(line), "version_id": row, "score": 0.6 if by == "borda" else None}
            standing = Standing(
                scope=f"season:{one.id}", rows_digest="", field="", lines=[told], matches=4,
                computed_at=1, facts={"by": by},
            )  # fmt: skip
            session.add(standing)
    with books.read() as session:
        found = queries.author_results(session, charlie, "cup")
    assert (found.by, found.season, found.divisions) == ("elo", "division 1", 2)
    assert [(one.author, one.rank, one.score) for one in found.items] == [
        ("alice", 1, 1501.0),
        ("bob", 2, 1502.0),
    ]
