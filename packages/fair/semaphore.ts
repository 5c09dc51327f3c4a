/** The owner of work: the key of a request, or a workspace. */
export interface Holder {
  readonly workspaceId: number;
  readonly keyId?: string | undefined;
}

export interface Shares {
  /** The most permits of one key; by default half of all. */
  readonly ofKey?: number;
  /** The most permits of one workspace; by default three quarters of all. */
  readonly ofWorkspace?: number;
  /** The most milliseconds that a caller waits; by default 10,000. */
  readonly waitTimeoutMs?: number;
  /** The most waiting callers of one key; by default no limit. */
  readonly mostWaiting?: number;
  /** The milliseconds until a released permit is free again; by default 0. */
  readonly restMs?: number;
}

interface Waiting {
  readonly holder: Holder;
  readonly amount: number;
  readonly admit: () => void;
}

/**
 * A semaphore that limits the permits of each key and workspace. Each key has a line of waiting callers, and
 * the lines are served in turn. A caller gets the error of `refuse` after `waitTimeoutMs`, or at once if the
 * line is full.
 */
export class FairSemaphore {
  private readonly ofKey: number;
  private readonly ofWorkspace: number;
  private readonly waitTimeoutMs: number;
  private readonly mostWaiting: number;
  private readonly restMs: number;
  /** The number of permits that each workspace and each key holds. */
  private readonly held = new Map<string | number, number>();
  /** The lines in the order of service: the line that was served last is at the end. */
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

  /** Takes the wanted permits, but at most as many as one key may hold. Returns the number taken. */
  async acquire(holder: Holder, wanted = 1): Promise<number> {
    const amount = Math.min(wanted, this.ofKey);
    if (!this.tryAcquire(holder, amount)) await this.wait(holder, amount);
    return amount;
  }

  /** Takes the permits if no caller waits and no limit is exceeded. Returns false if it takes none. */
  tryAcquire(holder: Holder, amount = 1): boolean {
    if (this.lines.size > 0 || this.obstacleOf(holder, amount) !== undefined) return false;
    this.hold(holder, amount);
    return true;
  }

  /** Throws the error of `refuse` if the line of the key is full. */
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

  /** Releases a permit during work that does not need a permit, and then acquires a permit again. */
  async releaseWhile<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    this.release(holder);
    try {
      return await work();
    } finally {
      await this.acquire(holder).catch((error: unknown) => {
        // Takes a permit even if no permit is free, because the caller will release a permit.
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

  /** Why the permits cannot be taken: a share is used up, or too few permits are free. */
  private obstacleOf(holder: Holder, amount: number): 'share' | 'permits' | undefined {
    if (holder.keyId !== undefined && this.heldBy(nameOf(holder)) + amount > this.ofKey) return 'share';
    if (this.heldBy(holder.workspaceId) + amount > this.ofWorkspace) return 'share';
    return amount > this.free ? 'permits' : undefined;
  }

  /** Serves the first caller of each line in turn. If too few permits are free for one, all others wait. */
  private admit(): void {
    // A served line moves to the end of the map, so this loop reaches the line again.
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
      // A Node.js timer with an infinite delay would fire at once.
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
