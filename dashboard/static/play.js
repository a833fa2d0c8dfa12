// A table: shows what happens as it happens, and lets a person click or drag cards to move.
"use strict";

const play = document.getElementById("play");
const part = (name) => document.getElementById(name);
const names = JSON.parse(play.dataset.names);
const PACE_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 600;
const MAX_MS = 3000;
const SOON_MS = [100, 150, 200, 300, 500, 800, 1200];
const AWAY_MS = 5000; // A server that restarts is back sooner.
const GIVE_UP_MS = 10000; // A connection that has gone brings no answer and no error.
let steps = [];
let at = 0;
let shown = null; // The step that the line below the board tells.
let revision = play.dataset.revision;
let state = play.dataset.state;
let mine = play.dataset.mine === "yes";
let picked = [];
let polls = 0;
let asked = 0; // How often news was requested; only the answer to the last request counts.
let away = null; // Since when the server cannot be reached.
let returns = false; // The focus goes back to the moves when there are some again.
let timer = null;
let busy = false;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// The answer, or null if none came in time.
function request(address, options) {
  const controller = new AbortController();
  const limit = setTimeout(() => controller.abort(), GIVE_UP_MS);
  return fetch(address, { ...options, signal: controller.signal })
    .catch(() => null)
    .finally(() => clearTimeout(limit));
}

// The board and the list of events

function lineOf(step) {
  return step.seat === null ? step.text : `${names[step.seat]} ${step.text}`;
}

function show(step) {
  if (!steps.length) return;
  at = Math.max(0, Math.min(steps.length - 1, step));
  part("board").innerHTML = steps[at].board ?? "";
  if (steps[at] !== shown) part("now").textContent = lineOf(steps[at]); // Else it would be read out again.
  shown = steps[at];
  part("at").textContent = at;
  part("of").textContent = steps.length - 1;
  part("events").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = part("events").children[at];
  line?.setAttribute("aria-current", "step");
  if (line) part("events").scrollTop = line.offsetTop - part("events").offsetTop - 100;
  picked = [];
  mark();
}

function tell(step) {
  const line = document.createElement("li");
  if (step.seat !== null) {
    const who = document.createElement("span");
    who.className = "muted";
    who.textContent = `${names[step.seat]} `;
    line.append(who);
  }
  line.append(step.text);
  part("events").append(line);
}

// What has happened is read out at once: a voice could not follow the board, and would miss a move.
function readOut(fresh) {
  part("now").setAttribute("aria-live", "off");
  const words = document.createElement("p");
  words.textContent = fresh.map(lineOf).join(". ");
  part("heard").replaceChildren(words);
}

// Moves: every choice of the form names what is clicked on the board to make it

function choices() {
  if (!mine || busy || part("moves")?.querySelector(":disabled") || at !== steps.length - 1) return [];
  return [...document.querySelectorAll("#moves [data-picks]")].map((choice) => ({
    move: choice.value,
    words: choice.textContent,
    picks: JSON.parse(choice.dataset.picks),
  }));
}

