// What every page can do: sort a table, copy a digest, count down to a time, send a form once for a
// double click and not again by a reload, mark a field that was refused, rest while nobody looks, say
// that it is not renewed, and hide what was left before a log-out. Here are also `hasPart` for
// workbench.js, and `remembered` for match.js. Nothing else.
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

function sort(table, column, order) {
  const turn = order === "descending" ? -1 : 1;
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(valueOf(a, column), valueOf(b, column)) * turn);
  const headings = [...table.tHead.rows[0].cells];
  for (const heading of headings) heading.removeAttribute("aria-sort");
  headings[column].setAttribute("aria-sort", order);
  table.tBodies[0].append(...rows);
}

function makeSortable(table) {
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
  }
}

document.querySelectorAll("table.sortable").forEach(makeSortable);

document.addEventListener("click", (event) => {
  const heading = event.target.closest("table.sortable thead button")?.parentNode;
  if (!heading) return;
  const down = heading.getAttribute("aria-sort") === "ascending";
  sort(heading.closest("table"), heading.cellIndex, down ? "descending" : "ascending");
});

let leaving = false; // The page is being loaded again.

// A page that nobody looks at asks for no news.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden || leaving) event.preventDefault();
});

// Once only: a second load would end the first, again and again where the server is slower than the
// page asks.
function loadAgain() {
  if (!leaving) location.reload();
  leaving = true;
}

// An answer without the part is another page: of a match that has ended meanwhile, a log-in, a proxy.
// An error changes nothing: its answer is not swapped in.
const hasPart = ({ ctx, tasks }) => ctx.swap === "none" || tasks.some((task) => task.fragment.childElementCount);

document.addEventListener("htmx:before:swap", (event) => {
  if (hasPart(event.detail)) return;
  event.preventDefault();
  loadAgain();
});

const STALE_MS = 10000; // So long a page may be late without a word.
const TURNED_AWAY = [401, 403, 404]; // The page that says why is for the reader.
const staleNote = document.createElement("p");
staleNote.className = "note warning away";
staleNote.setAttribute("role", "status");
let renewedAt = Date.now();

// Says of when the page is, if it could not be renewed for a while, until it can. 0: no answer came.
function noteRenewal(status) {
  if (TURNED_AWAY.includes(status)) return loadAgain();
  if (status && status < 400) {
    renewedAt = Date.now();
    return staleNote.remove();
  }
  if (leaving || Date.now() - renewedAt < STALE_MS || staleNote.isConnected) return;
  const unanswered = status ? "The server failed to answer" : "The server cannot be reached";
  const why = status === 429 ? "Too many requests come from you or your network" : unanswered;
  staleNote.textContent = `${why}: this page is of ${new Date(renewedAt).toLocaleTimeString()}. It goes on by itself.`;
  document.querySelector("main").prepend(staleNote);
}

document.addEventListener("htmx:after:request", ({ detail }) => noteRenewal(detail.ctx.response.status));
document.addEventListener("htmx:error", ({ detail }) => detail.ctx && noteRenewal(0));

// A table that replaces another is sorted as the reader has sorted that one, if it has the column.
document.addEventListener("htmx:before:swap", (event) => {
  for (const { fragment } of event.detail.tasks) {
    for (const table of fragment.querySelectorAll("table.sortable")) {
      makeSortable(table);
      const sorted = document.getElementById(table.id)?.querySelector("thead [aria-sort]");
      const same = [...table.tHead.rows[0].cells].find((one) => one.textContent === sorted?.textContent);
      if (same) sort(table, same.cellIndex, sorted.getAttribute("aria-sort"));
    }
  }
});

// What a button that keeps its name has done, for a screen reader.
const told = document.createElement("p");
told.className = "unseen";
told.setAttribute("role", "status");
document.body.append(told);

