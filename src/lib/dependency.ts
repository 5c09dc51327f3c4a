import { type Logger } from './logger.js';

/**
 * An external service that may become unavailable. Logs once when it goes away, whoever notices, and once when it is
 * back. While it is away, it is asked every second.
 */
export class Dependency {
  private answer: Promise<boolean> | undefined;
  private awaySince: number | undefined;
  private backAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private timesAway = 0;

  constructor(
    private readonly name: string,
    /** Rejects if it is away or takes too long. */
    private readonly ask: () => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** Whether it is available now; never rejects. */
  async isUp(): Promise<boolean> {
    this.answer ??= this.look().finally(() => (this.answer = undefined));
    return this.answer;
  }

  /** Whether it is available and stays so for a moment: a server that stops closes its connections one by one. */
  private async staysUp(): Promise<boolean> {
    if (!(await this.isKnownUp())) return false;
    const before = this.timesAway;
    await new Promise((resolve) => setTimeout(resolve, MOMENT_MS).unref());
    return (await this.isKnownUp()) && this.timesAway === before;
  }

  private async isKnownUp(): Promise<boolean> {
    return !this.isClosed && this.isUp();
  }

  /**
   * Logs that some work failed. If the dependency is away within a moment, or has just come back, that has its own
   * line, so the failure is logged at level `debug` only: work may notice it before or after that line.
   */
  async logFailure(error: unknown, message: string, details: object = {}): Promise<void> {
    const isSteady = (await this.staysUp()) && performance.now() - this.backAt > NOTICED_MS;
    this.logger[isSteady ? 'warn' : 'debug']({ ...details, err: error }, message);
  }

  /** Stops logging and polling; later calls still get an answer. Resolves when the question under way is answered. */
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
    this.backAt = performance.now();
    this.logger.info({ away_ms }, `${this.name} is back`);
  }

  private noteAway(error: unknown): void {
    if (this.awaySince === undefined) {
      this.timesAway += 1;
      const reason = reasonOf(error);
      this.logger.error({ reason }, `${this.name} is away: ${reason}`);
    }
    this.awaySince ??= performance.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.isUp(), RETRY_MS).unref();
  }
}

const RETRY_MS = 1000;
const MOMENT_MS = 1000;
const ANSWER_TIMEOUT_MS = 2000;
/** For so long after its return, failures from before may still be noticed. */
const NOTICED_MS = 5000;

/** Why the work failed or was late; undefined if it succeeded. */
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

/** The error's message: other properties may hold the values of a statement, or an address with a password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}
