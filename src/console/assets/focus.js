// Keeps the focus where it is while parts of the page are replaced.

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Where the focus is now, and how to restore it after its element was replaced, at the nearest possible place. */
export function placeOfFocus() {
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
