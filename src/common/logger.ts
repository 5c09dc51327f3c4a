import cluster from 'node:cluster';
import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

export { type Logger };

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export const LOGGER = Symbol('logger');

/** Creates a logger of JSON lines, by default to standard output. Lines appear within 0.1 s, or at exit. */
export function createLogger(level: LogLevel, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: cluster.isWorker ? { pid: process.pid } : null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The error of a failed statement contains the statement's values, which are customer data.
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
  // On a full disk, the stream retries, and drops lines beyond `maxLength`. The process continues.
  stream.on('error', () => {
    // At exit, `flushSync` would retry forever.
    stream.flushSync = () => undefined;
  });
  return stream;
}

/**
 * Writes lines in blocks, at most 0.1 s late, because one system call for each line would cost too much. A
 * pipe accepts a block of this length whole (`PIPE_BUF`), so that the lines of several processes do not mix.
 */
const blocks = { minLength: 3600, maxWrite: 4000, periodicFlush: 100 };

/** Writes Nest's warnings and errors to the log, and drops Nest's lines about modules and routes. */
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
