import { notFound } from '../lib/errors.js';
import { faultsOf } from '../lib/field-errors.js';

/** Nothing is behind what is no cursor. */
export function refusedCursor(error: unknown): never {
  faultsOf(error);
  throw notFound();
}
