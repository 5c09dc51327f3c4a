// Keeps the focus while parts of the page are replaced.

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/**
 * Remembers the focus. Returns a function that restores the focus. If the focused element is gone, the
 * function moves the focus nearby.
 */
export function placeOfFocus() {
  const { activeElement: focused } = document;
  const places = [];
  for (let at = focused; at && at !== document.body; at = at.parentElement)
    if (at.id) places.push({ id: at.id, index: stopsIn(at).indexOf(focused) });
  return () => {
    if (document.activeElement !== document.body && document.activeElement?.checkVisibility()) return;
    for (const { id, index } of places) {
      const stops = stopsIn(document.getElementById(id));
      const stop = stops[Math.min(index, stops.length - 1)];
      if (stop) return stop.focus();
    }
  };
}

const stopsIn = (place) => (place ? [place, ...place.querySelectorAll(focusable)].filter(isFocusable) : []);

const isFocusable = (element) =>
  element.matches(focusable) && !element.matches(':disabled, [type=hidden]') && element.checkVisibility();

let restore = () => undefined;
for (const name of ['turbo:before-render', 'turbo:before-frame-render'])
  document.addEventListener(name, () => (restore = placeOfFocus()));
document.addEventListener('turbo:frame-render', () => restore());
document.addEventListener('turbo:render', ({ detail }) => {
  const refusal = document.getElementById('refusal');
  if (refusal) refusal.focus();
  // On another page, the focus starts at the top.
  else if (detail.renderMethod === 'morph') restore();
});
