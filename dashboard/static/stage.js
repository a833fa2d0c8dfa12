// Plays a bout on the first page once it is in view, again and again; still where motion is unwanted.
"use strict";

const stage = document.getElementById("stage");
const PACE_MS = 1000;
const REST_STEPS = 4; // how long the end is shown
const still = matchMedia("(prefers-reduced-motion: reduce)");
const element = (name) => document.getElementById(`stage-${name}`);
let playback = null;
let at = 0;
let timer = null;

// A board is the numbers of the pieces that make its drawing, or null.
function drawing(board) {
  return board ? board.map((piece) => playback.pieces[piece]).join("") : "";
}

// The board keeps the height of its tallest drawing, so that the page below it stays where it is.
function shape() {
  const boxes = playback.steps.map((step) => /viewBox="([^"]+)"/.exec(drawing(step.board)));
  const sizes = boxes.filter(Boolean).map((box) => box[1].split(" ").map(Number));
  const tallest = Math.max(...sizes.map(([, , width, height]) => height / width));
  if (tallest > 0) element("board").style.aspectRatio = 1 / tallest;
}

function show(step) {
  at = step;
  const shown = playback.steps[Math.min(at, playback.steps.length - 1)];
  const board = drawing(shown.board);
  if (board) element("board").innerHTML = board;
  element("line").textContent = shown.text;
  element("at").value = Math.min(at, playback.steps.length - 1);
}

function next() {
  if (document.hidden) return;
  show(at >= playback.steps.length - 1 + REST_STEPS ? 0 : at + 1);
}

function setPlaying(playing) {
  clearInterval(timer);
  timer = playing ? setInterval(next, PACE_MS) : null;
  element("play").textContent = playing ? "Pause" : "Play";
}

async function load() {
  const answer = await fetch(stage.dataset.steps).catch(() => null);
  playback = answer?.ok ? await answer.json().catch(() => null) : null;
  if (!playback) return; // the words about the match stay
  element("at").max = playback.steps.length - 1;
  for (const name of ["play", "at"]) element(name).hidden = false;
  shape();
  element("play").addEventListener("click", () => setPlaying(timer === null));
  still.addEventListener("change", () => setPlaying(!still.matches));
  show(still.matches ? playback.steps.length - 1 : 0);
  setPlaying(!still.matches);
  stage.setAttribute("data-ready", "");
}

const seen = new IntersectionObserver((entries) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  seen.disconnect();
  load();
});
seen.observe(stage);
