// Makes pages faster. Pages also work without scripts.
import * as Turbo from './turbo.js';
import { Application } from './stimulus.js';
import { controllers } from './controllers.js';
import { workControllers } from './work.js';
import './list.js';

// Hides Turbo's progress bar. base.css shows its own progress bar while the page has `aria-busy`.
Turbo.config.drive.progressBarDelay = 2 ** 31 - 1;

// By default, Turbo disables the pressed button of a sent form. A disabled button would lose the focus.
Turbo.config.forms.submitter = 'aria-disabled';

// By default, Turbo requests the page again for a link to a place on the same page.
document.addEventListener('turbo:click', (event) => {
  if (event.target.getAttribute('href').startsWith('#')) event.preventDefault();
});

// A response that Turbo aborts causes an unhandled rejection, which is no error.
window.addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') event.preventDefault();
});

// Ignores keys of an input method that composes a character. Safari marks these keys only by the code 229.
const isComposing = ({ isComposing, keyCode }) => isComposing || keyCode === 229;
window.addEventListener('keydown', (event) => isComposing(event) && event.stopImmediatePropagation(), true);

/** Ctrl+K moves to the search, unless the focus is in a text control, a choice or a modal dialog. */
window.addEventListener('keydown', (event) => {
  const boxes = [...document.querySelectorAll('[aria-keyshortcuts], #search-words')];
  const isWanted = /^k$/i.test(event.key) && (event.ctrlKey || event.metaKey) && boxes.length > 0;
  if (!isWanted || event.target.closest?.('input:not([type=checkbox]), textarea, select, dialog:modal'))
    return;
  event.preventDefault();
  const shown = boxes.find((box) => box.checkVisibility());
  if (shown) shown.focus();
  else Turbo.visit('/search');
});

const application = Application.start();
const all = { ...controllers, ...workControllers };
for (const [name, controller] of Object.entries(all)) application.register(name, controller);
