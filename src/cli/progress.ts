import { type OnProgress } from '../definitions/data/draft.js';

/** Shows how far work has come that takes longer than a second, on a terminal only. */
export interface ProgressBar {
  readonly show: OnProgress;
  /** Takes the bar away, before anything else is written. */
  readonly clear: () => void;
}

/** A bar on the last line of the terminal. */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  const begun = Date.now();
  let isShown = false;
  return {
    show({ task, done, total }) {
      if (!stream.isTTY || Date.now() - begun < 1000) return;
      const share = total === 0 ? 1 : Math.min(done / total, 1);
      const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░');
      const count = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} tasks`;
      stream.write(`\r\x1b[2K${bar} ${Math.floor(share * 100)} %  ${task}, ${count}`);
      isShown = true;
    },
    clear() {
      if (isShown) stream.write('\r\x1b[2K');
      isShown = false;
    },
  };
}

const width = 30;
