/** Tells whoever waits how far the run is. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
