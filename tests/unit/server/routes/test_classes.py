"""A league's class over HTTP: joining with a code, the operators' page and accounts."""

from __future__ import annotations

import csv
import io
import re

import pytest
from apiflask import APIFlask
from werkzeug.test import TestResponse

from matchbox import registry
from server.db.models import Season, SeasonState, Standing, User
from server.rate_limits import CLASS_RATE
from server.services import classes, leagues
from tests.books import GAME, Books, play_out
from tests.unit.server.routes.conftest import Browse, Browser, Caller, MakeApp, problem

PASSWORD = "a password of dora"


@pytest.fixture
def code(books: Books, charlie: User) -> str:
    """The code of the game's league."""
    with books.write() as session:
        return classes.renew_code(session, charlie, GAME, now=books.clock())


def test_a_pupil_joins_in_one_step_and_lands_where_bots_are_written(
    browse: Browse, code: str
) -> None:
    pupil = browse(None)
    assert code in pupil.get(f"/join?code={code.upper()}").location
    assert "Join bomb" in pupil.get(f"/join/{code}").text
    for written in (code, code.upper()):
        assert pupil.get(f"/api/v1/join/{written}").status_code == 200
    answer = pupil.send(f"/join/{code.upper()}", name="dora", password=PASSWORD)
    assert (answer.status_code, answer.location) == (303, f"/submit?game={GAME}")
    assert "You are in league" in pupil.get(answer.location).text
    assert "not in the class" not in pupil.get("/account").text


def test_an_account_joins_by_a_press(browse: Browse, alice: User, code: str, books: Books) -> None:
    alices = browse(alice)
    assert "Join as alice" in alices.get(f"/join/{code}").text
    assert alices.send(f"/join/{code}").status_code == 303
    with books.context.read() as session:
        assert classes.leagues_of(session, alice)


def test_a_refused_pupil_keeps_what_was_typed(browse: Browse, alice: User, code: str) -> None:
    pupil = browse(None)
    for name, password in (("alice", PASSWORD), ("dora", "short")):
        answer = pupil.send(f"/join/{code}", name=name, password=password)
        assert answer.status_code in (409, 422)
        assert f'value="{name}"' in answer.text
        assert password not in answer.text


def test_a_code_that_does_not_work_is_told_so(browse: Browse, nobody: Caller) -> None:
    pupil = browse(None)
    assert pupil.get("/join/none-none").status_code == 404
    assert "does not work" in pupil.get("/join/none-none").text
    answer = pupil.send("/join/none-none", name="dora", password=PASSWORD)
    assert (answer.status_code, "does not work" in answer.text) == (404, True)
    problem(nobody.get("/join/none-none"), 404)


def test_a_whole_class_signs_up_from_one_address(make_app: MakeApp) -> None:
    app = make_app(logins_per_minute=2, signup="closed")
    context = app.extensions["matchbox"]
    with context.write() as session:
        (league,) = leagues.ensure_default_leagues(
            session, [registry.game(GAME)], context.settings, now=context.now()
        )
        league.join_code = "abcd-2345"
    for number in range(5):
        pupil = Browser(app.test_client())
        answer = pupil.send("/join/abcd-2345", name=f"pupil-{number}", password=PASSWORD)
        assert answer.status_code == 303
    for number in range(5):
        body = {"name": f"other-{number}", "password": PASSWORD, "code": "ABCD2345"}
        assert app.test_client().post("/api/v1/accounts", json=body).status_code == 201
    guesser = Browser(app.test_client())
    token = guesser.csrf_token()
    typed = {"name": "mallory", "password": PASSWORD, "csrf_token": token}
    told = [guesser.send(f"/join/guess-{number}", **typed).status_code for number in range(4)]
    assert told == [404, 404, 429, 429], "guesses of codes count"
    answer = guesser.send("/login", name="pupil-1", password="a wrong one", csrf_token=token)
    assert answer.status_code == 429
    assert 'value="pupil-1"' in answer.text, "what was typed stays"
    assert "wait a minute" in answer.text


def test_looking_at_codes_is_limited_whether_they_work_or_not(
    app: APIFlask, nobody: Caller, code: str
) -> None:
    for _ in range(CLASS_RATE - 1):
        assert nobody.get(f"/join/{code}").status_code == 200, "a class looks from one address"
    assert nobody.get("/join/none-none").status_code == 404
    for guess in (code, "none-none"):
        assert nobody.get(f"/join/{guess}").status_code == 429, "and nothing tells them apart"


