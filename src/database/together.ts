import { forWorkHere } from '../lib/trace.js';

/** A kind of request, and how to ask for several at once. */
interface Kind<Request, Answer> {
  /**
   * Asks for all requests in one query. An answer is undefined where that request has to be asked alone. An error is
   * thrown to all of them.
   */
  readonly askFor: (requests: readonly Request[]) => Promise<readonly (Answer | undefined)[]>;
  /** Requests with the same name never go into the same query; null for a request without this limit. */
  readonly nameOf?: (request: Request) => string | null;
  /** The length of a request in characters. */
  readonly lengthOf?: (request: Request) => number;
  /** How many requests go into one query at most. */
  readonly mostRiders?: number;
}

/** A caller that waits for the answer to one request. */
interface Rider<Request, Answer> {
  readonly make: () => Request;
  readonly keyId: string | undefined;
  readonly alone: () => Promise<Answer>;
  /** Without an answer, the caller asks alone. */
  readonly settle: (answer?: Answer) => void;
  readonly fail: (error: unknown) => void;
  made?: Made<Request>;
}

interface Made<Request> {
  readonly request: Request;
  readonly name: string | null;
  readonly length: number;
}

/**
 * Combines simultaneous requests of one kind into one query, so that they share its cost. Two queries run at once, and
 * requests that arrive meanwhile go into the next one. A request waits for others only until the event loop has read
 * what has already arrived; after 20 ms it is sent even if two slow queries are still running.
 */
export class Together<Request, Answer> {
  private underWay = 0;
  private readonly names = new Set<string>();
  private waiting: Rider<Request, Answer>[] = [];
  private isGoing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly kind: Kind<Request, Answer>) {}

  /** Returns the answer to a request. `make` is called only if the request is combined with others. */
  async ask(make: () => Request, keyId: string | undefined, alone: () => Promise<Answer>): Promise<Answer> {
    if (this.underWay === 0 && this.waiting.length === 0) return this.during([], alone);
    const answer = await new Promise<Answer | undefined>((settle, fail) => {
      this.waiting.push({
        // Keeps the caller's trace context: another caller's work may send the request.
        make: forWorkHere(make),
        keyId,
        alone: forWorkHere(alone),
        settle,
        fail,
      });
      this.goSoon();
    });
    return answer ?? alone();
  }

  private async during<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    for (const name of names) this.names.add(name);
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      for (const name of names) this.names.delete(name);
      if (this.waiting.length > 0) this.goSoon();
    }
  }

  /** Sends the waiting requests once the event loop has read all that has arrived, or after 20 ms. */
  private goSoon(): void {
    this.setTimer();
    if (this.isGoing || this.underWay >= MAX_UNDER_WAY) return;
    this.isGoing = true;
    setImmediate(() => {
      this.isGoing = false;
      if (this.underWay < MAX_UNDER_WAY) this.go(this.names);
    });
  }

  /** Sends the waiting requests, except those with these names. */
  private go(except: ReadonlySet<string>): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const riders =
      this.waiting.length > 1 || except.size > 0 ? this.nextRiders(except) : this.waiting.splice(0);
    if (riders.length > 0) void this.send(riders);
    if (this.waiting.length > 0) this.setTimer();
  }

  private setTimer(): void {
    this.timer ??= setTimeout(() => {
      this.go(new Set());
    }, MAX_WAIT_MS);
  }

  private async send(riders: readonly Rider<Request, Answer>[]): Promise<void> {
    const names = riders.flatMap(({ made }) => made?.name ?? []);
    try {
      const answers = await this.during(names, () => this.answersTo(riders));
      for (const [at, { settle }] of riders.entries()) settle(answers[at]);
    } catch (error) {
      for (const { fail } of riders) fail(error);
    }
  }

  private async answersTo(
    riders: readonly Rider<Request, Answer>[],
  ): Promise<readonly (Answer | undefined)[]> {
    const [first] = riders;
    if (first && riders.length === 1) return [await first.alone()];
    return this.kind.askFor(riders.flatMap(({ made }) => made?.request ?? []));
  }

  /** The requests for the next query, in order of arrival. While others wait, one key gets half of the places. */
  private nextRiders(except: ReadonlySet<string>): Rider<Request, Answer>[] {
    const { mostRiders = MAX_RIDERS } = this.kind;
    const places = new Map<string | undefined, number>();
    const within = this.waiting.filter(({ keyId }) => {
      const place = (places.get(keyId) ?? 0) + 1;
      places.set(keyId, place);
      return place <= mostRiders / 2;
    });
    const chosen = new Set<Rider<Request, Answer>>();
    const names = new Set<string>();
    let room = MAX_LENGTH;
    for (const rider of new Set([...within, ...this.waiting])) {
      const { name, length } = (rider.made ??= this.madeOf(rider));
      if (chosen.size === mostRiders || (length > room && chosen.size > 0)) break;
      if (name !== null && (names.has(name) || except.has(name))) continue;
      if (name !== null) names.add(name);
      room -= length;
      chosen.add(rider);
    }
    const riders = this.waiting.filter((rider) => chosen.has(rider));
    this.waiting = this.waiting.filter((rider) => !chosen.has(rider));
    return riders;
  }

  private madeOf({ make }: Rider<Request, Answer>): Made<Request> {
    const { nameOf, lengthOf } = this.kind;
    const request = make();
    return { request, name: nameOf?.(request) ?? null, length: lengthOf?.(request) ?? 0 };
  }
}

const MAX_UNDER_WAY = 2;
const MAX_RIDERS = 64;
const MAX_LENGTH = 256 * 1024;
const MAX_WAIT_MS = 20;
