"""The effects of the mover's actions on the table; an impossible action does nothing.

The rules and a seat's driver both use these functions, so a driver knows the effect of a move.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.creatures.kinds import COSTS, LAND_CARD, POWERS
from matchbox.games.creatures.state import ATTACKED, BLOCKED, UNTAPPED, Side

NOWHERE: Final = -1
"""Stands for no place."""


def begin_turn(side: Side) -> bool:
    """Untaps everything on the side and draws a card; returns False if there is none to draw."""
    side.tapped = 0
    side.played = False
    side.marks = bytearray(len(side.kinds))
    if not side.deck:
        return False
    side.hand.append(side.deck.pop())
    return True


def play_land(side: Side) -> int:
    """Plays the first land of the hand; returns its place there, or NOWHERE if impossible."""
    place = NOWHERE if side.played else side.hand.find(LAND_CARD)
    if place >= 0:
        del side.hand[place]
        side.lands += 1
        side.played = True
    return place


def tap(side: Side, lands: int) -> bool:
    """Taps that many lands, for one mana each; False, and nothing is done, if there are too few."""
    if not 1 <= lands <= side.lands - side.tapped:
        return False
    side.tapped += lands
    side.mana += lands
    return True


def summon(side: Side, card: int) -> int:
    """Summons the first such creature in the hand, at its cost; returns as `play_land` does."""
    cost = COSTS[card]
    place = side.hand.find(card) if cost <= side.mana else NOWHERE
    if place >= 0:
        del side.hand[place]
        side.mana -= cost
        side.numbers.append(len(side.kinds) + len(side.discard) + 1)
        side.kinds.append(card)
        side.marks.append(UNTAPPED)
    return place


def untapped(side: Side, number: int) -> int:
    """The place of the untapped creature of that number on the field, or NOWHERE."""
    numbers = side.numbers
    if 0 < number <= len(numbers) and numbers[number - 1] == number:
        place = number - 1  # True as long as no earlier summon has been destroyed.
    else:
        place = numbers.find(number) if 0 < number < 256 else NOWHERE
    return NOWHERE if place >= 0 and side.marks[place] else place


def attack(side: Side, other: Side, place: int) -> bool:
    """Attacks with the untapped creature at that place; takes life if nobody can block.

    Returns False if the other seat must first choose a blocker.
    """
    side.marks[place] = ATTACKED
    if UNTAPPED in other.marks:
        return False
    other.life -= POWERS[side.kinds[place]]
    return True


def charge(side: Side, other: Side, numbers: list[int]) -> int:
    """Attacks with creatures of these numbers, one after the other; nobody can block.

    Returns how many attacked before all life was gone, or NOWHERE if one of them cannot.
    """
    marks, kinds, known = side.marks, side.kinds, side.numbers
    made = 0
    for number in numbers:
        place = number - 1
        if place >= len(known) or known[place] != number:
            place = known.find(number)
        if place < 0 or marks[place]:
            return NOWHERE
        marks[place] = ATTACKED
        other.life -= POWERS[kinds[place]]
        made += 1
        if other.life <= 0:
            break
    return made


def hit(side: Side, card: int) -> None:
    """Takes as much life from the side as the card has power."""
    side.life -= POWERS[card]


def fight(attacking: Side, attacker: int, side: Side, blocker: int) -> None:
    """Settles a block. The lower power is destroyed, equal powers both; no damage goes through."""
    side.marks[blocker] = BLOCKED
    coming, power = POWERS[attacking.kinds[attacker]], POWERS[side.kinds[blocker]]
    if coming <= power:
        _destroy(attacking, attacker)
    if power <= coming:
        _destroy(side, blocker)


def _destroy(side: Side, place: int) -> None:
    side.discard.append(side.kinds[place])
    del side.numbers[place], side.kinds[place], side.marks[place]