def told_by(answer: TestResponse, code: str) -> str:
    """Returns what an answer tells besides its request's id and the code that was sent."""
    page = re.search("<main.*</main>", answer.text, re.DOTALL)
    told = re.sub("[0-9a-f]{32}", "ID", page[0] if page else answer.text)
    return told.replace(code, "CODE")


@pytest.mark.parametrize("path", ["/join/{}", "/api/v1/accounts"])
def test_a_guesser_over_the_limit_is_not_told_which_code_works(
    make_app: MakeApp, path: str
) -> None:
    app = make_app(logins_per_minute=1, signup="closed")
    context = app.extensions["matchbox"]
    with context.write() as session:
        (league,) = leagues.ensure_default_leagues(
            session, [registry.game(GAME)], context.settings, now=context.now()
        )
        league.join_code = "abcd-2345"
    guesser = Browser(app.test_client())
    typed = {"name": "mallory", "password": PASSWORD}
    token = guesser.csrf_token()

    def send(code: str) -> tuple[int, str]:
        if path.startswith("/api/"):
            answer = guesser.client.post(path, json={**typed, "code": code})
        else:
            fields = {**typed, "csrf_token": token}
            answer = guesser.client.post(path.format(code), data=fields)
        return answer.status_code, told_by(answer, code)

    told = [send(f"gu{number:02}-guess"[:9])[0] for number in range(CLASS_RATE)]
    assert told == [404] + [429] * (CLASS_RATE - 1)
    works, guess = send("abcd-2345"), send("abcd-2346")
    assert works[0] == 429
    assert works == guess, "nothing tells them apart"


def test_a_forged_form_is_not_told_which_code_works(app: APIFlask, code: str) -> None:
    client = app.test_client()

    def forge(guess: str) -> tuple[int, str]:
        answer = client.post(f"/join/{guess}", data={"name": "mallory", "password": PASSWORD})
        return answer.status_code, told_by(answer, guess)

    works = forge(code)
    assert works[0] == 400
    assert works == forge("none-none")


def test_a_code_in_a_log_in_makes_nobody_free_of_the_limit(make_app: MakeApp) -> None:
    client = make_app(logins_per_minute=2).test_client()
    body = {"name": "alice", "password": "a guess", "code": "abcd-2345"}
    told = [client.post("/api/v1/login", json=body).status_code for _ in range(3)]
    assert told[2] == 429


@pytest.mark.parametrize(
    "body", [b"[" * 200_000, b'{"code": "' + b"a" * (3 << 20) + b'"}', b'{"code": "\\u0000"}']
)
def test_a_body_that_cannot_be_read_leaves_the_limits_as_they_are(
    make_app: MakeApp, body: bytes
) -> None:
    client = make_app(logins_per_minute=2).test_client()
    told = [
        client.post("/api/v1/accounts", data=body, content_type="application/json").status_code
        for _ in range(4)
    ]
    assert told[0] in (400, 413, 422)
    assert told == [told[0], told[0], 429, 429]


def test_an_operator_makes_a_code_and_takes_it_back(
    browse: Browse, charlie: User, as_charlie: Caller
) -> None:
    page = browse(charlie)
    assert "Make a code" in page.get(f"/leagues/{GAME}/class").text
    assert page.send(f"/leagues/{GAME}/code").status_code == 303
    known = as_charlie.get(f"/leagues/{GAME}/code").get_json()
    assert known["link"].endswith(f"/join/{known['code']}")
    assert known["code"] in page.get(f"/leagues/{GAME}/class").text
    assert known["code"] in page.get(f"/leagues/{GAME}/class/card").text
    assert page.send(f"/leagues/{GAME}/code/withdraw").status_code == 303
    assert as_charlie.get(f"/leagues/{GAME}/code").get_json()["code"] is None
    fresh = as_charlie.post(f"/leagues/{GAME}/code").get_json()["code"]
    assert as_charlie.delete(f"/leagues/{GAME}/code").status_code == 204
    problem(as_charlie.get(f"/join/{fresh}"), 404)


