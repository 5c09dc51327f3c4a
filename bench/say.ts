/** Prints the progress of the run. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
