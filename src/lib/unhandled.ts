import { type Logger } from './logger.js';

/**
 * Tells of a rejection that nobody handles, which is a mistake of ours, and goes on: what one request forgot must not end
 * all others, and what counts is in PostgreSQL, never half done. An exception that nobody catches still ends the process.
 */
export function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'a rejection was not handled: a mistake of the service, please report it');
  });
}
