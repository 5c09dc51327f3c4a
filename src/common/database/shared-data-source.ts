import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { busy } from '../errors.js';

/** TypeORM's data source, with the limits by which requests share its connections. */
export class SharedDataSource extends DataSource {
  /**
   * Limits the connections that requests use at once. A tenth, rounded down, remains for statements outside
   * this limit, such as reads of keys.
   */
  readonly connections: FairSemaphore;
  /** How far the service's time is ahead of the real time; negative if behind. Set by `WTS_CLOCK`. */
  aheadMs = 0;
  /** Maps the name of a kind of requests to the `Together` object that combines such requests. */
  private readonly lines = new LRUCache<string, object>({ max: 1000 });

  constructor(options: DataSourceOptions & { readonly poolSize: number }) {
    super(options);
    const { poolSize } = options;
    const shares = { ofKey: poolSize * 0.7, ofWorkspace: poolSize * 0.8 };
    const shared = poolSize - Math.floor(poolSize / 10);
    this.connections = new FairSemaphore(shared, busy('Too many requests are waiting.'), shares);
  }

  /** Returns the object with this name from `lines`. If `lines` does not have the object, makes it. */
  line<Line extends object>(name: string, make: () => Line): Line {
    const known = this.lines.get(name) as Line | undefined;
    if (known) return known;
    const made = make();
    this.lines.set(name, made);
    return made;
  }
}

export function sharedBy({ dataSource }: EntityManager): SharedDataSource {
  if (!(dataSource instanceof SharedDataSource)) throw new Error('the data source is not a shared one');
  return dataSource;
}

/** The service's time outside SQL, for conditions and pages. Tests can move it. */
export function serviceTime(db: EntityManager): Date {
  return new Date(Date.now() + sharedBy(db).aheadMs);
}
