// Keeps a page up to date without interrupting anybody.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';
import { announce, say } from './announce.js';

const LEAST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;
/** The service answers within 25 s. After this time, no answer will come. */
const SILENCE_MS = 40_000;

const LOST = 'No connection. Changes by others appear when you are connected again.';
const ENDED = 'You are signed out. Copy what you have not saved, then reload the page to sign in.';

/** Waits for changes made elsewhere and shows them. A visible page keeps one request waiting, a hidden page none. */
export class Live extends Controller {
  static values = { url: String };
  static targets = ['connection', 'badge'];
  /** The events after which a postponed refresh may be possible. */
  static moments = ['turbo:submit-end', 'turbo:load', 'dragend'];

  connect() {
    for (const name of Live.moments) document.addEventListener(name, this.catchUp);
    for (const [on, name, act = this.listen] of this.turns()) on.addEventListener(name, act);
  }

  disconnect() {
    for (const name of Live.moments) document.removeEventListener(name, this.catchUp);
    for (const [on, name, act = this.listen] of this.turns()) on.removeEventListener(name, act);
    this.stop();
  }

  /** The events at which waiting starts again or stops, and the one that tells that a part of the page is missing. */
  turns = () => [
    [document, 'visibilitychange'],
    [window, 'online'],
    [window, 'offline'],
    [document, 'turbo:frame-missing', this.showMissing],
  ];

  /** An answer without the requested part is a different page. It is shown if that interrupts nobody. */
  showMissing = (event) => {
    const { target, detail } = event;
    event.preventDefault();
    if (detail.response.status === 401) this.say(ENDED);
    else if (!isTyping() && !target.matches('.found, #palette, [loading]')) detail.visit(detail.response);
  };

  /** The page was refreshed, so the next wait begins at its new state. */
  urlValueChanged() {
    this.isBehind = false;
    this.listen();
  }

  listen = () => {
    this.stop();
    if (document.hidden) return;
    if (!navigator.onLine) return this.say(LOST);
    this.waiting = new AbortController();
    void this.wait(this.waiting.signal);
  };

  stop() {
    this.waiting?.abort();
    clearTimeout(this.timer);
  }

  async wait(signal) {
    for (let failures = 0; !signal.aborted;) {
      const answer = await ask(this.urlValue, signal);
      // An answer that was aborted or broke off says nothing.
      const told = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
      if (signal.aborted) return;
      if (answer?.status === 401) return this.say(ENDED);
      // If the page no longer exists, requesting it shows that.
      if (answer?.status === 404 || told?.changed) {
        this.isBehind = true;
        return this.catchUp();
      }
      if (told?.inbox) return this.showInbox(told.inbox);
      failures = told ? 0 : failures + 1;
      // A single failure may be a restart of the service.
      this.say(failures > 1 ? LOST : '');
      if (failures > 0) await this.pause(Math.min(500 * 2 ** failures, MAX_PAUSE_MS), signal);
    }
  }

  showInbox({ unread, mark }) {
    for (const badge of this.badgeTargets) {
      badge.hidden = unread === 0;
      const [seen, said] = badge.children;
      seen.textContent = unread > 99 ? '99+' : unread;
      said.textContent = `${unread} unread`;
    }
    const known = this.urlValue;
    const url = new URL(known, location.href);
    url.searchParams.set('inbox', mark);
    this.urlValue = url.pathname + url.search;
    this.goOn(known);
  }

  /** Waits again if the page is back in a former state, because no changed value reports that. */
  goOn(known) {
    if (this.urlValue === known) this.urlValueChanged();
  }

  catchUp = () => {
    clearTimeout(this.timer);
    // A form that is being sent refreshes the page itself.
    if (!this.isBehind || document.hidden || isSending || isDragging) return;
    const rest = (this.shownAt ?? 0) + (this.restMs ?? 0) - performance.now();
    this.timer = setTimeout(() => void this.show(), Math.max(0, rest));
  };

  /** The longer this takes, the longer the pause after it, to spare a busy service. */
  async show() {
    const { signal } = this.waiting;
    const begun = performance.now();
    const { href } = location;
    const answer = await ask(href, signal, { Accept: 'text/html', ...cardsShown() });
    const html = answer && (await answer.text().catch(() => undefined));
    if (signal.aborted || href !== location.href) return;
    this.shownAt = performance.now();
    this.restMs = Math.max(LEAST_PAUSE_MS, 5 * (this.shownAt - begun));
    const isShown = answer?.ok && html !== undefined;
    if (isShown && !isSending && !isDragging) {
      const known = this.urlValue;
      showAnew(html);
      return this.goOn(known);
    }
    if (answer?.status === 401) return this.say(ENDED);
    if (answer?.status === 404 && !isTyping()) return Turbo.visit(href, { action: 'replace' });
    if (!answer) this.say(LOST);
    if (!isShown) this.restMs = MAX_PAUSE_MS;
    this.catchUp();
  }

