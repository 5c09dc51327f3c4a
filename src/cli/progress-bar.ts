import { visible } from './paint.js';

/** Shows how far work has come that takes longer than a second, on a terminal only. */
export interface ProgressBar {
  /** `share` is between 0 and 1. */
  readonly show: (share: number, text: string) => void;
  /** Writes a line of its own, terminal or not. */
  readonly tell: (line: string) => void;
  /** Takes the bar away, before anything else is written. */
  readonly clear: () => void;
}

/** A bar on the last line of the terminal, drawn a few times a second. */
export function progressBar(
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): ProgressBar {
  const begun = Date.now();
  let drawn: number | undefined;
  const clear = (): void => {
    if (drawn !== undefined) terminal.write('\r\x1b[2K');
    drawn = undefined;
  };
  return {
    show(share, text) {
      const now = Date.now();
      if (!terminal.isTTY || now - begun < 1000 || now - (drawn ?? 0) < pauseMs) return;
      drawn = now;
      const part = Math.min(Math.max(share, 0), 1);
      const bar = '█'.repeat(Math.round(part * width)).padEnd(width, '░');
      terminal.write(`\r\x1b[2K${bar} ${Math.floor(part * 100)} %  ${text}`);
    },
    tell(line) {
      clear();
      terminal.write(`${visible(line)}\n`);
    },
    clear,
  };
}

/** A number of things out of all of them, in words. */
export function outOf(done: number, total: number, things: string): string {
  return `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} ${things}`;
}

const width = 30;
const pauseMs = 100;
