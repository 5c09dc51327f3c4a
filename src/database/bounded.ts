import { EntityManager } from 'typeorm';
import { type Deadline } from '../deadline.js';
import { type Holder } from '../fair-semaphore.js';
import { connectionsOf } from './connections.js';

/** Who asks for work, and how long it may take. */
export interface Requester extends Holder {
  readonly deadline?: Deadline | undefined;
}

/**
 * The same database for the work of one request: its statements and transactions end with the deadline, and take their
 * connections from the share of who asks.
 */
export function boundTo(db: EntityManager, requester: Requester): EntityManager {
  const { deadline } = requester;
  return deadline ? new BoundManager(db, { ...requester, deadline }) : db;
}

export interface Bounds extends Holder {
  readonly deadline: Deadline;
}

/** What bounds the work that is done by this manager. */
export function boundsOf(db: EntityManager): Bounds | undefined {
  return known.get(db);
}

const known = new WeakMap<EntityManager, Bounds>();

type Work<T> = (tx: EntityManager) => Promise<T>;

class BoundManager extends EntityManager {
  constructor(
    db: EntityManager,
    private readonly bounds: Bounds,
  ) {
    super(db.dataSource);
    known.set(this, bounds);
  }

  /** Nothing is committed of a request that was told that it took too long. */
  override async transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 1 ? [undefined, given[0]] : given;
    const bound: Work<T> = async (tx) => {
      known.set(tx, this.bounds);
      const result = await work(tx);
      this.bounds.deadline.check();
      return result;
    };
    return connectionsOf(this.dataSource).use(this.bounds, () =>
      isolation === undefined ? super.transaction(bound) : super.transaction(isolation, bound),
    );
  }
}

type IsolationLevel = 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | 'SNAPSHOT';
