/** Whose work it is: a key's, where it is a request, or else a workspace's. */
export interface Holder {
  readonly workspaceId: number;
  readonly keyId?: string | undefined;
}

/** How many permits one key and one workspace may hold, half and three quarters by default, and how long they wait: 10 s. */
export interface Shares {
  readonly ofKey?: number;
  readonly ofWorkspace?: number;
  readonly waitTimeoutMs?: number;
  /** In place of `ofWorkspace`: a workspace may hold half of what others leave, so that something is left for the next. */
  readonly leavesHalf?: boolean;
}

/**
 * A semaphore with fair shares: nobody can take all permits. Who finds none left waits in the line of its key, and the
 * lines take turns. Who waits longer than `waitTimeoutMs` gets the error that `refuse` makes.
 */
export class FairSemaphore {
  /** What one key may hold. */
  readonly most: number;
  private readonly maxOfWorkspace: number;
  private readonly waitTimeoutMs: number;
  private readonly leavesHalf: boolean;
  private free: number;
  private readonly held = new Map<string | number, number>();
  /** The key that was served last stands last. */
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

  /** Takes this many, or as many as one key may hold if that is less; says how many that was. */
  async acquire(holder: Holder, wanted = 1): Promise<number> {
    const amount = Math.min(wanted, this.most);
    if (!this.tryHold(holder, amount)) await this.wait(holder, amount);
    return amount;
  }

  /** Whether nothing is left of it. */
  get isUsedUp(): boolean {
    return this.free <= 0;
  }

  release(holder: Holder, amount = 1): void {
    this.hold(holder, -amount);
    this.admit();
  }

  /** Does the work while holding so many permits. */
  async use<T>(holder: Holder, work: () => Promise<T>, wanted = 1): Promise<T> {
    const amount = Math.min(wanted, this.most);
    if (!this.tryHold(holder, amount)) await this.wait(holder, amount);
    try {
      return await work();
    } finally {
      this.release(holder, amount);
    }
  }

  /** Gives the permit that is held to others while work is done that needs none, and takes one again after it. */
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
      // The holder will release it all the same.
      this.hold(holder, 1);
      throw error;
    }
  }

  /** Takes them where nobody waits and nothing stands in the way. */
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

  /** What stands in the way of taking so many. */
  private obstacleOf(holder: Holder, amount: number): 'key' | 'workspace' | 'permits' | undefined {
    const heldBy = (name: string | number): number => this.held.get(name) ?? 0;
    if (holder.keyId !== undefined && heldBy(nameOf(holder)) + amount > this.most) return 'key';
    const ofWorkspace = this.leavesHalf ? this.free : this.maxOfWorkspace;
    if (heldBy(holder.workspaceId) + amount > ofWorkspace) return 'workspace';
    return amount > this.free ? 'permits' : undefined;
  }

  /** Serves the first of each line in turn; who waits for many permits is not overtaken by those who want few. */
  private admit(): void {
    if (this.lines.size === 0) return;
    const full = new Set<number>();
    // A line that is served is put last, and so comes again.
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
      // A timer of Node.js that is given infinity fires at once.
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
    // The next in line may want fewer permits.
    this.admit();
  }
}

interface Waiting {
  readonly holder: Holder;
  readonly amount: number;
  readonly admit: () => void;
}

/** The name of the key, or of the workspace where there is none. */
function nameOf({ workspaceId, keyId }: Holder): string | number {
  return keyId === undefined ? workspaceId : `${workspaceId}/${keyId}`;
}
