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
