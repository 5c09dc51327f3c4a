import { type Logger } from './logger.js';

/**
 * On SIGINT or SIGTERM, calls `stop` and exits with 0, or with 1 if `stop` fails. A second signal, at least a
 * second later, ends the process at once. The returned function does the same as the first signal.
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): () => void {
  // Flushes the log for at most 1 s, because a stream that cannot write would retry forever.
  const exit = (code: number): void => {
    logger.flush(() => process.exit(code));
    setTimeout(() => process.exit(code), FLUSH_TIMEOUT_MS);
  };
  let isStopping = false;
  let signalled: number | undefined;
  const begin = (reason: object): void => {
    if (isStopping) return;
    isStopping = true;
    const begun = performance.now();
    logger.info(reason, 'stopping');
    stop().then(
      () => {
        logger.info({ ms: Math.round(performance.now() - begun) }, 'stopped');
        exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopped with an error');
        exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // One Ctrl-C may arrive twice: from the terminal and from npm.
    if (signalled !== undefined && Date.now() - signalled < 1000) return;
    if (signalled !== undefined) process.exit(1);
    signalled = Date.now();
    begin({ signal });
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => { begin({}); }; // prettier-ignore
}

const FLUSH_TIMEOUT_MS = 1000;

/**
 * If the reader of the output closes the pipe early, as `head` does, drops further output and continues. If
 * writing fails for any other reason, such as a full disk, sets the exit code to 1. Reports such a failure of
 * standard output on standard error.
 */
export function allowClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: Error) => {
      if (isClosedOutput(error)) return;
      process.exitCode = 1;
      if (stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}\n`);
    });
}

/** Whether output failed because its reader closed the pipe. */
export function isClosedOutput(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'EPIPE';
}

/**
 * Logs unhandled rejections, which are bugs of the service, and continues. A bug in one request must not end
 * all other requests, and transactions protect the data. An uncaught exception still ends the process.
 */
export function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection: this is a bug in the service, please report it');
  });
}
