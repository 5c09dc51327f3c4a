// Keeps a page up to date without interrupting anybody.
import * as Turbo from './turbo.js';
import { announce, say } from './announce.js';
import { placeOfFocus } from './focus.js';

const LEAST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;
/** The service answers within 25 s. After this time, no answer will come. */
const SILENCE_MS = 40_000;

const LOST = 'No connection. Changes by others appear when you are connected again.';
const ENDED = 'You are signed out. Copy what you have not saved, then reload the page to sign in.';

let waiting = new AbortController();
/** When the page may be requested again. */
let restsUntil = 0;
let isRefreshing = false;
let isSending = false;
let isDragging = false;
/** Whether a form is being sent. Its answer refreshes the page itself, and a visit would abort it. */
export const isFormSent = () => isSending;
/** Also while another page, which listens by itself, is on its way, or is previewed as it was. */
const isBusy = () => isSending || isDragging || document.documentElement.ariaBusy === 'true';

/** Waits anew for changes made elsewhere. A visible page keeps one request waiting, a hidden page none. */
export function listen({ isBehind = false } = {}) {
  waiting.abort();
  waiting = new AbortController();
  if (document.hidden || !liveUrl()) return;
  if (navigator.onLine) void follow(waiting.signal, isBehind);
  else tell(LOST);
}

const liveUrl = () => document.body.dataset.liveUrlValue;

/** Shows changes until it is aborted, or one comes while somebody is busy. After that, `listen` starts it again. */
async function follow(signal, isBehind) {
  for (let failures = 0, isKnown = isBehind; !signal.aborted && liveUrl(); isKnown = false) {
    const live = isKnown
      ? { body: { changed: true } }
      : await ask(liveUrl(), signal, (answer) => answer.json());
    // If the page no longer exists, requesting it shows that.
    const isChanged = live.status === 404 || live.body?.changed;
    const last = isChanged && !isBusy() ? await refresh(signal) : live;
    if (signal.aborted || (isChanged && isBusy())) return;
    if (last.status === 401) return tell(ENDED);
    failures = last.body ? 0 : failures + 1;
    // A single failure may be a restart of the service.
    tell(failures > 1 && last.status !== 404 ? LOST : '');
    // Spreads the requests of many pages that lost the service at the same time.
    const spread = 0.75 + Math.random() / 2;
    if (failures > 0) await pause(spread * Math.min(500 * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** Requests the page and shows what differs. The longer this takes, the longer it rests, to spare a busy service. */
async function refresh(signal) {
  await pause(restsUntil - performance.now(), signal);
  const begun = performance.now();
  const { href, pathname, search } = location;
  const headers = { Accept: 'text/html', ...cardsShown() };
  const page = await ask(href, signal, (answer) => answer.text(), headers);
  const ended = performance.now();
  restsUntil = ended + Math.max(LEAST_PAUSE_MS, 5 * (ended - begun));
  if (signal.aborted || isBusy()) return {};
  // Another page is on its way, which listens by itself.
  if (pathname !== location.pathname || search !== location.search) {
    waiting.abort();
    return {};
  }
  if (page.status === 404 && !isTyping()) Turbo.visit(href, { action: 'replace' });
  if (page.body) showAnew(page.body);
  return page;
}

/** Sends a request that does not count as use by a person. Without an answer, there is no status. */
async function ask(url, signal, read, headers = {}) {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]);
    const answer = await fetch(url, { headers: { 'X-Live': '1', ...headers }, signal: limit });
    return { status: answer.status, body: answer.ok ? await read(answer) : undefined };
  } catch {
    return {};
  }
}

const pause = (ms, signal) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', resolve, { once: true });
  });

function tell(text) {
  const place = document.querySelector('.connection');
  if (!place || place.textContent === text) return;
  place.textContent = text;
  if (text !== '') say(text);
}

/** Replaces this page by a new version, where they differ. */
function showAnew(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  // After an update of the service, its scripts have changed, too.
  if (scriptOf(page) !== scriptOf(document) && !isTyping())
    return Turbo.visit(location.href, { action: 'replace' });
  document.title = page.title;
  const restoreFocus = placeOfFocus();
  isRefreshing = true;
  Turbo.morphBodyElements(document.body, page.body);
  isRefreshing = false;
  restoreFocus();
  announce(true);
}

