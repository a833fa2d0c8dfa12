// Steps through a bout in place: the page shows one step, the rest is fetched once. site.js has
// `remembered`.
"use strict";

const replay = document.getElementById("replay");
const PACE_MS = 900;
const SPEED = "matchbox-speed";
let shown = null; // { pieces, steps }: a step's board is a row of numbers of pieces
let at = Number(replay.dataset.step);
let timer = null;
let late = null;

const part = (name) => document.getElementById(name);
const last = () => shown.steps.length - 1;

// An address names the bout and the view: without them the page chooses by who looks at it.
function addressOf(step, from = replay.dataset.address) {
  const address = new URL(from, location.href);
  address.searchParams.set("step", step);
  return address.pathname + address.search;
}

function scrollInto(list, item) {
  list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
  list.scrollLeft = item.offsetLeft - (list.clientWidth - item.offsetWidth) / 2;
}

// One item of a list is a tab stop; the arrow keys move within the list.
function rove(list, chosen) {
  for (const link of list.querySelectorAll("a")) link.tabIndex = link === chosen ? 0 : -1;
}

function nextEvent(step) {
  const found = shown.steps.findIndex((one, place) => place > step && one.event);
  return found < 0 ? last() : found;
}

function tell(line) {
  const now = part("now");
  now.textContent = "";
  const who = line.querySelector("span");
  if (who) now.append(Object.assign(document.createElement("b"), { textContent: who.textContent }), " ");
  now.append(shown.steps[at].text);
  now.classList.toggle("event", shown.steps[at].event);
}

function mark(line) {
  const list = part("transcript");
  list.querySelector("li[aria-current]")?.removeAttribute("aria-current");
  line.setAttribute("aria-current", "step");
  rove(list, line.querySelector("a"));
  const top = line.offsetTop;
  if (top < list.scrollTop || top + line.offsetHeight > list.scrollTop + list.clientHeight) {
    scrollInto(list, line);
  }
}

// The steps with output before and after this one; the page has the output only for its owner.
function nearSaid() {
  const steps = [...document.querySelectorAll("#said [data-at]")].map((one) => Number(one.dataset.at));
  return { back: steps.filter((step) => step < at).pop(), on: steps.find((step) => step > at) };
}

function showSaid() {
  if (!part("said")) return;
  const near = nearSaid();
  let nothing = true;
  for (const one of part("said").querySelectorAll("[data-at]")) {
    one.hidden = Number(one.dataset.at) !== at;
    nothing &&= one.hidden;
  }
  for (const one of part("said").querySelectorAll("[data-from]")) {
    one.hidden = Number(one.dataset.from) > at;
    nothing &&= one.hidden;
  }
  part("said-nothing").hidden = !nothing;
  for (const [way, step] of Object.entries(near)) {
    const link = part(`said-${way}`);
    link.hidden = step === undefined;
    link.href = addressOf(step ?? at);
  }
}

function show(step) {
  at = Math.max(0, Math.min(last(), step));
  const board = shown.steps[at].board;
  part("board").innerHTML = board ? board.map((piece) => shown.pieces[piece]).join("") : "";
  part("at").textContent = at;
  part("slider").value = at;
  part("slider").setAttribute("aria-valuetext", `${at} of ${last()}`);
  const line = part("transcript").children[at];
  mark(line);
  tell(line);
  part("back").href = addressOf(Math.max(0, at - 1));
  part("on").href = addressOf(Math.min(last(), at + 1));
  part("event").href = addressOf(nextEvent(at));
  showWayOn();
  for (const link of part("seen").querySelectorAll("a")) link.href = addressOf(at, link.href);
  showSaid();
  keepAddress();
}

// The link to a table that goes on from here; there is none where the bout is over.
function showWayOn() {
  const link = part("go-on");
  if (!link) return;
  const { moves } = shown.steps[at];
  link.hidden = moves === null;
  const address = new URL(link.href);
  address.searchParams.set("moves", moves ?? 0);
  link.href = address.pathname + address.search;
}

// Some browsers take only so many addresses in half a minute. Then the last one is given later.
function keepAddress() {
  clearTimeout(late);
  try {
    history.replaceState(null, "", addressOf(at));
  } catch {
    late = setTimeout(keepAddress, 1000);
  }
}