// Over plain HTTP there is no clipboard, and the text stays selected, at full length.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    return "copied";
  } catch {
    const shown = button.previousElementSibling;
    shown.textContent = button.dataset.copy;
    getSelection().selectAllChildren(shown);
    return document.execCommand("copy") ? "copied" : "selected: copy it by hand";
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  button.textContent = told.textContent = await copy(button);
  setTimeout(() => {
    button.textContent = "copy";
    told.textContent = "";
  }, 2000);
});

// The field that a refused form is about is marked, explained by the sentence, and gets the focus.
// The form is the one with the address of this page; where a button has another, the next one.
function markWrong(problem) {
  const names = problem.dataset.wrong.split(" ");
  const isNamed = (field) => names.includes(field.name) && field.type !== "hidden" && !field.hidden;
  const isSent = (form) => new URL(form.action).pathname === location.pathname;
  const isBelow = (form) => form.contains(problem)
    || problem.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING;
  const forms = [...document.querySelectorAll("main form:not(.filters)")];
  const form = [...forms.filter(isSent), ...forms.filter(isBelow)].find((one) => [...one.elements].some(isNamed));
  const field = form && [...form.elements].find(isNamed);
  if (!field) return;
  problem.id = "problem";
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `problem ${field.getAttribute("aria-describedby") ?? ""}`.trim());
  requestAnimationFrame(() => field.focus()); // After the browser has put it on the sentence.
}

// A browser puts the focus on the sentence only if the address leads to no other part of the page.
requestAnimationFrame(() => document.querySelector("main [role=alert][autofocus]")?.focus());
document.querySelectorAll("[data-wrong]").forEach(markWrong);

// The answer to a form takes the address of the page that sent it, so that neither a reload nor the
// way back sends the form again, or asks whether to.
function takeAddressOfForm() {
  const sender = document.referrer && new URL(document.referrer);
  if (!sender || sender.origin !== location.origin) return;
  sender.hash = location.hash;
  history.replaceState(history.state, "", sender);
}

if ("posted" in document.documentElement.dataset) takeAddressOfForm();

const NOTHING = { form: null, at: 0 };
const ANSWERED_MS = 10000; // Then a form whose answer was stopped can be sent again.
let lastSent = NOTHING;

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return; // A script sends it.
  const wait = event.target.method === "post" ? ANSWERED_MS : 1000;
  const again = event.target === lastSent.form && event.timeStamp - lastSent.at < wait;
  if (again) event.preventDefault();
  else lastSent = { form: event.target, at: event.timeStamp };
});

const LEFT = "matchbox:logged-out"; // When somebody last logged out in this browser.
const LEAVES = /^\/(logout|account\/delete)\b/;
const shownAt = Date.now();

function remembered(key, value) {
  try {
    return value === undefined ? localStorage.getItem(key) : localStorage.setItem(key, value);
  } catch {
    return null; // a browser that keeps nothing
  }
}

document.addEventListener("submit", (event) => {
  if (LEAVES.test(event.target.getAttribute("action"))) remembered(LEFT, Date.now());
});

// The way back shows a page as it was left: its form can be sent again. After a log-out it is loaded
// again, since the next person at this browser may have gone back.
window.addEventListener("pageshow", (event) => {
  lastSent = NOTHING;
  leaving = false;
  if (!event.persisted || Number(remembered(LEFT)) < shownAt) return;
  document.body.hidden = true;
  location.reload();
});

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
const LATE = -60; // The clocks of a browser and of the platform may differ by so many seconds.
const DATE = { year: "numeric", month: "short", day: "numeric" };
const LOCAL = { ...DATE, hour: "numeric", minute: "2-digit", timeZoneName: "short" };

function left(seconds) {
  if (seconds < LATE) return "overdue";
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
    const until = left(Math.floor((start - Date.now()) / 1000));
    mark.textContent = `${start.toLocaleString([], LOCAL)}, ${until}`;
  }
}

countDown();
setInterval(countDown, 1000);
document.addEventListener("htmx:after:swap", countDown);
