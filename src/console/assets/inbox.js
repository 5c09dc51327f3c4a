// Completes mentions, and reports the time zone.
import { Controller } from './stimulus.js';
import { Asking } from './asking.js';
import { listen } from './live.js';

/** Completes an `@` in a comment with people who see the task. The arrow keys move to them. */
class Mention extends Asking {
  words() {
    const before = this.boxTarget.value.slice(0, this.boxTarget.selectionStart);
    return /(?:^|[^\p{L}\p{N}._%+-])@([\p{L}\p{N}._%+-]{0,64})$/u.exec(before)?.[1];
  }

  choose(event) {
    const button = this.pressed(event);
    if (!button) return;
    const { selectionStart: end } = this.boxTarget;
    const begin = end - (this.words() ?? '').length;
    this.boxTarget.setRangeText(`${button.value} `, begin, end, 'end');
    this.close();
    this.boxTarget.focus();
    this.boxTarget.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

/** Reports the browser's time zone and language if the service lacks one of them. */
class Zone extends Controller {
  static values = { known: String, shown: String };

  async connect() {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!timeZone || timeZone === this.knownValue) return;
    const body = new URLSearchParams({ timeZone });
    // If the request fails, the next page repeats it.
    const answer = await fetch('/account/browser', { method: 'POST', body }).catch(() => undefined);
    // The times on this page are in another zone, so the page is refreshed as after a change by others.
    if (answer?.ok && timeZone !== this.shownValue) listen({ isBehind: true });
  }
}

export const inboxControllers = { mention: Mention, zone: Zone };
