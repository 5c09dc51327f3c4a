import pg from 'pg';

/** Ends the statements of connections, on one connection of its own: of many at once, all by one question. */
export class Canceller {
  private next: { readonly pids: unknown[]; readonly done: Promise<void> } | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(private readonly url: string) {}

  /** Has PostgreSQL give up what this connection is doing; ends when it has been told, or cannot be. */
  async cancel(client: object): Promise<void> {
    this.next ??= this.begin([]);
    this.next.pids.push(Reflect.get(client, 'processID'));
    await this.next.done;
  }

  private begin(pids: unknown[]): { readonly pids: unknown[]; readonly done: Promise<void> } {
    const done = this.current.then(async () => {
      this.next = undefined;
      await cancelBackends(this.url, pids).catch(() => undefined);
    });
    this.current = done;
    return { pids, done };
  }
}

async function cancelBackends(connectionString: string, pids: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_cancel_backend(pid) FROM unnest($1::integer[]) pid', [pids]);
  } finally {
    await client.end().catch(() => undefined);
  }
}
