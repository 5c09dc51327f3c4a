/** A bar on the terminal that shows how far work is; where there is no terminal, it shows nothing. */
export interface ProgressBar {
  /** `share` is between 0 and 1. */
  show(share: number, text: string): void;
  clear(): void;
}

/** Draws on standard error, a few times a second. */
export function progressBar(
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): ProgressBar {
  let last = 0;
  return {
    show(share, text) {
      if (!terminal.isTTY || Date.now() - last < pauseMs) return;
      last = Date.now();
      const full = Math.round(Math.min(1, share) * width);
      const bar = '█'.repeat(full) + '░'.repeat(width - full);
      terminal.write(`\r${bar} ${Math.floor(Math.min(1, share) * 100)} %  ${text}\u001b[K`);
    },
    clear() {
      if (terminal.isTTY && last > 0) terminal.write('\r\u001b[K');
    },
  };
}

const width = 30;
const pauseMs = 100;
