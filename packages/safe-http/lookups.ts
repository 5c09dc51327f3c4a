import { type LookupAddress } from 'node:dns';
import { OutboundFailure } from './failure.js';
import { FairSemaphore } from '../fair/semaphore.js';

type Addresses = readonly LookupAddress[];

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<Addresses>;

/**
 * Looks up names for all workspaces. A look-up occupies one of few threads until the servers of its zone answer, and
 * cannot be cancelled. So a workspace has at most a third of those under way, and one per name.
 */
export class Lookups {
  private readonly threads: FairSemaphore;
  private readonly underWay = new Map<string, Promise<Addresses>>();

  constructor(
    private readonly lookup: Lookup,
    maxConcurrent: number,
  ) {
    const share = maxConcurrent / 3;
    this.threads = new FairSemaphore(maxConcurrent, () => new OutboundFailure('unreachable'), {
      ofKey: share,
      ofWorkspace: share,
      waitTimeoutMs: 5000,
    });
  }

  /** The addresses of a name; concurrent calls of one workspace share one look-up. */
  find(workspaceId: number, hostname: string): Promise<Addresses> {
    const name = `${workspaceId}/${hostname}`;
    const known = this.underWay.get(name);
    if (known) return known;
    const found = this.threads
      .use({ workspaceId }, () => this.lookup(hostname))
      .finally(() => this.underWay.delete(name));
    this.underWay.set(name, found);
    return found;
  }
}
