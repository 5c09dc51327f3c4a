import { EntityManager } from 'typeorm';
import { type Deadline } from '../deadline.js';

/** The same database for the work of one request: its statements and transactions end with the deadline. */
export function boundTo(db: EntityManager, deadline: Deadline | undefined): EntityManager {
  return deadline ? new BoundManager(db, deadline) : db;
}

/** The deadline of what is done by this manager. */
export function deadlineOf(db: EntityManager): Deadline | undefined {
  return deadlines.get(db);
}

const deadlines = new WeakMap<EntityManager, Deadline>();

type Work<T> = (tx: EntityManager) => Promise<T>;

class BoundManager extends EntityManager {
  constructor(
    db: EntityManager,
    private readonly deadline: Deadline,
  ) {
    super(db.dataSource);
    deadlines.set(this, deadline);
  }

  /** Nothing is committed of a request that was told that it took too long. */
  override async transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 1 ? [undefined, given[0]] : given;
    const bound: Work<T> = async (tx) => {
      deadlines.set(tx, this.deadline);
      const result = await work(tx);
      this.deadline.check();
      return result;
    };
    return isolation === undefined ? super.transaction(bound) : super.transaction(isolation, bound);
  }
}

type IsolationLevel = 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | 'SNAPSHOT';
