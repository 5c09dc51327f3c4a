/** The owner of work: the key of a request, or otherwise a workspace. */
export interface Holder {
  readonly workspaceId: number;
  readonly keyId?: string | undefined;
}

/**
 * The most permits of one key and of one workspace, by default a half and three quarters; how long callers wait, by
 * default 10 s; how many of one key wait at most, by default any number; and how long a released permit rests before it
 * is free, by default not at all.
 */
export interface Shares {
  readonly ofKey?: number;
  readonly ofWorkspace?: number;
  readonly waitTimeoutMs?: number;
  readonly mostWaiting?: number;
  readonly restMs?: number;
}

interface Waiting {
  readonly holder: Holder;
  readonly amount: number;
  readonly admit: () => void;
}

/**
 * A semaphore with fair shares: nobody can take all permits. Callers that must wait form a line for each key, and the
 * lines are served in turn. After `waitTimeoutMs`, or at once if its line is full, a caller gets the error of `refuse`.
 */
export class FairSemaphore {
  private readonly ofKey: number;
  private readonly ofWorkspace: number;
  private readonly waitTimeoutMs: number;
  private readonly mostWaiting: number;
  private readonly restMs: number;
  /** Permits by workspace and by key. */
  private readonly held = new Map<string | number, number>();
  /** In the order in which they are served: the key served last comes last. */
  private readonly lines = new Map<string | number, Waiting[]>();

  constructor(
    private free: number,
    private readonly refuse: () => Error,
    shares: Shares = {},
  ) {
    const { ofKey = free / 2, ofWorkspace = (free * 3) / 4 } = shares;
    this.ofWorkspace = Math.max(1, Math.floor(ofWorkspace));
    this.ofKey = Math.min(this.ofWorkspace, Math.max(1, Math.floor(ofKey)));
    this.waitTimeoutMs = shares.waitTimeoutMs ?? 10_000;
    this.mostWaiting = shares.mostWaiting ?? Infinity;
    this.restMs = shares.restMs ?? 0;
  }

  /** Takes so many permits, or the most that one key may hold; returns how many. */
  async acquire(holder: Holder, wanted = 1): Promise<number> {
    const amount = Math.min(wanted, this.ofKey);
    if (!this.tryAcquire(holder, amount)) await this.wait(holder, amount);
    return amount;
  }

  /** Takes so many permits if they are free and nobody is waiting. */
  tryAcquire(holder: Holder, amount = 1): boolean {
    if (this.lines.size > 0 || this.obstacleOf(holder, amount) !== undefined) return false;
    this.hold(holder, amount);
    return true;
  }

  /** Throws what a caller would get now because the line of its key is full. */
  refuseIfFull(holder: Holder): void {
    if ((this.lines.get(nameOf(holder))?.length ?? 0) >= this.mostWaiting) throw this.refuse();
  }

  release(holder: Holder, amount = 1): void {
    const free = (): void => {
      this.hold(holder, -amount);
      this.admit();
    };
    if (this.restMs > 0) setTimeout(free, this.restMs).unref();
    else free();
  }

  async use<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire(holder)) await this.wait(holder, 1);
    try {
      return await work();
    } finally {
      this.release(holder);
    }
  }

  /** Gives a permit back during work that does not need it, and takes one again afterwards. */
  async releaseWhile<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    this.release(holder);
    try {
      return await work();
    } finally {
      await this.acquire(holder).catch((error: unknown) => {
        // Taken even if none is free, because the caller will release it in any case.
        this.hold(holder, 1);
        throw error;
      });
    }
  }

  private hold({ workspaceId, keyId }: Holder, amount: number): void {
    this.free -= amount;
    this.count(workspaceId, amount);
    if (keyId !== undefined) this.count(nameOf({ workspaceId, keyId }), amount);
  }

  private count(name: string | number, amount: number): void {
    const held = this.heldBy(name) + amount;
    if (held === 0) this.held.delete(name);
    else this.held.set(name, held);
  }

  private heldBy(name: string | number): number {
    return this.held.get(name) ?? 0;
  }

  /** What prevents taking so many permits: a share is used up, or too few are free. */
  private obstacleOf(holder: Holder, amount: number): 'share' | 'permits' | undefined {
    if (holder.keyId !== undefined && this.heldBy(nameOf(holder)) + amount > this.ofKey) return 'share';
    if (this.heldBy(holder.workspaceId) + amount > this.ofWorkspace) return 'share';
    return amount > this.free ? 'permits' : undefined;
  }

  /** Serves the first caller of each line in turn; nobody overtakes a caller that waits for many permits. */
  private admit(): void {
    // A line that was served moves to the end, so this loop reaches it again.
    for (const [name, line] of this.lines) {
      const [first] = line;
      if (!first) continue;
      const obstacle = this.obstacleOf(first.holder, first.amount);
      if (obstacle === 'permits') return;
      if (obstacle === 'share') continue;
      this.lines.delete(name);
      line.shift();
      if (line.length > 0) this.lines.set(name, line);
      this.hold(first.holder, first.amount);
      first.admit();
    }
  }

  private async wait(holder: Holder, amount: number): Promise<void> {
    this.refuseIfFull(holder);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.leave(waiting);
        reject(this.refuse());
      };
      // With an infinite delay, a timer of Node.js would fire at once.
      const timer = Number.isFinite(this.waitTimeoutMs) ? setTimeout(giveUp, this.waitTimeoutMs) : undefined;
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = { holder, amount, admit };
      const name = nameOf(holder);
      const line = this.lines.get(name);
      if (line) line.push(waiting);
      else this.lines.set(name, [waiting]);
      this.admit();
    });
  }

  private leave(waiting: Waiting): void {
    const name = nameOf(waiting.holder);
    const line = (this.lines.get(name) ?? []).filter((other) => other !== waiting);
    if (line.length > 0) this.lines.set(name, line);
    else this.lines.delete(name);
    // The next caller in the line may want fewer permits.
    this.admit();
  }
}

/** The name of the key, or of the workspace if there is no key. */
function nameOf({ workspaceId, keyId }: Holder): string | number {
  return keyId === undefined ? workspaceId : `${workspaceId}/${keyId}`;
}
