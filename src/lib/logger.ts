import cluster from 'node:cluster';
import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

export { type Logger };

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The injection token of the logger. */
export const LOGGER = Symbol('logger');

/** Writes structured JSON logs, one line each, to standard output by default, within 0.1 s or at the end. */
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
  const stream = pino.destination({ fd: 1, sync: false, maxLength: 2 ** 24, maxWrite: BLOCK_LENGTH });
  // Output that cannot be written, as on a full disk, is retried, or dropped beyond `maxLength`; the process goes on.
  stream.on('error', () => {
    // When the process exits, this would retry for ever.
    stream.flushSync = () => undefined;
  });
  const blocks = new Blocks(stream);
  const flush = (): void => {
    blocks.flush();
  };
  // Runs before the stream's own listeners, which write what the stream holds.
  process.prependListener('beforeExit', flush).prependListener('exit', flush);
  return blocks;
}

/**
 * Writes lines in blocks, at most 0.1 s late: a system call for each line, and the stream's work for it, would cost
 * more than the line itself.
 */
class Blocks implements DestinationStream {
  private lines: string[] = [];
  private length = 0;
  private timer: NodeJS.Timeout | undefined;
  private isWriting = false;
  /** The pipe is closed: nothing more is written or reported. */
  private isClosed = false;
  private ended: (() => void) | undefined;

  constructor(private readonly stream: ReturnType<typeof pino.destination>) {
    const end = (): void => {
      this.isWriting = false;
      this.ended?.();
    };
    stream.on('drain', end).on('error', (error: NodeJS.ErrnoException) => {
      this.isClosed ||= error.code === 'EPIPE';
      end();
    });
  }

  write(line: string): void {
    this.lines.push(line);
    this.length += line.length;
    if (this.length >= BLOCK_LENGTH) this.flush();
    else
      this.timer ??= setTimeout(() => {
        this.flush();
      }, FLUSH_INTERVAL_MS).unref();
  }

  /** Calls back when everything is written, or could not be, within a second. */
  flush(done?: () => void): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.length > 0) {
      this.isWriting = !this.isClosed;
      this.stream.write(this.lines.join(''));
    }
    this.lines = [];
    this.length = 0;
    if (!done) return;
    if (!this.isWriting) {
      done();
      return;
    }
    this.ended = done;
    setTimeout(done, FLUSH_TIMEOUT_MS);
  }
}

/** The length of one write. With several processes, it stays within what a pipe takes atomically (`PIPE_BUF`). */
const BLOCK_LENGTH = cluster.isWorker ? 3000 : 15_000;
const FLUSH_INTERVAL_MS = 100;
const FLUSH_TIMEOUT_MS = 1000;

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
