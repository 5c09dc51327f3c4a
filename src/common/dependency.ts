import { reasonOf } from './errors.js';
import { type Logger } from './logger.js';

/**
 * An external service that may become unavailable. Logs once when the service becomes unavailable. Then
 * checks the service every second, and logs once when it is available again.
 */
export class Dependency {
  private answer: Promise<boolean> | undefined;
  private awaySince: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly name: string,
    /** Rejects if the service is unavailable. No answer within 2 s counts as a rejection. */
    private readonly ask: () => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** Whether the service is available now. Never rejects. */
  async isUp(): Promise<boolean> {
    this.answer ??= this.look().finally(() => (this.answer = undefined));
    return this.answer;
  }

  /** Logs a failure as a warning; at `debug` if the service is unavailable or the checks are stopped. */
  async logFailure(error: unknown, message: string, details: object = {}): Promise<void> {
    const isUp = !this.isClosed && (await this.isUp());
    this.logger[isUp ? 'warn' : 'debug']({ ...details, err: error }, message);
  }

  /** Stops the checks and their log lines; `isUp` still works. Resolves when a running check has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.answer;
  }

  private async look(): Promise<boolean> {
    const error = await failureOf(this.ask());
    if (this.isClosed) return error === undefined;
    if (error === undefined) this.noteUp();
    else this.noteAway(error);
    return error === undefined;
  }

  private noteUp(): void {
    if (this.awaySince === undefined) return;
    const away_ms = Math.round(performance.now() - this.awaySince);
    this.awaySince = undefined;
    this.logger.info({ away_ms }, `${this.name} is back`);
  }

  private noteAway(error: unknown): void {
    if (this.awaySince === undefined) {
      const reason = reasonOf(error);
      this.logger.error({ reason }, `${this.name} is away: ${reason}`);
    }
    this.awaySince ??= performance.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.isUp(), RETRY_MS).unref();
  }
}

const RETRY_MS = 1000;
const ANSWER_TIMEOUT_MS = 2000;

/** The error of failed or late work. Undefined if the work succeeded in time. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(
      resolve,
      ANSWER_TIMEOUT_MS,
      new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`),
    );
  });
  const failure = work.then(
    () => undefined,
    (error: unknown) => error ?? new Error('unknown'),
  );
  return Promise.race([failure, late]).finally(() => {
    clearTimeout(timer);
  });
}