def test_a_note_is_on_the_card_in_the_class_and_on_the_account_s_page(
    browse: Browse, charlie: User, as_charlie: Caller, nobody: Caller, books: Books
) -> None:
    page = browse(charlie)
    cards = page.send(f"/leagues/{GAME}/accounts", names="owl, Anna Müller").text
    assert '<p class="who">Anna Müller</p>' in cards
    for path in (f"/leagues/{GAME}/class", "/admin/users?q=anna", "/admin/users/owl"):
        assert "Anna Müller" in page.get(path).text
    assert page.get("/admin/users?role=king").status_code == 422
    assert "Anna Müller" in page.get(f"/leagues/{GAME}/class.csv").text
    page.send("/admin/users/owl/note", note="Anna M.")
    assert as_charlie.get("/users/owl").get_json()["note"] == "Anna M."
    problem(nobody.get("/users/owl"), 401)
    as_charlie.post("/users/owl/note", {"note": ""})
    assert as_charlie.get("/users/owl").get_json()["note"] == ""
    body = {"names": ["heron"], "notes": {"heron": "Ben"}}
    assert (
        as_charlie.post(f"/leagues/{GAME}/accounts", body).get_json()["items"][0]["note"] == "Ben"
    )


def test_accounts_are_made_from_names_and_their_passwords_work(
    browse: Browse, charlie: User, as_charlie: Caller, nobody: Caller
) -> None:
    answer = browse(charlie).send(f"/leagues/{GAME}/accounts", names="anna\nben")
    assert answer.headers["Cache-Control"] == "no-store"
    shown = re.findall(r'class="secret">([^<]+)<', answer.text)
    assert len(shown) == 2
    made = as_charlie.post(f"/leagues/{GAME}/accounts", {"names": ["cleo"]}).get_json()["items"]
    for name, password in (
        ("anna", shown[0]),
        ("ben", shown[1]),
        (made[0]["name"], made[0]["password"]),
    ):
        assert nobody.post("/login", {"name": name, "password": password}).status_code == 201


def test_pages_with_an_address_of_one_computer_only_warn(browse: Browse, charlie: User) -> None:
    warning, page = "Other computers cannot open", browse(charlie)
    assert warning in page.get(f"/leagues/{GAME}/class").text
    page.send(f"/leagues/{GAME}/code")
    for path in ("class", "class/card"):
        told = page.get(f"/leagues/{GAME}/{path}").text
        assert f"{warning} <code>http://127.0.0.1:8000/join/" in told
    cards = page.send(f"/leagues/{GAME}/accounts", names="anna")
    assert f"{warning} <code>http://localhost/login" in cards.text


def test_a_list_with_bad_names_is_shown_again_whole(
    browse: Browse, charlie: User, as_charlie: Caller
) -> None:
    answer = browse(charlie).send(f"/leagues/{GAME}/accounts", names="anna\ncharlie\nBen B")
    assert answer.status_code == 422
    assert "anna\ncharlie\nBen B</textarea>" in answer.text
    assert "try ben-b" in answer.text
    told = problem(as_charlie.post(f"/leagues/{GAME}/accounts", {"names": ["x", "charlie"]}), 422)
    assert "2 of the names" in told["detail"]


def test_authors_may_do_none_of_it(browse: Browse, alice: User, as_alice: Caller) -> None:
    page = browse(alice)
    for path in (f"/leagues/{GAME}/class", f"/leagues/{GAME}/class.csv", "/admin/users/alice"):
        assert page.get(path).status_code == 403
    for path in (f"/leagues/{GAME}/code", f"/leagues/{GAME}/accounts", "/admin/users/alice/reset"):
        assert page.send(path, names="x").status_code == 403
    for path in (
        f"/leagues/{GAME}/code",
        f"/leagues/{GAME}/results",
        f"/leagues/{GAME}/results.csv",
    ):
        problem(as_alice.get(path), 403)
    for path, body in (("reset", {}), ("role", {"role": "operator"}), ("close", {"reason": "x"})):
        problem(as_alice.post(f"/users/alice/{path}", body), 403)


def test_results_come_as_csv_by_page_and_api(
    browse: Browse, charlie: User, as_charlie: Caller, as_alice: Caller, books: Books,
    alice: User, code: str,
) -> None:  # fmt: skip
    assert as_alice.post("/join", {"code": code}).get_json()["league"] == GAME
    books.bot(alice, "one")
    path = f"/leagues/{GAME}/class.csv"
    assert browse(None).get(path).location == f"/login?next={path}"
    page = browse(charlie).get(path)
    assert page.mimetype == "text/csv"
    assert page.text == as_charlie.get(f"/leagues/{GAME}/results.csv").text
    (line,) = csv.DictReader(io.StringIO(page.text))
    assert (line["author"], line["joined"], line["bots"], line["by"]) == ("alice", "1", "1", "elo")
    assert as_charlie.get(f"/leagues/{GAME}/results").get_json()["items"][0]["author"] == "alice"
    problem(as_charlie.get(f"/leagues/{GAME}/results?season=none"), 404)


