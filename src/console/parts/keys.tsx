import { type VNode } from 'preact';
import { useReader } from '../reader.js';
import { DialogClose } from './dialog.js';

/** Listens for the keys of the console, and lists them on demand. */
export function KeysPart(): VNode {
  const isSingle = useReader().session.shortcuts;
  return (
    <div
      data-controller="keys"
      data-action="keydown@document->keys#press"
      {...(isSingle && { 'data-keys-single-value': 'true' })}
    >
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
  ['/', 'Search'],
  ['Ctrl+K', 'Search (⌘K)'],
  ['?', 'Show these keys'],
];
