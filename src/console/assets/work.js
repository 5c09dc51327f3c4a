// Makes searching, linking and sending files faster.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';
import { say } from './announce.js';
import { Asking } from './asking.js';
import { keepFocus } from './focus.js';
import { isFormSent } from './live.js';

const WAIT_MS = 200;

/** It stops when another page is visited, because a late answer would replace that page. */
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

  /** Turbo also visits the address of an answer after showing it. */
  visit(event) {
    const isOwn = new URL(event.detail.url).pathname === new URL(this.element.action).pathname;
    if (isOwn && this.isLeft) event.preventDefault();
    if (isOwn) return;
    this.isLeft = true;
    clearTimeout(this.waiting);
    this.submission?.stop();
  }
}

/** Finds tasks to link while somebody types. The arrow keys move through them. */
class Finder extends Asking {
  static targets = ['chosen', 'template'];
  static values = { multiple: Boolean };

  words() {
    return this.boxTarget.value.trim() || undefined;
  }

  take() {
    this.buttons[0]?.click();
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

/** One after the other. For each file it shows the progress, or why it is refused. */
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
    // The page may remove the form in the meantime, so the parts that are needed are kept.
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

/** Sends one file; returns the refusal, if it is refused. */
function send(file, { action, place, row }) {
  const progress = row.querySelector('progress');
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = (100 * loaded) / total;
  });
  // Each file is a separate request with a key of its own.
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

export const workControllers = { typing: Typing, finder: Finder, upload: Upload };
