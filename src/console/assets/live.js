// Refreshes a page after changes. While somebody uses the page, the refresh waits.
import * as Turbo from './turbo.js';
import { announce, refuse, say } from './announce.js';
import { placeOfFocus } from './focus.js';

const LEAST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;
/** A request without a response for this long is aborted. The service responds after about 25 s at most. */
const SILENCE_MS = 40_000;

const LOST = 'No connection. Changes by others appear when you are connected again.';
const CHANGED = 'Others have changed this page. The changes appear when you have finished editing.';
const ENDED = 'You are signed out. Copy what you have not saved, then reload the page to sign in.';

/** Elements that show that somebody uses the page, such as an edited form or an open dialog. */
const IN_USE =
  'form[data-touched], .pick:checked, [data-sent]:not(dialog *), .field .entry:not(.missing), dialog[open], :popover-open, [data-dragging], [aria-busy=true]';
const isInUse = () => document.querySelector(IN_USE) !== null;

let waiting = new AbortController();
/** The time from which the page may be requested again. */
let restsUntil = 0;

const liveUrl = () => document.body.dataset.liveUrlValue;

/** Ends the previous wait and starts to wait for changes. A hidden or offline page sends no request. */
function listen() {
  waiting.abort();
  waiting = new AbortController();
  if (document.hidden || !liveUrl()) return;
  if (navigator.onLine) void follow(waiting.signal);
  else tell(LOST);
}

async function follow(signal) {
  for (let failures = 0; !signal.aborted && liveUrl();) {
    const live = await ask(liveUrl(), signal, (answer) => answer.json());
    // After a 404, the refresh shows that the page no longer exists.
    const isChanged = live.status === 404 || live.body?.changed;
    const last = isChanged ? await refresh(signal) : live;
    if (signal.aborted) return;
    if (last.status === 401) return tell(ENDED);
    failures = last.body ? 0 : failures + 1;
    // After only one failure, the page says nothing: the service may be restarting.
    tell(failures > 1 ? LOST : '');
    // A random factor spreads the requests of pages that lost the connection at the same time.
    const spread = 0.75 + Math.random() / 2;
    if (failures > 0) await pause(spread * Math.min(500 * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** Refreshes the page when nobody uses it. After a slow response, the next refresh waits longer. */
export async function refresh(signal = waiting.signal) {
  await pause(restsUntil - performance.now(), signal);
  if (isInUse()) tell(CHANGED);
  while (isInUse() && !signal.aborted) await pause(LEAST_PAUSE_MS, signal);
  const begun = performance.now();
  const page = await ask(location.href, signal, (answer) => answer.text(), { Accept: 'text/html' });
  const ended = performance.now();
  restsUntil = ended + Math.max(LEAST_PAUSE_MS, 5 * (ended - begun));
  if (signal.aborted) return {};
  if (isInUse()) return refresh(signal);
  if (page.body) showAnew(new DOMParser().parseFromString(page.body, 'text/html'));
  if (page.status === 404) Turbo.visit(location.href, { action: 'replace' });
  return page;
}

/** Sends a request that does not prolong the session. Without a response, the result has no status. */
async function ask(url, signal, read, headers = {}) {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]);
    const answer = await fetch(url, { headers: { 'X-Live': '1', ...headers }, signal: limit });
    return {
      status: answer.status,
      body: answer.ok || answer.status === 422 ? await read(answer) : undefined,
    };
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

/** Replaces the content of this page by the content of the new response. */
function showAnew(page) {
  // After an update of the service, the page needs the new scripts.
  if (scriptOf(page) !== scriptOf(document)) return Turbo.visit(location.href, { action: 'replace' });
  document.title = page.title;
  // The reason of a refusal stays until the user does something else.
  const refusal = document.getElementById('refusal');
  if (refusal && !page.getElementById('refusal'))
    page.querySelector('.notices')?.append(refusal.cloneNode(true));
  const restoreFocus = placeOfFocus();
  Turbo.morphBodyElements(document.body, page.body);
  restoreFocus();
  announce(true);
}

const scriptOf = (page) => page.querySelector('script[data-turbo-track]')?.src;

const on = (names, act, target = document) => {
  for (const name of names.split(' ')) target.addEventListener(name, act);
};

on('visibilitychange turbo:render', listen);
on('online offline', listen, window);
listen();

/** The form that was sent last. Undefined after a response was shown, or if no response came. */
let sent;
on('turbo:submit-start', ({ target }) => (sent = target));
on('turbo:submit-end', ({ detail }) => {
  if (!detail.fetchResponse) sent = undefined;
});
on('turbo:render', () => (sent = undefined));

on('input', ({ target }) => {
  // Ignores file controls, whose files are sent at once, and the boxes of a list, which contain no text.
  if (target.form && !target.matches('[type=file], .pick')) target.form.dataset.touched = '';
});

// After the focus leaves a search or a filter, the unsent values no longer delay a refresh.
on('focusout', ({ target }) => {
  if (target.form?.method === 'get') delete target.form.dataset.touched;
});

/** Keeps the entered values of other forms when the response to one form arrives. */
on('turbo:before-morph-element', (event) => {
  const { target, detail } = event;
  const inside = !detail.newElement || target.matches('.field') ? target.querySelectorAll('form') : [];
  const forms = target.matches('form') ? [target] : [...inside];
  if (forms.some((form) => 'touched' in form.dataset && form !== sent)) event.preventDefault();
});

/** Keeps `details` as the user opened or closed them. */
on('turbo:before-morph-attribute', (event) => {
  if (event.detail.attributeName === 'open' && event.target.matches('details')) event.preventDefault();
});

/**
 * Handles a response without the requested frame. After a 401, says that the user is signed out. Ignores the
 * response if a script has requested the frame. Otherwise, shows the response as a page.
 */
on('turbo:frame-missing', (event) => {
  const { target, detail } = event;
  event.preventDefault();
  if (detail.response.status === 401) tell(ENDED);
  else if (!target.matches('.found, [loading]')) detail.visit(detail.response);
});

/** Shows a 403, 404 or 5xx on the page with the form, because another page would discard the entered values. */
on('turbo:before-fetch-response', async (event) => {
  const { response, statusCode, redirected } = event.detail.fetchResponse;
  const isRefused = !redirected && ([403, 404].includes(statusCode) || statusCode >= 500);
  if (!isRefused || !document.querySelector('.notices') || !event.target.matches('form[method=post]')) return;
  event.preventDefault();
  sent = undefined;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  page.querySelector('.empty .button')?.remove();
  const texts = [...page.querySelectorAll('.empty > :is(h1, div)')].map((each) => each.textContent.trim());
  refuse(texts.join('. ') || LOST);
});
