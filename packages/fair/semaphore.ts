/** The owner of work: the key of a request, or otherwise a workspace. */
export interface Holder {
  readonly workspaceId: number;
  readonly keyId?: string | undefined;
}

/**
 * The most permits of one key and of one workspace, by default a half and three quarters, and how long they wait, by
 * default 10 s.
 */
export interface Shares {
  readonly ofKey?: number;
  readonly ofWorkspace?: number;
  readonly waitTimeoutMs?: number;
  /**
   * Replaces `ofWorkspace`: a workspace may hold at most as many permits as remain free, so that another workspace
   * always gets one.
   */
  readonly leavesHalf?: boolean;
}

/**
 * A semaphore with fair shares: nobody can take all permits. Callers without a permit wait in the queue of their key,
 * and the queues take turns. After `waitTimeoutMs`, a caller gets the error of `refuse`.
 */
export class FairSemaphore {
  /** The most permits of one key. */
  readonly most: number;
  private readonly maxOfWorkspace: number;
  private readonly waitTimeoutMs: number;
  private readonly leavesHalf: boolean;
  private free: number;
  private readonly held = new Map<string | number, number>();
  /** In the order of service: the key that was served last is at the end. */
  private readonly lines = new Map<string | number, Waiting[]>();

  constructor(
    permits: number,
    private readonly refuse: () => Error,
    {
      ofKey = permits / 2,
      ofWorkspace = (permits * 3) / 4,
      waitTimeoutMs = 10_000,
      leavesHalf = false,
    }: Shares = {},
  ) {
    this.free = permits;
    this.maxOfWorkspace = Math.max(1, Math.floor(ofWorkspace));
    this.most = Math.min(this.maxOfWorkspace, Math.max(1, Math.floor(ofKey)));
    this.waitTimeoutMs = waitTimeoutMs;
    this.leavesHalf = leavesHalf;
  }

  /** Takes this many permits, or the most that one key may hold; returns the number. */
  async acquire(holder: Holder, wanted = 1): Promise<number> {
    const amount = Math.min(wanted, this.most);
    if (!this.tryHold(holder, amount)) await this.wait(holder, amount);
    return amount;
  }

  /** Whether no permit is free. */
  get isUsedUp(): boolean {
    return this.free <= 0;
  }

  release(holder: Holder, amount = 1): void {
    this.hold(holder, -amount);
    this.admit();
  }

  /** Runs the work while it holds so many permits. */
  async use<T>(holder: Holder, work: () => Promise<T>, wanted = 1): Promise<T> {
    const amount = Math.min(wanted, this.most);
    if (!this.tryHold(holder, amount)) await this.wait(holder, amount);
    try {
      return await work();
    } finally {
      this.release(holder, amount);
    }
  }

  /** Releases a permit during work that does not need it, and takes one again afterwards. */
  async releaseWhile<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    this.release(holder);
    try {
      return await work();
    } finally {
      await this.takeBack(holder);
    }
  }

  private async takeBack(holder: Holder): Promise<void> {
    try {
      await this.acquire(holder);
    } catch (error) {
      // The holder will release it in any case.
      this.hold(holder, 1);
      throw error;
    }
  }

  /** Takes permits if nobody waits and the shares allow it. */
  private tryHold(holder: Holder, amount: number): boolean {
    const isFree = this.lines.size === 0 && this.obstacleOf(holder, amount) === undefined;
    if (isFree) this.hold(holder, amount);
    return isFree;
  }

  private hold({ workspaceId, keyId }: Holder, amount: number): void {
    this.free -= amount;
    this.count(workspaceId, amount);
    if (keyId !== undefined) this.count(nameOf({ workspaceId, keyId }), amount);
  }

  private count(name: string | number, amount: number): void {
    const held = (this.held.get(name) ?? 0) + amount;
    if (held === 0) this.held.delete(name);
    else this.held.set(name, held);
  }

  /** The limit that prevents taking so many permits. */
  private obstacleOf(holder: Holder, amount: number): 'key' | 'workspace' | 'permits' | undefined {
    const heldBy = (name: string | number): number => this.held.get(name) ?? 0;
    if (holder.keyId !== undefined && heldBy(nameOf(holder)) + amount > this.most) return 'key';
    const ofWorkspace = this.leavesHalf ? this.free : this.maxOfWorkspace;
    if (heldBy(holder.workspaceId) + amount > ofWorkspace) return 'workspace';
    return amount > this.free ? 'permits' : undefined;
  }

  /**
   * Serves the first caller of each queue in turn. A caller that waits for many permits is not overtaken by those
   * that want few.
   */
  private admit(): void {
    if (this.lines.size === 0) return;
    const full = new Set<number>();
    // A served queue moves to the end, so this loop reaches it again.
    for (const [name, line] of this.lines) {
      const [first] = line;
      if (!first || full.has(first.holder.workspaceId)) continue;
      const obstacle = this.obstacleOf(first.holder, first.amount);
      if (obstacle === 'permits') return;
      if (obstacle === 'workspace') full.add(first.holder.workspaceId);
      if (obstacle !== undefined) continue;
      this.lines.delete(name);
      line.shift();
      if (line.length > 0) this.lines.set(name, line);
      this.hold(first.holder, first.amount);
      first.admit();
    }
  }

  private wait(holder: Holder, amount: number): Promise<void> {
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
      const line = this.lines.get(nameOf(holder));
      if (line) line.push(waiting);
      else this.lines.set(nameOf(holder), [waiting]);
      this.admit();
    });
  }

  private leave(waiting: Waiting): void {
    const name = nameOf(waiting.holder);
    const line = (this.lines.get(name) ?? []).filter((other) => other !== waiting);
    if (line.length > 0) this.lines.set(name, line);
    else this.lines.delete(name);
    // The next caller in the queue may want fewer permits.
    this.admit();
  }
}

interface Waiting {
  readonly holder: Holder;
  readonly amount: number;
  readonly admit: () => void;
}

/** The name of the key, or of the workspace without one. */
function nameOf({ workspaceId, keyId }: Holder): string | number {
  return keyId === undefined ? workspaceId : `${workspaceId}/${keyId}`;
}
