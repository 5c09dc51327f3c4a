import { type VNode } from 'preact';
import { DialogClose } from '../parts/dialog.js';
import { useReader } from '../reader.js';

/** What keys open: a palette that leads to all pages and tasks, and a list of the keys. */
export function KeysPart(): VNode {
  const { session } = useReader();
  const isSingle = session.shortcuts;
  return (
    <div
      data-controller="keys"
      data-action="keydown@document->keys#press"
      {...(isSingle && { 'data-keys-single-value': 'true' })}
    >
      <dialog
        class="palette"
        closedby="any"
        aria-label="Go to"
        data-keys-target="palette"
        data-controller="palette"
        data-action="palette->palette#begin keydown->palette#key"
        data-palette-url-value="/palette"
      >
        <input
          type="text"
          aria-label="Page, Unique ID or words"
          placeholder="Page, Unique ID or words"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          data-palette-target="box"
          data-action="input->palette#ask"
        />
        <template data-palette-target="template">
          <li>
            <button type="button" class="quiet row">
              <span /> <span class="muted">Action</span>
            </button>
          </li>
        </template>
        <turbo-frame
          id="palette"
          target="_top"
          data-palette-target="found"
          data-action="turbo:frame-load->palette#list"
        />
      </dialog>
      {isSingle && <KeysSheet />}
    </div>
  );
}

function KeysSheet(): VNode {
  return (
    <dialog id="keys-sheet" closedby="any" aria-labelledby="keys-title" data-keys-target="sheet">
      <DialogClose dialog="keys-sheet" />
      <h2 id="keys-title">Keyboard</h2>
      <KeysList />
      <p class="muted small">
        <a href="/account#keys">Turn these keys off</a>
      </p>
    </dialog>
  );
}

export function KeysList(): VNode {
  return (
    <dl class="stack">
      {shortcuts.map(([key, does]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

const shortcuts: readonly (readonly [key: string, does: string])[] = [
  ['Ctrl+K', 'Go to a page or task, or run an action of this task (⌘K)'],
  ['/', 'Search'],
  ['?', 'Show these keys'],
];
