import { type Logger } from './logger.js';

/**
 * On SIGINT or SIGTERM stops in good order and exits with 0. A second signal asks `stop` to hurry, a third ends the
 * process at once. Returns what stops it in the same way.
 */
export function stopOnSignal(logger: Logger, stop: (hurry: AbortSignal) => Promise<void>): () => void {
  const hurry = new AbortController();
  // What is being written tells first whether it can be: at the end of the process its stream would try for ever.
  const exit = (code: number): void => {
    logger.flush(() => process.exit(code));
  };
  let isStopping = false;
  let signalled = -Infinity;
  const begin = (reason: object): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info(reason, 'stopping');
    stop(hurry.signal).then(
      () => {
        exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopped in disorder');
        exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // One Ctrl-C may arrive twice: from the terminal and from npm.
    if (Date.now() - signalled < 1000) return;
    if (hurry.signal.aborted) process.exit(1);
    if (isStopping) hurry.abort();
    signalled = Date.now();
    begin({ signal });
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => { begin({}); }; // prettier-ignore
}

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

/**
 * Tells of a rejection that nobody handles, which is a mistake of ours, and goes on: what one request forgot must not end
 * all others, and what counts is in PostgreSQL, never half done. An exception that nobody catches still ends the process.
 */
export function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'a rejection was not handled: a mistake of the service, please report it');
  });
}
