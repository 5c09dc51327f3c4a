// Keeps the focus while parts of the page are replaced.

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** The element that got the focus in place of a gone element, and where the gone element was. */
let substitute = {};
for (const name of ['focusin', 'keydown', 'click'])
  document.addEventListener(name, () => (substitute = {}), true);

/**
 * Remembers the focus. Returns a function that restores the focus. If the focused element is gone, the
 * function moves the focus nearby. The element may come back, such as a card in another column. If the user
 * has done nothing since, the function of a later call then moves the focus back to the element.
 */
export function placeOfFocus() {
  const { activeElement: focused } = document;
  const places = focused === substitute.stop ? substitute.places : [];
  for (let at = places[0] ? null : focused; at && at !== document.body; at = at.parentElement)
    if (at.id) places.push({ id: at.id, index: stopsIn(at).indexOf(focused) });
  return () => {
    const { activeElement: now } = document;
    const stops = places.map(({ id, index }) =>
      stopsIn(document.getElementById(id))
        .slice(0, index + 1)
        .at(-1),
    );
    const isBack = now === substitute.stop && stops[0];
    if (!isBack && now !== document.body && now?.checkVisibility()) return;
    const stop = stops.find(Boolean);
    stop?.focus();
    if (!stops[0]) substitute = { stop, places };
  };
}

const stopsIn = (place) => (place ? [place, ...place.querySelectorAll(focusable)].filter(isFocusable) : []);

const isFocusable = (element) =>
  element.matches(focusable) && !element.matches(':disabled, [type=hidden]') && element.checkVisibility();

// Turbo renders later than these events, so the focus is remembered by the rendering itself.
for (const name of ['turbo:before-render', 'turbo:before-frame-render'])
  document.addEventListener(name, ({ detail }) => {
    const { newFrame, render, renderMethod } = detail;
    // On another page, the focus starts at the top.
    if (!newFrame && renderMethod !== 'morph') return;
    detail.render = (...elements) => {
      const restoreFocus = placeOfFocus();
      render(...elements);
      restoreFocus();
    };
  });
document.addEventListener('turbo:render', () => document.getElementById('refusal')?.focus());
