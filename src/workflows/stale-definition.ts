import { databaseErrorCode } from '../errors/database-error.js';
import { TryAgain } from '../errors/errors.js';

/** A statement met another definition than the one it was compiled for. */
export class StaleDefinition extends TryAgain {}

/** Throws when the version that a statement saw is not the one that the reader was compiled for. */
export function assertVersion(seen: number, known: number): void {
  if (seen !== known) throw new StaleDefinition('the definition has changed');
}

/** Whether the work failed because of a newer definition; `assert_definition` raises WTS01. */
export function isStale(error: unknown): boolean {
  return error instanceof StaleDefinition || databaseErrorCode(error) === 'WTS01';
}
