// Keyboard shortcuts.
import * as Turbo from './turbo.js';
import { Controller } from './stimulus.js';

function search() {
  const boxes = document.querySelectorAll('main input[type=search][name=q], .search-box input[name=q]');
  const shown = [...boxes].find((box) => box.checkVisibility());
  if (shown) shown.focus();
  else Turbo.visit('/search');
}

/** They do nothing while somebody types or a dialog is open. */
class Keys extends Controller {
  static targets = ['sheet'];
  static values = { single: Boolean };

  press(event) {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (altKey || document.querySelector('dialog:modal')) return;
    if (target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
    const act = ctrlKey || metaKey ? this.withControl[key.toLowerCase()] : this.alone[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  withControl = { k: search };

  get alone() {
    return this.singleValue ? { '/': search, '?': () => this.sheetTarget.showModal() } : {};
  }
}

export const keysControllers = { keys: Keys };
