// Steps through a bout in place: the page shows one step, the rest is fetched once.
"use strict";

const replay = document.getElementById("replay");
const PACE_MS = 900;
let steps = null;
let at = Number(replay.dataset.step);
let timer = null;

const part = (name) => document.getElementById(name);

function addressOf(step) {
  const address = new URL(location.href);
  address.searchParams.set("step", step);
  return address.pathname + address.search;
}

function show(step) {
  at = Math.max(0, Math.min(steps.length - 1, step));
  part("board").innerHTML = steps[at].board ?? "";
  part("at").textContent = at;
  const lines = part("transcript").children;
  part("now").textContent = lines[at].textContent;
  part("transcript").querySelector("[aria-current]")?.removeAttribute("aria-current");
  lines[at].setAttribute("aria-current", "step");
  const list = part("transcript");
  const top = lines[at].offsetTop - list.offsetTop;
  if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) {
    list.scrollTop = top - list.clientHeight / 2;
  }
  part("back").href = addressOf(Math.max(0, at - 1));
  part("on").href = addressOf(Math.min(steps.length - 1, at + 1));
  history.replaceState(null, "", addressOf(at));
}

function pause() {
  clearInterval(timer);
  timer = null;
  part("play").textContent = "Play";
}

function play() {
  if (timer !== null) return pause();
  if (at === steps.length - 1) show(0);
  part("play").textContent = "Pause";
  timer = setInterval(() => (at < steps.length - 1 ? show(at + 1) : pause()), PACE_MS);
}

function go(step) {
  pause();
  show(step);
}

const moves = {
  first: () => go(0),
  back: () => go(at - 1),
  on: () => go(at + 1),
  last: () => go(steps.length - 1),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, button, summary")) return;
  const act = { ArrowLeft: moves.back, ArrowRight: moves.on, " ": play }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function onClick(event) {
  const control = event.target.closest(".controls a, .transcript a");
  if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (moves[control.id]) moves[control.id]();
  else go([...part("transcript").children].indexOf(control.parentElement));
}

function reveal(list, item) {
  list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
}

async function start() {
  reveal(part("bouts"), part("bouts").querySelector("[aria-current]"));
  const answer = await fetch(replay.dataset.steps);
  if (!answer.ok) return; // the links still step, one page at a time
  steps = (await answer.json()).steps;
  part("play").hidden = false;
  part("play").addEventListener("click", play);
  replay.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  replay.setAttribute("data-ready", "");
}

start();
