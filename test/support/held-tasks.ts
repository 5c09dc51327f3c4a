import { type DataSource } from 'typeorm';
import { blocked } from './blocked.js';

/**
 * Locks the tasks of these Unique IDs on a connection of its own, as a write that is not over. Returns how to let them
 * go.
 */
export async function holdTasks(
  dataSource: DataSource,
  workspace: string,
  ...ids: readonly string[]
): Promise<() => Promise<void>> {
  return holdBy(
    dataSource,
    `SELECT FROM tasks t JOIN workspaces w ON w.id = t.workspace_id AND w.slug = $1
     WHERE t.unique_value = ANY ($2) ORDER BY t.id FOR UPDATE OF t`,
    [workspace, ids],
  );
}

/** Keeps what a statement locks or writes in an open transaction. Returns how to take it back. */
export async function holdBy(
  dataSource: DataSource,
  statement: string,
  parameters: unknown[] = [],
): Promise<() => Promise<void>> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(statement, parameters);
  return async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
}

/** Sends writes of a task of acme while it is held, each once those before wait for it; gives the answers to all. */
export async function sendWhileHeld<T>(
  dataSource: DataSource,
  id: string,
  ...writes: readonly (() => PromiseLike<T>)[]
): Promise<T[]> {
  const release = await holdTasks(dataSource, 'acme', id);
  const sent: Promise<T>[] = [];
  for (const write of writes) {
    sent.push(Promise.resolve(write()));
    await blocked(dataSource, sent.length);
  }
  await release();
  return Promise.all(sent);
}
