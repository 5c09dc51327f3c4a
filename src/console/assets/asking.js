// Inputs that ask the service while somebody types.
import { Controller } from './stimulus.js';

const WAIT_MS = 200;

/** Fills its frame with the results for the words in its box, shortly after the last key. */
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

  /** The arrow keys move from the box through the results and back; Escape closes them. */
  move(event) {
    if (event.key === 'Escape' && this.foundTarget.childElementCount > 0) {
      event.stopPropagation();
      this.close();
      this.boxTarget.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [this.boxTarget, ...this.foundTarget.querySelectorAll('button')];
    if (!step || stops.length === 1) return;
    event.preventDefault();
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  }
}
