// Announces changes of a page to screen readers, through the one live region of the layout.

/** What `sayingsOf` returned last. */
let told = {};

export function say(text) {
  document.getElementById('announcer').textContent = text;
}

/** Shows the reason of a refusal and removes the previous refusal. */
export function refuse(text) {
  const notice = document.createElement('p');
  Object.assign(notice, { id: 'refusal', className: 'notice bad', tabIndex: -1, textContent: text });
  document.getElementById('refusal')?.remove();
  document.querySelector('.notices').append(notice);
  notice.focus();
}

const textOf = (element) => element?.textContent.replace(/\s+/g, ' ').trim() ?? '';

const foundIn = (part) => textOf(part.querySelector('[data-found]'));

/** The texts that a page announces: its notice, the next action, the search results and the latest event. */
function sayingsOf(page) {
  const { said = '' } = page.querySelector('[data-said]')?.dataset ?? {};
  const latest = page.querySelector('[data-latest]');
  return {
    path: location.pathname,
    notice: textOf(page.querySelector('#notices .notice')),
    said,
    found: foundIn(page),
    latest: latest?.dataset.latest,
    happened: textOf(latest?.querySelector('.time-line > .event .happening')),
  };
}

/**
 * Announces the texts that are new. With `isByOthers`, also announces the latest event, if the event is new.
 * When the user has opened another page, announces only the notice and the search results.
 */
export function announce(isByOthers = false) {
  // Turbo first shows a cached copy of the page, which is not announced.
  if (document.documentElement.hasAttribute('data-turbo-preview')) return;
  const before = told;
  const now = sayingsOf(document);
  told = now;
  const isSame = before.path === now.path;
  const news = [
    now.notice !== before.notice || !isSame ? now.notice : '',
    now.found !== before.found || !isSame ? now.found : '',
    isByOthers && isSame && now.latest !== before.latest ? now.happened : '',
    isSame && now.said !== before.said ? now.said : '',
  ];
  const text = news.filter((each) => each !== '').join('. ');
  if (text !== '') say(text);
}

document.addEventListener('turbo:load', () => announce());
document.addEventListener('turbo:render', () => announce());
document.addEventListener('turbo:frame-load', ({ target }) => {
  const found = foundIn(target);
  if (found !== '') say(found);
});