  pause(ms, signal) {
    return new Promise((resolve) => {
      // Spreads the requests of many pages that lost the service at the same time.
      setTimeout(resolve, ms * (0.75 + Math.random() / 2));
      signal.addEventListener('abort', resolve, { once: true });
    });
  }

  say(text) {
    if (!this.hasConnectionTarget || this.connectionTarget.textContent === text) return;
    this.connectionTarget.textContent = text;
    if (text !== '') say(text);
  }
}

/** Sends a request that does not count as use by a person. Returns undefined if there is no answer. */
async function ask(url, signal, headers = {}) {
  const silence = new AbortController();
  const cut = () => silence.abort();
  const timer = setTimeout(cut, SILENCE_MS);
  signal.addEventListener('abort', cut, { once: true });
  try {
    return await fetch(url, { headers: { 'X-Live': '1', ...headers }, signal: silence.signal });
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

let isLive = false;
let isSending = false;
/** Whether a form is being sent. Its answer refreshes the page itself, and a visit would abort it. */
export const isFormSent = () => isSending;
let isDragging = false;

/** Replaces this page by a new version, where they differ. */
function showAnew(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  // After an update of the service, its scripts have changed, too.
  if (tracked(page) !== tracked(document) && !isTyping())
    return Turbo.visit(location.href, { action: 'replace' });
  document.title = page.title;
  const focus = placeOfFocus();
  isLive = true;
  Turbo.morphBodyElements(document.body, page.body);
  isLive = false;
  focus.restore();
  announce(true);
}

const tracked = (page) =>
  Array.from(page.querySelectorAll('[data-turbo-track]'), (element) => element.href || element.src).join();

const isTyping = () => document.querySelector('form[data-touched]:not([data-sent])') !== null;

/** For each stage, how many cards were scrolled to, if more than at first. */
function cardsShown() {
  const counts = Array.from(document.querySelectorAll('.board-column'), (column) => [
    column.id.replace('column-', ''),
    column.querySelectorAll('.task-card').length,
  ]);
  const more = counts.filter(([, count]) => count > 25);
  return more.length > 0 ? { 'X-Cards': more.map((pair) => pair.join('=')).join() } : {};
}

document.addEventListener('turbo:before-fetch-request', ({ detail: { fetchOptions } }) => {
  if (fetchOptions.method === 'POST') Object.assign(fetchOptions.headers, cardsShown());
});

for (const [name, sends] of [
  ['turbo:submit-start', () => true],
  // The answering page is shown next.
  ['turbo:submit-end', ({ detail }) => detail.success],
  ['turbo:load', () => false],
])
  document.addEventListener(name, (event) => {
    isSending = sends(event);
  });

// The page is being left, and its links may lead to things that the form deletes.
document.addEventListener('turbo:before-prefetch', (event) => {
  if (isSending) event.preventDefault();
});

document.addEventListener('dragstart', () => {
  isDragging = true;
});
document.addEventListener('dragend', () => {
  isDragging = false;
});

/** Keeps the contents of a form until it is sent. Then the answer replaces them. */
document.addEventListener('input', ({ target }) => {
  // A file is sent as soon as it is chosen.
  if (!target.form || target.type === 'file') return;
  target.form.dataset.touched = '';
  delete target.form.dataset.sent;
});
document.addEventListener('turbo:submit-start', ({ target }) => {
  target.dataset.sent = '';
});
document.addEventListener('turbo:submit-end', ({ target, detail }) => {
  if (!detail.fetchResponse) delete target.dataset.sent;
});

/** A refusal as a page of its own would discard the entered values, so the page with the form shows it. */
document.addEventListener('turbo:before-fetch-response', (event) => {
  const { target, detail } = event;
  const { response, statusCode, redirected } = detail.fetchResponse;
  const isRefused = !redirected && (statusCode === 403 || statusCode >= 500);
  const place = document.querySelector('.notices');
  if (!isRefused || !place || !target.matches('form[method=post]')) return;
  event.preventDefault();
  delete target.dataset.sent;
  void response.text().then((html) => showRefusal(place, html));
});

function showRefusal(place, html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  page.querySelector('.empty .button')?.remove();
  const texts = [...page.querySelectorAll('.empty > :is(h1, div)')].map((each) => each.textContent.trim());
  const textContent = texts.join('. ') || LOST;
  const told = { id: 'refusal', className: 'notice bad', tabIndex: -1, textContent };
  const refusal = Object.assign(document.createElement('p'), told);
  document.getElementById('refusal')?.remove();
  place.append(refusal);
  refusal.focus();
}

const isHeld = (form) =>
  !('sent' in form.dataset) &&
  ('touched' in form.dataset || (isLive && form.matches('.entry:not(.missing)')));

/** Keeps entered values. If the page refreshes itself, also keeps open parts and last results. */
document.addEventListener('turbo:before-morph-element', (event) => {
  const { target, detail } = event;
  const isGone = !detail.newElement;
  const forms = target.matches('form')
    ? [target]
    : isGone || target.matches('.field')
      ? target.querySelectorAll('form')
      : [];
  // A frame that has begun to load keeps its place, because its content is on the way.
  const isOpen =
    isLive && (target.matches('dialog[open], turbo-frame[busy]') || (isGone && target.matches('.notice')));
  if (isOpen || [...forms].some(isHeld)) event.preventDefault();
});

/** Parts that somebody has opened stay open, except the form that was just sent. */
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { target, detail } = event;
  const isOpen = detail.attributeName === 'open' && target.matches('details');
  if (isOpen && !target.querySelector('form[data-sent]')) event.preventDefault();
});

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Where the focus is now, and how to restore it after its element was replaced, at the nearest possible place. */
function placeOfFocus() {
  const { activeElement: focused } = document;
  const { pathname } = location;
  const places = [];
  for (let at = focused, child; at && at !== document.body; child = at, at = at.parentElement)
    if (at.id) places.push({ at, id: at.id, line: [...at.children].indexOf(child) });
  const [nearest] = places;
  const index = nearest ? [...nearest.at.querySelectorAll(focusable)].indexOf(focused) : -1;
  return {
    restore() {
      // Another page is read from the top.
      if (!nearest || pathname !== location.pathname || isFocused()) return;
      const place = document.getElementById(nearest.id);
      const same = place && index >= 0 ? place.querySelectorAll(focusable)[index] : place;
      const found = [same, summaryOf(same), ...places.map(firstIn)];
      found.find((element) => element && isFocusable(element))?.focus();
    },
  };
}

