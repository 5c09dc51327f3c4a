import { Controller } from './stimulus.js';

/** Opens a dialog instead of the page that asks the same. */
class Opener extends Controller {
  static values = { dialog: String };

  open(event) {
    const dialog = document.getElementById(this.dialogValue);
    if (!dialog) return;
    event.preventDefault();
    dialog.showModal();
  }
}

/** A dialog closes where somebody presses beside it, and before the page is kept or gone. */
class Dialog extends Controller {
  connect() {
    this.element.addEventListener('click', this.closeBeside);
  }

  disconnect() {
    this.element.removeEventListener('click', this.closeBeside);
    this.element.close();
  }

  closeBeside = ({ target }) => {
    if (target === this.element) this.element.close();
  };
}

/** An instant in the time zone of the browser. */
class Time extends Controller {
  static values = { style: String };

  connect() {
    const at = new Date(this.element.dateTime);
    const format = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    if (this.styleValue === 'short') this.element.title = format.format(at);
    else this.element.textContent = format.format(at);
  }
}

export const controllers = { opener: Opener, dialog: Dialog, time: Time };
