"""The contrast of text in drawings. axe does not check it, since it sees no shapes of an SVG."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

TEXT: Final = 4.5
"""The least contrast of letters and digits with their background, as WCAG 2 counts it."""
MARK: Final = 3.0
"""The same for a mark such as a dot."""
FAINT: Final = """([board, text, mark]) => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(one => one / 255)
    .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const svg = document.querySelector(`${board} svg`);
  let table = svg;
  while (parts(getComputedStyle(table).backgroundColor)[3] === 0) table = table.parentElement;
  const felt = getComputedStyle(table).backgroundColor;
  const drawn = [...svg.querySelectorAll('rect, circle, ellipse, path, polygon, text')];
  const under = (one, place) => {
    const box = one.getBBox();
    const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
    const on = middle.matrixTransform(one.getCTM());
    const shape = drawn.slice(0, place).findLast(shape => shape.tagName !== 'text'
      && shape.isPointInFill(on.matrixTransform(shape.getCTM().inverse()))
      && getComputedStyle(shape).fill !== 'none');
    return shape ? getComputedStyle(shape).fill : felt;
  };
  return drawn.flatMap((one, place) => one.tagName !== 'text' ? [] :
    [one, ...one.querySelectorAll('tspan')].flatMap(part => {
      const own = [...part.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.textContent.trim()).join(' ').trim();
      if (!own) return [];
      const fill = getComputedStyle(part).fill, back = under(one, place);
      const [dark, bright] = [light(fill), light(back)].sort((a, b) => a - b);
      const ratio = (bright + 0.05) / (dark + 0.05);
      return ratio < (/[\\p{L}\\p{N}]/u.test(own) ? text : mark)
        ? [`${ratio.toFixed(1)}: ${own}, ${fill} on ${back}`] : [];
    }));
}"""


def faint(page: Page, board: str) -> list[str]:
    """The texts of this element's drawing with too little contrast, and their contrast."""
    found: list[str] = page.evaluate(FAINT, [board, TEXT, MARK])
    return found
