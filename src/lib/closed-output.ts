/**
 * A reader that has seen enough, as `head` has after some lines, is no fault: the work goes on, and what is still written
 * goes nowhere. Output that cannot be written for another reason, as on a full disk, is told of, and fails in the end.
 */
export function allowClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: Error) => {
      if (isClosedOutput(error)) return;
      process.exitCode = 1;
      if (stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}\n`);
    });
}

/** Whether something could not be written because nobody reads it any more. */
export function isClosedOutput(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'EPIPE';
}
