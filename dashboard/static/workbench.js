// The page /submit: an editor over the form's text area, drafts that this browser keeps, files that
// are chosen or dropped, and the verdict in place. Without this script the form is a plain form.
// site.js has `hasPart`.
//
// A draft is { text, at }, where `at` is the time of its last change. Each account has one for each
// game and name of a bot, and beside it the draft that was replaced last.
"use strict";

const NONCE = document.currentScript.nonce;
const form = document.getElementById("bench");
const area = document.getElementById("source");
const editorPlace = document.getElementById("code-editor");
const statusLine = document.getElementById("draft");
const changedHint = document.getElementById("changed");

const field = (name) => form.elements.namedItem(name);
const chosenFile = () => field("file").files[0];

let editor = null; // Without one, the author writes in the text area.
let replacing = false; // True while this script, and not the author, changes the text.
let key = openKey(); // Of the draft that is being written.
let known = load(key)?.text; // The stored draft, unless another tab has stored one since.
let choices = 0; // How often a game or a name was chosen.
let sent = null; // What the verdict below the form is for.
let unkept = false; // True if the browser has refused to keep the text.

// The text

const text = () => (editor ? editor.text() : area.value);

// What the form would send.
const content = () => [field("game").value, chosenFile() ?? text(), field("class_name").value];

// The text that the page offers: an example, or a version of the bot.
const offered = () => document.getElementById("given");
const isOffered = () => text() === offered().value;

// Does nothing if the text is the same, so that a selection in it stays.
function replaceText(words) {
  if (words === text()) return;
  replacing = true;
  if (editor) editor.replace(words);
  area.value = words;
  replacing = false;
}

// Shows the text of another bot or game, which undo leaves alone.
function openText(words) {
  replaceText(words);
  if (editor) editor.forgetChanges();
}

function textChanged(words) {
  area.value = words;
  if (!replacing) saveDraft();
}

// Drafts

function keyOf(account) {
  return `matchbox:draft:${account}:${field("game").value}/${field("name").value}`;
}

// Returns the key for the chosen game and name. A draft from before the log-in becomes the
// account's.
function openKey() {
  const [own, before] = [keyOf(form.dataset.viewer), keyOf("")];
  const draft = own === before ? null : load(before);
  if (draft && adopt(draft, own)) store(before, null);
  return own;
}

// Keeps that draft under the account's key. Of two drafts with other texts, the older one is set
// aside. Returns whether the browser keeps it.
function adopt(draft, own) {
  const present = load(own);
  if (!present) return store(own, draft);
  if (present.text === draft.text) return true;
  const [newer, older] = draft.at > present.at ? [draft, present] : [present, draft];
  return store(replacedKey(own), older) && store(own, newer);
}

function replacedKey(own = key) {
  return `${own}:former`;
}

