// Makes linking and sending files faster.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';
import { say } from './announce.js';
import { Asking } from './asking.js';
import { keepFocus } from './focus.js';
import { isFormSent } from './live.js';

/** Finds tasks to link while somebody types. The arrow keys move through them. */
class Finder extends Asking {
  static targets = ['chosen', 'template'];
  static values = { multiple: Boolean };

  words() {
    return this.boxTarget.value.trim() || undefined;
  }

  take() {
    this.results[0]?.click();
  }

  /** In an unfinished form, a choice is added to the form. Otherwise, the button sends the form. */
  choose(event) {
    const button = this.pressed(event);
    if (!button) return;
    event.preventDefault();
    const { content } = this.templateTarget;
    const row = content.firstElementChild.cloneNode(true);
    const title = button.querySelector('.row-title').textContent;
    row.querySelector('input').value = button.value;
    row.querySelector('span').textContent = title === button.value ? title : `${button.value} ${title}`;
    const chosen = [...this.chosenTarget.children];
    for (const other of chosen)
      if (!this.multipleValue || other.querySelector('input').value === button.value) other.remove();
    this.chosenTarget.append(row);
    say(row.textContent.trim());
    this.boxTarget.value = '';
    this.close();
    this.boxTarget.focus();
  }

  move(event) {
    // A result was chosen, but the form is not complete yet.
    if (this.hasChosenTarget && event.target === this.boxTarget) {
      if (event.key === 'Enter') event.preventDefault();
      this.enter(event);
    }
    super.move(event);
  }
}

/** Sends several files, one after the other, and says why one was refused. */
class Upload extends Controller {
  static targets = ['file'];

  connect() {
    this.fileTarget.multiple = true;
  }

  over(event) {
    event.preventDefault();
    this.element.dataset.over = '';
  }

  out() {
    delete this.element.dataset.over;
  }

  drop(event) {
    event.preventDefault();
    this.out();
    this.sendAll([...event.dataTransfer.files]);
  }

  choose() {
    this.sendAll([...this.fileTarget.files]);
    this.fileTarget.value = '';
  }

  async sendAll(files) {
    // The page may remove the form in the meantime, so the parts that are needed are kept.
    const { action } = this.element;
    const { id } = this.element.closest('[id]');
    document.documentElement.ariaBusy = 'true';
    for (const file of files) {
      const refusal = await send(file, action, id);
      if (refusal !== undefined) refuse(`${file.name}: ${refusal}`, id);
    }
    document.documentElement.ariaBusy = null;
    if (isFormSent()) return;
    keepFocus();
    Turbo.visit(location.pathname, { action: 'replace' });
  }
}

function refuse(text, id) {
  const row = document.createElement('li');
  row.className = 'fault';
  row.textContent = text;
  document.getElementById(id)?.querySelector('.uploads').append(row);
  say(text);
}

const NOT_SENT = 'could not be uploaded: it may be too large, or the connection was lost';

/** Sends one file; returns the refusal, if it is refused. */
async function send(file, action, id) {
  const body = new FormData();
  body.set('file', file);
  // Each file is a separate request with a key of its own.
  const url = `${action}-${crypto.getRandomValues(new Uint32Array(2)).join('')}`;
  const answer = await fetch(url, { method: 'POST', headers: { Accept: 'text/html' }, body }).catch(
    () => undefined,
  );
  const html = (await answer?.text()) ?? '';
  if (answer?.ok) return undefined;
  const page = new DOMParser().parseFromString(html, 'text/html');
  return page.getElementById(id)?.querySelector('.fault')?.textContent.trim() || NOT_SENT;
}

/** A value opens when it is clicked, unless the click selects text or follows a link. */
document.addEventListener('click', ({ target }) => {
  if (target.closest('a, button, summary') || String(getSelection()) !== '') return;
  target.closest('.field-value')?.closest('.field')?.querySelector('.field-edit')?.click();
});

/** A loaded frame inside a folded part is scrolled into view. */
document.addEventListener('turbo:frame-load', ({ target }) => {
  const folded = target.closest('details');
  if (folded && target.matches('.field')) folded.open = true;
});

/** Messages about files stay when the page is refreshed. */
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target.matches('.uploads') && event.target.childElementCount > 0) event.preventDefault();
});

// Without scripts, a form sends one file, so the page does not let people choose several.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  if (event.detail.attributeName === 'multiple') event.preventDefault();
});

export const workControllers = { finder: Finder, upload: Upload };
