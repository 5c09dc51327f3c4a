// Adds live results for links and mentions, uploads several files, and reports the time zone.
import { Controller } from './stimulus.js';
import { refuse } from './announce.js';
import { refresh } from './live.js';

const WAIT_MS = 200;

/** Loads results for the words in a box into a frame, shortly after the user stops typing. */
class Asking extends Controller {
  static targets = ['box', 'found'];
  static values = { url: String };

  disconnect() {
    clearTimeout(this.waiting);
  }

  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.show(), WAIT_MS);
  }

  show() {
    const words = this.words();
    if (words === undefined) this.close();
    else this.foundTarget.src = `${this.urlValue}?q=${encodeURIComponent(words)}`;
  }

  close() {
    this.foundTarget.removeAttribute('src');
    this.foundTarget.replaceChildren();
  }

  /** The arrow keys move between the box and the results. Escape closes the results. */
  move(event) {
    if (event.key === 'Escape' && this.foundTarget.childElementCount > 0) {
      event.stopPropagation();
      this.close();
      this.boxTarget.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [this.boxTarget, ...this.foundTarget.querySelectorAll('button:enabled')];
    if (!step || stops.length === 1) return;
    event.preventDefault();
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  }
}

/** Finds tasks by the words in the box, so that the user can link one of them. */
class Finder extends Asking {
  words() {
    return this.boxTarget.value.trim() || undefined;
  }
}

/** Completes an `@` in a comment with users who see the task. */
class Mention extends Asking {
  words() {
    const before = this.boxTarget.value.slice(0, this.boxTarget.selectionStart);
    return /(?:^|[^\p{L}\p{N}._%+-])@([\p{L}\p{N}._%+-]{0,64})$/u.exec(before)?.[1];
  }

  /** In the box, Enter and Tab choose the first of the users who were found for the current words. */
  move(event) {
    const { key, target, isComposing, shiftKey, ctrlKey, metaKey } = event;
    const isChoosing = (key === 'Enter' || key === 'Tab') && !(isComposing || shiftKey || ctrlKey || metaKey);
    const found = this.foundTarget;
    const sought = found.hasAttribute('complete') && new URL(found.src, location).searchParams.get('q');
    const first = isChoosing && sought === this.words() && found.querySelector('button');
    if (target !== this.boxTarget || !first) return super.move(event);
    event.preventDefault();
    first.click();
  }

  /** Inserts the e-mail address of the chosen user into the comment. */
  choose(event) {
    const button = event.target.closest('button[value]');
    if (!this.foundTarget.contains(button)) return;
    event.preventDefault();
    const { selectionStart: end } = this.boxTarget;
    this.boxTarget.setRangeText(`${button.value} `, end - (this.words() ?? '').length, end, 'end');
    this.close();
    this.boxTarget.focus();
  }
}

/** Sends several files one after the other, and shows the reasons of refusals. */
class Upload extends Controller {
  static targets = ['file'];

  /** Allows several files. Without scripts, a form sends one file. */
  open() {
    this.fileTarget.multiple = true;
  }

  choose() {
    void this.send([...this.fileTarget.files]);
    this.fileTarget.value = '';
  }

  async send(files) {
    const { action } = this.element;
    const refusals = [];
    document.getElementById('refusal')?.remove();
    document.documentElement.ariaBusy = 'true';
    for (const file of files) {
      const refusal = await send(file, action);
      if (refusal !== undefined) refusals.push(`${file.name}: ${refusal}`);
    }
    document.documentElement.ariaBusy = null;
    await refresh();
    if (refusals.length > 0) refuse(refusals.join(' · '));
  }
}

const NOT_SENT = 'could not be uploaded: it may be too large, or the connection was lost';

/** Sends one file; returns the reason if the file is refused. */
async function send(file, action) {
  const body = new FormData();
  body.set('file', file);
  // Each file is a separate request. The digits give each request its own idempotency key.
  const url = `${action}-${crypto.getRandomValues(new Uint32Array(2)).join('')}`;
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
  if (answer?.type === 'opaqueredirect') return undefined;
  const page = new DOMParser().parseFromString((await answer?.text()) ?? '', 'text/html');
  return page.querySelector('.field .fault, .empty-title')?.textContent.trim() || NOT_SENT;
}

/** Reports the browser's time zone if the service knows another time zone or no time zone. */
class Zone extends Controller {
  static values = { known: String, shown: String };

  async connect() {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!timeZone || timeZone === this.knownValue) return;
    const body = new URLSearchParams({ timeZone });
    // If the request fails, the next page tries again.
    const answer = await fetch('/account/browser', { method: 'POST', body }).catch(() => undefined);
    // If the page shows times in another zone, refreshes the page.
    if (answer?.ok && timeZone !== this.shownValue) void refresh();
  }
}

/** Opens the editor of a clicked value, unless the click selects text or is on a link or a button. */
document.addEventListener('click', ({ target }) => {
  if (target.closest('a, button, summary') || String(getSelection()) !== '') return;
  target.closest('.field-value')?.closest('.field')?.querySelector('.field-edit')?.click();
});

/** Opens the `details` around a field that Turbo has loaded. */
document.addEventListener('turbo:frame-load', ({ target }) => {
  const folded = target.closest('details');
  if (folded && target.matches('.field')) folded.open = true;
});

export const workControllers = { finder: Finder, mention: Mention, upload: Upload, zone: Zone };
