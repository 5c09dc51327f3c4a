import { forWorkHere } from '../trace.js';

interface Kind<Request, Answer> {
  /** Answers all requests by one statement. If an answer is `undefined`, its request runs alone. */
  readonly askFor: (requests: readonly Request[]) => Promise<readonly (Answer | undefined)[]>;
  /** Two requests with the same name never share a statement. A request named null shares with any. */
  readonly nameOf?: (request: Request) => string | null;
  /** The length of a request in characters. */
  readonly lengthOf?: (request: Request) => number;
}

interface PendingCall<Request, Answer> {
  readonly request: Request;
  readonly name: string | null;
  readonly length: number;
  readonly runSingle: () => Promise<Answer>;
  /** Ends the wait of `ask`. Without an answer, `ask` calls `runSingle`. */
  readonly resolve: (answer?: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines simultaneous requests of one kind into one statement, so that the requests share its cost. If no
 * other request is in progress, a request runs at once. Otherwise, the request waits for the next statement.
 * The next statement starts when the event loop has read all arrived bytes and fewer than two statements are
 * running. After 20 ms, the next statement starts even if two statements are running.
 */
export class Together<Request, Answer> {
  private underWay = 0;
  private readonly names = new Set<string>();
  private waiting: PendingCall<Request, Answer>[] = [];
  private isPending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly kind: Kind<Request, Answer>) {}

  /** Returns the answer to a request. Calls `make` only if other requests are in progress. */
  async ask(make: () => Request, runSingle: () => Promise<Answer>): Promise<Answer> {
    if (this.underWay === 0 && this.waiting.length === 0) return this.count([], runSingle);
    const answer = await this.wait(make(), runSingle);
    return answer ?? runSingle();
  }

  private wait(request: Request, runSingle: () => Promise<Answer>): Promise<Answer | undefined> {
    const name = this.kind.nameOf?.(request) ?? null;
    const length = this.kind.lengthOf?.(request) ?? 0;
    return new Promise((resolve, reject) => {
      // Keeps the caller's trace context, because `runSingle` may run within the work of another caller.
      const call = { request, name, length, runSingle: forWorkHere(runSingle), resolve, reject };
      this.waiting.push(call);
      this.scheduleFlush();
    });
  }

  private async count<T>(names: readonly string[], run: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    for (const name of names) this.names.add(name);
    try {
      return await run();
    } finally {
      this.underWay -= 1;
      for (const name of names) this.names.delete(name);
      if (this.waiting.length > 0) this.scheduleFlush();
    }
  }

  /** Sends the pending calls when the event loop has read all that has arrived, or after 20 ms. */
  private scheduleFlush(): void {
    this.setTimer();
    if (this.isPending || this.underWay >= MAX_UNDER_WAY) return;
    this.isPending = true;
    setImmediate(() => {
      this.isPending = false;
      if (this.underWay < MAX_UNDER_WAY) this.flush(this.names);
    });
  }

  /** Sends pending calls, except calls with the names in `except`. */
  private flush(except: ReadonlySet<string>): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const calls = this.takeCalls(except);
    if (calls.length > 0) void this.send(calls);
    if (this.waiting.length > 0) this.setTimer();
  }

  private setTimer(): void {
    this.timer ??= setTimeout(() => {
      this.flush(new Set());
    }, MAX_WAIT_MS);
  }

  private async send(calls: readonly PendingCall<Request, Answer>[]): Promise<void> {
    const names = calls.flatMap(({ name }) => name ?? []);
    try {
      const answers = await this.count(names, () => this.answersTo(calls));
      for (const [at, { resolve }] of calls.entries()) resolve(answers[at]);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  private async answersTo(
    calls: readonly PendingCall<Request, Answer>[],
  ): Promise<readonly (Answer | undefined)[]> {
    const [first] = calls;
    if (first && calls.length === 1) return [await first.runSingle()];
    return this.kind.askFor(calls.map(({ request }) => request));
  }

  /** Takes the oldest calls for the next statement, up to `MAX_CALLS` and `MAX_LENGTH`. */
  private takeCalls(except: ReadonlySet<string>): PendingCall<Request, Answer>[] {
    const chosen = new Set<PendingCall<Request, Answer>>();
    const names = new Set(except);
    let room = MAX_LENGTH;
    for (const call of this.waiting) {
      if (chosen.size === MAX_CALLS || (call.length > room && chosen.size > 0)) break;
      if (call.name !== null && names.has(call.name)) continue;
      if (call.name !== null) names.add(call.name);
      room -= call.length;
      chosen.add(call);
    }
    this.waiting = this.waiting.filter((call) => !chosen.has(call));
    return [...chosen];
  }
}

const MAX_UNDER_WAY = 2;
/** The most requests that share a statement. */
export const MAX_CALLS = 64;
const MAX_LENGTH = 256 * 1024;
const MAX_WAIT_MS = 20;
