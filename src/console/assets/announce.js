// What changes on a page is told to who does not see it, by the one live region of the layout.

/** What the page said when it was last told of. */
let told = {};

/** Says it to who does not see it. */
export function say(text) {
  document.getElementById('announcer').textContent = text;
}

const textOf = (element) => element?.textContent.replace(/\s+/g, ' ').trim() ?? '';

/** What was found, of which a page or a part of it tells beside showing it. */
const foundIn = (part) => textOf(part.querySelector('[data-found]'));

/** What a page has to say: what was just done, what can be done next, and what has happened last. */
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

/** Says what is new; what others have done only where the page was shown anew by itself. */
export function announce(isByOthers = false) {
  // A copy of what the page was, shown until it comes.
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