function holds(picks, wanted) {
  const left = [...picks];
  return wanted.every((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function fitting(marks) {
  return choices().filter((choice) => holds(choice.picks, marks.map((one) => one.dataset.pick)));
}

function exact(marks) {
  return fitting(marks).filter((choice) => choice.picks.length === marks.length);
}

function mark() {
  for (const one of part("board").querySelectorAll("[data-pick]")) {
    const chosen = picked.includes(one);
    one.classList.toggle("picked", chosen);
    one.classList.toggle("pickable", chosen || fitting([...picked, one]).length > 0);
  }
  const hint = part("hint");
  if (!hint) return;
  const any = part("board").querySelector(".pickable");
  hint.hidden = !any;
  hint.textContent = picked.length
    ? "Now choose the next one on the board, or click the first again to take it back."
    : "You can also click or drag the marked cards on the board.";
}

function pick(one) {
  if (picked.includes(one)) {
    picked = picked.filter((other) => other !== one);
    return mark();
  }
  let wanted = [...picked, one];
  if (!fitting(wanted).length) wanted = [one];
  if (!fitting(wanted).length) return;
  const found = exact(wanted);
  if (found.length === 1) return make(found[0].move);
  picked = wanted;
  mark();
}

function drop(one, onto, far) {
  const target = onto?.closest("[data-pick]");
  if (target && target !== one) {
    const found = exact([...picked.filter((other) => other !== one), one, target]);
    if (found.length === 1) return make(found[0].move);
  }
  if (far && onto?.closest("#board") && !picked.includes(one)) pick(one);
}

let drag = null;

function onDown(event) {
  const one = event.target.closest("#board .pickable");
  if (!one || event.button !== 0) return;
  const svg = one.ownerSVGElement;
  drag = { one, x: event.clientX, y: event.clientY, svg, before: one.getAttribute("transform") ?? "", moved: false };
  event.preventDefault();
}

function onMove(event) {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(dx, dy) < 8) return;
  drag.moved = true;
  const scale = drag.svg.viewBox.baseVal.width / drag.svg.getBoundingClientRect().width;
  drag.one.classList.add("dragged");
  drag.one.setAttribute("transform", `translate(${dx * scale} ${dy * scale}) ${drag.before}`);
}

function onUp(event) {
  if (!drag) return;
  const { one, moved, x, y } = drag;
  const onto = document.elementFromPoint(event.clientX, event.clientY);
  putBack();
  if (!moved) return pick(one);
  drop(one, onto, Math.hypot(event.clientX - x, event.clientY - y) > 40);
}

function putBack() {
  if (!drag) return;
  drag.one.classList.remove("dragged");
  if (drag.before) drag.one.setAttribute("transform", drag.before);
  else drag.one.removeAttribute("transform");
  drag = null;
}

async function make(move) {
  if (busy) return;
  busy = true;
  play.dataset.turn = "wait";
  const form = part("moves");
  returns = form.contains(document.activeElement);
  if (returns) part("events").focus({ preventScroll: true }); // A control that is disabled loses the focus.
  for (const control of form.elements) control.disabled = true;
  mark();
  const answer = await request(form.dataset.api, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-CSRFToken": form.elements.csrf_token.value,
    },
    body: JSON.stringify({ move: JSON.parse(move), turn: Number(form.elements.turn.value) }),
  });
  const told = answer?.ok ? null : await answer?.json().catch(() => null); // A proxy sends no JSON.
  busy = false;
  polls = 0;
  const before = revision;
  if (answer?.ok) part("status").textContent = "Your move is made.";
  else revision = "";
  const turned = await ask();
  // A move whose answer was lost has been made if the table has changed.
  if (!answer?.ok && (told || !revision || revision === before)) refuse(form, answer, told, turned);
}

// Says why the move is not made, and lets the person move again if the form is still there. If the
// answer was lost, the move may be made: the form then waits for news, which brings a new form.
function refuse(form, answer, told, turned) {
  const lost = !told && !revision;
  if (!lost) {
    for (const control of form.elements) control.disabled = false;
    if (mine) play.dataset.turn = "mine";
    mark();
  }
  if (turned || turnedAway(answer) || !part("moves")) return;
  complain(told?.detail ?? "The server cannot be reached.");
}

function complain(...words) {
  part("choices").querySelector("[role=alert]")?.remove();
  const note = document.createElement("p");
  note.className = "note bad";
  note.setAttribute("role", "alert");
  note.append(...words);
  part("choices").prepend(note);
  return note;
}

// Says so if the server has given no answer for a while, until it does. `status` is 0 if it cannot
// be reached; `sent` is when it was asked, in ms.
function noteAway(status, sent) {
  const alert = part("choices").querySelector("[role=alert]");
  const tooMany = status === 429;
  if (status && status < 500 && !tooMany) {
    away = null;
    if (alert?.matches(".unreached")) alert.remove();
    return;
  }
  away ??= sent;
  if (alert || Date.now() - away < AWAY_MS) return;
  const why = tooMany ? "Too many requests come from you or your network." : "The server cannot be reached.";
  complain(`${why} The game goes on here by itself.`).classList.add("unreached");
}

