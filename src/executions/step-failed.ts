import { InvalidFields } from '../errors/field-errors.js';
import { ExpressionError } from '../expressions/expression-error.js';

/** A step cannot be done; the message says why, and is shown to clients. */
export class StepFailed extends Error {}

/** Why a step failed, if that is what was thrown. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof StepFailed || error instanceof ExpressionError) return error.message;
  if (!(error instanceof InvalidFields)) return undefined;
  return error.fields
    .flatMap(([name, messages]) =>
      messages.map((message) => (name === 'base' ? message : `${name} ${message}`)),
    )
    .join('; ');
}
