import { notFound } from '../common/errors.js';
import { faultsOf } from '../common/field-errors.js';

/** Nothing is behind what is no cursor. */
export function refusedCursor(error: unknown): never {
  faultsOf(error);
  throw notFound();
}
