import { type VNode } from 'preact';
import { type SignedIn } from '../reader.js';

/** What keys open: a palette that leads everywhere, and a sheet that says which keys there are. */
export function KeysPart({ to: { words, session } }: { readonly to: SignedIn }): VNode {
  const { palette } = words;
  const isSingle = session.shortcuts;
  return (
    <div
      data-controller="keys"
      data-action="keydown@document->keys#press"
      {...(isSingle && { 'data-keys-single-value': 'true' })}
    >
      <dialog
        class="palette"
        aria-label={palette.title}
        data-keys-target="palette"
        data-controller="dialog palette"
        data-action="palette->palette#begin"
        data-palette-url-value="/palette"
        data-palette-actions-value={palette.action}
      >
        <input
          type="text"
          role="combobox"
          aria-label={palette.label}
          placeholder={palette.label}
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls="palette-list"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          data-palette-target="box"
          data-action="input->palette#ask keydown->palette#key"
        />
        <turbo-frame
          id="palette"
          data-palette-target="found"
          data-action="turbo:frame-load->palette#list click->palette#press"
        >
          <ul id="palette-list" role="listbox" aria-label={palette.title} />
        </turbo-frame>
      </dialog>
      {isSingle && <KeysSheet to={{ words }} />}
    </div>
  );
}

function KeysSheet({ to: { words } }: { readonly to: Pick<SignedIn, 'words'> }): VNode {
  const { keys } = words;
  return (
    <dialog class="keys-sheet" aria-labelledby="keys-title" data-keys-target="sheet" data-controller="dialog">
      <form method="dialog">
        <button class="quiet dialog-close" aria-label={words.close}>
          ×
        </button>
      </form>
      <h2 id="keys-title">{keys.title}</h2>
      <KeysList to={{ words }} />
      <p class="muted small">
        <a href="/account#keys">{keys.switchOff}</a>
      </p>
    </dialog>
  );
}

/** Which key does what. */
export function KeysList({ to: { words } }: { readonly to: Pick<SignedIn, 'words'> }): VNode {
  return (
    <dl class="keys">
      {words.keys.all.map(([key, does]) => (
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
