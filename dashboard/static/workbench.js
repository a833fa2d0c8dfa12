// The workbench: the editor over the form's text, drafts in this browser, files that are dropped,
// and the verdict in place. Without it the form is a plain form.
"use strict";

const NONCE = document.currentScript.nonce;
const form = document.getElementById("bench");
const area = document.getElementById("source");
const codeEditor = document.getElementById("code-editor");
const line = document.getElementById("draft");
const changed = document.getElementById("changed");
const field = (name) => form.elements.namedItem(name);
const given = () => document.getElementById("given");
// Each account has drafts of its own; what was written before a log-in becomes the account's.
const keyOf = (account) => `matchbox:draft:${account}:${field("game").value}/${field("name").value}`;

function here() {
  const [own, before] = [keyOf(form.dataset.viewer), keyOf("")];
  try {
    const text = localStorage.getItem(before);
    if (own !== before && text !== null) {
      if (localStorage.getItem(own) === null) localStorage.setItem(own, text);
      localStorage.removeItem(before);
    }
  } catch {
    // keep() says that nothing can be kept.
  }
  return own;
}

let editor = null;
let key = here();
let replacing = false;
let changes = 0;
let sent = null;

const text = () => (editor ? editor.text() : area.value);
const content = () => [field("game").value, field("file").files[0] ?? text()];

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

function keep() {
  try {
    if (text().trim() === "") putAway();
    else if (text() === given().value) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ text: text(), at: Date.now() }));
    tell();
  } catch {
    line.textContent = "This browser keeps no drafts: submit the text before you leave the page.";
  }
}

// Leaves the same text alone: to replace it would lose what the author has selected in it.
function put(words) {
  if (words === text()) return;
  replacing = true;
  if (editor) editor.replace(words);
  area.value = words;
  replacing = false;
}

function typed(words) {
  area.value = words;
  if (!replacing) keep();
}

// Drafts. The one that was replaced last is kept beside the present one, to be brought back.

const FORMER = ":former";

function setAside(draft) {
  try {
    localStorage.setItem(key + FORMER, JSON.stringify(draft));
  } catch {
    // keep() has said that nothing can be kept.
  }
}

// Emptying the text by hand sets the draft aside. A single letter is no draft: it is what is left of
// one that is deleted letter by letter.
function putAway() {
  const draft = read(key);
  if (draft?.text.trim().length > 1) setAside(draft);
  localStorage.removeItem(key);
}

const present = () => ({ text: text(), at: read(key)?.at ?? Date.now() });