function load(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

// Stores a draft; null removes it. Returns whether the browser allows that.
function store(name, draft) {
  try {
    if (draft) localStorage.setItem(name, JSON.stringify(draft));
    else localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}

const currentDraft = () => ({ text: text(), at: load(key)?.at ?? Date.now() });

// Keeps a draft beside the current one, so that "Bring back" can show it again.
function setAside(draft) {
  store(replacedKey(), draft);
}

// Saves the text as a draft, unless it is empty or the offered one. If the author has emptied it,
// the draft is set aside, but not a single letter: it is what is left of a draft that was deleted
// letter by letter. A draft of another tab is set aside, too.
function saveDraft() {
  const isEmpty = text().trim() === "";
  const old = load(key);
  const isStrange = old && old.text !== known && old.text !== text();
  if (isStrange || (isEmpty && old?.text.trim().length > 1)) setAside(old);
  const draft = isEmpty || isOffered() ? null : { text: text(), at: Date.now() };
  unkept = !store(key, draft);
  if (!unkept) known = draft?.text;
  leadBack();
  showStatus();
}

function startAfresh() {
  setAside(currentDraft());
  replaceText(offered().value);
  saveDraft();
}

function bringBack() {
  const draft = load(replacedKey());
  if (isOffered()) store(replacedKey(), null);
  else setAside(currentDraft());
  replaceText(draft.text);
  saveDraft();
}

// Begins with the draft instead of the offered text, but not instead of a version that the address
// asks for.
function openDraft() {
  const draft = load(key);
  if (!draft) return;
  if (!("requested" in form.dataset)) area.value = draft.text;
  else if (draft.text !== area.value) setAside(draft);
}

// The line below the text

function age(at) {
  const minutes = Math.floor((Date.now() - at) / 60000);
  if (minutes < 1) return "of a moment ago";
  if (minutes < 60) return `of ${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `of ${hours} h ago` : `of ${Math.floor(hours / 24)} d ago`;
}

// A sentence about the text, and the actions that it allows, each a label and a function.
function describe() {
  const file = chosenFile();
  if (file) return [`${file.name} is sent instead of the text.`, [["Send the text", forgetFile]]];
  if (unkept) {
    return ["This browser keeps no drafts: submit the text before you leave the page.", []];
  }
  const draft = load(key);
  if (draft && draft.text === text()) {
    return [`Draft ${age(draft.at)}, kept in this browser.`, [["Start afresh", startAfresh]]];
  }
  const origin = offered().dataset.origin;
  return [origin && isOffered() ? `This is ${origin}.` : "", []];
}

function button([label, press]) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = label;
  made.addEventListener("click", press);
  return made;
}

// Shows what the text is, and whether the verdict is for something else. Replaces the line only if
// it changes, since new buttons would lose the focus.
function showStatus() {
  changedHint.hidden = sent === null || content().every((part, place) => part === sent[place]);
  const [words, actions] = describe();
  const replaced = load(replacedKey());
  if (replaced && replaced.text !== text()) {
    actions.push([`Bring back the draft ${age(replaced.at)}`, bringBack]);
  }
  const state = JSON.stringify([words, actions.map(([label]) => label)]);
  if (statusLine.dataset.state === state) return;
  statusLine.dataset.state = state;
  statusLine.replaceChildren(words, ...actions.map(button));
}

// Another game or name: the game brings its rules and its example, the bot its draft

async function choose(event) {
  const choice = ++choices;
  const isDraft = switchDraft();
  keepAddress();
  leadBack();
  const before = text();
  const page = await fetchPage(submitAddress());
  if (choice !== choices) return; // A later choice counts.
  if (!page?.getElementById("rules")) { // Nothing, or another page, such as a network's log-in.
    if (event?.target !== field("name")) missExample(event);
    return;
  }
  document.getElementById("unloaded")?.remove();
  takeParts(page);
  if (text() !== before) return saveDraft(); // The author went on writing.
  if (!isDraft) openText(offered().value);
  showStatus();
}

function missExample(event) {
  document.getElementById("unloaded")?.remove();
  const note = document.createElement("p");
  note.id = "unloaded";
  note.className = "note bad";
  note.setAttribute("role", "alert");
  note.append("The example and the rules of this game could not be loaded. ", button(["Try again", () => choose(event)]));
  statusLine.before(note);
}

// Goes on with the draft of the chosen game and name. Returns whether the text is a draft now.
function switchDraft() {
  const [oldKey, isEdited, current] = [key, !isOffered(), currentDraft()];
  key = openKey();
  if (key === oldKey) return isEdited;
  unkept = false;
  const draft = load(key);
  known = draft?.text;
  const [oldGame, oldName] = oldKey.split("/");
  const isRenamed = isEdited && key.startsWith(`${oldGame}/`); // The game is the same.
  if (!isRenamed) {
    if (draft) openText(draft.text);
    return Boolean(draft);
  }
  if (oldName && draft) {
    setAside(current);
    openText(draft.text);
    return true;
  }
  // The text stays. If it had no name before, it replaces the draft of the bot whose name it gets.
  if (!oldName) store(oldKey, null);
  if (draft) setAside(draft);
  saveDraft();
  return true;
}

// The page at that address, or null if there is none.
async function fetchPage(address) {
  try {
    const reply = await fetch(address);
    return reply.ok ? parse(await reply.text()) : null;
  } catch {
    return null;
  }
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

function takeParts(page) {
  page.getElementById("rules").open = document.getElementById("rules").open;
  for (const id of ["memberships", "rules", "given", "command"]) {
    document.getElementById(id).replaceWith(page.getElementById(id));
  }
}

// Files

// Says why the file cannot be sent; "" if it can.
function faultOf(file) {
  if (file.size === 0) return "is empty.";
  const [most, what] = file.name.endsWith(".py")
    ? [field("file").dataset.fileBytes, "a single file may have"]
    : [field("file").dataset.zipBytes, "a zip may have"];
  return file.size > most ? `has ${Math.ceil(file.size / 1024)} KiB; ${what} ${most / 1024}.` : "";
}

// The text of a Python file; null for a zip, or if the file is not UTF-8.
async function textOf(file) {
  if (!file.name.endsWith(".py")) return null;
  try {
    const bytes = await file.arrayBuffer();
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}

// A Python file becomes the text. A zip is sent as it is, and so is a file that is not UTF-8: the
// server names its wrong line.
async function takeFile(file) {
  if (!file) return showStatus();
  const fault = faultOf(file);
  if (fault) {
    forgetFile();
    return showProblem(`${file.name} ${fault} It is not sent.`);
  }
  const words = await textOf(file);
  if (words === null) return sendFile(file);
  if (!isOffered()) setAside(currentDraft());
  field("file").value = "";
  replaceText(words);
  saveDraft();
}

function takeDrop({ files, items }) {
  const isFolder = items[0]?.webkitGetAsEntry()?.isDirectory;
  if (files.length <= 1 && !isFolder) return takeFile(files[0]);
  showProblem("A folder or several files are sent as a zip, with player.py at its root: drop that.");
}

function sendFile(file) {
  const list = new DataTransfer();
  list.items.add(file);
  field("file").files = list.files;
  showStatus();
}

function forgetFile() {
  field("file").value = "";
  showStatus();
}

const carriesFile = (event) => event.dataTransfer?.types.includes("Files");

form.addEventListener("dragover", (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  form.classList.add("dropping");
});
form.addEventListener("dragleave", () => form.classList.remove("dropping"));
form.addEventListener("drop", (event) => {
  form.classList.remove("dropping");
  if (!carriesFile(event)) return;
  event.preventDefault();
  event.stopPropagation();
  takeDrop(event.dataTransfer);
}, true);

// The verdict

// A reload of the page brings the verdict back: this tab keeps its address and what it is for.
const VERDICT = "matchbox:verdict";

function rememberVerdict(address) {
  keepAddress();
  try {
    sessionStorage.setItem(VERDICT, JSON.stringify({ key, address, sent }));
  } catch {
    // A browser that keeps nothing, or a text that is too long for it.
  }
}

function lastVerdict() {
  const [navigation] = performance.getEntriesByType("navigation");
  const isVisit = !navigation || navigation.type === "navigate"; // Not every browser tells it.
  try {
    const last = isVisit ? null : JSON.parse(sessionStorage.getItem(VERDICT));
    return last?.key === key ? last : null;
  } catch {
    return null;
  }
}

async function showLastVerdict() {
  const last = lastVerdict();
  const page = last && await fetchPage(last.address);
  const verdict = page?.getElementById("verdict");
  if (!verdict || sent !== null) return; // A later one counts.
  sent = last.sent;
  showStatus();
  putVerdict(verdict);
}

function showVerdict(section) {
  for (const wrong of form.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  putVerdict(section);
  section.scrollIntoView({ block: "nearest" });
  section.querySelectorAll("[data-wrong]").forEach(markWrong); // of site.js
}

// What surrounds the section is read out when it changes; a section that is new would not be.
function putVerdict(section) {
  section.removeAttribute("aria-live");
  document.getElementById("verdict").replaceWith(section);
  window.htmx?.process(section);
}

// Shows a sentence in place of a verdict.
function showProblem(...words) {
  sent = null;
  const section = document.createElement("section");
  section.id = "verdict";
  const note = document.createElement("p");
  note.className = "note bad";
  note.append(...words);
  section.append(note);
  showVerdict(section);
}

async function send(action) {
  const body = new FormData(form);
  if (chosenFile()) body.delete("source");
  sent = content();
  showStatus();
  const reply = await fetch(action, { method: "POST", body });
  const page = parse(await reply.text());
  const again = page.getElementById("bench");
  const viewer = again?.dataset.viewer;
  if (reply.status === 401 || (again && viewer !== form.dataset.viewer)) {
    const now = viewer ? `This browser is logged in as ${viewer} now. ` : "You are logged out. ";
    return showProblem(now, loginLink(), "; your draft is kept.");
  }
  // A form of another session is answered with a token of the present one.
  if (again) form.elements.csrf_token.value = again.elements.csrf_token.value;
  const verdict = page.getElementById("verdict");
  if (verdict && !again) rememberVerdict(new URL(reply.url).pathname);
  if (verdict) return showVerdict(verdict);
  const reason = page.querySelector("main .lead, main p")?.textContent;
  showProblem(reason ?? "The platform did not answer.", " Your draft is kept.");
}

// The address of this page with the chosen game and name.
function submitAddress() {
  const chosen = { game: field("game").value, name: field("name").value };
  return `/submit?${new URLSearchParams(chosen)}`;
}

// So a reload shows the same bot, and its draft.
function keepAddress() {
  history.replaceState(history.state, "", submitAddress());
}

const addressOf = (entrance) => `${entrance}?next=${encodeURIComponent(submitAddress())}`;

// Makes each log-in and sign-up lead back to the same bot.
function leadBack() {
  for (const link of document.querySelectorAll("a[href^='/login'], a[href^='/signup']")) {
    link.href = addressOf(link.pathname);
  }
}

function loginLink() {
  const link = document.createElement("a");
  link.href = addressOf("/login");
  link.textContent = "Log in again";
  return link;
}

function setBusy(isBusy) {
  for (const sender of form.querySelectorAll(".actions button")) sender.ariaDisabled = isBusy;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter.ariaDisabled === "true") return;
  setBusy(true); // Of two answers, the first one might come last.
  try {
    await send(event.submitter.formAction);
  } catch {
    // A browser reads no file that has changed since it was chosen.
    const isStale = await chosenFile()?.slice(0, 1).arrayBuffer().then(() => false, () => true);
    if (isStale) showProblem(`${chosenFile().name} has changed since you chose it. Choose again.`);
    else showProblem("The platform cannot be reached. Your draft is kept: try again in a moment.");
  } finally {
    setBusy(false);
  }
});

// A page without a verdict in answer to a question for it is the log-in's. The text stays.
addEventListener("htmx:before:swap", (event) => {
  if (hasPart(event.detail)) return;
  event.preventDefault();
  event.stopPropagation(); // Else site.js loads the page again, without the name of the bot.
  showProblem("You are logged out. ", loginLink(), "; your draft is kept.");
}, true);

function goToLine(number) {
  editor.goTo(Number(number));
  editor.focus();
}

// A verdict's link to a line leads to that line in the editor, without loading the page again.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link || !editor || chosenFile()) return;
  event.preventDefault();
  goToLine(link.dataset.line);
});

// Start

openDraft();
if (window.PythonEditor) {
  area.hidden = true;
  const labels = { tabindex: "0", "aria-label": "The bot's text", "aria-describedby": "keys" };
  const options = { text: area.value, labels, nonce: NONCE, changed: textChanged };
  editor = PythonEditor.open(editorPlace, options);
  document.querySelector("label[for=source]").addEventListener("click", () => editor.focus());
} else {
  area.addEventListener("input", () => textChanged(area.value));
  document.getElementById("keys").hidden = true; // Tab leaves a plain text area.
}
if (form.dataset.line && editor) goToLine(form.dataset.line);
if (matchMedia("(max-width: 56.25em)").matches) document.getElementById("rules").open = false;
field("game").addEventListener("change", choose);
field("name").addEventListener("change", choose);
// The way back restores the game that was chosen, after this script has begun.
addEventListener("pageshow", () => field("game").selectedOptions[0].defaultSelected || choose());
field("file").addEventListener("change", () => takeFile(chosenFile()));
field("class_name").addEventListener("input", showStatus);
if (!isOffered()) leadBack();
showStatus();
showLastVerdict();
setInterval(showStatus, 20000); // The age of the draft.
editorPlace.dataset.ready = "";
