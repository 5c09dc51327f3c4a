// What makes the pages quick: they work without it.
import * as Turbo from './turbo.js';
import { Application } from './stimulus.js';
import { controllers } from './controllers.js';
import { inboxControllers } from './inbox.js';
import { keysControllers } from './keys.js';
import { workControllers } from './work.js';
import './list.js';

// Its bar brings a style of its own, which our policy forbids; base.css shows the same by `aria-busy`.
Turbo.config.drive.progressBarDelay = 2 ** 31 - 1;

// It would ask for the page again where a link leads to a place on it.
document.addEventListener('turbo:click', (event) => {
  if (event.target.getAttribute('href').startsWith('#')) event.preventDefault();
});

// What Turbo leaves off while it reads an answer rejects, and it handles that only before.
window.addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') event.preventDefault();
});

// Keys that an input method composes a text with do nothing else; Safari tells them by 229 alone.
const isComposing = ({ isComposing, keyCode }) => isComposing || keyCode === 229;
window.addEventListener('keydown', (event) => isComposing(event) && event.stopImmediatePropagation(), true);

const application = Application.start();
const all = { ...controllers, ...workControllers, ...inboxControllers, ...keysControllers };
for (const [name, controller] of Object.entries(all)) application.register(name, controller);
