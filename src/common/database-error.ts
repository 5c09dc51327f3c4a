import { TryAgain } from './errors.js';

/** The SQLSTATE of a failed statement, or a code such as ECONNRESET. Undefined if the error has no code. */
export function databaseErrorCode(error: unknown): string | undefined {
  const code = property(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Whether PostgreSQL rolled back a transaction that conflicted with another. A retry may succeed at once. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(databaseErrorCode(error) ?? '');
}

/** Whether a later try may succeed: after a conflict, a changed definition or an unavailable database. */
export function isPassing(error: unknown): boolean {
  return error instanceof TryAgain || isDatabaseUnavailable(error) || databaseErrorCode(error) === 'WTS01';
}

export function isTaskTooLarge(error: unknown): boolean {
  if (databaseErrorCode(error) !== '23514') return false;
  // Citus gives the constraint's name in the message only.
  return (
    /"tasks_size"/.test(String(property(error, 'message'))) || property(error, 'constraint') === 'tasks_size'
  );
}

/**
 * Whether the database is busy, failing, shutting down or unreachable, or rolled back a conflicting
 * transaction. The same request may succeed later.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error) ?? '';
  return /^(25P03|55P03|57014|53\d\d\d|58\d\d\d|40001|40P01)$/.test(code) || isDatabaseGone(error);
}

/** Whether the database is unreachable, starting or stopping, so that every statement fails. */
export function isDatabaseGone(error: unknown): boolean {
  return gone.test(databaseErrorCode(error) ?? '') || isLost(error);
}

// Codes of PostgreSQL, of the network, and of a stream that has already ended.
const gone =
  /^(57P0\d|08\w{3}|ECONN\w+|EPIPE|ETIMEDOUT|EHOST\w+|ENET\w+|EAI_AGAIN|ENOTFOUND|ERR_STREAM_(?:DESTROYED|WRITE_AFTER_END))$/;

// Messages of errors without a code: from pg, and from TypeORM if a connection broke in a transaction.
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed|Query runner already released|Database connection provided by a query runner was already released)/;

function isLost(error: unknown): boolean {
  const message = property(error, 'message');
  return typeof message === 'string' && lost.test(message);
}

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