const isFocused = () =>
  document.activeElement !== document.body && document.activeElement?.checkVisibility() === true;

/** In a list, the row that has taken the place of the one with the focus. */
function firstIn({ id, line }) {
  const found = document.getElementById(id);
  const place = found?.matches('ol') ? (found.children[line] ?? found.lastElementChild) : found;
  return place ? [place, ...place.querySelectorAll(focusable)].find(isFocusable) : undefined;
}

const isFocusable = (element) =>
  element.matches(focusable) && !element.matches(':disabled, [type=hidden]') && element.checkVisibility();

const summaryOf = (element) => element?.closest('details')?.querySelector('summary');

/** After a form was sent or closed, the focus returns to its place. */
let focus;
/** Keeps the focus in its place while an operation refreshes the page. */
export function keepFocus() {
  focus = placeOfFocus();
}
/** Where the focus was when a form was submitted: the form's button is then disabled, and loses the focus. */
let focusOfSubmit;
document.addEventListener('submit', () => (focusOfSubmit = placeOfFocus()), true);
document.addEventListener('turbo:submit-start', ({ target }) => {
  const [dialog, menu] = [target.closest('dialog'), target.closest(':popover-open')];
  // The refreshed page has dialogs and menus closed, so the focus returns to where they were opened.
  dialog?.close();
  menu?.hidePopover();
  focus = (dialog ?? menu) ? placeOfFocus() : focusOfSubmit;
});
document.addEventListener('turbo:before-frame-render', () => {
  focus ??= placeOfFocus();
});
for (const name of ['turbo:render', 'turbo:frame-render'])
  document.addEventListener(name, () => {
    // A refusal moves the focus to what it is about. A part of the page that arrives later does not.
    const refusal = focus && name === 'turbo:render' && document.getElementById('refusal');
    if (refusal) refusal.focus();
    else focus?.restore();
    focus = undefined;
  });
