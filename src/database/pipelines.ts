import { giveBack, isOfStatement, type PgClient, type PgPool, type TimedQuery, take } from './pool.js';
import { ask } from './spread.js';

/** A statement that was sent, or is about to be. */
export interface SentStatement {
  readonly answer: Promise<unknown[]>;
  /** Has the connection told to stop once it is at this statement. That may come too late, and hit the next one. */
  readonly giveUp: (cancel: Cancel) => Promise<void>;
}

type Cancel = (client: PgClient<unknown>) => Promise<void>;

/**
 * Connections of the pool that are sent statements before earlier ones are answered, so that neither side has to be woken
 * for each. A statement that waits would hold up all behind it, so only statements that never wait are sent this way.
 */
export class Pipelines {
  private readonly all = new Set<Pipeline>();

  /** Takes `most` connections from the pool at most. */
  constructor(
    private readonly pool: () => PgPool<unknown>,
    private readonly most: number,
  ) {}

  send(query: TimedQuery): SentStatement {
    return this.shortest().send(query);
  }

  /** The first connection that has room; else one more from the pool, or else the one with the fewest statements. */
  private shortest(): Pipeline {
    let shortest: Pipeline | undefined;
    for (const pipeline of this.all) {
      if (pipeline.underWay < MAX_DEPTH) return pipeline;
      if (!shortest || pipeline.underWay < shortest.underWay) shortest = pipeline;
    }
    return shortest && this.all.size >= this.most ? shortest : this.begin();
  }

  private begin(): Pipeline {
    const pipeline = new Pipeline(this.pool(), () => this.all.delete(pipeline));
    this.all.add(pipeline);
    return pipeline;
  }
}

/** So many statements go to one connection before the next one is taken: each connection commits one after the other. */
const MAX_DEPTH = 8;

class Pipeline {
  underWay = 0;
  private readonly client;
  private last: Promise<unknown> = Promise.resolve();
  private isBroken = false;

  constructor(
    pool: PgPool<unknown>,
    /** Called when no more may be sent. */
    private readonly leave: () => void,
  ) {
    this.client = take(pool);
  }

  send(query: TimedQuery): SentStatement {
    let isAnswered = false;
    const before = this.last;
    const send = async (): Promise<unknown[]> => {
      const client = await this.client;
      query.sentAt = performance.now();
      return ask(client, query);
    };
    const answer = this.during(send).finally(() => (isAnswered = true));
    this.last = answer.catch(() => undefined);
    const giveUp = (cancel: Cancel): Promise<void> =>
      this.during(async () => {
        await before;
        if (!isAnswered) await cancel(await this.client);
      });
    return { answer, giveUp };
  }

  /** Gives the connection back when no statement is under way. */
  private async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } catch (error) {
      this.isBroken ||= !isOfStatement(error);
      if (this.isBroken) this.leave();
      throw error;
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.end();
    }
  }

  private end(): void {
    this.leave();
    this.client.then(
      (client) => {
        giveBack(client, this.isBroken);
      },
      () => undefined,
    );
  }
}