def test_an_operator_resets_demotes_closes_and_reopens_by_page(
    browse: Browse, alice: User, charlie: User, nobody: Caller, books: Books
) -> None:
    page = browse(charlie)
    answer = page.send("/admin/users/alice/reset", revoke="yes")
    (password,) = re.findall(r'class="secret">([^<]+)<', answer.text)
    login = {"name": "alice", "password": password}
    assert nobody.post("/login", login).status_code == 201
    assert page.send("/admin/users/alice/role", role="operator").status_code == 303
    assert page.send("/admin/users/alice/role", role="author").status_code == 303
    assert page.send("/admin/users/alice/close", reason=" ").status_code == 422
    assert page.send("/admin/users/alice/close", reason="spam").status_code == 303
    assert "was closed" in page.get("/admin/users/alice").text
    problem(nobody.post("/login", login), 401)
    assert page.send("/admin/users/alice/reopen").status_code == 303
    assert nobody.post("/login", login).status_code == 201
    assert page.send("/admin/users/charlie/role", role="author").status_code == 409
    assert "user.close" in page.get("/admin/users/alice").text


def test_an_operator_deletes_a_closed_account_by_page_and_by_api(
    browse: Browse, alice: User, bob: User, charlie: User, as_charlie: Caller, as_bob: Caller
) -> None:
    page, why = browse(charlie), {"reason": "the class is over"}
    assert "Delete it" not in page.get("/admin/users/alice").text
    refused = page.send("/admin/users/alice/delete", **why)
    assert (refused.status_code, "close it first" in refused.text) == (409, True)
    problem(as_bob.post("/users/alice/delete", why), 403)
    page.send("/admin/users/alice/close", **why)
    assert "Delete it" in page.get("/admin/users/alice").text
    assert page.send("/admin/users/alice/delete", reason=" ").status_code == 422
    gone = page.send("/admin/users/alice/delete", **why)
    assert (gone.status_code, gone.location) == (303, "/admin/users")
    assert "The account alice is deleted." in page.get("/admin/users").text
    assert page.get("/admin/users/alice").status_code == 404
    as_charlie.post("/users/bob/close", why)
    answer = as_charlie.post("/users/bob/delete", why)
    assert (answer.status_code, answer.get_json()["name"]) == (200, f"deleted-author-{bob.id}")
    problem(as_charlie.post("/users/bob/delete", why), 404)


def test_an_operator_ends_sessions_and_revokes_tokens_by_page_and_api(
    browse: Browse, alice: User, charlie: User, as_alice: Caller, as_charlie: Caller
) -> None:
    browse(alice), browse(alice)
    page = browse(charlie)
    first, second = as_charlie.get("/users/alice").get_json()["sessions"]
    (token,) = as_charlie.get("/users/alice").get_json()["tokens"]
    account = "/admin/users/alice"
    answer = page.send(f"{account}/sessions/{first['id']}/end")
    assert (answer.status_code, answer.location) == (303, f"{account}#sessions")
    assert as_charlie.delete(f"/users/alice/sessions/{second['id']}").status_code == 204
    problem(as_charlie.delete(f"/users/alice/sessions/{second['id']}"), 404)
    assert as_alice.get("/whoami").status_code == 200
    assert page.send(f"{account}/tokens/{token['id']}/revoke").status_code == 303
    problem(as_alice.get("/whoami"), 401)
    problem(as_charlie.delete(f"/users/alice/tokens/{token['id']}"), 404)
    told = page.get(account).text
    for said in ("It is logged in nowhere", "revoked</span>", "user.session", "user.token"):
        assert said in told, said


def test_the_accounts_are_searched_by_page_and_api(
    browse: Browse, alice: User, bob: User, charlie: User, as_alice: Caller, as_charlie: Caller
) -> None:
    found = as_charlie.get("/users?q=LIC&role=author&state=open").get_json()
    assert ([one["name"] for one in found["items"]], found["found"]) == (["alice"], 1)
    problem(as_alice.get("/users"), 403)
    problem(as_charlie.get("/users?role=house"), 422)
    page = browse(charlie).get("/admin/users?q=lic").text
    assert 'href="/admin/users/alice"' in page
    assert 'href="/admin/users/bob"' not in page
    assert browse(alice).get("/admin/users").status_code == 403
    assert browse(alice).send("/admin/users/bob/tokens/1/revoke").status_code == 403


