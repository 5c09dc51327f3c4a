// Keyboard shortcuts, and the palette that leads to all pages and tasks.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';
import { Asking } from './asking.js';

/** The actions of the page on its task, recognized by their addresses. */
const ACTIONS =
  'main :is(form:not(dialog form)[action*="/actions/"] button[type=submit], button[commandfor^="confirm-"])';

const shown = (selector) =>
  [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());

/** They do nothing while somebody types or a dialog is open. */
class Keys extends Controller {
  static targets = ['palette', 'sheet'];
  static values = { single: Boolean };

  press(event) {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (altKey || document.querySelector('dialog:modal')) return;
    if (target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
    const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === 'k';
    if (!isPalette && (ctrlKey || metaKey || !this.singleValue)) return;
    const act = isPalette ? () => this.palette() : this.acts[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  acts = {
    '/': () => {
      const [box] = shown('main input[type=search][name=q], .search-box input');
      if (box) box.focus();
      else Turbo.visit('/search');
    },
    '?': () => this.sheetTarget.showModal(),
  };

  palette() {
    this.paletteTarget.showModal();
    this.paletteTarget.dispatchEvent(new Event('palette'));
  }
}

/** The actions of the page come first, then the results of the service. Enter chooses the first. */
class Palette extends Asking {
  static targets = ['template'];

  begin() {
    this.boxTarget.value = '';
    this.isEntered = false;
    this.show();
  }

  words() {
    return this.boxTarget.value.trim();
  }

  /** When the list has arrived, the actions of the page are put before it. */
  list() {
    const words = this.words().toLowerCase();
    const acts = shown(ACTIONS).filter((act) => nameOf(act).toLowerCase().includes(words));
    this.foundTarget.querySelector('ul')?.prepend(...acts.map((act) => this.rowOf(act)));
    this.takeEntered();
  }

  rowOf(act) {
    const row = this.templateTarget.content.firstElementChild.cloneNode(true);
    row.querySelector('span').textContent = nameOf(act);
    row.addEventListener('click', () => {
      this.element.close();
      act.click();
    });
    return row;
  }

  key(event) {
    this.move(event);
    if (event.target !== this.boxTarget) return;
    if (event.key === 'Enter') event.preventDefault();
    this.enter(event);
  }

  take() {
    if (this.element.open) this.results[0]?.click();
  }
}

const nameOf = (element) => element.textContent.trim();

export const keysControllers = { keys: Keys, palette: Palette };
