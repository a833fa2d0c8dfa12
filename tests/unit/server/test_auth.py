"""The session of a page reads the database as of one moment."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from matchbox.errors import NotFound
from server.auth import end_reader, reader, reading
from server.db.models import Setting
from tests.books import Books


def _count(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Setting)) or 0


count = reading(_count)


def _refuse(session: Session) -> None:
    _count(session)
    raise NotFound("there is nothing here")


@pytest.fixture
def app(books: Books) -> Flask:
    """The smallest application that pages need."""
    made = Flask("pages")
    made.extensions["matchbox"] = books.context
    made.teardown_request(end_reader)
    return made


def change(books: Books) -> None:
    """Adds a setting."""
    with books.write() as session:
        name = f"setting {_count(session)}"
        session.add(Setting(name=name, value={}, changed_at=books.clock()))


def test_all_parts_of_a_page_show_the_same_moment(app: Flask, books: Books) -> None:
    with app.test_request_context("/"):
        before = count()
        change(books)
        assert count() == before
    with app.test_request_context("/"):
        assert count() == before + 1


def test_a_form_shows_what_it_has_changed(app: Flask, books: Books) -> None:
    with app.test_request_context("/", method="POST"):
        before = count()
        change(books)
        assert count() == before + 1


def test_after_an_error_the_page_goes_on_with_a_new_session(app: Flask, books: Books) -> None:
    with app.test_request_context("/"):
        before = count()
        change(books)
        with pytest.raises(NotFound, match="nothing here"):
            reading(_refuse)()
        assert count() == before + 1


def test_an_error_in_a_part_of_a_part_is_that_error(app: Flask) -> None:
    with app.test_request_context("/"), pytest.raises(NotFound, match="nothing here"), reader():
        reading(_refuse)()
