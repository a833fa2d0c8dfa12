// The editor of the workbench, bundled into static/vendor/codemirror-python.min.js. Knows Python
// and keys; knows no drafts and no forms. Colours come from the page's style sheets.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const LEAVE_MS = 2000;
const colour = (name) => `var(--code-${name})`;

const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: colour("keyword") },
  { tag: [tags.string, tags.special(tags.string)], color: colour("string") },
  { tag: [tags.number, tags.bool, tags.null], color: colour("number") },
  { tag: [tags.comment, tags.docComment], color: colour("comment"), fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: colour("name"), fontWeight: "600" },
  { tag: tags.meta, color: colour("keyword") },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", height: "100%" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--raised)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--code-selected)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--code-selected)", color: "inherit" },
  ".cm-selectionMatch": { backgroundColor: "var(--code-selected)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--surface)", backgroundImage: "none", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-searchMatch": { backgroundColor: "var(--warning-page)", outline: "1px solid var(--warning)" },
  ".cm-line.cm-wrong": { backgroundColor: "var(--bad-page)", boxShadow: "inset 4px 0 var(--bad)" },
});

const setWrong = StateEffect.define();

// The line that a verdict is about; it moves with the text, and goes when it is edited.
const wrong = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    let kept = marks.map(change.changes);
    for (const effect of change.effects) {
      if (effect.is(setWrong)) {
        const mark = Decoration.line({ class: "cm-wrong" });
        kept = effect.value === null ? Decoration.none : Decoration.set([mark.range(effect.value)]);
      }
    }
    return kept;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// A browser gives text that is typed over a selection the style of what it replaces, as a style
// attribute, which the content policy forbids and logs. So such text never gets that far.
function typeOver(event, view) {
  const { from, to, empty } = view.state.selection.main;
  if (empty || event.inputType !== "insertText" || !event.data || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handler) => handler(view, from, to, event.data, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

// Its underlines are style attributes as well.
EditorView.EDIT_CONTEXT = false;

const leave = { key: "Escape", run: (view) => (view.setTabFocusMode(LEAVE_MS), false) };

/**
 * Puts an editor into `parent` and returns it as plain functions.
 *
 * `labels` are attributes of the text field, such as aria-label. `changed` is called with the text
 * after each change by the author. `nonce` is the one of the page's content policy.
 */
export function open(parent, { text, labels, nonce, changed }) {
  const past = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        highlightSpecialChars(),
        past.of(history()),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        EditorView.domEventHandlers({ beforeinput: typeOver }),
        keymap.of([leave, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
        python(),
        indentUnit.of("    "),
        syntaxHighlighting(style),
        theme,
        wrong,
        EditorView.contentAttributes.of(labels),
        EditorView.updateListener.of((update) => update.docChanged && changed(view.state.doc.toString())),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      const all = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes: all, selection: { anchor: 0 }, effects: setWrong.of(null) });
    },
    // Forgets all changes, so that they cannot be undone: the text is another bot's now.
    forgetChanges() {
      view.dispatch({ effects: past.reconfigure([]) });
      view.dispatch({ effects: past.reconfigure(history()) });
    },
    goTo(number) {
      if (number < 1 || number > view.state.doc.lines) return;
      const line = view.state.doc.line(number);
      const middle = EditorView.scrollIntoView(line.from, { y: "center" });
      view.dispatch({ selection: { anchor: line.from }, effects: [setWrong.of(line.from), middle] });
    },
    focus: () => view.focus(),
  };
}