function ago(at) {
  const minutes = Math.floor((Date.now() - at) / 60000);
  if (minutes < 1) return "of a moment ago";
  if (minutes < 60) return `of ${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `of ${hours} h ago` : `of ${Math.floor(hours / 24)} d ago`;
}

function button(label, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = label;
  made.addEventListener("click", press);
  return made;
}

// Says what the text is. Buttons stay the same ones, so that a reader's focus is not lost.
function tell() {
  tellChange();
  const draft = read(key);
  const origin = given().dataset.origin;
  const file = field("file").files[0];
  let words = "";
  const acts = [];
  if (file) {
    words = `${file.name} is sent instead of the text.`;
    acts.push(["Send the text", () => ((field("file").value = ""), tell())]);
  } else if (draft && draft.text === text()) {
    words = `Draft ${ago(draft.at)}, kept in this browser.`;
    acts.push(["Start afresh", startAfresh]);
  } else if (origin && text() === given().value) {
    words = `This is ${origin}.`;
  }
  const former = read(key + FORMER);
  if (former && former.text !== text()) acts.push([`Bring back the draft ${ago(former.at)}`, bringBack]);
  const state = JSON.stringify([words, acts.map(([label]) => label)]);
  if (line.dataset.state === state) return;
  line.dataset.state = state;
  line.replaceChildren(words, ...acts.map(([label, press]) => button(label, press)));
}

// Says that the verdict is for what was sent, once the form has something else.
function tellChange() {
  const now = content();
  changed.hidden = sent === null || now.every((part, place) => part === sent[place]);
}

function startAfresh() {
  setAside(present());
  put(given().value);
  keep();
}

function bringBack() {
  const former = read(key + FORMER);
  if (text() !== given().value) setAside(present());
  else localStorage.removeItem(key + FORMER);
  put(former.text);
  keep();
}

function begin() {
  const draft = read(key);
  if (!draft) return;
  if (!("requested" in form.dataset)) area.value = draft.text;
  else if (draft.text !== area.value) setAside(draft);
}

// The page for the chosen game and bot, or null if there is none. The author may write meanwhile.
async function offered() {
  const query = new URLSearchParams({ game: field("game").value, name: field("name").value });
  try {
    const answer = await fetch(`/submit?${query}`);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

// Another game has other rules and another example; another bot has another draft.
async function change() {
  const turn = ++changes;
  const decided = moveDraft();
  const before = text();
  const page = await offered();
  if (turn !== changes) return;
  if (page) {
    page.getElementById("rules").open = document.getElementById("rules").open;
    for (const id of ["rules", "given", "command"]) document.getElementById(id).replaceWith(page.getElementById(id));
  }
  if (text() !== before) return keep();
  if (!decided) put(given().value);
  tell();
}

// Goes on with the draft of the chosen game and bot, at once; but a text that was written before its
// bot had a name stays. Returns whether the text now is a draft.
function moveDraft() {
  const [former, edited, was] = [key, text() !== given().value, present()];
  key = here();
  if (key === former) return edited;
  const draft = read(key);
  const renamed = edited && former.split("/")[0] === key.split("/")[0];
  const named = renamed && former.endsWith("/");
  if (named) localStorage.removeItem(former);
  if (renamed && draft) setAside(named ? draft : was);
  if (draft && !named) put(draft.text);
  else if (renamed) keep();
  return Boolean(draft) || renamed;
}

// Files

function faultOf(file) {
  if (file.size === 0) return "is empty.";
  const [most, what] = file.name.endsWith(".py")
    ? [field("file").dataset.fileBytes, "a single file may have"]
    : [field("file").dataset.zipBytes, "a zip may have"];
  return file.size > most ? `has ${Math.ceil(file.size / 1024)} KiB; ${what} ${most / 1024}.` : "";
}

async function take(file) {
  if (!file) return tell();
  const fault = faultOf(file);
  if (fault) {
    field("file").value = "";
    tell();
    return trouble(`${file.name} ${fault} It is not sent.`);
  }
  if (file.name.endsWith(".py")) {
    try {
      const words = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      if (text() !== given().value) setAside(present());
      field("file").value = "";
      put(words.replaceAll("\r\n", "\n"));
      return keep();
    } catch {
      // Not UTF-8: the file is sent as it is, and the server names the line.
    }
  }
  const list = new DataTransfer();
  list.items.add(file);
  field("file").files = list.files;
  tell();
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
  take(event.dataTransfer.files[0]);
}, true);

// The verdict

function answer(part) {
  document.getElementById("verdict").replaceWith(part);
  htmx.process(part);
  part.scrollIntoView({ block: "nearest" });
}

function trouble(...words) {
  sent = null;
  const part = document.createElement("section");
  part.id = "verdict";
  part.ariaLive = "polite";
  const note = document.createElement("p");
  note.className = "note bad";
  note.append(...words);
  part.append(note);
  answer(part);
}

async function send(action) {
  const body = new FormData(form);
  if (field("file").files.length) body.delete("source");
  sent = content();
  tell();
  const reply = await fetch(action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const part = page.getElementById("verdict");
  if (part) return answer(part);
  if (reply.status === 401) {
    const link = document.createElement("a");
    link.href = `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = "Log in again";
    return trouble("You are logged out. ", link, "; your draft is kept.");
  }
  trouble(page.querySelector("main .lead, main p")?.textContent ?? "The platform did not answer.", " Your draft is kept.");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const pressed = event.submitter;
  if (pressed.ariaDisabled === "true") return;
  pressed.ariaDisabled = "true";
  try {
    await send(pressed.formAction);
  } catch {
    trouble("The platform cannot be reached. Your draft is kept: try again in a moment.");
  } finally {
    pressed.ariaDisabled = "false";
  }
});

// A link to a line of the text leads to that line in the editor, which holds the text already.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link || !editor || field("file").files.length) return;
  event.preventDefault();
  editor.goTo(Number(link.dataset.line));
  editor.focus();
});

begin();
if (window.PythonEditor) {
  area.hidden = true;
  const labels = { tabindex: "0", "aria-label": "The bot's text", "aria-describedby": "keys" };
  editor = PythonEditor.open(codeEditor, { text: area.value, labels, nonce: NONCE, changed: typed });
  document.querySelector("label[for=source]").addEventListener("click", () => editor.focus());
} else {
  area.addEventListener("input", () => typed(area.value));
}
if (form.dataset.line && editor) {
  editor.goTo(Number(form.dataset.line));
  editor.focus();
}
if (matchMedia("(max-width: 900px)").matches) document.getElementById("rules").open = false;
field("game").addEventListener("change", change);
field("name").addEventListener("change", change);
field("file").addEventListener("change", () => take(field("file").files[0]));
tell();
setInterval(tell, 20000);
codeEditor.dataset.ready = "";
