import cluster from 'node:cluster';
import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

export { type Logger };

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export const LOGGER = Symbol('logger');

/** One line of JSON each, by default to standard output; written within 0.1 s, or when the process ends. */
export function createLogger(level: LogLevel, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: cluster.isWorker ? { pid: process.pid } : null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The error of a failed statement holds its values, which are customer data.
    redact: ['err.parameters', 'err.query', 'err.detail', 'err.where', 'err.driverError'],
  };
  return pino(options, destination);
}

/** One stream for the process, shared by all its loggers. */
function standardOutput(): DestinationStream {
  return (opened ??= openStandardOutput());
}

let opened: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: false, maxLength: 2 ** 24, ...blocks });
  // Lines that cannot be written, as on a full disk, are retried, or dropped beyond `maxLength`. The process goes on.
  stream.on('error', () => {
    // During exit, this would retry forever.
    stream.flushSync = () => undefined;
  });
  return stream;
}

/**
 * Lines are written in blocks, at most 0.1 s late, because a system call for each would cost more than the line. A pipe
 * takes a block of this length whole (`PIPE_BUF`), so that the lines of several processes do not mix.
 */
const blocks = { minLength: 3600, maxWrite: 4000, periodicFlush: 100 };

/** Nest's own messages in the same log, without its lines about modules and routes. */
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
