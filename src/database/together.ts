/** Somebody who waits for the answer to one request. */
interface Rider<Request, Answer> {
  readonly request: Request;
  readonly keyId: string | undefined;
  /** Given no answer, the rider asks alone. */
  readonly settle: (answer?: Answer) => void;
}

/**
 * Requests of one kind that wait travel together. Two are under way, and what comes meanwhile goes with the next as one
 * question, so that its cost is shared. Nobody waits for company: who finds room goes at once, and alone, and whoever has
 * waited for 20 ms goes on beside those who are slow.
 */
export class Together<Request, Answer> {
  private underWay = 0;
  private waiting: Rider<Request, Answer>[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** Asks for all of them at once; undefined for one who has to ask alone. */
    private readonly askFor: (requests: readonly Request[]) => Promise<readonly (Answer | undefined)[]>,
  ) {}

  async ask(request: Request, keyId: string | undefined, alone: () => Promise<Answer>): Promise<Answer> {
    if (this.underWay < MAX_UNDER_WAY && this.waiting.length === 0) return this.during(alone);
    const answer = await new Promise<Answer | undefined>((settle) => {
      this.waiting.push({ request, keyId, settle });
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
      if (this.underWay < MAX_UNDER_WAY) this.go();
    }
  }

  private setTimer(): void {
    this.timer ??= setTimeout(() => {
      this.go();
    }, MAX_WAIT_MS);
  }

  /** Sends those who wait, if any do. */
  private go(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const riders = this.nextRiders();
    if (riders.length === 0) return;
    if (this.waiting.length > 0) this.setTimer();
    void this.during(async () => {
      const answers = await this.askFor(riders.map(({ request }) => request)).catch(() => []);
      for (const [at, { settle }] of riders.entries()) settle(answers[at]);
    });
  }

  /** Those who go now, in the order in which they came; a key has half of the places while others wait. */
  private nextRiders(): Rider<Request, Answer>[] {
    const places = new Map<string | undefined, number>();
    const within = this.waiting.filter(({ keyId }) => {
      const place = (places.get(keyId) ?? 0) + 1;
      places.set(keyId, place);
      return place <= MAX_RIDERS / 2;
    });
    const chosen = new Set([...new Set([...within, ...this.waiting])].slice(0, MAX_RIDERS));
    const riders = this.waiting.filter((rider) => chosen.has(rider));
    this.waiting = this.waiting.filter((rider) => !chosen.has(rider));
    return riders;
  }
}

const MAX_UNDER_WAY = 2;
const MAX_RIDERS = 64;
const MAX_WAIT_MS = 20;
