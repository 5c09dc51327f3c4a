// What makes searching, linking and sending files quick.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';
import { say } from './announce.js';
import { Asking } from './asking.js';
import { isFormSent, keepFocus } from './live.js';

const WAIT_MS = 200;

/** A form that asks while somebody types, until another page is visited: an answer that came then would take its place. */
class Typing extends Controller {
  disconnect() {
    clearTimeout(this.waiting);
  }

  wait() {
    clearTimeout(this.waiting);
    this.isLeft = false;
    this.waiting = setTimeout(() => this.element.requestSubmit(), WAIT_MS);
  }

  sent({ detail }) {
    this.submission = detail.formSubmission;
  }

  /** Turbo visits the address of an answer, too, once it is shown. */
  visit(event) {
    const isOwn = new URL(event.detail.url).pathname === new URL(this.element.action).pathname;
    if (isOwn && this.isLeft) event.preventDefault();
    if (isOwn) return;
    this.isLeft = true;
    clearTimeout(this.waiting);
    this.submission?.stop();
  }
}

/** Finds tasks to be linked while somebody types; the arrows lead from one to the next. */
class Finder extends Asking {
  static targets = ['chosen', 'template'];
  static values = { multiple: Boolean };

  words() {
    return this.boxTarget.value.trim() || undefined;
  }

  take() {
    this.buttons[0]?.click();
  }

  /** Where the form is still being filled in, what is chosen is noted in it; else its button sends the form. */
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
    // What is found is chosen: the form is not complete yet.
    if (this.hasChosenTarget && event.target === this.boxTarget) {
      if (event.key === 'Enter') event.preventDefault();
      this.enter(event);
    }
    super.move(event);
  }
}

/** Sends files as soon as they are chosen or dropped, one after the other, and says of each how far it is or why it is refused. */
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
    const { action } = this.element;
    const place = this.element.closest('[id]');
    const list = place.querySelector('.uploads');
    const rows = files.map((file) => rowOf(file, list));
    let taken = 0;
    // The page may take the form away meanwhile: what is needed of it is at hand.
    for (const [at, file] of files.entries()) {
      const row = rows[at];
      const refusal = await send(file, { action, place: place.id, row });
      if (refusal === undefined) {
        taken += 1;
        row.remove();
      } else refuse(row, refusal);
    }
    if (taken === 0 || isFormSent()) return;
    keepFocus();
    Turbo.visit(location.pathname, { action: 'replace' });
  }
}

function rowOf({ name }, list) {
  const row = document.createElement('li');
  row.className = 'line';
  const label = document.createElement('span');
  label.textContent = name;
  const progress = document.createElement('progress');
  progress.max = 100;
  progress.value = 0;
  progress.setAttribute('aria-label', name);
  row.append(label, progress);
  list.append(row);
  return row;
}

function refuse(row, refusal) {
  row.querySelector('progress').remove();
  const said = document.createElement('span');
  said.className = 'fault';
  said.textContent = refusal;
  row.append(said);
  say(`${row.firstChild.textContent}: ${refusal}`);
}

const NOT_SENT = 'could not be uploaded: it may be too large, or the connection was lost';

/** Sends one file; gives why it is refused, if it is. */
function send(file, { action, place, row }) {
  const progress = row.querySelector('progress');
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = (100 * loaded) / total;
  });
  // Each file is a request of its own, by a key of its own.
  request.open('POST', `${action}-${crypto.getRandomValues(new Uint32Array(2)).join('')}`);
  request.setRequestHeader('Accept', 'text/html');
  const form = new FormData();
  form.set('file', file);
  return new Promise((resolve) => {
    request.addEventListener('loadend', () => {
      if (request.status === 200) return resolve(undefined);
      const answer = new DOMParser().parseFromString(request.responseText, 'text/html');
      const fault = answer.getElementById(place)?.querySelector('.fault');
      resolve(fault?.textContent.trim() || NOT_SENT);
    });
    request.send(form);
  });
}

/** A value opens where it is clicked, unless that selects some of it or follows a link. */
document.addEventListener('click', ({ target }) => {
  if (target.closest('a, button, summary') || String(getSelection()) !== '') return;
  target.closest('.field-value')?.closest('.field')?.querySelector('.field-edit')?.click();
});

/** What is asked for where it is folded away comes into sight. */
document.addEventListener('turbo:frame-load', ({ target }) => {
  const folded = target.closest('details');
  if (folded && target.matches('.field')) folded.open = true;
});

/** What is said of files stays while the page is shown anew. */
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target.matches('.uploads') && event.target.childElementCount > 0) event.preventDefault();
});

// Without scripts a form sends one file, so the page itself says nothing of several.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  if (event.detail.attributeName === 'multiple') event.preventDefault();
});

export const workControllers = { typing: Typing, finder: Finder, upload: Upload };