function pause() {
  const isStopped = timer !== null;
  clearInterval(timer);
  timer = null;
  part("play").textContent = "Play";
  part("now").setAttribute("aria-live", "polite");
  if (isStopped) tell(part("transcript").children[at]); // Where it stopped is read out.
}

function run() {
  clearInterval(timer);
  const speed = Number(part("speed").value);
  timer = setInterval(() => (at < last() ? show(at + 1) : pause()), PACE_MS / speed);
}

function play() {
  if (timer !== null) return pause();
  if (at === last()) show(0);
  part("play").textContent = "Pause";
  part("now").setAttribute("aria-live", "off"); // A reader could not follow.
  run();
}

function go(step) {
  pause();
  show(step);
}

const moves = {
  first: () => go(0),
  back: () => go(at - 1),
  on: () => go(at + 1),
  last: () => go(last()),
  event: () => go(nextEvent(at)),
  "said-back": () => go(nearSaid().back ?? at),
  "said-on": () => go(nearSaid().on ?? at),
};
// Keys that step a page or type a letter belong to the replay only while it has the focus.
const ARROWS = /^Arrow/;
const KEYS = {
  ArrowLeft: moves.back, ArrowRight: moves.on, Home: moves.first, End: moves.last,
  n: moves.event, N: moves.event, " ": play,
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, pre")) return;
  if (event.key === " " && event.target.closest("button, summary, a")) return;
  const act = KEYS[event.key];
  if (!act || !(ARROWS.test(event.key) || replay.contains(event.target))) return;
  event.preventDefault();
  act();
}

function onTranscriptKey(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  go(at + by);
  part("transcript").children[at].querySelector("a").focus();
}

function onStripKey(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const far = { Home: 0, End: -1 }[event.key];
  if (by === undefined && far === undefined) return;
  event.preventDefault();
  const links = [...part("bouts").querySelectorAll("li:not([hidden]) a")];
  const place = links.indexOf(document.activeElement) + (by ?? 0);
  const chosen = by === undefined ? links.at(far) : links[Math.max(0, Math.min(links.length - 1, place))];
  rove(part("bouts"), chosen);
  chosen.focus();
}

function onClick(event) {
  const control = event.target.closest(".controls a, .transcript a");
  if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (moves[control.id]) moves[control.id]();
  else go([...part("transcript").children].indexOf(control.closest("li")));
}

// Excluded bouts are folded unless they are asked for; the current one always shows.
function filter() {
  const wanted = part("filter").value;
  for (const item of part("bouts").children) {
    const has = (word) => item.classList.contains(word);
    const fits = wanted === "excluded" ? has("excluded") : !has("excluded") && (!wanted || has(wanted));
    item.hidden = !fits && !item.querySelector("[aria-current]");
  }
  const current = part("bouts").querySelector("[aria-current]");
  rove(part("bouts"), current);
  scrollInto(part("bouts"), current.parentElement);
}

function startStrip() {
  if (!part("bouts")) return; // a table has one bout
  part("only").hidden = false;
  part("filter").addEventListener("change", filter);
  part("bouts").addEventListener("keydown", onStripKey);
  addEventListener("pageshow", filter); // The way back restores the choice after this script has begun.
  filter();
}

async function start() {
  startStrip();
  if (location.hash === "#status") part("status")?.focus(); // A game has just ended.
  const lines = part("transcript");
  scrollInto(lines, lines.children[at]);
  const answer = await fetch(replay.dataset.steps).catch(() => null);
  shown = answer?.ok ? await answer.json().catch(() => null) : null;
  if (!shown) return; // the links still step, one page at a time
  rove(lines, lines.children[at].querySelector("a"));
  part("speed").value = remembered(SPEED) ?? "1";
  part("speed").addEventListener("change", () => {
    remembered(SPEED, part("speed").value);
    if (timer !== null) run();
  });
  part("slider").addEventListener("input", () => go(Number(part("slider").value)));
  for (const name of ["play", "pace", "slider"]) part(name).hidden = false;
  part("play").addEventListener("click", play);
  lines.addEventListener("keydown", onTranscriptKey);
  replay.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  replay.setAttribute("data-ready", "");
}

start();
