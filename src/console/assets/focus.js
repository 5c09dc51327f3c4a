// Keeps the focus where it is while parts of the page are replaced.

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Where the focus is now; returns how to restore it after its element was replaced, at the nearest possible place. */
export function placeOfFocus() {
  const { activeElement: focused } = document;
  const { pathname } = location;
  const places = [];
  for (let at = focused; at && at !== document.body; at = at.parentElement)
    if (at.id) places.push({ id: at.id, index: stopsIn(at).indexOf(focused) });
  return () => {
    // Another page is read from the top.
    if (pathname !== location.pathname || isFocused()) return;
    for (const { id, index } of places) {
      const place = document.getElementById(id);
      const stops = place ? stopsIn(place) : [];
      const stop = stops[Math.min(index, stops.length - 1)];
      if (stop) return stop.focus();
    }
  };
}

const isFocused = () =>
  document.activeElement !== document.body && document.activeElement?.checkVisibility() === true;

const stopsIn = (place) => [place, ...place.querySelectorAll(focusable)].filter(isFocusable);

const isFocusable = (element) =>
  element.matches(focusable) && !element.matches(':disabled, [type=hidden]') && element.checkVisibility();

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
    else focus?.();
    focus = undefined;
  });
