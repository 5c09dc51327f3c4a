/** A kind of request, and how many of them are asked at once. */
interface Kind<Request, Answer> {
  /** Asks for all of them at once; undefined for one who has to ask alone. What it throws, all of them are told. */
  readonly askFor: (requests: readonly Request[]) => Promise<readonly (Answer | undefined)[]>;
  /** What no two of one question may have in common. */
  readonly nameOf?: (request: Request) => string | null;
  /** The characters of a request. */
  readonly lengthOf?: (request: Request) => number;
}

/** Somebody who waits for the answer to one request. */
interface Rider<Request, Answer> {
  readonly request: Request;
  readonly keyId: string | undefined;
  readonly name: string | null;
  readonly length: number;
  /** Given no answer, the rider asks alone. */
  readonly settle: (answer?: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Requests of one kind that wait travel together. Two are under way, and what comes meanwhile goes with the next as one
 * question, so that its cost is shared. Nobody waits for company: who finds room goes at once, and alone, and whoever has
 * waited for 20 ms goes on beside those who are slow.
 */
export class Together<Request, Answer> {
  private underWay = 0;
  private readonly names = new Set<string>();
  private waiting: Rider<Request, Answer>[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly kind: Kind<Request, Answer>) {}

  /** The answer to a request, which is made where it has to wait. */
  async ask(make: () => Request, keyId: string | undefined, alone: () => Promise<Answer>): Promise<Answer> {
    if (this.underWay < MAX_UNDER_WAY && this.waiting.length === 0) return this.during(alone);
    const { nameOf, lengthOf } = this.kind;
    const request = make();
    const length = lengthOf?.(request) ?? 0;
    if (length > MAX_LENGTH) return alone();
    const answer = await new Promise<Answer | undefined>((settle, fail) => {
      this.waiting.push({ request, keyId, name: nameOf?.(request) ?? null, length, settle, fail });
      this.setTimer();
    });
    return answer ?? alone();
  }

  private async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      if (this.underWay < MAX_UNDER_WAY) this.go(this.names);
    }
  }

  private setTimer(): void {
    this.timer ??= setTimeout(() => {
      this.go(new Set());
    }, MAX_WAIT_MS);
  }

  /** Sends those who wait, if any do, but none of these names. */
  private go(except: ReadonlySet<string>): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const riders = this.nextRiders(except);
    if (this.waiting.length > 0) this.setTimer();
    if (riders.length > 0) void this.during(() => this.send(riders));
  }

  private async send(riders: readonly Rider<Request, Answer>[]): Promise<void> {
    const names = riders.flatMap(({ name }) => name ?? []);
    for (const name of names) this.names.add(name);
    try {
      const answers = await this.kind.askFor(riders.map(({ request }) => request));
      for (const [at, { settle }] of riders.entries()) settle(answers[at]);
    } catch (error) {
      for (const { fail } of riders) fail(error);
    } finally {
      for (const name of names) this.names.delete(name);
    }
  }

  /** Those who go now, in the order in which they came; a key has half of the places while others wait. */
  private nextRiders(except: ReadonlySet<string>): Rider<Request, Answer>[] {
    const places = new Map<string | undefined, number>();
    const within = this.waiting.filter(({ keyId }) => {
      const place = (places.get(keyId) ?? 0) + 1;
      places.set(keyId, place);
      return place <= MAX_RIDERS / 2;
    });
    const chosen = new Set<Rider<Request, Answer>>();
    const names = new Set<string>();
    let room = MAX_LENGTH;
    for (const rider of new Set([...within, ...this.waiting])) {
      const { name, length } = rider;
      if (chosen.size === MAX_RIDERS || length > room) break;
      if (name !== null && (names.has(name) || except.has(name))) continue;
      if (name !== null) names.add(name);
      room -= length;
      chosen.add(rider);
    }
    const riders = this.waiting.filter((rider) => chosen.has(rider));
    this.waiting = this.waiting.filter((rider) => !chosen.has(rider));
    return riders;
  }
}

const MAX_UNDER_WAY = 2;
const MAX_RIDERS = 64;
const MAX_LENGTH = 256 * 1024;
const MAX_WAIT_MS = 20;