def test_revoked_tokens_are_listed_to_who_asks(as_alice: Caller) -> None:
    as_alice.post("/tokens", {"name": "old"})
    (old,) = [one for one in as_alice.get("/tokens").get_json()["items"] if one["name"] == "old"]
    as_alice.delete(f"/tokens/{old['id']}")
    assert "old" not in as_alice.get("/tokens").text
    told = as_alice.get("/tokens?revoked=true").get_json()["items"]
    assert [one["revoked_at"] is None for one in told] == [True, False]


def test_an_operator_does_the_same_by_api(as_charlie: Caller, alice: User, nobody: Caller) -> None:
    fresh = as_charlie.post("/users/alice/reset", {}).get_json()
    assert nobody.post("/login", fresh).status_code == 201
    assert (
        as_charlie.post("/users/alice/role", {"role": "operator"}).get_json()["role"] == "operator"
    )
    assert as_charlie.post("/users/alice/close", {"reason": "left"}).status_code == 200
    problem(nobody.post("/login", fresh), 401)
    assert as_charlie.post("/users/alice/reopen", {}).status_code == 200
    assert nobody.post("/login", fresh).status_code == 201


def test_an_operator_takes_a_member_out_of_the_class_of_a_league_that_is_open(
    browse: Browse, alice: User, charlie: User, code: str
) -> None:
    browse(alice).send(f"/join/{code}")
    page, operator = f"/leagues/{GAME}/class", browse(charlie)
    assert '<option value="alice">' in operator.get(page).text
    answer = operator.send(f"/leagues/{GAME}/uninvite", user="alice", back="class")
    assert (answer.status_code, answer.location) == (303, f"{page}#out")
    assert "alice" not in operator.get(page).text
    assert "You are in league" not in browse(alice).get("/submit").text


def test_the_results_of_a_class_have_all_divisions_of_its_season(
    browse: Browse, charlie: User, books: Books
) -> None:
    people, operator = [books.person(f"pupil-{at}") for at in range(5)], browse(charlie)
    operator.send("/leagues", name="cup", game=GAME, kind="round-robin", divisions="2", moving="1")
    operator.send("/leagues/cup/code")
    (code,) = set(re.findall(r"/join/([a-z0-9]{4}-[a-z0-9]{4})", class_page(operator)))
    for person in people:
        browse(person).send(f"/join/{code}")
    for person in people[:4]:
        books.bot(person, "bot")
    assert operator.send("/seasons", league="cup").location == "/seasons/1"
    assert operator.send("/seasons/1/start").status_code == 303
    play_out(books)
    rows = list(csv.DictReader(io.StringIO(operator.get("/leagues/cup/class.csv").text)))
    first = operator.get("/seasons/1.csv").text
    above = [f"{row['author']}/bot" in first for row in rows]
    assert above == [True, True, False, False, False]
    assert [row["rank"] for row in rows[::2]] == ["1", "3", ""]
    assert rows[2]["board_rank"] == "1"
    assert [row["matches"] for row in rows] == ["2"] * 4 + ["0"]


def test_the_results_of_a_class_follow_the_final_order_of_a_knock_out(
    browse: Browse, charlie: User, books: Books
) -> None:
    people, operator = [books.person(f"pupil-{at}") for at in range(4)], browse(charlie)
    operator.send("/leagues", name="cup", game=GAME, kind="knock-out", group="3", through="1")
    operator.send("/leagues/cup/code")
    (code,) = set(re.findall(r"/join/([a-z0-9]{4}-[a-z0-9]{4})", class_page(operator)))
    for person in people:
        browse(person).send(f"/join/{code}")
    versions = {person.name: books.bot(person, "bot").id for person in people}
    assert operator.send("/seasons", league="cup").status_code == 303
    assert operator.send("/seasons/1/start").status_code == 303
    play_out(books)
    with books.write() as session:
        row, standing = session.get_one(Season, 1), session.get_one(Standing, "season:1")
        assert (row.state, set(row.places)) == (SeasonState.FINISHED, {*versions.values()})
        row.places = [line["version_id"] for line in reversed(standing.lines)]
        final = list(row.places)
    rows = list(csv.DictReader(io.StringIO(operator.get("/leagues/cup/class.csv").text)))
    assert [versions[row["author"]] for row in rows] == final
    assert [(row["rank"], row["board_rank"]) for row in rows] == [
        (f"{at}",) * 2 for at in range(1, 5)
    ]


def class_page(operator: Browser) -> str:
    """The page of the class of the league cup."""
    return operator.get("/leagues/cup/class").text
