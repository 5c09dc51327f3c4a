import { giveBack, isOfStatement, type PgClient, type PgPool, type PgQuery, take } from './pool.js';
import { ask } from './spread.js';

/** A statement that was sent, or is about to be. */
export interface SentStatement {
  readonly answer: Promise<unknown[]>;
  /** Cancels the statement once the connection has reached it. That may come too late, and hit the next statement. */
  readonly giveUp: (cancel: Cancel) => Promise<void>;
}

type Cancel = (client: PgClient<unknown>) => Promise<void>;

/**
 * Connections that are sent statements before the earlier ones are answered, so that neither side is woken up for each.
 * A statement that waits would hold up all behind it, so only those that never wait for a lock are sent this way.
 */
export class Pipelines {
  private readonly all = new Set<Pipeline>();

  /** `most` limits the number of connections that it takes from the pool. */
  constructor(
    private readonly pool: () => PgPool<unknown>,
    private readonly most: number,
  ) {}

  send(query: PgQuery): SentStatement {
    return this.shortest().send(query);
  }

  /** The first connection with room; else a new one from the pool; else the one with the fewest statements. */
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

/** Statements per connection before another one is taken: a connection commits one statement after another. */
const MAX_DEPTH = 8;

class Pipeline {
  underWay = 0;
  private readonly client;
  private last: Promise<unknown> = Promise.resolve();
  private isBroken = false;

  constructor(
    pool: PgPool<unknown>,
    /** Called when the connection takes no more statements. */
    private readonly leave: () => void,
  ) {
    this.client = take(pool);
  }

  send(query: PgQuery): SentStatement {
    let isAnswered = false;
    const before = this.last;
    const send = async (): Promise<unknown[]> => {
      const client = await this.client;
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

  /** Returns the connection to the pool when no statement is under way. */
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
