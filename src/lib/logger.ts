import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

export { type Logger };

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Where Nest keeps the logger. */
export const LOGGER = Symbol('logger');

/** Structured JSON logs, a line each, on standard output unless told otherwise; written within 0.1 s, or at the end. */
export function createLogger(level: LogLevel, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // A failed statement's error carries its values, which are somebody's data.
    redact: ['err.parameters', 'err.query', 'err.detail', 'err.where', 'err.driverError'],
  };
  return pino(options, destination);
}

// A system call for each line would cost more than the line.
function standardOutput(): DestinationStream {
  const settings = { fd: 1, sync: false, minLength: 4096, periodicFlush: 100, maxLength: 2 ** 24 };
  const stream = pino.destination(settings);
  // What cannot be written, as on a full disk, is tried again, or lost beyond so many bytes; it ends nothing.
  return stream.on('error', () => {
    // At the end of the process this would try for ever.
    stream.flushSync = () => undefined;
  });
}

/** What Nest itself wants to say, in the same log; its tales of modules and routes are left out. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
    warn: (message) => { logger.warn(text(message)); }, // prettier-ignore
    error: (message, ...context) => { logger.error({ context: context.map(text) }, text(message)); }, // prettier-ignore
    fatal: (message) => { logger.fatal(text(message)); }, // prettier-ignore
  };
}

const text = (message: unknown): string =>
  message instanceof Error ? (message.stack ?? message.message) : String(message);
