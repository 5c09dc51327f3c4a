import { Controller } from './stimulus.js';
import { refuse, say } from './announce.js';

/** Closes dialogs and menus before Turbo caches the page, and when a form is sent. */
for (const name of ['turbo:before-cache', 'turbo:submit-start'])
  document.addEventListener(name, () => {
    for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
    document.querySelector(':popover-open')?.hidePopover();
  });

/** Opens and closes dialogs in browsers that do not support the `command` of buttons. */
document.addEventListener('click', ({ target }) => {
  const button = target.closest('button[command]');
  if (!button || 'command' in button) return;
  const dialog = document.getElementById(button.getAttribute('commandfor'));
  if (button.getAttribute('command') === 'close') dialog?.close();
  else dialog?.showModal();
});

/** Handles the keys of a form: Escape presses its cancel button, if any, and Ctrl+Enter sends the form. */
class Entry extends Controller {
  static targets = ['cancel'];

  key(event) {
    if (event.key === 'Escape' && this.hasCancelTarget) this.cancelTarget.click();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.element.requestSubmit();
  }
}

/** Dragging a card into another stage's column sends the same form as the card's menu. */
class Board extends Controller {
  start({ target, dataTransfer }) {
    this.form = target.closest('.task-card')?.querySelector('.move form');
    this.element.dataset.dragging = '';
    dataTransfer.effectAllowed = 'move';
  }

  end() {
    this.form = undefined;
    delete this.element.dataset.dragging;
  }

  over(event) {
    if (!this.form) return;
    event.preventDefault();
    if (this.buttonOf(event)) event.currentTarget.dataset.over = '';
  }

  out({ currentTarget }) {
    delete currentTarget.dataset.over;
  }

  /** Sends the form, or says that the card may not move to the column. Ignores the card's own column. */
  drop(event) {
    const { currentTarget: column } = event;
    const button = this.buttonOf(event);
    this.out(event);
    if (!this.form) return;
    event.preventDefault();
    if (button) this.form.requestSubmit(button);
    else if (!column.contains(this.form))
      refuse(`${this.form.elements.name.value} cannot be moved to ${column.dataset.stage} by hand`);
  }

  /** The button that moves the card to the column; undefined if the card may not move there. */
  buttonOf({ currentTarget }) {
    const buttons = [...(this.form?.elements ?? [])].filter(({ name }) => name === 'stage');
    return buttons.find(({ value }) => value === currentTarget.dataset.stage);
  }

  /** If no response to a move arrives, says so. Otherwise, the response is a page with the result. */
  sent({ target, detail: { fetchResponse } }) {
    if (!fetchResponse) say(`${target.elements.name.value} may not have been moved: no connection`);
  }
}

/** Selects a secret, and copies it to the clipboard if the browser allows that. */
class Copy extends Controller {
  static targets = ['text', 'button'];

  connect() {
    this.buttonTarget.hidden = false;
  }

  select() {
    this.textTarget.select();
  }

  async copy() {
    this.select();
    await navigator.clipboard?.writeText(this.textTarget.value).then(this.tell, () => undefined);
  }

  tell = () => {
    this.buttonTarget.textContent = 'Copied';
  };
}

export const controllers = {
  copy: Copy,
  board: Board,
  entry: Entry,
};