// Whether the server shows this person no more of the table; the page then says why.
function turnedAway(answer) {
  if (play.hasAttribute("data-guest") && [401, 403].includes(answer?.status)) {
    location.reload(); // The seats are taken, or the game is over; the whole page says so.
    return true;
  }
  const link = document.createElement("a");
  link.href = `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  if (answer?.status === 401) {
    link.textContent = "Log in again";
    complain("You are logged out. ", link, " to go on with this game.");
  } else if (answer?.status === 403) {
    link.textContent = "log in with it";
    complain("Your account has no seat at this table. If another account of yours has one, ", link, " to go on with this game.");
  } else return false;
  return true;
}

// News from the server

function pause() {
  if (state === "finished" || state === "ended") return null;
  if (mine && revision) return 10000;
  if (document.hidden) return 5000;
  return SOON_MS[Math.min(polls, SOON_MS.length - 1)];
}

function later() {
  clearTimeout(timer);
  const ms = pause();
  if (ms !== null) timer = setTimeout(ask, ms);
}

// Returns whether the server shows this person no more of the table.
async function ask() {
  clearTimeout(timer);
  polls += 1;
  const address = new URL(play.dataset.address, location.href);
  address.searchParams.set("revision", revision);
  address.searchParams.set("since", steps.length);
  const number = ++asked;
  const sent = Date.now();
  const answer = await request(address);
  const news = answer?.status === 200 ? await answer.json().catch(() => null) : null;
  if (number !== asked) return false;
  noteAway(answer?.status ?? 0, sent);
  if (turnedAway(answer)) return true;
  if (news) await take(news);
  later();
  return false;
}

async function take(news) {
  if (busy) return;
  if (state === "open" && news.state !== "open") return location.reload(); // The friends' names are known.
  busy = true;
  if (revision !== news.revision) polls = 0;
  revision = news.revision;
  const loaded = !play.hasAttribute("data-ready") && revision === play.dataset.revision;
  const first = steps.length === 0;
  const fresh = news.since === steps.length ? news.steps : [];
  const pace = first ? 0 : Math.min(PACE_MS, MAX_MS / Math.max(1, fresh.length));
  if (first) part("events").replaceChildren();
  else if (fresh.length) readOut(fresh);
  for (const [place, step] of fresh.entries()) {
    steps.push(step);
    tell(step);
    if (!first) {
      show(steps.length - 1);
      if (place < fresh.length - 1 || !news.mine) await wait(pace);
    }
  }
  const over = (news.state === "finished" || news.state === "ended") && state !== news.state;
  state = news.state;
  mine = news.mine;
  if (!loaded) renew(news.parts);
  busy = false;
  part("controls").hidden = steps.length < 2;
  if (steps.length) show(steps.length - 1);
  if (over) return showEnd();
  play.dataset.turn = pause() === null ? "over" : mine ? "mine" : "wait";
  if (mine && returns) {
    returns = false;
    document.querySelector("#moves button, #moves select")?.focus();
  }
}

// The whole page shows the result, which gets the focus, and all hands.
function showEnd() {
  history.scrollRestoration = "manual"; // Else the page scrolls back to where the moves were.
  history.replaceState(null, "", "#status");
  location.reload();
}

// Replaces the parts that change. The moves of the same turn stay, with what is chosen of them. So
// does the element of the status: a screen reader reads only changes within it.
function renew(html) {
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  const turn = (root) => root.querySelector("#moves [name=turn]")?.value;
  const now = turn(part("parts"));
  const kept = now && now === turn(fresh) && !part("moves").querySelector(":disabled");
  part("seats").replaceWith(fresh.querySelector("#seats"));
  if (kept) return;
  const status = fresh.querySelector("#status");
  part("status").replaceChildren(...status.childNodes);
  status.remove();
  for (const one of [...part("choices").children]) if (one.id !== "status") one.remove();
  part("choices").append(...fresh.querySelector("#choices").childNodes);
}

function stepTo(step) {
  part("now").setAttribute("aria-live", "polite");
  show(step);
}

const stepping = {
  first: () => stepTo(0),
  back: () => stepTo(at - 1),
  on: () => stepTo(at + 1),
  last: () => stepTo(steps.length - 1),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const go = { ArrowLeft: stepping.back, ArrowRight: stepping.on }[event.key];
  if (!go) return;
  event.preventDefault();
  go();
}

async function start() {
  play.addEventListener("pointerdown", onDown);
  document.addEventListener("pointermove", onMove);
  document.addEventListener("pointerup", onUp);
  document.addEventListener("pointercancel", putBack);
  // A finger that holds a card moves the card, not the page.
  document.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
  document.addEventListener("keydown", onKey);
  for (const [name, go] of Object.entries(stepping)) part(name).addEventListener("click", go);
  part("events").addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) stepTo([...part("events").children].indexOf(line));
  });
  play.addEventListener("submit", (event) => {
    if (event.target.id !== "moves") return;
    event.preventDefault();
    make(event.submitter?.name === "move" ? event.submitter.value : event.target.elements.move.value);
  });
  revision = "";
  await ask();
  play.setAttribute("data-ready", "");
}

start();
