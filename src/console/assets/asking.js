// What asks the service while somebody types.
import { Controller } from './stimulus.js';

const WAIT_MS = 200;

/** Fills its frame with what is found for what stands in its box, a moment after the last key. */
export class Asking extends Controller {
  static targets = ['box', 'found'];
  static values = { url: String };

  disconnect() {
    clearTimeout(this.waiting);
  }

  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.show(), WAIT_MS);
  }

  show() {
    const words = this.words();
    if (words === undefined) this.close();
    else this.foundTarget.src = `${this.urlValue}?q=${encodeURIComponent(words)}`;
  }

  close() {
    this.foundTarget.removeAttribute('src');
    this.foundTarget.replaceChildren();
  }

  /** What is found, each a button; the one that was pressed. */
  get buttons() {
    return [...this.foundTarget.querySelectorAll('button')];
  }

  pressed({ target }) {
    return this.buttons.find((button) => button.contains(target));
  }
}