const scriptOf = (page) => page.querySelector('script[data-turbo-track]')?.src;

/** For each stage, how many cards were scrolled to, if more than at first. */
function cardsShown() {
  const counts = Array.from(document.querySelectorAll('.board-column'), (column) => [
    column.id.replace('column-', ''),
    column.querySelectorAll('.task-card').length,
  ]);
  const more = counts.filter(([, count]) => count > 25);
  return more.length > 0 ? { 'X-Cards': more.map((pair) => pair.join('=')).join() } : {};
}

const on = (names, act, target = document) => {
  for (const name of names.split(' ')) target.addEventListener(name, act);
};

on('turbo:before-fetch-request', ({ detail: { fetchOptions } }) => {
  if (fetchOptions.method === 'POST') Object.assign(fetchOptions.headers, cardsShown());
});

// The page is being left, and its links may lead to things that the form deletes.
on('turbo:before-prefetch', (event) => isSending && event.preventDefault());

on('dragstart', () => (isDragging = true));
on('dragend', () => (isDragging = false));
on('turbo:submit-start', ({ target }) => {
  isSending = true;
  target.dataset.sent = '';
});
on('turbo:submit-end', ({ target, detail }) => {
  // The answering page is shown next.
  isSending = detail.success;
  if (!detail.fetchResponse) delete target.dataset.sent;
  if (!isSending) listen();
});
on('turbo:render turbo:load', () => {
  isSending = false;
  // A page that is replaced ends a drag without an event.
  isDragging = false;
});

on('visibilitychange turbo:render dragend', () => listen());
on('online offline', () => listen(), window);
listen();

const isTyping = () => document.querySelector('form[data-touched]:not([data-sent])') !== null;

/** The contents of a form are kept until it is sent. Then the answer replaces them. */
on('input', ({ target }) => {
  // A file is sent as soon as it is chosen.
  if (!target.form || target.type === 'file') return;
  target.form.dataset.touched = '';
  delete target.form.dataset.sent;
});

const isHeld = (form) =>
  !('sent' in form.dataset) &&
  ('touched' in form.dataset || (isRefreshing && form.matches('.entry:not(.missing)')));

/** Keeps entered values. If the page refreshes itself, also keeps open parts and last results. */
on('turbo:before-morph-element', (event) => {
  const { target, detail } = event;
  const isGone = !detail.newElement;
  const inside = isGone || target.matches('.field') ? target.querySelectorAll('form') : [];
  // A frame that has begun to load keeps its place, because its content is on the way.
  const isOpen =
    isRefreshing &&
    (target.matches('dialog[open], turbo-frame[busy]') || (isGone && target.matches('.notice')));
  const forms = target.matches('form') ? [target] : [...inside];
  if (isOpen || forms.some(isHeld)) event.preventDefault();
});

/** Parts that somebody has opened stay open, except the form that was just sent. */
on('turbo:before-morph-attribute', (event) => {
  const isOpen = event.detail.attributeName === 'open' && event.target.matches('details');
  if (isOpen && !event.target.querySelector('form[data-sent]')) event.preventDefault();
});

/** An answer without the requested part is a different page. It is shown if that interrupts nobody. */
on('turbo:frame-missing', (event) => {
  const { target, detail } = event;
  event.preventDefault();
  if (detail.response.status === 401) tell(ENDED);
  else if (!isTyping() && !target.matches('.found, #palette, [loading]')) detail.visit(detail.response);
});

/** A refusal as a page of its own would discard the entered values, so the page with the form shows it. */
on('turbo:before-fetch-response', async (event) => {
  const { target, detail } = event;
  const { response, statusCode, redirected } = detail.fetchResponse;
  const isRefused = !redirected && (statusCode === 403 || statusCode >= 500);
  const place = document.querySelector('.notices');
  if (!isRefused || !place || !target.matches('form[method=post]')) return;
  event.preventDefault();
  delete target.dataset.sent;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  page.querySelector('.empty .button')?.remove();
  const texts = [...page.querySelectorAll('.empty > :is(h1, div)')].map((each) => each.textContent.trim());
  const told = {
    id: 'refusal',
    className: 'notice bad',
    tabIndex: -1,
    textContent: texts.join('. ') || LOST,
  };
  document.getElementById('refusal')?.remove();
  place.append(Object.assign(document.createElement('p'), told));
  place.lastElementChild.focus();
});
