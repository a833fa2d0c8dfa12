// What every page can do: sort a table, copy a digest, count down to a time. Nothing else.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

function sortBy(table, heading) {
  const column = heading.cellIndex;
  const down = heading.getAttribute("aria-sort") === "ascending";
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(valueOf(a, column), valueOf(b, column)) * (down ? -1 : 1));
  for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, heading));
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "copied";
  } catch {
    button.textContent = "select it by hand";
  }
  setTimeout(() => (button.textContent = "copy"), 2000);
});

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function left(seconds) {
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first < 0) return "now";
  const parts = UNITS.slice(first, first + 2).map(([name, size], at) => {
    const whole = Math.floor((at ? seconds % UNITS[first][1] : seconds) / size);
    return `${whole} ${name}`;
  });
  return `in ${parts.join(" ")}`;
}

function countDown() {
  for (const mark of document.querySelectorAll("time[data-countdown]")) {
    const start = new Date(mark.dateTime);
    const local = start.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    mark.textContent = `${local}, ${left(Math.floor((start - Date.now()) / 1000))}`;
  }
}

if (document.querySelector("time[data-countdown]")) {
  countDown();
  setInterval(countDown, 1000);
}
