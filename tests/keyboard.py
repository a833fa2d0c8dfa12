"""The distance of a page's controls for users of the keyboard alone, in presses of Tab."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Page

MAX_TABS: Final = 20
"""The most presses of Tab to a main control from the top of the page, and to the button that sends
a form from the form's first field."""
STOPS: Final = """() => {
  const every = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')];
  const stops = every.filter(one => one.tabIndex >= 0 && !one.disabled
    && one.checkVisibility({visibilityProperty: true}));
  const first = new Map();  // of each radio group, one is a stop
  for (const one of [...stops]) {
    if (one.type !== 'radio') continue;
    if (first.has(one.name)) stops.splice(stops.indexOf(one), 1);
    else first.set(one.name, one);
  }
  return stops.flatMap(one => one.type === 'datetime-local' ? Array(7).fill(one) : [one]);
}"""
"""The elements at which Tab stops, in order. A field for a time has seven stops: month, day, year,
hour, minute, AM or PM, and the button that opens a calendar."""
FAR: Final = """most => {
  const stops = (STOPS)();
  const near = new Map([...stops.entries()].reverse().map(([place, one]) => [one, place + 1]));
  for (const link of stops) {
    const to = link.matches('a[href^="#"]') && document.getElementById(link.hash.slice(1));
    if (!to) continue;
    const after = one => to === one || to.contains(one)
      || to.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
    const from = stops.findIndex(after);
    for (let far = from; far >= 0 && far < stops.length; far++) {
      near.set(stops[far], Math.min(near.get(stops[far]), near.get(link) + 1 + far - from));
    }
  }
  const inside = stops.filter(one => one.closest('main'));
  const firstOf = form => stops.find(one => one.form === form);
  const later = one => {  // in a list or a table, but not in its first line with a stop
    const line = one.closest('tr, li, dd');
    if (!line) return false;
    if (one.closest('thead') && one !== inside.find(stop => line.contains(stop))) return true;
    const lines = [...line.parentElement.children];
    return lines.slice(0, lines.indexOf(line)).some(it => inside.some(stop => it.contains(stop)));
  };
  const main = inside.filter(one => !later(one)
    && one.matches('button, .button, select, input, textarea, summary, nav a:first-child')
    && (!one.closest('form') || one === firstOf(one.closest('form'))));
  const text = one => one.outerHTML.slice(0, 90);
  const told = main.filter(one => near.get(one) > most)
    .map(one => `${near.get(one)}: ${text(one)}`);
  for (const form of document.querySelectorAll('main form')) {
    const send = inside.findLast(one => one.form === form && one.type === 'submit');
    if (!send) continue;
    const steps = stops.indexOf(send) - stops.indexOf(firstOf(form));
    if (steps > most) told.push(`${steps} from its first field: ${text(send)}`);
  }
  return told;
}""".replace("STOPS", STOPS)
"""Main controls are buttons, fields and controls that open a part. Of a form only the first field
counts, of a list or a table the controls of the first line, of its headings the first. A link to
a part of the same page, such as the one that skips the menu, is a short way to that part."""
SAME: Final = """place => {
  const stop = (STOPS)()[place], now = document.activeElement;
  return now === stop || (stop.type === 'radio' && now.name === stop.name);
}""".replace("STOPS", STOPS)


def too_far(page: Page) -> list[str]:
    """The controls that are too many presses of Tab away, each with the number."""
    far: list[str] = page.evaluate(FAR, MAX_TABS)
    return far


def stops(page: Page) -> int:
    """How many stops of Tab the page has."""
    count: Any = page.evaluate(f"({STOPS})().length")
    return int(count)


def is_at(page: Page, place: int) -> bool:
    """Whether the stop with this number, from 0, has the focus."""
    return bool(page.evaluate(SAME, place))
