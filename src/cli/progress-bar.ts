/** Shows how far work has come that takes longer than a second; call it with what is done, and at the end with `end`. */
export interface ProgressBar {
  readonly show: (done: number) => void;
  readonly end: () => void;
}

/** A bar on standard error if that is a terminal, else nothing. */
export function progressBar(total: number, stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  const begun = Date.now();
  let drawn = begun;
  const show = (done: number): void => {
    const now = Date.now();
    if (!stream.isTTY || total === 0 || now - begun < 1000 || now - drawn < 100) return;
    drawn = now;
    stream.write(`\r${renderBar(done / total)}`);
  };
  const end = (): void => {
    if (drawn !== begun) stream.write('\r\x1b[K');
  };
  return { show, end };
}

/** Such as `██████████          50 %`. */
export function renderBar(part: number): string {
  const whole = Math.min(Math.max(part, 0), 1);
  const filled = Math.round(whole * width);
  return `${'█'.repeat(filled)}${' '.repeat(width - filled)} ${Math.floor(whole * 100)} %`;
}

const width = 30;
