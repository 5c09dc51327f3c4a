// Keeps a page up to date. A refresh waits while somebody uses the page.
import * as Turbo from './turbo.js';
import { announce, refuse, say } from './announce.js';
import { placeOfFocus } from './focus.js';

const LEAST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;
/** The service answers within 25 s. After this time, no answer will come. */
const SILENCE_MS = 40_000;

const LOST = 'No connection. Changes by others appear when you are connected again.';
const CHANGED = 'Others have changed this page. It shows the changes once you have finished here.';
const ENDED = 'You are signed out. Copy what you have not saved, then reload the page to sign in.';

/** Entered values and choices, refusals, open editors, dialogs and menus, and parts that are being dragged or loaded. */
const IN_USE =
  'form[data-touched], .pick:checked, #refusal, .field .entry:not(.missing), dialog[open], :popover-open, [data-dragging], [aria-busy=true]';
const isInUse = () => document.querySelector(IN_USE) !== null;

let waiting = new AbortController();
/** When the page may be requested again. */
let restsUntil = 0;

const liveUrl = () => document.body.dataset.liveUrlValue;

/** Waits anew for changes made elsewhere. A visible page keeps one request waiting, a hidden page none. */
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
    // If the page no longer exists, requesting it shows that.
    const isChanged = live.status === 404 || live.body?.changed;
    const last = isChanged ? await refresh(signal) : live;
    if (signal.aborted) return;
    if (last.status === 401) return tell(ENDED);
    failures = last.body ? 0 : failures + 1;
    // A single failure may be a restart of the service.
    tell(failures > 1 ? LOST : '');
    // Spreads the requests of many pages that lost the service at the same time.
    const spread = 0.75 + Math.random() / 2;
    if (failures > 0) await pause(spread * Math.min(500 * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** Shows the page anew once nobody uses it. The longer a page takes, the longer it rests, to spare a busy service. */
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
function showAnew(page) {
  // After an update of the service, its scripts have changed, too.
  if (scriptOf(page) !== scriptOf(document)) return Turbo.visit(location.href, { action: 'replace' });
  document.title = page.title;
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

/** The form that was sent last, until the answer replaces its contents. */
let sent;
on('turbo:submit-start', ({ target }) => (sent = target));
on('turbo:submit-end', ({ detail }) => {
  if (!detail.fetchResponse) sent = undefined;
});
on('turbo:render', () => (sent = undefined));

on('input', ({ target }) => {
  // A file is sent as soon as it is chosen, and the chosen rows of a list are no text.
  if (target.form && !target.matches('[type=file], .pick')) target.form.dataset.touched = '';
});

// Words of a search that were not sent hold up nothing.
on('focusout', ({ target }) => {
  if (target.form?.method === 'get') delete target.form.dataset.touched;
});

/** Keeps the values entered in other forms when one form is answered. */
on('turbo:before-morph-element', (event) => {
  const { target, detail } = event;
  const inside = !detail.newElement || target.matches('.field') ? target.querySelectorAll('form') : [];
  const forms = target.matches('form') ? [target] : [...inside];
  if (forms.some((form) => 'touched' in form.dataset && form !== sent)) event.preventDefault();
});

/** Parts that somebody has opened stay open. */
on('turbo:before-morph-attribute', (event) => {
  if (event.detail.attributeName === 'open' && event.target.matches('details')) event.preventDefault();
});

/** An answer without the requested part is a different page. It is shown, unless the part was loaded by itself. */
on('turbo:frame-missing', (event) => {
  const { target, detail } = event;
  event.preventDefault();
  if (detail.response.status === 401) tell(ENDED);
  else if (!target.matches('.found, [loading]')) detail.visit(detail.response);
});

/** A refusal as a page of its own would discard the entered values, so the page with the form shows it. */
on('turbo:before-fetch-response', async (event) => {
  const { response, statusCode, redirected } = event.detail.fetchResponse;
  const isRefused = !redirected && (statusCode === 403 || statusCode >= 500);
  if (!isRefused || !document.querySelector('.notices') || !event.target.matches('form[method=post]')) return;
  event.preventDefault();
  sent = undefined;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  page.querySelector('.empty .button')?.remove();
  const texts = [...page.querySelectorAll('.empty > :is(h1, div)')].map((each) => each.textContent.trim());
  refuse(texts.join('. ') || LOST);
});
