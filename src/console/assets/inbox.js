// What completes mentions, and tells the time zone.
import { Controller } from './stimulus.js';
import { Asking } from './asking.js';

/** Completes the address behind an `@` in a comment by people who see the task; the arrows lead to them. */
class Mention extends Asking {
  /** What stands between an `@` and the caret. */
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

/** Tells the service in which time zone and language somebody reads, where it does not know one of them. */
class Zone extends Controller {
  static values = { known: String, shown: String };

  async connect() {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!timeZone || timeZone === this.knownValue) return;
    const body = new URLSearchParams({ timeZone });
    // Where it does not arrive, the next page tells it.
    const answer = await fetch('/account/browser', { method: 'POST', body }).catch(() => undefined);
    const live = this.application.getControllerForElementAndIdentifier(document.body, 'live');
    if (!answer?.ok || !live || timeZone === this.shownValue) return;
    // The times of this page are those of another zone: it is shown anew as if somebody had changed something.
    live.isBehind = true;
    live.catchUp();
  }
}

export const inboxControllers = { mention: Mention, zone: Zone };
