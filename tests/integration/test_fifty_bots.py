"""The seasons that `make fifty-bots` plays: no game is forgotten, and every field is of fifty."""

from __future__ import annotations

from collections import Counter

import pytest

from cli.named_bots import shipped, shipped_names
from matchbox import registry
from matchbox.bundle import digest, read_bundle
from matchbox.game import check_seats
from tests.integration.fifty_bots import AN_AUTHOR, BOTS, PLANS, field_of


def test_every_game_with_shipped_bots_has_a_season() -> None:
    assert set(PLANS) == {game for game in registry.games() if shipped_names(game)}


@pytest.mark.parametrize("game", PLANS)
def test_its_field_is_of_fifty_different_bots_of_many_authors(game: str) -> None:
    check_seats(registry.game(game).spec, PLANS[game].seats)
    bundles = [bot.data for bot in shipped(game)]
    authors: Counter[str] = Counter()
    for author, _, source in field_of(game):
        authors[author] += 1
        bundles.append(source)
    assert all(read_bundle(bundle).files for bundle in bundles)
    assert len(set(map(digest, bundles))) == len(bundles) == BOTS
    assert max(authors.values()) == AN_AUTHOR
