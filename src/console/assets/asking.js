// Inputs that ask the service while somebody types.
import { Controller } from './stimulus.js';

const WAIT_MS = 200;

/** Fills its frame with the results for the text in its box, shortly after the last key. */
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
    const stops = [this.boxTarget, ...this.results];
    if (!step || stops.length === 1) return;
    event.preventDefault();
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  }

  /** Remembers that Enter was pressed before the results came; any other key cancels this. */
  enter({ key }) {
    this.isEntered = key === 'Enter';
    this.takeEntered();
  }

  /** Enter chooses only from the results for the current text. */
  takeEntered() {
    const found = this.foundTarget.querySelector(':scope[complete] [data-words]')?.dataset.words;
    if (!this.isEntered || found !== this.words()) return;
    this.isEntered = false;
    this.take();
  }

  /** The results, each a button or a link, and the one that was pressed. */
  get results() {
    return [...this.foundTarget.querySelectorAll('a, button')];
  }

  pressed({ target }) {
    return this.results.find((result) => result.contains(target));
  }
}
