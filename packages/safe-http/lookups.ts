import { type LookupAddress } from 'node:dns';
import { OutboundFailure } from './failure.js';
import { FairSemaphore } from '../fair/semaphore.js';

type Addresses = readonly LookupAddress[];

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<Addresses>;

/**
 * Looks names up for all workspaces. A look-up keeps one of few threads busy until the servers of its zone answer, and
 * cannot be given up: so a workspace has a third of those under way at most, and one for each name.
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

  /** The addresses of a name; those of one workspace who ask at the same time get the same answer. */
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
