import { TryAgain } from './errors.js';

/** The SQLSTATE (or the system's code, such as ECONNRESET) of a failed statement, if this is one. */
export function databaseErrorCode(error: unknown): string | undefined {
  const code = property(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Two transactions stood in each other's way and this one was given up: the same work may succeed now. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(databaseErrorCode(error) ?? '');
}

/** Background work may succeed when it is done again: the database was away, others stood in the way, or the definition changed. */
export function isPassing(error: unknown): boolean {
  return error instanceof TryAgain || isDatabaseUnavailable(error) || databaseErrorCode(error) === 'WTS01';
}

/** A task is larger than any may be. */
export function isTaskTooLarge(error: unknown): boolean {
  if (databaseErrorCode(error) !== '23514') return false;
  // Citus names it in the message alone.
  return (
    /"tasks_size"/.test(String(property(error, 'message'))) || property(error, 'constraint') === 'tasks_size'
  );
}

/** The database is busy, shutting down or away: the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error) ?? '';
  return /^(25P03|55P03|57014|53\d\d\d|58\d\d\d|40001|40P01)$/.test(code) || isDatabaseGone(error);
}

/** Nobody answers, or says only that it is starting or stopping: what fails so fails for all. */
export function isDatabaseGone(error: unknown): boolean {
  return gone.test(databaseErrorCode(error) ?? '') || isLost(error);
}

// Of PostgreSQL, of the network, and of a stream that has ended already.
const gone =
  /^(57P0\d|08\w{3}|ECONN\w+|EPIPE|ETIMEDOUT|EHOST\w+|ENET\w+|EAI_AGAIN|ENOTFOUND|ERR_STREAM_(?:DESTROYED|WRITE_AFTER_END))$/;

// pg, and TypeORM when its connection broke in mid-transaction, give these no code.
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed|Query runner already released)/;

function isLost(error: unknown): boolean {
  const message = property(error, 'message');
  return typeof message === 'string' && lost.test(message);
}

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
