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

/** The actions of the page come first, then the results of the service. */
class Palette extends Asking {
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
    const words = this.boxTarget.value.trim().toLowerCase();
    const list = this.foundTarget.querySelector('[role=listbox]');
    this.acts = shown(ACTIONS).filter((element) => nameOf(element).toLowerCase().includes(words));
    const options = this.acts.map((element) => optionOf(nameOf(element)));
    list.prepend(...options);
    this.options.forEach((option, at) => (option.id = `palette-${at}`));
    this.mark(0);
    this.takeEntered();
  }

  get options() {
    return [...this.foundTarget.querySelectorAll('[role=option]')];
  }

  mark(at) {
    const { options } = this;
    this.at = options.length === 0 ? -1 : (at + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute('aria-selected', String(index === this.at)));
    const marked = options[this.at];
    if (!marked) return this.boxTarget.removeAttribute('aria-activedescendant');
    this.boxTarget.setAttribute('aria-activedescendant', marked.id);
    marked.scrollIntoView({ block: 'nearest' });
  }

  key(event) {
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: -1 }[event.key];
    const isOfText = (event.key === 'Home' || event.key === 'End') && this.boxTarget.value !== '';
    this.enter(event);
    if (event.key !== 'Enter' && (to === undefined || isOfText)) return;
    if (to !== undefined) this.mark(to);
    event.preventDefault();
  }

  take() {
    if (this.element.open) this.choose(this.at);
  }

  press({ target }) {
    const option = target.closest('[role=option]');
    if (option) this.choose(this.options.indexOf(option));
  }

  choose(at) {
    const option = this.options[at];
    if (!option) return;
    this.element.close();
    if (at < this.acts.length) this.acts[at].click();
    else Turbo.visit(option.dataset.href);
  }
}

const nameOf = (element) => element.textContent.trim();

function optionOf(name) {
  const option = document.createElement('li');
  option.setAttribute('role', 'option');
  const [text, more] = [document.createElement('span'), document.createElement('span')];
  text.textContent = name;
  more.textContent = 'Action';
  more.className = 'muted';
  option.append(text, more);
  return option;
}

export const keysControllers = { keys: Keys, palette: Palette };
