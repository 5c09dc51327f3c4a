// What completes mentions, and tells the time zone.
import { Controller } from './stimulus.js';

const WAIT_MS = 200;

/** Completes the address behind an `@` in a comment by people who see the task; the arrows lead to them. */
class Mention extends Controller {
  static targets = ['box', 'found'];
  static values = { url: String };

  disconnect() {
    clearTimeout(this.waiting);
  }

  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(this.show, WAIT_MS);
  }

  show = () => {
    const word = this.word();
    if (word === undefined) this.close();
    else this.foundTarget.src = `${this.urlValue}?q=${encodeURIComponent(word)}`;
  };

  /** What stands between an `@` and the caret. */
  word() {
    const before = this.boxTarget.value.slice(0, this.boxTarget.selectionStart);
    return /(?:^|[^\p{L}\p{N}._%+-])@([\p{L}\p{N}._%+-]{0,64})$/u.exec(before)?.[1];
  }

  close() {
    this.foundTarget.removeAttribute('src');
    this.foundTarget.replaceChildren();
  }

  choose({ target }) {
    const button = target.closest('button');
    if (!button || !this.foundTarget.contains(button)) return;
    const { selectionStart: end } = this.boxTarget;
    const begin = end - (this.word() ?? '').length;
    this.boxTarget.setRangeText(`${button.value} `, begin, end, 'end');
    this.close();
    this.boxTarget.focus();
    this.boxTarget.dispatchEvent(new Event('input', { bubbles: true }));
  }

  move(event) {
    if (event.key === 'Escape' && this.foundTarget.childElementCount > 0) {
      event.stopPropagation();
      this.close();
      this.boxTarget.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const people = [...this.foundTarget.querySelectorAll('button')];
    if (!step || people.length === 0) return;
    const at = people.indexOf(document.activeElement);
    event.preventDefault();
    if (at + step < 0) this.boxTarget.focus();
    else people[Math.min(at + step, people.length - 1)].focus();
  }
}

/** Tells the service once in which time zone somebody reads. */
class Zone extends Controller {
  static values = { known: String };

  connect() {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!timeZone || timeZone === this.knownValue) return;
    const body = new URLSearchParams({ timeZone });
    // Where it does not arrive, the next page tells it.
    void fetch('/account/browser', { method: 'POST', body }).catch(() => undefined);
  }
}

export const inboxControllers = { mention: Mention, zone: Zone };
